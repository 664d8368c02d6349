//! The verbs, generic over operator and type. Each enqueues its work; some wait, where the library does.

use pyo3::prelude::*;
use warpfold::kernels::{RowsKernel, ScanKernel, StoredOf};
use warpfold::{
    Bins, DeviceArray, Dot, Element, Error, Op, Order, Scan, Stream, along, groups, rows, segments, zip,
};

use super::Gpu;
use super::lent::{Lent, Room};
use crate::array::Array;
use crate::dispatch::Number;
use crate::failure::raise;
use crate::forward::{Map, What};
use crate::order::Verb;
use crate::results::{Missing, Outcome, Placed, Results, refused};

impl<'py> Gpu<'py> {
    /// Reduces along axes to results of a shape.
    pub(crate) fn along<T, E>(
        &self,
        x: &Array<'py>,
        axes: &[usize],
        shape: &[usize],
        missing: Missing<'_>,
    ) -> PyResult<Results<'py>>
    where
        T: Number,
        E: RowsKernel<T> + Op<T, Out: Outcome> + Default,
    {
        let is_empty = x.len() == 0 && !shape.contains(&0);
        if is_empty && matches!(missing, Missing::Refused(_)) && E::finish(E::IDENTITY, 0).is_missing() {
            return Err(refused(missing, 0));
        }
        let out = self.empty::<StoredOf<T, E>>(shape)?;
        let (x, room) = (Lent::of(x), out.room);
        self.run(|stream| {
            let x_array = x.array::<T>(stream)?;
            stream.reduce_finished_into(
                E::default(),
                along(x.view(&x_array)?, axes),
                &mut room.finished::<T, E>(stream)?,
            )
        })?;
        out.results(self)
    }

    /// Reduces segments, or `count` groups; waits, to report what is wrong with offsets or ids.
    pub(crate) fn parts<T, E>(
        &self,
        x: &Array<'py>,
        of: &Array<'py>,
        count: Option<usize>,
    ) -> PyResult<Results<'py>>
    where
        T: Number,
        E: RowsKernel<T> + Op<T, Out: Outcome> + Default,
    {
        let out = self.empty::<StoredOf<T, E>>(&[count.unwrap_or_else(|| of.len().saturating_sub(1))])?;
        let (x, of, room) = (Lent::of(x), Lent::of(of), out.room);
        self.run(|stream| {
            let (x, of) = (x.array::<T>(stream)?, of.array::<i64>(stream)?);
            let mut results = room.finished::<T, E>(stream)?;
            match count {
                None => stream.reduce_finished_into(E::default(), segments(&x, &of), &mut results),
                Some(count) => {
                    stream.reduce_finished_into(E::default(), groups(&of, &x, count), &mut results)
                }
            }
        })?;
        out.results(self)
    }

    /// Returns a dot product, and waits for it.
    pub(crate) fn dot<T>(&self, x: &Array<'py>, y: &Array<'py>) -> PyResult<Results<'py>>
    where
        T: Number + Placed,
        Dot: warpfold::kernels::Kernel<[T; 2], warpfold::addresses::Two<T>> + Op<[T; 2], Out = T>,
    {
        let out = self.empty::<T>(&[])?;
        let (x, y, room) = (Lent::of(x), Lent::of(y), out.room);
        self.run(|stream| {
            let product = stream.reduce(Dot, zip(&x.array::<T>(stream)?, &y.array::<T>(stream)?))?;
            room.values(stream)?.copy_from_slice(&[product])
        })?;
        out.results(self)
    }

    /// Scans along axes to results of a shape.
    pub(crate) fn scan<T, E>(
        &self,
        x: &Array<'py>,
        axes: &[usize],
        shape: &[usize],
        is_exclusive: bool,
        is_reversed: bool,
    ) -> PyResult<Results<'py>>
    where
        T: Number,
        E: ScanKernel<T> + Op<T, Out: Outcome> + Default,
    {
        let out = self.empty::<StoredOf<T, E>>(shape)?;
        let is_whole = axes.len() == x.shape.len() && x.is_contiguous() && !is_reversed;
        let (x, room) = (Lent::of(x), out.room);
        self.run(|stream| {
            let scan = || if is_exclusive { Scan::exclusive() } else { Scan::inclusive() };
            let (x_array, mut to) = (x.array::<T>(stream)?, room.values::<StoredOf<T, E>>(stream)?);
            if is_whole {
                return stream.scan_into(E::default(), &x_array, &mut to, scan());
            }
            let mut view = x.view(&x_array)?;
            if is_reversed {
                view = view.reversed(axes)?;
            }
            stream.scan_into(E::default(), along(view, axes), &mut to, scan())
        })?;
        out.results(self)
    }

    /// Runs a verb on each row of a contiguous array.
    pub(crate) fn rows<T: Number + Placed>(
        &self,
        x: &Array<'py>,
        shape: [usize; 2],
        verb: Verb<'_>,
    ) -> PyResult<[Option<Results<'py>>; 2]>
    where
        T::Quantile: Placed,
    {
        let (lent, [count, len]) = (Lent::of(x), shape);
        let is_one = count == 1;
        match verb {
            Verb::Sort(order) => {
                let out = self.empty::<T>(&x.shape)?;
                let room = out.room;
                self.run(|stream| {
                    let (x, mut to) = (lent.array::<T::Key>(stream)?, room.values::<T::Key>(stream)?);
                    match is_one {
                        true => stream.sort_into(&x, &mut to, order),
                        false => stream.sort_into(rows(&x, shape), &mut to, order),
                    }
                })?;
                Ok([Some(out.results(self)?), None])
            }
            Verb::Argsort(order) => {
                let out = self.empty::<u64>(&x.shape)?;
                let room = out.room;
                self.run(|stream| {
                    let (x, mut to) = (lent.array::<T::Key>(stream)?, room.values::<u64>(stream)?);
                    match is_one {
                        true => stream.argsort_into(&x, &mut to, order),
                        false => stream.argsort_into(rows(&x, shape), &mut to, order),
                    }
                })?;
                Ok([Some(out.results(self)?), None])
            }
            Verb::First(k, order) => {
                if k > len {
                    return Err(raise(self.library.py())(Error::TooFew { wanted: k, len }));
                }
                let mut found = x.shape.clone();
                found.pop();
                found.push(k);
                let (values, indices) = (self.empty::<T>(&found)?, self.empty::<u64>(&found)?);
                let to = [values.room, indices.room];
                self.run(|stream| {
                    let x = lent.array::<T::Key>(stream)?;
                    let (mut values, mut indices) =
                        (to[0].values::<T::Key>(stream)?, to[1].values::<u64>(stream)?);
                    match order {
                        Order::Descending => stream.top_k_into(rows(&x, shape), k, &mut values, &mut indices),
                        Order::Ascending => {
                            stream.bottom_k_into(rows(&x, shape), k, &mut values, &mut indices)
                        }
                    }
                })?;
                Ok([Some(values.results(self)?), Some(indices.results(self)?)])
            }
            // Waits: the library's quantiles go to the host.
            Verb::Quantiles(qs, how) => {
                let out = self.empty::<T::Quantile>(&[count, qs.len()])?;
                let room = out.room;
                self.run(|stream| {
                    let x = lent.array::<T>(stream)?;
                    // They are selected on another stream.
                    stream.synchronize()?;
                    let found = match is_one {
                        true => stream.cuda().quantiles(&x, qs, how)?,
                        false => stream.cuda().quantiles(rows(&x, shape), qs, how)?,
                    };
                    room.values::<T::Quantile>(stream)?.copy_from_slice(&found)
                })?;
                Ok([Some(out.results(self)?), None])
            }
        }
    }

    /// Counts the elements of a contiguous array in bins, and those below, above and NaN.
    pub(crate) fn histogram<T: Number>(&self, x: &Array<'py>, bins: &Bins<T>) -> PyResult<[Results<'py>; 2]> {
        self.refuses_recording("a histogram, whose edges are its call's own")?;
        let (counts, outside) = (self.empty::<u64>(&[bins.len()])?, self.empty::<u64>(&[3])?);
        let (x, to) = (Lent::of(x), [counts.room, outside.room]);
        self.run(|stream| {
            let bins = stream.cuda().bins(bins)?;
            let (mut counts, mut outside) = (to[0].values(stream)?, to[1].values(stream)?);
            stream.histogram_into(&bins, &x.array::<T>(stream)?, (&mut counts, &mut outside))
        })?;
        Ok([counts.results(self)?, outside.results(self)?])
    }

    /// Returns the logarithm of the sum of exponentials of each row of a contiguous array, in a shape.
    pub(crate) fn log_sum_exp<T: Forward>(
        &self,
        x: &Array<'py>,
        rows: [usize; 2],
        shape: &[usize],
    ) -> PyResult<Results<'py>> {
        let out = self.empty::<T>(shape)?;
        let (x, room) = (Lent::of(x), out.room);
        self.run(|stream| T::log_sum_exp(stream, &x, rows, room))?;
        out.results(self)
    }

    /// Maps each row of a contiguous array to a row.
    pub(crate) fn map<T: Forward>(
        &self,
        x: &Array<'py>,
        rows: [usize; 2],
        map: &Map<'py>,
    ) -> PyResult<Results<'py>> {
        let out = self.empty::<T>(&x.shape)?;
        let (x, room) = (Lent::of(x), out.room);
        let parameters = map.parameters.each_ref().map(|parameter| parameter.as_ref().map(Lent::of));
        let (what, epsilon) = (map.what, map.epsilon);
        self.run(|stream| {
            let [weight, bias] =
                parameters.each_ref().map(|lent| lent.as_ref().map(|lent| lent.array::<T>(stream)));
            let (weight, bias) = (weight.transpose()?, bias.transpose()?);
            T::map(stream, (&x, rows), room, (what, [weight.as_ref(), bias.as_ref()], epsilon))
        })?;
        out.results(self)
    }
}

/// A float with the kernels of these verbs.
pub(crate) trait Forward: Placed + Element {
    /// Enqueues the logarithm of the sum of exponentials of each row.
    fn log_sum_exp(stream: &Stream, x: &Lent, rows: [usize; 2], room: Room) -> Result<(), Error>;

    /// Enqueues what is done with each row, by the parameters of columns.
    fn map(
        stream: &Stream,
        of: (&Lent, [usize; 2]),
        room: Room,
        how: (What, [Option<&DeviceArray<Self>>; 2], f64),
    ) -> Result<(), Error>;
}

macro_rules! forward {
    ($($float:ty),*) => { $(
        impl Forward for $float {
            fn log_sum_exp(stream: &Stream, x: &Lent, shape: [usize; 2], room: Room) -> Result<(), Error> {
                stream.log_sum_exp_into(rows(&x.array::<Self>(stream)?, shape), &mut room.values::<Self>(stream)?)
            }

            fn map(
                stream: &Stream,
                (x, shape): (&Lent, [usize; 2]),
                room: Room,
                (what, [weight, bias], epsilon): (What, [Option<&DeviceArray<Self>>; 2], f64),
            ) -> Result<(), Error> {
                let (x, mut to) = (x.array::<Self>(stream)?, room.values::<Self>(stream)?);
                match what {
                    What::Softmax => stream.softmax_into(rows(&x, shape), &mut to),
                    What::LogSoftmax => stream.log_softmax_into(rows(&x, shape), &mut to),
                    What::RmsNorm => stream.rms_norm_into(rows(&x, shape), &mut to, weight, epsilon),
                    What::LayerNorm => stream.layer_norm_into(rows(&x, shape), &mut to, weight, bias, epsilon),
                }
            }
        }
    )* };
}
forward!(f32, f64);
