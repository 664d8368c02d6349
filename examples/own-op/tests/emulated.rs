//! The GPU half of the program on a machine without a GPU: `cargo test --features emulator`.
#![cfg(feature = "emulator")]

use own_op::{Gcd, Within};
use warpfold::{Cpu, Cuda, Error};

#[test]
fn own_operators_have_the_cpus_bits_on_a_device() -> Result<(), Error> {
    let device = Cuda::emulated()?;
    assert!(device.properties().name.contains("no GPU"));
    let multiples: Vec<u32> = (1..50_000).map(|i| 42 * (i % 10_007)).collect();
    let roots: Vec<f32> = (0..50_000u32).map(|i| (i as f32).sqrt()).collect();
    let (on_device, on_device_too) = (device.upload(&multiples)?, device.upload(&roots)?);
    assert_eq!(device.reduce(Gcd, &on_device)?, 42);
    let within = Within { centre: 100.0, radius: 0.5 };
    let expected = Cpu::new().reduce(within, &roots)?;
    assert_eq!(device.reduce(within, &on_device_too)?, expected);

    // Enqueued on a stream, and repeated by a graph.
    let (stream, mut near) = (device.stream()?, device.scalar::<f32, Within>()?);
    let mut graph = stream.capture(|stream| stream.reduce_into(within, &on_device_too, &mut near))?;
    graph.launch(&stream)?;
    assert_eq!(near.get()?, expected);
    Ok(())
}
