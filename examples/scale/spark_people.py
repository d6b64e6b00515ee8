"""People in photographs by Spark's mapInArrow: spark-submit spark_people.py OUT.parquet PHOTO...

Rows are paths, which every executor must be able to read; only paths are sent to the executors. Each partition creates one detector.
Executors need the package fovea-vision.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import SparkSession


def detect(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import fovea.people
    from fovea import Error

    detector = fovea.people.Detector("channels", device="cpu", threads=1)
    for batch in batches:
        rows: dict[str, list] = {"path": [], "people": [], "best": [], "error": []}
        for path in batch.column("path").to_pylist():
            try:
                scores, error = [float(score) for score in detector.detect(path).confidence], ""
            except Error as failure:
                scores, error = [], str(failure)
            for name, value in zip(rows, (path, len(scores), max(scores, default=None), error)):
                rows[name].append(value)
        types = (pa.string(), pa.int32(), pa.float64(), pa.string())
        yield pa.RecordBatch.from_arrays([pa.array(rows[name], kind) for name, kind in zip(rows, types)], names=list(rows))


def main(out: str, photos: list[str]) -> None:
    spark = SparkSession.builder.appName("people").getOrCreate()
    paths = spark.createDataFrame([(photo,) for photo in photos], "path string").repartition(4)
    found = paths.mapInArrow(detect, "path string, people int, best double, error string")
    found.orderBy("path").write.mode("overwrite").parquet(out)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
