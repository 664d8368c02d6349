//! The command line.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use clap::{ArgGroup, Parser, ValueEnum};
use warpfold::Cpu;

use crate::failure::Failure;
use crate::source::format::Delimiter;
use crate::source::npy::Stored;
use crate::statistics::Also;

const EXAMPLES: &str = "\
EXAMPLES
  stats t.csv                                        describe every column
  stats t.csv --column temp --by city --median       one column, for each city
  stats a.npy --axis 0 --json                        an array, along an axis, as JSON
  sort -u t.csv | stats - --delimiter ';' --comment '#'
  stats --help                                       what is read and computed, and the fields of JSON";

const AFTER_HELP: &str = "\
FILES
  A file that changes while it is read is an error.
  Standard input (-) is copied to a temporary file first, in the folder that TMPDIR names. So are files that gzip
  or zstd compressed, decompressed, if the program was built with --features compressed: x.csv.gz is read as
  x.csv. What becomes more than 4 GiB and 1000 times its size is refused without --expand. CSV on standard input
  needs --column, --delimiter or another option of CSV.
  .npy format 1.0, 2.0 and 3.0, element types int32, uint32, int64, uint64, float32, float64, any shape. The
  file is read in portions, once for each pass, so it may be larger than memory.
  bool, int8, uint8, int16, uint16 and float16 are converted to the next type of 32 bits that holds them, and so is
  bfloat16, which NumPy calls V2, with --type bf16.
  --median, --quantiles, --histogram, --skip-nan, --mpi and a GPU read the elements into memory. --axis reads portions too; with
  --median, --quantiles or --skip-nan, or if it names several axes that do not follow each other in memory, it reads
  whole rows, and their neighbours in memory. A Fortran-ordered array is reduced in memory
  order: coordinates are those of the array, but the flat index counts in memory order, and of equal
  elements the first in memory is reported. Bytes after the last element are ignored, as by numpy.load, and
  reported. With --axis the order in memory does not matter.

  CSV (also .tsv, with tabs): the first line names the columns, or with --no-header they are called 1, 2, 3.
  A row has at most 64 MiB. Whole numbers are read as int64, or uint64
  if one needs it. If any other number occurs, all are read as float64: whole numbers beyond 2^53 that
  float64 cannot represent are rounded, counted and reported. Empty cells and cells with a text of --null
  have no value and are no keys; a blank line is no row.
  A number beyond the range of float64, such as 1e400, is an error; inf and nan are values.
  Parquet (snappy, zstd, gzip, lz4) and Arrow IPC (file or stream, lz4, zstd; Feather version 2) need a
  program built with --features arrow. Columns are int8 to uint64, float16, float32 or float64; narrow types
  are widened to the next type of 32 bits. Nulls have no value.
  Dates and times have a count, the number of different ones, the least and the greatest, as have texts; up to
  1,000,000 different ones are counted. Decimals are read as float64, Boolean as 0 and 1, durations as whole
  numbers of their unit, dictionaries as what they stand for. Of other types only values are counted.
  With --delimiter blanks a cell without a value needs a text of --null; with --decimal-comma 1,5 is 1.5.
  The first bytes identify the format; .csv, .tsv or --column identify CSV. A column is read in batches into
  memory. Rows without a value are skipped by every statistic and counted; indices count them too.
  Compressed data may grow to 255 times its size with lz4 and 32,768 times with zstd: larger claims are
  damage. A Parquet file's schema has at most 64 levels. A column of more than 4 GiB that takes 1000 times
  its file's size is read with --expand alone.

STATISTICS
  count         the number of elements with a value
  sum           along warpfold's tree: the same bits on every machine. Integers are summed in 64 bits.
  mean          for integers the exact sum divided by the count, rounded once, in float64; NaN if an element
                is NaN
  std dev       the standard deviation of the elements as a whole population: the root of the mean square
                distance from their mean. In float64 for integers; NaN if an element is NaN or infinite.
                With --sample that of a sample: the root of the sum of squared distances divided by n - 1
  min, max      NaN is skipped unless all elements are NaN; -0.0 is less than 0.0
  argmin/max    the first such element: flat index counted from 0, and coordinates
  NaN           with --skip-nan they are no elements: they are counted as missing, and indices count them
  quantiles     with --median and --quantiles; the median is quantile 0.5. The value at (n - 1) q of the
                sorted elements, with linear interpolation, as in NumPy; NaN if an element is NaN. In
                float64 for integers. Found by selection: the CPU needs up to twice the elements' memory in
                addition, a GPU memory for all elements
  histogram     with --histogram N: the numbers of elements in N bins of equal width, from the least finite element
                to the greatest. A bin has its lower edge, the last one also its upper edge, as in NumPy; infinities
                and NaN are counted apart. On the CPU
  The CPU computes all but quantiles and the histogram in one pass over the elements; for a file its time includes reading
  the disk. If the sum is NaN, a second pass counts NaN. For a GPU the elements are copied once and
  reduced four times (five with --sample), or, if they exceed its memory, copied four times in portions.
  For less than 1 MiB of elements no times are printed: they would be those of the calls.

ROWS (--axis, --by): these statistics for each row, with the bits of reducing it alone; on the CPU
  --axis        a row is the elements along the given axes, in row-major order, for one index along the
                others; argmin and argmax are indices along the given axes
  --by          a row is the values of one key. Rows are sorted by key: by size if all keys are numbers,
                otherwise as text. Keys are compared as text, in CSV without surrounding blanks; in typed
                tables they may be text, numbers, Boolean, dates or times. Rows without a key are one group,
                the last, null in JSON. A key without values has count 0. argmin and argmax are rows of the
                table. With several --by a row is the values of one key in each column, sorted by the first
  Of more than 21 rows the first and last 10 are printed, or all with --all-rows or --json.

JSON (--json): one object
  schema        4; raised if a field is removed or changes its meaning
  warpfold, tree_version
                version of the library, and of the tree that fixes every result bit
  source        {kind: \"npy\", path, version, type, shape, fortran_order, byte_swapped, ignored_bytes} with
                the type as NumPy names it, {kind: \"csv\"|\"parquet\"|\"arrow\", path, column, type, rows} with
                the type as the file names it, null for CSV, which has names_are_numbers too, true if the
                first line may be a row (--no-header), or {kind: \"synthetic\", shape, seed}
  dtype, count, bytes, nan_count, missing_count, rounded_count
                count and bytes are of elements with a value; missing_count is the number of rows without a
                value, rounded_count that of whole numbers in CSV that were rounded to float64
  backend       {name: \"cpu\"|\"cuda\", why, threads, device}
  sum           NUMBER; mean, std_dev, min, max: NUMBER, or null for empty input
  sample_std_dev
                with --sample: NUMBER, or null for fewer than two elements
  argmin, argmax
                {index, order: \"C\"|\"F\", coordinates, value: NUMBER}, or null for empty input
  quantiles     with --median or --quantiles: [{q, value: NUMBER}] in the order given, the median last;
                value is null for empty input
  histogram     with --histogram: {edges: [NUMBER], counts, below, above, nan}; below and above are infinities.
                Without a finite element edges and counts are empty
  naive_sum     with --compare or --synthetic: NUMBER: one loop, one accumulator of the element type
  accurate_sum  of integers, and with --compare or --synthetic of floats:
                {method: \"exact\"|\"compensated f64\", value}; the value of \"exact\" is a decimal string
  seconds       {load, operators, total}, and quantiles, histogram, naive_sum and accurate_sum, if asked for; operators is
                the time of the pass, load may be null
  gb_per_s      {operators}: 1e9 bytes of elements per second
  With --axis and --by: schema to rounded_count except nan_count, backend, and
  axes, shape   with --axis: the reduced axes, counted from 0, and the lengths of the others
  by            with --by: the name of the key column, or the names of several
  seconds       {load, operators, total}
  rows          [{coordinates, count, sum, mean, std_dev, min, max, argmin, argmax}] in row-major order;
                with --by key instead of coordinates, one for each name of by; and quantiles and sample_std_dev, if asked for. With --axis the
                coordinates of argmin and argmax are those within the row
  Of a table without --column: schema, warpfold, tree_version, source {kind, path, rows}, seconds, and
  columns       [{column, type, count, missing_count}] with dtype to rounded_count, backend and sum to quantiles
                for numbers, and for others distinct, distinct_is_least (more were not counted), least, greatest
  NUMBER is {type, value, bits}. value is a JSON number that reads back as exactly this value (a float32 is
  widened to float64), or \"NaN\", \"inf\", \"-inf\"; bits is the same number as a hexadecimal string.

MPI (--mpi): several processes, in a program built with --features mpi
  Start them with mpirun -n 4 stats --mpi FILE. Each process reads its part, and the output has the
  bits of one process. With --compare the loops pass through the parts one after the other. Only .npy files.

EXIT CODE
  0 success, 1 failure while working, 2 wrong usage or an input that cannot be used";

/// Statistics of an array, computed by warpfold: sum, mean, extremes and more.
#[derive(Parser, Clone, Debug)]
#[command(name = "stats", version, after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{AFTER_HELP}"), max_term_width = 108)]
#[command(group(ArgGroup::new("input").required(true).args(["file", "synthetic"])))]
pub(crate) struct Cli {
    /// The array: a NumPy .npy file, or a table: CSV, Parquet, Arrow; - is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// The column of a table; without it all are described
    #[arg(long, value_name = "NAME", conflicts_with = "synthetic")]
    pub(crate) column: Option<String>,

    /// The delimiter of CSV cells: a character, `tab` or `blanks` [default: a comma, and a tab in .tsv]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, conflicts_with_all = ["synthetic", "axis"])]
    pub(crate) delimiter: Option<Delimiter>,

    /// A comma is the decimal point of CSV cells; cells are then separated by `;`
    #[arg(long, conflicts_with_all = ["synthetic", "axis"])]
    pub(crate) decimal_comma: bool,

    /// Lines of CSV that begin with this character are comments
    #[arg(long, value_name = "CHAR", value_parser = byte, conflicts_with_all = ["synthetic", "axis"])]
    pub(crate) comment: Option<u8>,

    /// Lines of CSV before the first that is read
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, conflicts_with_all = ["synthetic", "axis"])]
    pub(crate) skip_lines: u64,

    /// The first line of CSV is a row, not the names of the columns: these are called 1, 2, 3
    #[arg(long, conflicts_with_all = ["synthetic", "axis"])]
    pub(crate) no_header: bool,

    /// The text of CSV cells without a value, besides empty ones; may be given several times: NA
    #[arg(
        long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["synthetic", "axis"]
    )]
    pub(crate) null: Vec<String>,

    /// Read what takes far more room than its file: more than 4 GiB, and 1000 times the file's size
    #[arg(long, conflicts_with = "synthetic")]
    pub(crate) expand: bool,

    /// What the elements of a .npy file are whose type NumPy does not know, V2: bf16, as ml_dtypes writes it
    #[arg(long = "type", value_name = "TYPE", value_enum, conflicts_with_all = ["synthetic", "column"])]
    pub(crate) raw: Option<Raw>,

    /// Reduce along these axes, one row for each index along the others: 0, 0,2, -1 for the last
    #[arg(
        long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true, group = "rows",
        conflicts_with_all = ["synthetic", "column"]
    )]
    pub(crate) axis: Vec<i64>,

    /// Reduce the rows of a table in groups, one for each value of this column; given again, for each pair of values
    #[arg(long, value_name = "KEY", group = "rows", requires = "column", conflicts_with = "synthetic")]
    pub(crate) by: Vec<String>,

    /// Print all rows of --axis or --by
    #[arg(long, requires = "rows")]
    pub(crate) all_rows: bool,

    /// Also print the median
    #[arg(long)]
    median: bool,

    /// Also print quantiles, from 0, the least, to 1, the greatest: 0.1,0.9
    #[arg(long, value_name = "Q", value_delimiter = ',', value_parser = fraction)]
    quantiles: Vec<f64>,

    /// Also print a histogram of this many bins of equal width, from the least element to the greatest
    #[arg(long, value_name = "BINS", value_parser = clap::value_parser!(u32).range(1..=1_000_000), conflicts_with_all = ["rows", "mpi"])]
    histogram: Option<u32>,

    /// Print the standard deviation of what the elements are a sample of: divided by n - 1, not by n
    #[arg(long)]
    pub(crate) sample: bool,

    /// NaN are no elements: like cells without a value they are skipped and counted
    #[arg(long, conflicts_with = "synthetic")]
    pub(crate) skip_nan: bool,

    /// Also sum by a naive and by a careful loop on one thread, to compare; --synthetic always does
    #[arg(long, conflicts_with = "rows")]
    compare: bool,

    /// Generate COUNT floats (f32), uniform in [0, 1), instead of reading a file: 1000, 1_000, 1e8
    #[arg(long, value_name = "COUNT", value_parser = count)]
    synthetic: Option<u64>,

    /// Seed of the synthetic floats
    #[arg(long, default_value_t = 0, requires = "synthetic", conflicts_with = "file")]
    pub(crate) seed: u64,

    /// The backend; `auto` uses the GPU if it is faster
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,

    /// CPU threads, at most 64, or 4 per core if that is more [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Share a .npy file with the other processes that mpirun started; the first prints: see MPI
    #[arg(long, conflicts_with_all = ["synthetic", "column", "skip_nan", "delimiter", "decimal_comma", "comment", "skip_lines", "no_header", "null", "axis", "by", "backend"])]
    pub(crate) mpi: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// The backend that the user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The faster backend: see `warpfold::reduce`
    Auto,
    /// The CPU
    Cpu,
    /// An NVIDIA GPU, or an error
    Cuda,
}

/// A type of elements that NumPy does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Raw {
    /// bfloat16
    Bf16,
}

impl Raw {
    pub(crate) fn stored(self) -> Stored {
        match self {
            Self::Bf16 => Stored::Bf16,
        }
    }
}

/// The source of the elements.
pub(crate) enum Input<'a> {
    File(&'a Path),
    Synthetic(u64),
}

impl Cli {
    /// clap ensures that exactly one is given.
    pub(crate) fn input(&self) -> Result<Input<'_>, Failure> {
        match (&self.file, self.synthetic) {
            (Some(path), None) => Ok(Input::File(path)),
            (None, Some(count)) => Ok(Input::Synthetic(count)),
            _ => Err(Failure::Usage("give either FILE or --synthetic COUNT".into())),
        }
    }

    /// The same for another file.
    pub(crate) fn reading(&self, path: &Path) -> Self {
        Self { file: Some(path.into()), ..self.clone() }
    }

    /// What to compute besides the statistics.
    pub(crate) fn also(&self) -> Also {
        Also {
            quantiles: self.quantiles(),
            sample: self.sample,
            bins: self.histogram.map(|bins| bins as usize),
            loops: self.compare || self.synthetic.is_some(),
        }
    }

    /// The quantiles asked for; the median is 0.5.
    pub(crate) fn quantiles(&self) -> Vec<f64> {
        self.quantiles.iter().copied().chain(self.median.then_some(0.5)).collect()
    }

    /// Whether an option says how CSV is read.
    pub(crate) fn is_of_csv(&self) -> bool {
        self.delimiter.is_some()
            || self.decimal_comma
            || self.comment.is_some()
            || self.skip_lines > 0
            || self.no_header
            || !self.null.is_empty()
    }

    /// Whether rows are reduced separately.
    pub(crate) fn is_in_rows(&self) -> bool {
        !self.axis.is_empty() || !self.by.is_empty()
    }

    /// Threads to start: as many as asked for, up to what the machine can run.
    pub(crate) fn threads(&self) -> Result<NonZeroUsize, Failure> {
        let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let Some(threads) = self.threads else { return Ok(cores) };
        let threads = usize::from(threads).min(Cpu::most_threads());
        NonZeroUsize::new(threads).ok_or_else(|| Failure::Usage("--threads 0".into()))
    }
}

/// What can separate cells.
fn delimiter(text: &str) -> Result<Delimiter, String> {
    match text {
        "tab" | "\\t" => Ok(Delimiter::Byte(b'\t')),
        "blanks" => Ok(Delimiter::Blanks),
        _ => byte(text).map(Delimiter::Byte).map_err(|why| why + ", nor `tab` or `blanks`"),
    }
}

/// An ASCII character that is no part of what CSV is made of.
fn byte(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(byte),
        _ => Err("not one character of ASCII, such as `;`".into()),
    }
}

/// A number from 0 to 1.
fn fraction(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "not a number from 0 to 1, such as 0.25".into())
}

/// A whole number, also in the forms 1_000 and 1.5e9.
fn count(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((&digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let number = || {
        // Computed in decimal digits, not in floats, so that 1e8 and 16777217 are exact.
        let shift = exponent.parse::<u32>().ok()?.checked_sub(u32::try_from(fraction.len()).ok()?)?;
        let digits = format!("{whole}{fraction}");
        let digits = digits.bytes().all(|digit| digit.is_ascii_digit()).then_some(digits)?;
        digits.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(shift)?)
    };
    number().ok_or_else(|| "not a whole number below 2^64, such as 1000, 1_000 or 1e8".into())
}
