#!/usr/bin/env python3
"""Errors and times of `fovea flow` and of OpenCV's dense flow on pairs whose motion is known.

    flow_rivals.py --fovea build/release/fovea FOLDER [--filter NAME] [--repeats 3] > table.md

FOLDER has a folder per pair with frame10.png, frame11.png and flow10.flo, as Middlebury's training pairs have and as
`fovea flow scene` writes them. DeepFlow and TV-L1 need opencv-contrib-python-headless. Prints one row per method: the mean
endpoint error, its difference from `lk` best, both with the standard deviation by bootstrap over pairs, and processor time per
pair on one thread, the least of some runs, averaged over pairs. Methods take turns on each pair. Ours is the time of the whole
command less that of one that only reads the images and writes the field, so that files do not count on either side.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import cv2
import numpy

OURS = {
    "`lk` fast": ["lk", "--quality", "fast"],
    "`lk` default": ["lk"],
    "`lk` best": ["lk", "--quality", "best"],
    "`bm` default": ["bm"],
    "`bm` best": ["bm", "--quality", "best"],
}
REFERENCE = "`lk` best"


def read_flo(path):
    with open(path, "rb") as file:
        if file.read(4) != b"PIEH":
            raise SystemExit(f"{path}: is no .flo file")
        width, height = numpy.fromfile(file, numpy.int32, 2)
        return numpy.fromfile(file, numpy.float32, 2 * width * height).reshape(height, width, 2)


def error_of(field, truth):
    known = (numpy.abs(truth) < 1e9).all(-1)
    return float(numpy.hypot(*(field - truth)[known].T).mean())


class Program:
    """One setting of our program, on one thread."""

    def __init__(self, fovea, arguments, scratch):
        self.command = [fovea, "flow", *arguments, "--threads", "1", "--device", "cpu", "--quiet", "--overwrite"]
        self.output = str(scratch / "field.flo")

    def spent(self, command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def run(self, folder, files):
        images = [str(folder / "frame10.png"), str(folder / "frame11.png")]
        seconds = self.spent([*self.command, *images, "-o", self.output]) - files
        return read_flo(self.output), seconds


def files_time(fovea, folder, scratch, repeats):
    """Processor time of the command with next to no estimation: one step of one small window on one coarse level."""
    idle = Program(fovea, ["lk", "--quality", "fast", "--levels", "4", "--finest-level", "3", "--radius", "1"], scratch)
    return min(idle.run(folder, 0)[1] for _ in range(repeats))


class Rival:
    def __init__(self, estimate):
        self.estimate = estimate

    def run(self, folder, _):
        images = [cv2.imread(str(folder / name), cv2.IMREAD_GRAYSCALE) for name in ("frame10.png", "frame11.png")]
        start = time.process_time()
        field = self.estimate(*images)
        return field, time.process_time() - start


def rivals():
    def dis(preset, finest=None):
        method = cv2.DISOpticalFlow_create(preset)
        if finest is not None:
            method.setFinestScale(finest)
        return Rival(lambda first, second: method.calc(first, second, None))

    def farneback(first, second):
        return cv2.calcOpticalFlowFarneback(first, second, None, 0.5, 5, 15, 3, 5, 1.2, 0)

    found = {
        "DIS fast": dis(cv2.DISOPTICAL_FLOW_PRESET_FAST),
        "DIS medium": dis(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM),
        "DIS medium finest 0": dis(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM, 0),
        "Farneback": Rival(farneback),
    }
    if hasattr(cv2, "optflow"):
        deep, total = cv2.optflow.createOptFlow_DeepFlow(), cv2.optflow.createOptFlow_DualTVL1()
        found["TV-L1"] = Rival(lambda first, second: total.calc(first, second, None))
        found["DeepFlow"] = Rival(lambda first, second: deep.calc(first, second, None))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", required=True, help="our program")
    parser.add_argument("--filter", default="", help="only methods whose name contains this, and the reference")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each method and pair")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    pairs = sorted(path.parent for path in options.folder.glob("*/flow10.flo"))
    if not pairs:
        raise SystemExit(f"{options.folder}: has no folder with flow10.flo")
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        methods = {title: Program(options.fovea, words, scratch) for title, words in OURS.items()} | rivals()
        methods = {title: one for title, one in methods.items() if options.filter in title or title == REFERENCE}
        errors = {title: [] for title in methods}
        times = {title: [] for title in methods}
        for pair in pairs:
            truth = read_flo(pair / "flow10.flo")
            files = files_time(options.fovea, pair, scratch, options.repeats)
            least = {title: float("inf") for title in methods}
            for _ in range(options.repeats):
                for title, method in methods.items():
                    field, seconds = method.run(pair, files)
                    least[title] = min(least[title], seconds)
                    last = error_of(field, truth)
                    if len(errors[title]) <= len(times[title]):
                        errors[title].append(last)
            for title in methods:
                times[title].append(least[title])
    draws = numpy.random.default_rng(0).integers(0, len(pairs), (4000, len(pairs)))
    print(f"OpenCV {cv2.__version__}, {len(pairs)} pairs: {', '.join(pair.name for pair in pairs)}\n")
    print("| method | error, px | minus `lk` best | CPU time | each pair |\n| --- | ---: | ---: | ---: | --- |")
    base = numpy.array(errors[REFERENCE])
    for title in methods:
        error = numpy.array(errors[title])
        spread, away = error[draws].mean(1).std(), (error - base)[draws].mean(1).std()
        difference = f"{error.mean() - base.mean():+.3f} ± {away:.3f}" if title != REFERENCE else ""
        each = " ".join(f"{value:.3f}" for value in error)
        print(f"| {title} | {error.mean():.3f} ± {spread:.3f} | {difference} | {1000 * numpy.mean(times[title]):.0f} ms | {each} |")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
