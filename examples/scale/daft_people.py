"""People in photographs by Daft: python daft_people.py OUT PHOTO...

Rows are paths; each worker creates one detector. On a Ray cluster, call daft.set_runner_ray() first.
"""

from __future__ import annotations

import sys

import daft
from daft import DataType


@daft.cls
class People:
    def __init__(self) -> None:
        import fovea.people

        self.detector = fovea.people.Detector("channels", device="cpu", threads=1)

    @daft.method(return_dtype=DataType.struct({"people": DataType.int64(), "best": DataType.float64(), "error": DataType.string()}))
    def detect(self, path: str):
        from fovea import Error

        try:
            scores = [float(score) for score in self.detector.detect(path).confidence]
            return {"people": len(scores), "best": max(scores, default=None), "error": ""}
        except Error as failure:
            return {"people": 0, "best": None, "error": str(failure)}


def main(out: str, photos: list[str]) -> None:
    people = People()
    rows = daft.from_pydict({"path": photos})
    rows = rows.with_column("found", people.detect(rows["path"]))
    rows.select("path", rows["found"]["people"].alias("people"), rows["found"]["best"].alias("best"), rows["found"]["error"].alias("error")).sort(
        "path"
    ).write_parquet(out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
