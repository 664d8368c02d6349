/* Every function of names.inc as a jump through a table. A slot first points to code that asks resolve.c for the
   driver's function and keeps the answer, so from the second call on a function costs one indirect jump.

   Nothing is known here of a function's arguments: the registers that may carry them are saved round the call to
   resolve.c, and the stack is left as it was. Symbols are hidden: each program or library has its own copy, and
   none is seen by the driver. */

#if defined(__x86_64__)

/* System V AMD64: arguments in six general and eight vector registers; %rax holds the number of vector registers of
   a variadic call; %r10 and %r11 are free between caller and callee. */
.macro entry name
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    endbr64
    jmpq *(warpfold_driver_table + 8 * entry_index)(%rip)
.Lfirst\name:
    endbr64
    movl $entry_index, %r11d
    jmp first_call
    .size \name, . - \name
    .set entry_index, entry_index + 1
.endm

.macro slot name
    .quad .Lfirst\name
.endm

    .text
    .type first_call, @function
first_call:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    andq $-16, %rsp
    subq $192, %rsp
    movq %rax, 0(%rsp)
    movq %rdi, 8(%rsp)
    movq %rsi, 16(%rsp)
    movq %rdx, 24(%rsp)
    movq %rcx, 32(%rsp)
    movq %r8, 40(%rsp)
    movq %r9, 48(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    movl %r11d, %edi
    call warpfold_driver_resolve
    movq %rax, %r11
    movq 0(%rsp), %rax
    movq 8(%rsp), %rdi
    movq 16(%rsp), %rsi
    movq 24(%rsp), %rdx
    movq 32(%rsp), %rcx
    movq 40(%rsp), %r8
    movq 48(%rsp), %r9
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmpq *%r11
    .cfi_endproc
    .size first_call, . - first_call

#elif defined(__aarch64__)

/* AAPCS64: arguments in x0-x8 and v0-v7; x16 and x17 are free between caller and callee. */
.macro entry name
    .globl \name
    .hidden \name
    .type \name, %function
    .p2align 4
\name:
    hint #34 /* bti c */
    adrp x16, warpfold_driver_table + 8 * entry_index
    ldr x16, [x16, :lo12:warpfold_driver_table + 8 * entry_index]
    br x16
.Lfirst\name:
    hint #36 /* bti j */
    mov w17, #entry_index
    b first_call
    .size \name, . - \name
    .set entry_index, entry_index + 1
.endm

.macro slot name
    .xword .Lfirst\name
.endm

    .text
    .type first_call, %function
first_call:
    .cfi_startproc
    stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset 29, -224
    .cfi_offset 30, -216
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    mov w0, w17
    bl warpfold_driver_resolve
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    .cfi_restore 30
    .cfi_restore 29
    .cfi_def_cfa_offset 0
    br x16
    .cfi_endproc
    .size first_call, . - first_call

#else
#error "the driver shim knows x86-64 and AArch64 Linux; link to the driver's own libcuda.so here"
#endif

    .set entry_index, 0
#define CU(name) entry name
#include "names.inc"
#undef CU

    .data
    .p2align 3
    .globl warpfold_driver_table
    .hidden warpfold_driver_table
warpfold_driver_table:
#define CU(name) slot name
#include "names.inc"
#undef CU

    .section .note.GNU-stack, "", %progbits
