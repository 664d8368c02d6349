#!/usr/bin/env bash
# Runs what `cargo xtask bundle` put beside this script. Needs an NVIDIA driver. The benchmark's peers want more:
# CUB and Thrust nvcc and a C++ compiler, PyTorch and CuPy python3, CubeCL (if the bundle has it) the toolkit's
# NVRTC and headers; `sanitize` needs compute-sanitizer. What is missing is named.
#
#   ./run.sh test|softmax|sanitize|jit|bench|rows|columns|segments|groups|scan|scan-segments|compact|sort|select|parts|stats|ladder|tune|interop|all [RECORDS]
#
# RECORDS is the folder for logs and figures: records/<date> by default. Settings, by environment variable:
#   SANITIZE   filters of the tests that the sanitizer runs, separated by spaces; default: those over every kernel
#   BENCH      arguments of `bench gpu`; default: every peer, the rows of the goals and the catalogue
#   ROWS       arguments of `bench rows`, as --shapes 1000x1000; default: none
#   BENCH_COLUMNS, BENCH_SEGMENTS, BENCH_GROUPS, BENCH_SCAN, BENCH_SCAN_SEGMENTS, BENCH_COMPACT, BENCH_SORT,
#   BENCH_SELECT  arguments of those; default: none
#   PYTHON     the Python that has PyTorch and CuPy; default: python3
#   INTEROP    arguments of interop/cupy_reduce.py, as --need cupy; default: none
#   TUNE       arguments of `tune`; default: all rows. What it finds goes to RECORDS/cache, which a later
#              `WARPFOLD_CACHE=RECORDS/cache ./run.sh bench` uses
#   LADDER     arguments of `ladder`; default: none
#   NVCC       the CUDA compiler; default: nvcc on the PATH, else in /usr/local/cuda/bin
#   ARCH       the architecture that peers are compiled for; default: native
set -u
sanitized=${SANITIZE:-sanitize}
here=$(cd "$(dirname "$0")" && pwd)
# The tests of tests/device run on an emulated device too.
export WARPFOLD_DEVICE=gpu
what=${1:-all}
records=${2:-records/$(date -u +%Y-%m-%d-%H%M%S)}
mkdir -p "$records"
records=$(cd "$records" && pwd)
failed=0

# Runs a step with its output on the screen and in a log; notes a failure and goes on.
step() {
    local name=$1
    shift
    echo "== $name"
    "$@" 2>&1 | tee "$records/$name.log"
    local status=${PIPESTATUS[0]}
    if [ "$status" -ne 0 ]; then
        echo "== $name FAILED ($status)"
        failed=1
    fi
    return "$status"
}

# Finds a tool on the PATH or in the toolkit's usual folder.
tool() {
    command -v "$1" || { [ -x "/usr/local/cuda/bin/$1" ] && echo "/usr/local/cuda/bin/$1"; }
}

about() {
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.mem,clocks.sm --format=csv \
        >"$records/gpu.csv" 2>&1 || true
}

tests() {
    # What is measured while many tests run is worth nothing to anyone later.
    local WARPFOLD_CACHE=
    export WARPFOLD_CACHE
    for test in "$here"/tests/*; do
        step "test-$(basename "$test")" "$test"
    done
}

jit() {
    # Kernels are PTX, which the driver compiles. Its cache would hide what its compiler makes.
    local level
    for level in 0 1 2 3 4; do
        WARPFOLD_JIT_LEVEL=$level CUDA_FORCE_PTX_JIT=1 CUDA_CACHE_DISABLE=1 step "jit-$level" "$here/tests/reduce" golden fingerprints
    done
}

sanitize() {
    local sanitizer
    if ! sanitizer=$(tool compute-sanitizer); then
        echo "missing: compute-sanitizer (it comes with the CUDA toolkit)" | tee "$records/sanitize.log"
        return
    fi
    for test in "$here"/tests/*; do
        # A filter that fits no test would pass with nothing checked.
        if ! "$test" --list $sanitized 2>/dev/null | grep -q ': test$'; then
            echo "no test of $(basename "$test") fits the filters: $sanitized"
            continue
        fi
        for check in memcheck racecheck initcheck synccheck; do
            step "$check-$(basename "$test")" "$sanitizer" --tool "$check" --error-exitcode 99 \
                "$test" --test-threads 1 $sanitized
        done
    done
    for check in memcheck racecheck initcheck synccheck; do
        step "$check-softmax" "$sanitizer" --tool "$check" --error-exitcode 99 "$here/softmax"
    done
}

# Compiles a peer once: peers/NAME.cu to libpeer_NAME.so.
peer() {
    local name=$1
    [ -e "$here/libpeer_$name.so" ] && return
    local nvcc
    if ! nvcc=${NVCC:-$(tool nvcc)}; then
        echo "missing: nvcc, so CUB is not measured" | tee "$records/peer-$name.log"
        return
    fi
    local include=()
    [ -d "$here/peers/cccl" ] && include=(-I "$here/peers/cccl")
    step "peer-$name" "$nvcc" -O3 -std=c++17 -arch="${ARCH:-native}" -Xcompiler -fPIC -shared ${include[@]+"${include[@]}"} \
        -o "$here/libpeer_$name.so" "$here/peers/$name.cu"
}

bench() {
    peer cub
    # Relative paths: the record keeps the command line.
    (cd "$records" && step bench "$here/bench" gpu --json gpu.json --csv bench.csv --charts charts \
        ${BENCH:---peers all --rows goals,catalogue})
    local status=$?
    [ "$status" -eq 0 ] || failed=1
}

# Many sums at once: of the rows of a matrix, of its columns, of segments of mixed lengths, of groups by id.
rows() {
    peer rows
    local cub=()
    [ -e "$here/libpeer_rows.so" ] && cub=(--peer "$here/libpeer_rows.so")
    step rows "$here/bench" rows ${cub[@]+"${cub[@]}"} --python "${PYTHON:-python3}" "$here/peers" ${ROWS:-}
}

columns() {
    step columns "$here/bench" columns --python "${PYTHON:-python3}" "$here/peers" ${BENCH_COLUMNS:-}
}

segments() {
    peer segments
    local cub=()
    [ -e "$here/libpeer_segments.so" ] && cub=(--peer "$here/libpeer_segments.so")
    step segments "$here/bench" segments ${cub[@]+"${cub[@]}"} ${BENCH_SEGMENTS:-}
}

scan() {
    peer scan
    local cub=()
    [ -e "$here/libpeer_scan.so" ] && cub=(--peer "$here/libpeer_scan.so")
    step scan "$here/bench" scan ${cub[@]+"${cub[@]}"} ${BENCH_SCAN:-}
}

scan_segments() {
    peer scan
    local cub=()
    [ -e "$here/libpeer_scan.so" ] && cub=(--peer "$here/libpeer_scan.so")
    step scan-segments "$here/bench" scan-segments ${cub[@]+"${cub[@]}"} ${BENCH_SCAN_SEGMENTS:-}
}

parts() {
    step parts "$here/bench" parts ${BENCH_PARTS:-}
}

groups() {
    step groups "$here/bench" groups --python "${PYTHON:-python3}" "$here/peers" ${BENCH_GROUPS:-}
}

# Elements below a threshold, brought together.
compact() {
    peer compact
    local cub=()
    [ -e "$here/libpeer_compact.so" ] && cub=(--peer "$here/libpeer_compact.so")
    step compact "$here/bench" compact ${cub[@]+"${cub[@]}"} ${BENCH_COMPACT:-}
}

# Keys and pairs in several orders.
sort_keys() {
    peer sort
    local cub=()
    [ -e "$here/libpeer_sort.so" ] && cub=(--peer "$here/libpeer_sort.so")
    step sort "$here/bench" sort ${cub[@]+"${cub[@]}"} ${BENCH_SORT:-}
}

# The greatest few elements and the median.
select_first() {
    peer sort
    local cub=()
    [ -e "$here/libpeer_sort.so" ] && cub=(--peer "$here/libpeer_sort.so")
    step select "$here/bench" select ${cub[@]+"${cub[@]}"} --python "${PYTHON:-python3}" "$here/peers" ${BENCH_SELECT:-}
}

stats() {
    step stats "$here/stats" --synthetic 1e8
}

# The classic ladder of reductions: right at awkward lengths and blocks, then how fast.
ladder() {
    step ladder-check "$here/ladder" --backend cuda --check
    (cd "$records" && step ladder "$here/ladder" --backend cuda --chart ladder.svg,ladder.png ${LADDER:-})
    local status=$?
    [ "$status" -eq 0 ] || failed=1
}

tune() {
    WARPFOLD_CACHE=${WARPFOLD_CACHE-$records/cache} step tune "$here/tune" ${TUNE:-}
}

# A user's own kernel on the library's blocks.
softmax() {
    step softmax "$here/softmax"
}

# The C library on the arrays of CuPy and PyTorch, where Python has them, and of the driver.
interop() {
    local python=${PYTHON:-python3}
    if ! command -v "$python" >/dev/null; then
        echo "missing: $python, so other libraries' arrays are not tried" | tee "$records/interop.log"
        return
    fi
    step interop "$python" "$here/interop/cupy_reduce.py" --library "$here/libwarpfold_c.so" ${INTEROP:-}
}

about
case $what in
    test) tests ;;
    softmax) softmax ;;
    sanitize) sanitize ;;
    jit) jit ;;
    bench) bench ;;
    rows) rows ;;
    columns) columns ;;
    segments) segments ;;
    scan) scan ;;
    scan-segments) scan_segments ;;
    compact) compact ;;
    sort) sort_keys ;;
    select) select_first ;;
    parts) parts ;;
    groups) groups ;;
    stats) stats ;;
    ladder) ladder ;;
    tune) tune ;;
    interop) interop ;;
    all) stats; ladder; tests; softmax; interop; sanitize; jit; bench; rows; columns; segments; groups; scan; scan_segments; compact; sort_keys; select_first; parts ;;
    *) echo "usage: $0 test|softmax|sanitize|jit|bench|rows|columns|segments|groups|scan|scan-segments|compact|sort|select|parts|stats|ladder|tune|interop|all [RECORDS]" >&2; exit 2 ;;
esac
echo "records: $records"
exit "$failed"
