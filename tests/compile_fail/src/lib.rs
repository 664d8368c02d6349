//! Tests only: programs that must not compile, and what the compiler says of them.
