"""Writes the tables of this folder with PyArrow and Polars, which are not warpfold's own readers: `python make.py`."""

import polars
import pyarrow
from pyarrow import feather, ipc, parquet

table = pyarrow.table({
    "name": [f"n{i}" for i in range(12)],
    "x": pyarrow.array([None, None, 0.1, 7.5, -3.25, None, 1e-3, 7.5, -3.25, 2.5, 1e7, None], pyarrow.float32()),
    "small": pyarrow.array([-128, 127, None, 5, 5, 5, 5, 5, 5, 5, 5, -128], pyarrow.int8()),
    "long": pyarrow.array([2**62, 2**62, None, -1, 2**53 + 1, 0, 0, 0, 0, 0, 0, 0], pyarrow.int64()),
})
for codec in ["none", "snappy", "zstd", "gzip", "lz4"]:
    parquet.write_table(table, f"pyarrow-{codec}.parquet", compression=codec, row_group_size=5)
for codec in ["uncompressed", "lz4", "zstd"]:
    feather.write_feather(table, f"pyarrow-{codec}.feather", compression=codec, chunksize=5)
with ipc.new_stream("pyarrow.arrows", table.schema) as stream:
    stream.write_table(table, max_chunksize=5)
# Version 4 of the format's messages; PyArrow gives the index of every file version 5.
with ipc.new_file("pyarrow-v4.arrow", table.schema, options=ipc.IpcWriteOptions(metadata_version=ipc.MetadataVersion.V4)) as file:
    file.write_table(table, max_chunksize=5)
# A codec that stats does not read.
parquet.write_table(table.select(["x"]), "pyarrow-brotli.parquet", compression="brotli")
frame = polars.from_arrow(table)
frame.write_parquet("polars.parquet")
frame.write_ipc("polars.arrow", compression="zstd")
frame.write_ipc_stream("polars.arrows")
frame.write_csv("polars.csv")
