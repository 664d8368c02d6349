// Made by cuda_builder; not to be edited. (entry, its kernel, the module that has it)
&[
    ("reduce_matrix_u32_block", "reduce_matrix_u32_block", include_str!("reduce_matrix_u32_block.ptx")),
    ("reduce_matrix_u32_grid", "reduce_matrix_u32_grid", include_str!("reduce_matrix_u32_grid.ptx")),
    ("reduce_matrix_u32_partials", "reduce_matrix_u32_partials", include_str!("reduce_matrix_u32_partials.ptx")),
    ("reduce_ordered_u32_block", "reduce_ordered_u32_block", include_str!("reduce_ordered_u32_block.ptx")),
    ("reduce_ordered_u32_grid", "reduce_ordered_u32_grid", include_str!("reduce_ordered_u32_grid.ptx")),
    ("reduce_ordered_u32_partials", "reduce_ordered_u32_partials", include_str!("reduce_ordered_u32_partials.ptx")),
    ("reduce_strided_u32_block", "reduce_strided_u32_block", include_str!("reduce_strided_u32_block.ptx")),
    ("reduce_strided_u32_grid", "reduce_strided_u32_grid", include_str!("reduce_strided_u32_grid.ptx")),
    ("reduce_strided_u32_partials", "reduce_ordered_u32_partials", include_str!("reduce_ordered_u32_partials.ptx")),
]
