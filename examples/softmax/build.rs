fn main() {
    cuda_builder::CudaBuilder::new(".").build_script();
}
