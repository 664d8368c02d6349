// As cuda_builder writes it, for one kernel.
&[("reduce_other_u32_block", "reduce_other_u32_block", "")]
