#![cfg_attr(not(target_arch = "nvptx64"), doc = include_str!("../README.md"))]
#![cfg_attr(target_arch = "nvptx64", doc = "The long integer of exact sums.")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(not(target_arch = "nvptx64"))]
mod state;
pub mod total;
mod unroll;

#[cfg(not(target_arch = "nvptx64"))]
pub use state::*;
