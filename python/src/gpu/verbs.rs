//! The verbs, generic over operator and type. Each enqueues its work; some wait, where the library does.

use pyo3::prelude::*;
use warpfold::kernels::{RowsKernel, ScanKernel, StoredOf};
use warpfold::{
    Bins, DeviceResults, Dot, Error, Op, Order, Scan, Stream, along, groups, rows, segments, zip,
};

use super::Gpu;
use super::lent::{Lent, Room};
use crate::array::Array;
use crate::dispatch::Number;
use crate::failure::raise;
use crate::order::Verb;
use crate::results::{Missing, Outcome, Placed, Results, refused};

/// The request of a reduction, whose accumulators go to the given ones.
type Request<'a, T, E> = &'a (dyn Fn(&Stream, &mut DeviceResults<T, E>) -> Result<(), Error> + Send + Sync);

impl<'py> Gpu<'py> {
    /// Runs a reduction of `count` results, and enqueues what finishes them.
    fn reduced<T, E>(&self, count: usize, request: Request<'_, T, E>) -> PyResult<Results<'py>>
    where
        T: Number,
        E: RowsKernel<T> + Op<T, Out: Outcome>,
    {
        let (out, accs) = (self.empty::<StoredOf<T, E>>(count)?, self.accumulators::<T, E>(count)?);
        let (room, accs_room) = (out.room, accs.room);
        self.run(|stream| {
            let mut results = accs_room.results::<T, E>(stream)?;
            request(stream, &mut results)?;
            stream.finish_into(&results, &mut room.finished::<T, E>(stream)?)
        })?;
        out.results(self)
    }

    /// Reduces along axes.
    pub(crate) fn along<T, E>(
        &self,
        x: &Array<'py>,
        axes: &[usize],
        missing: Missing<'_>,
    ) -> PyResult<Results<'py>>
    where
        T: Number,
        E: RowsKernel<T> + Op<T, Out: Outcome> + Default,
    {
        let count = x.reduced_shape(axes, false).iter().product();
        let is_empty = x.len() == 0 && count > 0;
        if is_empty && matches!(missing, Missing::Refused(_)) && E::finish(E::IDENTITY, 0).is_missing() {
            return Err(refused(missing, 0));
        }
        let x = Lent::of(x);
        self.reduced::<T, E>(count, &|stream, results| {
            stream.reduce_into(E::default(), along(x.view(&x.array::<T>(stream)?)?, axes), results)
        })
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
        let results = count.unwrap_or_else(|| of.len().saturating_sub(1));
        let (x, of) = (Lent::of(x), Lent::of(of));
        self.reduced::<T, E>(results, &|stream, results| {
            let (x, of) = (x.array::<T>(stream)?, of.array::<i64>(stream)?);
            match count {
                None => {
                    stream.reduce_into(E::default(), segments(&x, &of), results)?;
                    results.check()
                }
                Some(count) => stream.reduce_into(E::default(), groups(&of, &x, count), results),
            }
        })
    }

    /// Returns a dot product, and waits for it.
    pub(crate) fn dot<T>(&self, x: &Array<'py>, y: &Array<'py>) -> PyResult<Results<'py>>
    where
        T: Number + Placed,
        Dot: warpfold::kernels::Kernel<[T; 2], warpfold::addresses::Two<T>> + Op<[T; 2], Out = T>,
    {
        let out = self.empty::<T>(1)?;
        let (x, y, room) = (Lent::of(x), Lent::of(y), out.room);
        self.run(|stream| {
            let product = stream.reduce(Dot, zip(&x.array::<T>(stream)?, &y.array::<T>(stream)?))?;
            room.values(stream)?.copy_from_slice(&[product])
        })?;
        out.results(self)
    }

    /// Scans along axes.
    pub(crate) fn scan<T, E>(
        &self,
        x: &Array<'py>,
        axes: &[usize],
        is_exclusive: bool,
        is_reversed: bool,
    ) -> PyResult<Results<'py>>
    where
        T: Number,
        E: ScanKernel<T> + Op<T, Out: Outcome> + Default,
    {
        let out = self.empty::<StoredOf<T, E>>(x.len())?;
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
                let out = self.empty::<T>(x.len())?;
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
                let out = self.empty::<u64>(x.len())?;
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
                let results = count.saturating_mul(k);
                let (values, indices) = (self.empty::<T>(results)?, self.empty::<u64>(results)?);
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
                let out = self.empty::<T::Quantile>(count.saturating_mul(qs.len()))?;
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
        let (counts, outside) = (self.empty::<u64>(bins.len())?, self.empty::<u64>(3)?);
        let (x, to) = (Lent::of(x), [counts.room, outside.room]);
        self.run(|stream| {
            let bins = stream.cuda().bins(bins)?;
            let (mut counts, mut outside) = (to[0].values(stream)?, to[1].values(stream)?);
            stream.histogram_into(&bins, &x.array::<T>(stream)?, (&mut counts, &mut outside))
        })?;
        Ok([counts.results(self)?, outside.results(self)?])
    }

    /// Runs a verb of exponentials on each row of a contiguous array.
    pub(crate) fn exponentials<T: Exponentials>(
        &self,
        x: &Array<'py>,
        shape: [usize; 2],
        verb: Exponential,
    ) -> PyResult<Results<'py>> {
        let results = if let Exponential::LogSumExp = verb { shape[0] } else { x.len() };
        let out = self.empty::<T>(results)?;
        let (x, room) = (Lent::of(x), out.room);
        self.run(|stream| T::enqueue(stream, &x, shape, verb, room))?;
        out.results(self)
    }
}

/// A verb of exponentials.
#[derive(Clone, Copy)]
pub(crate) enum Exponential {
    LogSumExp,
    Softmax,
    LogSoftmax,
}

/// A float with the kernels of these verbs.
pub(crate) trait Exponentials: Placed {
    /// Enqueues a verb on each row.
    fn enqueue(
        stream: &Stream,
        x: &Lent,
        shape: [usize; 2],
        verb: Exponential,
        room: Room,
    ) -> Result<(), Error>;
}

macro_rules! exponentials {
    ($($float:ty),*) => { $(
        impl Exponentials for $float {
            fn enqueue(stream: &Stream, x: &Lent, shape: [usize; 2], verb: Exponential, room: Room) -> Result<(), Error> {
                let (x, mut to) = (x.array::<Self>(stream)?, room.values::<Self>(stream)?);
                match verb {
                    Exponential::LogSumExp => stream.log_sum_exp_into(rows(&x, shape), &mut to),
                    Exponential::Softmax => stream.softmax_into(rows(&x, shape), &mut to),
                    Exponential::LogSoftmax => stream.log_softmax_into(rows(&x, shape), &mut to),
                }
            }
        }
    )* };
}
exponentials!(f32, f64);
