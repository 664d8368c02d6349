//! Every operation of a device and of a stream, on arrays that are there, each with its results as bytes.

use std::cell::RefCell;

use bytemuck::{CheckedBitPattern, NoUninit};
use test_kernels::mix;
use warpfold::Order::{Ascending, Descending};
use warpfold::{
    Above, ArgMin, Bins, Cuda, DeviceArray, DeviceBins, DeviceResults, Dot, Error, Interpolation, Pending,
    Scan, Stream, Sum, View, along, chunks, columns, groups, host, rows, runs, segments, zip,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{on_gpu_or_emulated, samples};

/// The columns of the matrix.
const COLUMNS: usize = 1023;
const GROUPS: usize = 300;

/// The shape of the matrix; the arrays have as many elements. This many need every launch that there is.
fn shape() -> [usize; 2] {
    [on_gpu_or_emulated(1000, 5), COLUMNS]
}

pub(crate) type Bytes = Result<Vec<u8>, Error>;

/// A call, and the name of its function.
pub(crate) type Operation<'a> = (&'static str, Box<dyn Fn() -> Bytes + 'a>);

/// What the operations read, made while there was memory.
pub(crate) struct Inputs {
    on_host: Vec<f32>,
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
    keys: DeviceArray<u32>,
    /// Keys with equal neighbours.
    sorted: DeviceArray<u32>,
    flags: DeviceArray<bool>,
    offsets: DeviceArray<i64>,
    /// Results that a stream has enqueued.
    sums: DeviceResults<f32, Sum>,
    bins: Bins<f32>,
    of_device: DeviceBins<f32>,
    shape: [usize; 2],
    pub(crate) stream: Stream,
}

fn bytes<T: NoUninit>(values: Vec<T>) -> Vec<u8> {
    bytemuck::cast_slice(&values).to_vec()
}

/// Copies an array to the host.
fn read<T: warpfold::Element + CheckedBitPattern<Bits: NoUninit> + NoUninit>(
    array: &DeviceArray<T>,
) -> Bytes {
    Ok(bytes(array.to_vec()?))
}

fn pair<A, B>((first, second): (DeviceArray<A>, DeviceArray<B>)) -> Bytes
where
    A: warpfold::Element + CheckedBitPattern<Bits: NoUninit> + NoUninit,
    B: warpfold::Element + CheckedBitPattern<Bits: NoUninit> + NoUninit,
{
    Ok([read(&first)?, read(&second)?].concat())
}

fn sums(results: &DeviceResults<f32, Sum>) -> Bytes {
    Ok(bytes(results.to_vec()?))
}

impl Inputs {
    pub(crate) fn new(cuda: &Cuda) -> Result<Self, Error> {
        let shape = shape();
        let len = shape[0] * shape[1];
        let on_host = samples::<f32>(Ordinary, 101, len as u64);
        let keys: Vec<u32> = (0..len as u64).map(|i| (mix(i) % GROUPS as u64) as u32).collect();
        let mut offsets: Vec<i64> = (0..GROUPS as u64).map(|i| (mix(i) % len as u64) as i64).collect();
        // Each element is in a segment.
        offsets.extend([0, len as i64]);
        offsets.sort_unstable();
        let (x, stream) = (cuda.upload(&on_host)?, cuda.stream()?);
        let bins = Bins::even(-4.0..=4.0, 9)?;
        let mut sums = cuda.results(shape[0])?;
        stream.reduce_into(Sum, rows(&x, shape), &mut sums)?;
        Ok(Self {
            y: cuda.upload(&samples::<f32>(Ordinary, 102, len as u64))?,
            keys: cuda.upload(&keys)?,
            sorted: cuda.upload(&(0..len as u32).map(|i| i / 777).collect::<Vec<_>>())?,
            flags: cuda.upload(&keys.iter().map(|key| key % 3 == 0).collect::<Vec<_>>())?,
            offsets: cuda.upload(&offsets)?,
            on_host,
            x,
            sums,
            of_device: cuda.bins(&bins)?,
            bins,
            shape,
            stream,
        })
    }

    /// The calls of a device that allocate device memory in any case: for a result, or a lane if none is left.
    pub(crate) fn of_a_device<'a>(&'a self, cuda: &'a Cuda) -> Vec<Operation<'a>> {
        let Self { on_host, x, y, keys, sorted, flags, offsets, shape, .. } = self;
        let (shape, len, bins) = (*shape, on_host.len(), &self.bins);
        let view = move || View::new(x, &[shape[0], 33, 31]);
        vec![
            ("upload", Box::new(move || read(&cuda.upload(on_host)?))),
            ("zeroed", Box::new(move || read(&cuda.zeroed::<u8>(1)?))),
            ("scalar", Box::new(move || Ok(bytes(vec![cuda.scalar::<f32, Sum>()?.get()?])))),
            ("results", Box::new(move || sums(&cuda.results::<f32, Sum>(1)?))),
            ("values", Box::new(move || Ok(bytes(cuda.values::<u32>(7)?.to_vec()?)))),
            ("stream", Box::new(move || Ok(bytes(vec![cuda.stream()?.reduce(Sum, x)?])))),
            ("reduce", Box::new(move || Ok(bytes(vec![cuda.reduce(Sum, x)?])))),
            ("reduce of few", Box::new(move || Ok(bytes(vec![cuda.reduce(Sum, x.slice(..7)?)?])))),
            ("fold", Box::new(move || Ok(bytes(vec![cuda.fold(Sum, x)?])))),
            ("reduce of pairs", Box::new(move || Ok(bytes(vec![cuda.reduce(Dot, zip(x, y))?])))),
            ("reduce of rows", Box::new(move || sums(&cuda.reduce(Sum, rows(x, shape))?))),
            ("reduce of columns", Box::new(move || sums(&cuda.reduce(Sum, columns(x, shape))?))),
            ("reduce of chunks", Box::new(move || sums(&cuda.reduce(Sum, chunks(x, 500))?))),
            ("reduce of axes", Box::new(move || sums(&cuda.reduce(Sum, along(view()?, &[0, 2]))?))),
            ("reduce of segments", Box::new(move || sums(&cuda.reduce(Sum, segments(x, offsets))?))),
            ("reduce of groups", Box::new(move || sums(&cuda.reduce(Sum, groups(keys, x, GROUPS))?))),
            (
                "reduce of runs",
                Box::new(move || {
                    let (keys, results) = cuda.reduce(Sum, runs(sorted, x))?;
                    Ok([read(&keys)?, sums(&results)?].concat())
                }),
            ),
            ("finished", Box::new(move || read(&self.sums.finished()?))),
            ("scan", Box::new(move || read(&cuda.scan(Sum, x, Scan::inclusive())?))),
            (
                "scan of segments",
                Box::new(move || read(&cuda.scan(Sum, segments(x, offsets), Scan::inclusive())?)),
            ),
            ("sort", Box::new(move || read(&cuda.sort(x, Ascending)?))),
            ("argsort", Box::new(move || read(&cuda.argsort(x, Descending)?))),
            ("sort_pairs", Box::new(move || pair(cuda.sort_pairs(keys, x, Ascending)?))),
            ("top_k", Box::new(move || pair(cuda.top_k(x, 10)?))),
            ("bottom_k of many", Box::new(move || pair(cuda.bottom_k(x, len / 2)?))),
            ("scan of rows", Box::new(move || read(&cuda.scan(Sum, rows(x, shape), Scan::inclusive())?))),
            ("softmax", Box::new(move || read(&cuda.softmax(rows(x, shape))?))),
            ("layer_norm", Box::new(move || read(&cuda.layer_norm(rows(x, shape), None, None, 1e-5)?))),
            ("log_sum_exp of rows", Box::new(move || read(&cuda.log_sum_exp(rows(x, shape))?))),
            ("sort of segments", Box::new(move || read(&cuda.sort(segments(x, offsets), Ascending)?))),
            ("argsort of rows", Box::new(move || read(&cuda.argsort(rows(x, shape), Descending)?))),
            (
                "sort_pairs of chunks",
                Box::new(move || pair(cuda.sort_pairs(chunks(keys, 5000), x, Ascending)?)),
            ),
            ("top_k of rows", Box::new(move || pair(cuda.top_k(rows(x, shape), 10)?))),
            (
                "median of chunks",
                Box::new(move || Ok(format!("{:?}", cuda.median(chunks(x, 500))?).into_bytes())),
            ),
            ("median", Box::new(move || Ok(format!("{:?}", cuda.median(x)?).into_bytes()))),
            (
                "quantiles",
                Box::new(move || {
                    let found = cuda.quantiles(x, &[0.1, 0.5, 0.9], Interpolation::Linear)?;
                    Ok(format!("{found:?}").into_bytes())
                }),
            ),
            ("compact", Box::new(move || read(&cuda.compact(Above { threshold: 0.0 }, x)?))),
            ("compact_by_flags", Box::new(move || read(&cuda.compact_by_flags(flags, x)?))),
            ("partition", Box::new(move || read(&cuda.partition(Above { threshold: 0.0 }, x)?.0))),
            ("partition_by_flags", Box::new(move || read(&cuda.partition_by_flags(flags, x)?.0))),
            ("unique", Box::new(move || read(&cuda.unique(sorted)?))),
            ("histogram", Box::new(move || read(&cuda.histogram(bins, x)?.counts))),
        ]
    }

    /// The calls that may do with what a stream, or a feed of host memory, has.
    pub(crate) fn of_a_stream<'a>(&'a self, cuda: &'a Cuda) -> Result<Vec<Operation<'a>>, Error> {
        let Self { on_host, x, keys, offsets, stream, shape, of_device, .. } = self;
        let (shape, len) = (*shape, on_host.len());
        let values = || Ok::<_, Error>(RefCell::new(cuda.values::<f32>(len)?));
        let scalar = || Ok::<_, Error>(RefCell::new(cuda.scalar::<f32, Sum>()?));
        let results = |len| Ok::<_, Error>(RefCell::new(cuda.results::<f32, Sum>(len)?));
        let (scanned, in_segments, sorted, compacted) = (values()?, values()?, values()?, values()?);
        let of_parts = values()?;
        let (indices, count) = (RefCell::new(cuda.values::<u64>(len)?), RefCell::new(cuda.values::<u64>(1)?));
        let (counts, outside) = (RefCell::new(cuda.values::<u64>(9)?), RefCell::new(cuda.values::<u64>(3)?));
        let finished = RefCell::new(cuda.values::<f32>(shape[0])?);
        let (sum, of_graph, least) = (scalar()?, scalar()?, RefCell::new(cuda.scalar::<f32, ArgMin>()?));
        let (of_rows, of_groups) = (results(shape[0])?, results(GROUPS)?);
        Ok(vec![
            ("to_vec", Box::new(move || read(x))),
            ("reduce of host memory", Box::new(move || Ok(bytes(vec![cuda.reduce(Sum, host(on_host))?])))),
            ("Stream::reduce", Box::new(move || Ok(bytes(vec![stream.reduce(Sum, x)?])))),
            (
                "reduce_async",
                Box::new(move || Ok(bytes(vec![stream.reduce_async(Sum, x).and_then(Pending::wait)?]))),
            ),
            (
                "reduce_into",
                Box::new(move || {
                    let out = &mut *sum.borrow_mut();
                    stream.reduce_into(Sum, x, out)?;
                    Ok(bytes(vec![out.get()?]))
                }),
            ),
            (
                "reduce_into of rows",
                Box::new(move || {
                    let out = &mut *of_rows.borrow_mut();
                    stream.reduce_into(Sum, rows(x, shape), out)?;
                    sums(out)
                }),
            ),
            (
                "reduce_into of groups",
                Box::new(move || {
                    let out = &mut *of_groups.borrow_mut();
                    stream.reduce_into(Sum, groups(keys, x, GROUPS), out)?;
                    sums(out)
                }),
            ),
            (
                "reduce_into, of an operator with an index",
                Box::new(move || {
                    let out = &mut *least.borrow_mut();
                    stream.reduce_into(ArgMin, x, out)?;
                    Ok(format!("{:?}", out.get()?).into_bytes())
                }),
            ),
            (
                "finish_into",
                Box::new(move || {
                    let out = &mut *finished.borrow_mut();
                    stream.finish_into(&self.sums, out)?;
                    Ok(bytes(out.to_vec()?))
                }),
            ),
            (
                "scan_into and in place",
                Box::new(move || {
                    let out = &mut *scanned.borrow_mut();
                    stream.scan_into(Sum, x, out, Scan::inclusive())?;
                    stream.scan(Sum, &mut *out, Scan::inclusive())?;
                    Ok(bytes(out.to_vec()?))
                }),
            ),
            (
                "scan_into of segments",
                Box::new(move || {
                    let out = &mut *in_segments.borrow_mut();
                    stream.scan_into(Sum, segments(x, offsets), out, Scan::inclusive())?;
                    Ok(bytes(out.to_vec()?))
                }),
            ),
            (
                "sort_into",
                Box::new(move || {
                    let out = &mut *sorted.borrow_mut();
                    stream.sort_into(x, out, Ascending)?;
                    Ok(bytes(out.to_vec()?))
                }),
            ),
            (
                "sort_into of segments, and scan_into of rows",
                Box::new(move || {
                    let out = &mut *of_parts.borrow_mut();
                    stream.sort_into(segments(x, offsets), out, Ascending)?;
                    let sorted = bytes(out.to_vec()?);
                    stream.scan_into(Sum, rows(x, shape), out, Scan::inclusive())?;
                    Ok([sorted, bytes(out.to_vec()?)].concat())
                }),
            ),
            (
                "argsort_into",
                Box::new(move || {
                    let out = &mut *indices.borrow_mut();
                    stream.argsort_into(x, out, Ascending)?;
                    Ok(bytes(out.to_vec()?))
                }),
            ),
            (
                "compact_into",
                Box::new(move || {
                    let (out, count) = (&mut *compacted.borrow_mut(), &mut *count.borrow_mut());
                    stream.compact_into(Above { threshold: 0.0 }, x, (&mut *out, &mut *count))?;
                    let count = count.to_vec()?[0] as usize;
                    Ok(bytes(out.to_vec()?[..count].to_vec()))
                }),
            ),
            (
                "histogram_into",
                Box::new(move || {
                    let (counts, outside) = (&mut *counts.borrow_mut(), &mut *outside.borrow_mut());
                    stream.histogram_into(of_device, x, (&mut *counts, &mut *outside))?;
                    Ok(bytes([counts.to_vec()?, outside.to_vec()?].concat()))
                }),
            ),
            (
                "capture and launch",
                Box::new(move || {
                    let out = &mut *of_graph.borrow_mut();
                    let mut graph = stream.capture(|stream| stream.reduce_into(Sum, x, out))?;
                    graph.launch(stream)?;
                    Ok(bytes(vec![out.get()?]))
                }),
            ),
            (
                "record",
                Box::new(move || {
                    let start = stream.record()?;
                    assert!(start.elapsed_ms(&stream.record()?)? >= 0.0);
                    Ok(Vec::new())
                }),
            ),
        ])
    }
}
