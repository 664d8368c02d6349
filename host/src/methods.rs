//! The verbs as methods of the backends: each makes a [request](crate::verb) and runs it.

use std::marker::PhantomData;

use gpu_kernels::Count;

use crate::auto::Auto;
use crate::cpu::Cpu;
#[cfg(feature = "cuda")]
use crate::cuda::{Cuda, Stream};
use crate::error::Error;
use crate::interpolate::Interpolation;
use crate::scan::Scan;
use crate::verb::order::Order;
use crate::verb::{self, Answer, Backend};
use crate::world::{Communicator, World};

/// Stamps methods on one backend.
macro_rules! methods {
    ([$($generics:tt)*] $backend:ty; $(
        $(#[$doc:meta])*
        $verb:ident [$($parameter:tt),*] ($($argument:ident: $type:ty),*): $Request:ty = $request:expr;
    )*) => {
        impl<$($generics)*> $backend { $(
            $(#[$doc])*
            ///
            /// # Errors
            /// As the page of the request says.
            pub fn $verb<$($parameter),*>(&self, $($argument: $type),*) -> Answer<Self, $Request>
            where
                Self: Backend<$Request>,
            {
                self.run($request)
            }
        )* }
    };
}

/// Stamps methods on several backends.
macro_rules! on {
    ([] $methods:tt) => {};
    ([Cpu $($others:ident)*] [$($methods:tt)*]) => {
        methods!([] Cpu; $($methods)*);
        on!([$($others)*] [$($methods)*]);
    };
    ([Auto $($others:ident)*] [$($methods:tt)*]) => {
        methods!([] Auto; $($methods)*);
        on!([$($others)*] [$($methods)*]);
    };
    ([Cuda $($others:ident)*] [$($methods:tt)*]) => {
        #[cfg(feature = "cuda")]
        methods!([] Cuda; $($methods)*);
        on!([$($others)*] [$($methods)*]);
    };
    ([Stream $($others:ident)*] [$($methods:tt)*]) => {
        #[cfg(feature = "cuda")]
        methods!([] Stream; $($methods)*);
        on!([$($others)*] [$($methods)*]);
    };
    ([World $($others:ident)*] [$($methods:tt)*]) => {
        methods!([C: Communicator] World<C>; $($methods)*);
        on!([$($others)*] [$($methods)*]);
    };
}

on!([Cpu Auto Cuda Stream World] [
    /// Reduces `input`, an array or the parts of one, with `op`: see [`Reduce`](verb::Reduce).
    reduce[O, I](op: O, input: I): verb::Reduce<O, I> = verb::Reduce { op, input };

    /// Scans `input` with `op`, to new outputs or in place: see [`Scan`](verb::Scan).
    scan[O, I, A](op: O, input: I, scan: Scan<A>): verb::Scan<O, I, A> = verb::Scan { op, input, scan };
]);

on!([Cpu Auto Cuda] [
    /// Folds `input` with `op` without finishing: see [`Fold`](verb::Fold).
    fold[O, I](op: O, input: I): verb::Fold<O, I> = verb::Fold { op, input };

    /// Returns the elements whose flag is `true`, then the others: see [`PartitionByFlags`](verb::PartitionByFlags).
    partition_by_flags[F, X](flags: F, x: X): verb::PartitionByFlags<F, X> = verb::PartitionByFlags { flags, x };
]);

on!([Cpu Auto Cuda World] [
    /// Counts the elements for which a predicate holds: a [reduction](verb::Reduce) with [`Count`].
    count[P, I](predicate: P, input: I): verb::Reduce<Count<P>, I> = verb::Reduce { op: Count { predicate }, input };

    /// Returns the elements for which a predicate holds: see [`Compact`](verb::Compact).
    compact[P, X](predicate: P, x: X): verb::Compact<P, X> = verb::Compact { predicate, x };

    /// Returns the elements whose flag is `true`: see [`CompactByFlags`](verb::CompactByFlags).
    compact_by_flags[F, X](flags: F, x: X): verb::CompactByFlags<F, X> = verb::CompactByFlags { flags, x };

    /// Returns the first element of each run of equal elements: see [`Unique`](verb::Unique).
    unique[X](x: X): verb::Unique<X> = verb::Unique { x };

    /// Returns the elements for which a predicate holds, then the others, and the number of the first: see
    /// [`Partition`](verb::Partition).
    partition[P, X](predicate: P, x: X): verb::Partition<P, X> = verb::Partition { predicate, x };

    /// Sorts elements by their total order: see [`Sort`](verb::Sort).
    sort[X](x: X, order: Order): verb::Sort<X> = verb::Sort { x, order };

    /// Sorts keys, and each value with its key: see [`SortPairs`](verb::SortPairs).
    sort_pairs[K, V](keys: K, values: V, order: Order): verb::SortPairs<K, V> = verb::SortPairs { keys, values, order };

    /// Returns the indices of the elements in their total order: see [`Argsort`](verb::Argsort).
    argsort[X](x: X, order: Order): verb::Argsort<X> = verb::Argsort { x, order };

    /// Returns the `k` greatest elements with their indices: see [`TopK`](verb::TopK).
    top_k[X](x: X, k: usize): verb::TopK<X> = verb::TopK { x, k, order: Order::Descending };

    /// Returns the `k` least elements with their indices: see [`TopK`](verb::TopK).
    bottom_k[X](x: X, k: usize): verb::TopK<X> = verb::TopK { x, k, order: Order::Ascending };

    /// Counts the elements in bins: see [`Histogram`](verb::Histogram).
    histogram[B, X](bins: B, x: X): verb::Histogram<B, X> = verb::Histogram { bins, x };

    /// Returns the median of the elements: see [`Median`](verb::Median).
    median[X](x: X): verb::Median<X> = verb::Median { x };

    /// Returns quantiles of the elements: see [`Quantiles`](verb::Quantiles).
    quantiles['a, X](x: X, qs: &'a [f64], how: Interpolation): verb::Quantiles<'a, X> = verb::Quantiles { x, qs, how };
]);

on!([Cpu Auto Cuda] [
    /// Returns the sum of `e^x` of the elements: see [`SumExp`](verb::SumExp).
    sum_exp[I](input: I): verb::SumExp<I> = verb::SumExp { input, result: verb::SumExpResult::Sum };

    /// Returns the logarithm of the sum of `e^x` of the elements: see [`SumExp`](verb::SumExp).
    log_sum_exp[I](input: I): verb::SumExp<I> = verb::SumExp { input, result: verb::SumExpResult::Log };

    /// Returns the logarithm of the mean of `e^x` of the elements: see [`SumExp`](verb::SumExp).
    log_mean_exp[I](input: I): verb::SumExp<I> = verb::SumExp { input, result: verb::SumExpResult::LogMean };
]);

on!([Cpu Auto Cuda] [
    /// Returns the softmax of each row, or writes it in place: see [`Softmax`](verb::Softmax) and [`MapRows`](verb::MapRows).
    softmax[I](input: I): verb::MapRows<verb::Softmax, I> = verb::MapRows { map: verb::Softmax, input };

    /// Returns the logarithm of the softmax of each row, or writes it in place: see [`LogSoftmax`](verb::LogSoftmax) and
    /// [`MapRows`](verb::MapRows).
    log_softmax[I](input: I): verb::MapRows<verb::LogSoftmax, I> = verb::MapRows { map: verb::LogSoftmax, input };
]);

on!([World] [
    /// Folds the arrays of all ranks element by element: see [`AllReduce`](verb::AllReduce).
    all_reduce[O, X](op: O, x: X): verb::AllReduce<O, X> = verb::AllReduce { op, x };

    /// Folds the arrays of all ranks element by element, and returns this rank's share: see [`ReduceScatter`](verb::ReduceScatter).
    reduce_scatter[O, X](op: O, x: X): verb::ReduceScatter<O, X> = verb::ReduceScatter { op, x };
]);

/// Stamps the method whose request follows from its results.
macro_rules! exact_state {
    ($($backend:ty),*) => { $(
        impl $backend {
            /// Returns the exact state of the elements, or of the pairs of two arrays: see [`ExactState`](verb::ExactState).
            ///
            /// # Errors
            /// As the page of the request says.
            pub fn exact_state<S, I>(&self, input: I) -> Result<S, Error>
            where
                Self: Backend<verb::ExactState<S, I>, Results = S>,
            {
                self.run(verb::ExactState { input, state: PhantomData })
            }
        }
    )* };
}
exact_state!(Cpu, Auto);

/// The request of a method that writes to `out`.
macro_rules! to {
    ($out:expr, $request:expr) => {
        verb::WriteTo { request: $request, out: $out }
    };
}

on!([Stream] [
    /// Enqueues a [reduction](verb::Reduce) whose results go to `out`: see [`WriteTo`](verb::WriteTo).
    reduce_into[O, I, D](op: O, input: I, out: D): verb::WriteTo<verb::Reduce<O, I>, D> =
        to!(out, verb::Reduce { op, input });

    /// Enqueues a [histogram](verb::Histogram) whose counts go to `out`: see [`WriteTo`](verb::WriteTo).
    histogram_into[B, X, D](bins: B, x: X, out: D): verb::WriteTo<verb::Histogram<B, X>, D> =
        to!(out, verb::Histogram { bins, x });

    /// Writes the `k` greatest elements of each part, and their indices, to two arrays: see [`TopK`](verb::TopK) and
    /// [`WriteTo`](verb::WriteTo).
    top_k_into[X, D, E](x: X, k: usize, values: D, indices: E): verb::WriteTo<verb::TopK<X>, (D, E)> =
        to!((values, indices), verb::TopK { x, k, order: Order::Descending });

    /// Writes the `k` least elements of each part, and their indices, to two arrays: see [`TopK`](verb::TopK) and
    /// [`WriteTo`](verb::WriteTo).
    bottom_k_into[X, D, E](x: X, k: usize, values: D, indices: E): verb::WriteTo<verb::TopK<X>, (D, E)> =
        to!((values, indices), verb::TopK { x, k, order: Order::Ascending });

    /// Enqueues a [sum of exponentials](verb::SumExp) whose results go to `out`: see [`WriteTo`](verb::WriteTo).
    sum_exp_into[I, D](input: I, out: D): verb::WriteTo<verb::SumExp<I>, D> =
        to!(out, verb::SumExp { input, result: verb::SumExpResult::Sum });

    /// Enqueues the logarithm of a [sum of exponentials](verb::SumExp), which goes to `out`: see [`WriteTo`](verb::WriteTo).
    log_sum_exp_into[I, D](input: I, out: D): verb::WriteTo<verb::SumExp<I>, D> =
        to!(out, verb::SumExp { input, result: verb::SumExpResult::Log });

    /// Enqueues the logarithm of a [mean of exponentials](verb::SumExp), which goes to `out`: see [`WriteTo`](verb::WriteTo).
    log_mean_exp_into[I, D](input: I, out: D): verb::WriteTo<verb::SumExp<I>, D> =
        to!(out, verb::SumExp { input, result: verb::SumExpResult::LogMean });
]);

on!([Cpu Auto Stream] [
    /// Scans to existing outputs: see [`Scan`](verb::Scan) and [`WriteTo`](verb::WriteTo).
    scan_into[O, I, A, D](op: O, input: I, out: D, scan: Scan<A>): verb::WriteTo<verb::Scan<O, I, A>, D> =
        to!(out, verb::Scan { op, input, scan });

    /// Writes the elements for which a predicate holds to `out`: see [`Compact`](verb::Compact) and [`WriteTo`](verb::WriteTo).
    compact_into[P, X, D](predicate: P, x: X, out: D): verb::WriteTo<verb::Compact<P, X>, D> =
        to!(out, verb::Compact { predicate, x });

    /// Writes the softmax of each row to `out`: see [`Softmax`](verb::Softmax) and [`WriteTo`](verb::WriteTo).
    softmax_into[I, D](input: I, out: D): verb::WriteTo<verb::MapRows<verb::Softmax, I>, D> =
        to!(out, verb::MapRows { map: verb::Softmax, input });

    /// Writes the logarithm of the softmax of each row to `out`: see [`LogSoftmax`](verb::LogSoftmax) and [`WriteTo`](verb::WriteTo).
    log_softmax_into[I, D](input: I, out: D): verb::WriteTo<verb::MapRows<verb::LogSoftmax, I>, D> =
        to!(out, verb::MapRows { map: verb::LogSoftmax, input });
]);

on!([Cpu Auto] [
    /// Writes the elements whose flag is `true` to `out`: see [`CompactByFlags`](verb::CompactByFlags) and [`WriteTo`](verb::WriteTo).
    compact_by_flags_into[F, X, D](flags: F, x: X, out: D): verb::WriteTo<verb::CompactByFlags<F, X>, D> =
        to!(out, verb::CompactByFlags { flags, x });

    /// Writes the first element of each run to `out`: see [`Unique`](verb::Unique) and [`WriteTo`](verb::WriteTo).
    unique_into[X, D](x: X, out: D): verb::WriteTo<verb::Unique<X>, D> = to!(out, verb::Unique { x });

    /// Writes the elements for which a predicate holds to `out`, then the others: see [`Partition`](verb::Partition) and
    /// [`WriteTo`](verb::WriteTo).
    partition_into[P, X, D](predicate: P, x: X, out: D): verb::WriteTo<verb::Partition<P, X>, D> =
        to!(out, verb::Partition { predicate, x });
]);

on!([Stream World] [
    /// Sorts to `out`: see [`Sort`](verb::Sort) and [`WriteTo`](verb::WriteTo).
    sort_into[X, D](x: X, out: D, order: Order): verb::WriteTo<verb::Sort<X>, D> = to!(out, verb::Sort { x, order });

    /// Sorts keys and their values to two other arrays: see [`SortPairs`](verb::SortPairs) and [`WriteTo`](verb::WriteTo).
    sort_pairs_into[K, V, D, E](keys: K, values: V, keys_out: D, values_out: E, order: Order):
        verb::WriteTo<verb::SortPairs<K, V>, (D, E)> = to!((keys_out, values_out), verb::SortPairs { keys, values, order });

    /// Writes the indices of the elements in their total order to `out`: see [`Argsort`](verb::Argsort) and
    /// [`WriteTo`](verb::WriteTo).
    argsort_into[X, D](x: X, out: D, order: Order): verb::WriteTo<verb::Argsort<X>, D> =
        to!(out, verb::Argsort { x, order });
]);

/// Stamps what takes more arrays than its input, on backends where these are `$array`, `$labels` and `$losses`.
macro_rules! of_arrays {
    ([$($on:ident)*] [$($into:ident)*] $array:ty, $labels:ty, $losses:ty) => {
        of_arrays! { @each [$($on)*] [$($into)*]
            /// the root mean square norm of each row: see [`RmsNorm`](verb::RmsNorm) and [`MapRows`](verb::MapRows).
            rms_norm rms_norm_into [T] RmsNorm<&'a $array> {weight: Option<&'a $array>, epsilon: f64};
            /// the layer norm of each row: see [`LayerNorm`](verb::LayerNorm) and [`MapRows`](verb::MapRows).
            layer_norm layer_norm_into [T] LayerNorm<&'a $array>
                {weight: Option<&'a $array>, bias: Option<&'a $array>, epsilon: f64};
            /// the gradient of a softmax, given its results: see [`SoftmaxGradient`](verb::SoftmaxGradient) and [`MapRows`](verb::MapRows).
            softmax_gradient softmax_gradient_into [T] SoftmaxGradient<&'a $array> {gradient: &'a $array};
            /// the gradient of the logarithm of a softmax, given its results: see [`LogSoftmaxGradient`](verb::LogSoftmaxGradient) and
            /// [`MapRows`](verb::MapRows).
            log_softmax_gradient log_softmax_gradient_into [T] LogSoftmaxGradient<&'a $array> {gradient: &'a $array};
            /// the gradient of a root mean square norm: see [`RmsNormGradient`](verb::RmsNormGradient) and [`MapRows`](verb::MapRows).
            rms_norm_gradient rms_norm_gradient_into [T] RmsNormGradient<&'a $array>
                {gradient: &'a $array, weight: Option<&'a $array>, epsilon: f64};
            /// the gradient of a layer norm: see [`LayerNormGradient`](verb::LayerNormGradient) and [`MapRows`](verb::MapRows).
            layer_norm_gradient layer_norm_gradient_into [T] LayerNormGradient<&'a $array>
                {gradient: &'a $array, weight: Option<&'a $array>, epsilon: f64};
            /// the gradient of a cross-entropy: see [`CrossEntropyGradient`](verb::CrossEntropyGradient) and [`MapRows`](verb::MapRows).
            cross_entropy_gradient cross_entropy_gradient_into [L, G] CrossEntropyGradient<&'a $labels, &'a $losses>
                {labels: &'a $labels, gradient: &'a $losses};
        }

        on!([$($on)*] [
            /// Returns the cross-entropy of each row with its label: see [`CrossEntropy`](verb::CrossEntropy).
            cross_entropy['a, I, L](input: I, labels: &'a $labels): verb::CrossEntropy<I, &'a $labels> =
                verb::CrossEntropy { input, labels };
        ]);
    };
    (@each $on:tt $into:tt $(
        #[doc = $first:literal]
        $(#[doc = $more:literal])*
        $verb:ident $verb_into:ident [$($of:ident),*] $Map:ident<$($parameter:ty),*> {$($argument:ident: $type:ty),*};
    )*) => { $(
        on!($on [
            #[doc = concat!(" Returns", $first)]
            $(#[doc = $more])*
            /// Written in place if the input is.
            $verb['a, I, $($of),*](input: I $(, $argument: $type)*): verb::MapRows<verb::$Map<$($parameter),*>, I> =
                verb::MapRows { map: verb::$Map { $($argument),* }, input };
        ]);
        on!($into [
            #[doc = concat!(" Writes to `out`", $first)]
            $(#[doc = $more])*
            $verb_into['a, I, D, $($of),*](input: I, out: D $(, $argument: $type)*):
                verb::WriteTo<verb::MapRows<verb::$Map<$($parameter),*>, I>, D> =
                to!(out, verb::MapRows { map: verb::$Map { $($argument),* }, input });
        ]);
    )* };
}
of_arrays!([Cpu Auto] [Cpu Auto] [T], [L], [G]);
#[cfg(feature = "cuda")]
of_arrays!([Cuda] [Stream] crate::cuda::DeviceArray<T>, crate::cuda::DeviceArray<L>, crate::cuda::DeviceArray<G>);

on!([Stream] [
    /// Writes the cross-entropy of each row with its label to `out`: see [`CrossEntropy`](verb::CrossEntropy) and [`WriteTo`](verb::WriteTo).
    cross_entropy_into['a, I, L, D](input: I, labels: &'a crate::cuda::DeviceArray<L>, out: D):
        verb::WriteTo<verb::CrossEntropy<I, &'a crate::cuda::DeviceArray<L>>, D> =
        to!(out, verb::CrossEntropy { input, labels });
]);
