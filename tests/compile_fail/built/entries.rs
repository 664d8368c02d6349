// As cuda_builder writes it, of one kernel.
&[("reduce_other_u32_block", "reduce_other_u32_block", "")]
