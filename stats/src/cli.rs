//! The command line.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use clap::{ArgGroup, Parser, ValueEnum};

use crate::failure::Failure;

const AFTER_HELP: &str = "\
FILES
  .npy format 1.0, 2.0 and 3.0, element types int32, uint32, int64, uint64, float32, float64, any shape.
  The file is mapped into memory and folded where it lies: do not change it meanwhile.
  bool, int8, uint8, int16, uint16 and float16 are converted, in a copy, to the next type of 32 bits that holds them.
  Big-endian data is converted in a copy. A Fortran-ordered array is folded in memory order: coordinates
  are those of the array, the flat index counts in memory order, and of equal elements the first in
  memory wins. Bytes after the last element are ignored, as numpy.load does, and reported.
  With --axis an array keeps its shape, whatever its order in memory.

  CSV (also .tsv, with tabs): the first line names the columns. Whole numbers are read as int64, or uint64 if
  one needs it; if a cell is anything else, all as float64: whole numbers beyond 2^53 that no float64 is equal to
  are rounded, counted and told of. An empty cell has no value, and so has one with a text of --null, as a key too;
  a blank line is no row.
  A number beyond the range of float64, such as 1e400, is an error; inf and nan are values.
  Parquet (snappy, zstd, gzip, lz4) and Arrow IPC (file or stream, lz4, zstd; Feather version 2): in a program
  built with --features arrow. Columns of int8 to uint64, float16, float32, float64; a narrow type is widened to
  the next of 32 bits. Nulls have no value.
  The format is known by the first bytes, and CSV by .csv, .tsv or --column. A column is read in batches into
  memory. Rows without a value are skipped by every statistic, counted, and count in the index.
  Compressed data may grow to 255 times its size with lz4 and 32,768 times with zstd: what claims more is damaged.

STATISTICS
  count         the elements that are there
  sum           along warpfold's tree: the same bits on every machine. Integers are summed in 64 bits.
  mean          of integers their exact sum over their number, rounded once, in float64; NaN if an element is
  std dev       the standard deviation of the elements as a whole population: the root of the mean square distance
                from their mean. In float64 of integers; NaN if an element is NaN or infinite
  min, max      NaN is skipped unless there is nothing else; -0.0 is below 0.0
  argmin/max    the first element that holds them: flat index counted from 0, and coordinates
  quantiles     with --median and --quantiles, the median being quantile 0.5: place (n - 1) q of the sorted
                elements, linear between two, as NumPy does; NaN if an element is. In f64 of integers. By
                selection: on the CPU it takes up to twice the memory of the elements beside them, on a GPU
                room for all of them there
  All but these are one pass over the elements, which also waits for the disk where they are a file's. A GPU has the
  elements copied to it once and folded four times, or, if they are more than it has memory for, fed to it four
  times. Of less than a MiB of elements no times are printed: they would be those of the calls.

ROWS (--axis, --by): these statistics of each row, with the bits that it has alone; on the CPU
  --axis        a row is the elements along the axes named, in row-major order, one for each index along the
                others; argmin and argmax are the index along the axes named
  --by          a row is the values beside one key, sorted by key: by size if all keys are numbers, otherwise as
                text. Keys are compared as text, in CSV without blanks around it; where a table has types they
                may be text, whole numbers, floats or Boolean. Rows without a key are a group of their own, the
                last, null in JSON. A key without a value has count 0. argmin and argmax are rows of the table
  Of more than 21 the first and the last 10 are printed, or all with --all-rows or --json.

JSON (--json): one object
  schema        3; raised when a field changes its meaning or goes
  warpfold, tree_version
                version of the library, and of the tree that fixes every result bit
  source        {kind: \"npy\", path, version, type, shape, fortran_order, byte_swapped, ignored_bytes} with the type
                as NumPy names it,
                {kind: \"csv\"|\"parquet\"|\"arrow\", path, column, type, rows} with the type as the file
                names it, null of CSV, or {kind: \"synthetic\", shape, seed}
  dtype, count, bytes, nan_count, missing_count, rounded_count
                count and bytes are of the elements that are there; missing_count is of rows without a value,
                rounded_count of whole numbers of CSV that are no float64
  backend       {name: \"cpu\"|\"cuda\", why, threads, device}
  sum           NUMBER; mean, std_dev, min, max: NUMBER, or null of no elements
  argmin, argmax
                {index, order: \"C\"|\"F\", coordinates, value: NUMBER}, or null of no elements
  quantiles     with --median or --quantiles: [{q, value: NUMBER}] in the order asked for, the median last; value
                is null of no elements
  naive_sum     NUMBER: one loop, one accumulator of the element type
  accurate_sum  {method: \"exact\"|\"compensated f64\", value}; the value of \"exact\" is a decimal string
  seconds       {load, operators, naive_sum, accurate_sum, total}; operators is of the pass, load may be null;
                and quantiles, where there are
  gb_per_s      {operators}: 1e9 bytes of elements per second
  With --axis and --by: schema to rounded_count but nan_count, backend, and
  axes, shape   of --axis: those reduced, counted from 0, and the lengths of the others
  by            of --by: the name of the key's column
  seconds       {load, operators, total}
  rows          [{coordinates, count, sum, mean, std_dev, min, max, argmin, argmax}] in row-major order, or with key
                for coordinates; and quantiles; of --axis the places of argmin and argmax are those within the row
  NUMBER is {type, value, bits}. value is a JSON number that reads back as exactly this value (a float32 is
  widened to float64), or \"NaN\", \"inf\", \"-inf\"; bits is the same number as a hexadecimal string.

MPI (--mpi): in a program built with --features mpi, and started by mpirun -n 4 stats --mpi FILE
  Each process maps the file and reads its part, and what is printed has the bits of one process. The two loops that
  the sum is compared with go through the parts one after the other. A table is read as a whole: of .npy alone.

EXIT CODE
  0 success, 1 failure while working, 2 bad usage or an input that cannot be used";

/// Most threads for each that the machine runs at once. Idle ones look for work while others start, so that thousands take minutes.
const MOST_PER_CORE: usize = 4;

/// Sum, least and greatest element of an array, by warpfold.
#[derive(Parser, Debug)]
#[command(name = "stats", version, after_help = AFTER_HELP, max_term_width = 108)]
#[command(group(ArgGroup::new("input").required(true).args(["file", "synthetic"])))]
pub(crate) struct Cli {
    /// The array: a NumPy .npy file, or a table: CSV, Parquet, Arrow
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Which column of a table; not needed where there is one
    #[arg(long, value_name = "NAME", conflicts_with = "synthetic")]
    pub(crate) column: Option<String>,

    /// What stands between the cells of CSV: a character, or `tab` [default: a comma, and a tab in .tsv]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, conflicts_with_all = ["synthetic", "axis"])]
    pub(crate) delimiter: Option<u8>,

    /// A text of CSV that says that there is no value, as an empty cell does; may be given several times: NA
    #[arg(
        long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["synthetic", "axis"]
    )]
    pub(crate) null: Vec<String>,

    /// Fold along these axes alone, a row for each index along the others: 0, 0,2, -1 for the last
    #[arg(
        long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true, group = "rows",
        conflicts_with_all = ["synthetic", "column"]
    )]
    pub(crate) axis: Vec<i64>,

    /// Fold the rows of a table in groups, one for each value of this column
    #[arg(long, value_name = "KEY", group = "rows", requires = "column", conflicts_with = "synthetic")]
    pub(crate) by: Option<String>,

    /// Print every row of --axis or --by, however many
    #[arg(long, requires = "rows")]
    pub(crate) all_rows: bool,

    /// The median too
    #[arg(long)]
    median: bool,

    /// Quantiles too, from 0, the least, to 1, the greatest: 0.1,0.9
    #[arg(long, value_name = "Q", value_delimiter = ',', value_parser = fraction)]
    quantiles: Vec<f64>,

    /// Make COUNT floats (f32), uniform in [0, 1), instead: 1000, 1_000, 1e8
    #[arg(long, value_name = "COUNT", value_parser = count)]
    synthetic: Option<u64>,

    /// Seed of the synthetic floats
    #[arg(long, default_value_t = 0, requires = "synthetic", conflicts_with = "file")]
    pub(crate) seed: u64,

    /// What folds; `auto` is the GPU where that has the result sooner
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,

    /// CPU threads, of which no more than 4 per core are started [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Fold a .npy file as one of the processes that mpirun started, each its part; the first prints: see MPI
    #[arg(long, conflicts_with_all = ["synthetic", "column", "delimiter", "null", "axis", "by", "backend"])]
    pub(crate) mpi: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// What the user wants to fold with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// Whoever has the result sooner: see `warpfold::reduce`
    Auto,
    /// The CPU
    Cpu,
    /// An NVIDIA GPU, or an error
    Cuda,
}

/// Where the elements come from.
pub(crate) enum Input<'a> {
    File(&'a Path),
    Synthetic(u64),
}

impl Cli {
    /// clap has seen to it that exactly one is there.
    pub(crate) fn input(&self) -> Result<Input<'_>, Failure> {
        match (&self.file, self.synthetic) {
            (Some(path), None) => Ok(Input::File(path)),
            (None, Some(count)) => Ok(Input::Synthetic(count)),
            _ => Err(Failure::Usage("give either FILE or --synthetic COUNT".into())),
        }
    }

    /// The quantiles asked for, of which the median is 0.5.
    pub(crate) fn quantiles(&self) -> Vec<f64> {
        self.quantiles.iter().copied().chain(self.median.then_some(0.5)).collect()
    }

    /// Whether rows are folded each by itself.
    pub(crate) fn is_in_rows(&self) -> bool {
        !self.axis.is_empty() || self.by.is_some()
    }

    /// Threads to start: as many as asked for, unless the machine could not run them.
    pub(crate) fn threads(&self) -> Result<NonZeroUsize, Failure> {
        let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let Some(threads) = self.threads else { return Ok(cores) };
        let threads = usize::from(threads).min(MOST_PER_CORE * cores.get());
        NonZeroUsize::new(threads).ok_or_else(|| Failure::Usage("--threads 0".into()))
    }
}

/// A character of ASCII that may stand between cells.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(byte),
        _ => Err("not one character of ASCII, such as `;`, nor `tab`".into()),
    }
}

/// A number from 0 to 1.
fn fraction(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "not a number from 0 to 1, such as 0.25".into())
}

/// A whole number, also as 1_000 or 1.5e9.
fn count(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((&digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let number = || {
        // In decimal digits, not through a float: 1e8 is exact, and so is 16777217.
        let shift = exponent.parse::<u32>().ok()?.checked_sub(u32::try_from(fraction.len()).ok()?)?;
        let digits = format!("{whole}{fraction}");
        let digits = digits.bytes().all(|digit| digit.is_ascii_digit()).then_some(digits)?;
        digits.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(shift)?)
    };
    number().ok_or_else(|| "not a whole number below 2^64, such as 1000, 1_000 or 1e8".into())
}
