//! Axes of views on a device, on the emulated driver: the launches get the right arguments for every
//! view, and nothing is freed too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{leaves_nothing, numbers};
use warpfold::{Cpu, Cuda, DeviceArray, DeviceView, Error, Sum, View, along};

/// A view of an array, and the same view of its copy on a device.
struct Both<'a> {
    host: View<'a, i32>,
    device: DeviceView<'a, i32>,
}

impl<'a> Both<'a> {
    fn strided(
        (x, array): (&'a [i32], &'a DeviceArray<i32>),
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Self {
        let host = View::strided(x, offset, shape, strides).expect("a view");
        let device = DeviceView::strided(array.as_slice(), offset, shape, strides).expect("a view");
        Self { host, device }
    }

    fn expected(&self, axes: &[usize]) -> Vec<i64> {
        Cpu::new().reduce(Sum, along(self.host, axes)).expect("sums")
    }

    /// Compares the sums over every set of axes.
    fn check(&self, cuda: &Cuda) {
        for bits in 0..1_usize << self.host.dimensions() {
            let axes: Vec<usize> = (0..self.host.dimensions()).filter(|axis| bits >> axis & 1 == 1).collect();
            let found = cuda.reduce(Sum, along(self.device, &axes)).expect("sums").to_vec().expect("sums");
            assert_eq!(found, self.expected(&axes), "{:?} over {axes:?}", self.device);
        }
    }
}

#[test]
fn axes_of_every_layout() {
    leaves_nothing("axes_of_every_layout", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(60_000);
        let array = cuda.upload(&x).expect("an upload");
        let both =
            |offset, shape: &[usize], strides: &[isize]| Both::strided((&x, &array), offset, shape, strides);
        for (shape, strides) in [
            ([2, 3, 40, 50], [6000, 2000, 50, 1]),
            ([70, 3, 2, 5], [30, 10, 5, 1]),
            ([3, 1, 40, 33], [4000, 7, 100, 3]),
            ([1, 2, 40, 50], [0, 9000, 60, 1]),
            ([3, 2, 40, 50], [9000, -2500, 60, 1]),
            ([3, 0, 3, 3], [0, 9, 3, 1]),
            ([0, 3, 0, 3], [9, 9, 3, 1]),
            ([3, 4, 30, 5], [-20, 0, 500, -1]),
        ] {
            let view = both(30_000, &shape, &strides);
            view.check(&cuda);
            let (host, device) = (view.host.transposed(), view.device.transposed());
            Both { host, device }.check(&cuda);
            let order = [2, 0, 3, 1];
            let host = view.host.permuted(&order).expect("a view");
            let device = view.device.permuted(&order).expect("a view");
            assert_eq!((host.shape(), host.strides()), (device.shape(), device.strides()));
            Both { host, device }.check(&cuda);
        }
        both(59_999, &[], &[]).check(&cuda);
        both(59_999, &[60_000], &[-1]).check(&cuda);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn arrays_of_unfinished_work_may_be_dropped() {
    leaves_nothing("arrays_of_unfinished_work_may_be_dropped", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        let mut outs = Vec::new();
        // Results of several calls, which reuse the same memory, with more and fewer results.
        for (shape, axes) in [([100, 600], [0]), ([60, 50], [0]), ([200, 300], [0]), ([300, 200], [1])] {
            let array = cuda.upload(&x).expect("an upload");
            let strides = [shape[1] as isize, 1];
            let view = Both::strided((&x, &array), 0, &shape, &strides);
            let expected = view.expected(&axes);
            let mut out = cuda.results::<i32, Sum>(expected.len()).expect("room");
            stream.reduce_into(Sum, along(view.device, &axes), &mut out).expect("launches");
            outs.push((out, expected));
        }
        for (out, expected) in outs {
            assert_eq!(out.to_vec().expect("sums"), expected);
        }
    });
}

#[test]
fn a_graph_has_memory_of_its_own_for_what_is_packed() {
    leaves_nothing("a_graph_has_memory_of_its_own_for_what_is_packed", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        let mut out = cuda.results::<i32, Sum>(600).expect("room");
        let (mut graph, expected) = {
            let array = cuda.upload(&x).expect("an upload");
            let view = Both::strided((&x, &array), 0, &[100, 600], &[600, 1]);
            cuda.prepare(Sum, along(view.device, &[0])).expect("kernels");
            let graph = stream.capture(|stream| stream.reduce_into(Sum, along(view.device, &[0]), &mut out));
            (graph.expect("a graph"), view.expected(&[0]))
        };
        assert_eq!(out.to_vec().expect("nothing yet"), [0; 600]);
        graph.launch(&stream).expect("a launch");
        graph.launch(&stream).expect("a launch");
        assert_eq!(out.to_vec().expect("sums"), expected);
    });
}

#[test]
fn what_is_not_there_is_refused() {
    leaves_nothing("what_is_not_there_is_refused", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let array = cuda.upload(&[1i32; 12]).expect("an upload");
        let x = array.slice(2..).expect("a slice");
        for (offset, shape, strides) in [(0, [2, 6], [6, 1]), (4, [1, 6], [9, -1]), (10, [1, 1], [0, 0])] {
            let refused = DeviceView::strided(x, offset, &shape, &strides);
            assert!(matches!(refused, Err(Error::ViewBounds { len: 10, .. })), "{refused:?}");
        }
        assert!(matches!(DeviceView::new(x, &[3, 4]), Err(Error::Shape { given: 10, .. })));
        let view = DeviceView::new(x, &[2, 5]).expect("a view");
        assert_eq!((view.len(), view.dimensions(), view.is_empty(), view.offset()), (10, 2, false, 0));
        assert_eq!(view.reduced_shape(&[1], true).expect("a shape"), [2, 1]);
        for axes in [&[2][..], &[0, 0]] {
            let refused = cuda.reduce(Sum, along(view, axes));
            assert!(matches!(refused, Err(Error::Axes { dimensions: 2, .. })), "{refused:?}");
        }
        let mut out = cuda.results::<i32, Sum>(5).expect("room");
        let refused = stream.reduce_into(Sum, along(view, &[1]), &mut out);
        assert!(matches!(refused, Err(Error::Results { results: 2, room: 5 })), "{refused:?}");
        assert_eq!(out.to_vec().expect("nothing yet"), [0; 5]);
        stream.reduce_into(Sum, along(view, &[0]), &mut out).expect("launches");
        assert_eq!(out.to_vec().expect("sums"), [2; 5]);
    });
}
