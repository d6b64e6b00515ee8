#!/usr/bin/env python3
"""Mean overlap of `fovea emd track` and of OpenCV's trackers on sequences with true boxes.

    track_rivals.py --fovea build/release/fovea SEQUENCE [SEQUENCE ...] > table.md

A sequence is a folder with frames img/* and groundtruth_rect.txt, as in the Online Tracking Benchmark and as
track_scenes.py draws them. CSRT, KCF, MIL and MedianFlow need opencv-contrib-python-headless. Prints one row per tracker:
for the sequences of each kind (the name before the last _) the mean overlap with the standard deviation of that mean over
sequences, and the share of frames with an overlap above one half; then processor time per frame on one thread, without
decoding: from ours, the time of a run that follows 4x4 pixels by color alone is subtracted.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import time

import cv2
import numpy

OURS = {
    "fovea emd track": [],
    "the same with Bhattacharyya": ["--distance", "bhattacharyya"],
    "first colors alone (--filter off)": ["--filter", "off"],
    "first colors, Bhattacharyya": ["--filter", "off", "--distance", "bhattacharyya"],
}


def overlap(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = max(0.0, width) * max(0.0, height)
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def truth_of(folder):
    text = (folder / "groundtruth_rect.txt").read_text().replace("\t", ",").replace(" ", ",")
    return [tuple(float(word) for word in line.split(",") if word) for line in text.split()]


def follow(tracker, images, box):
    """Boxes of an OpenCV tracker, counted from 1 as the truth; one that has lost its target stays."""
    boxes = [box]
    tracker.init(images[0], tuple(int(round(v)) for v in (box[0] - 1, box[1] - 1, box[2], box[3])))
    for image in images[1:]:
        found, rectangle = tracker.update(image)
        boxes.append((rectangle[0] + 1, rectangle[1] + 1, rectangle[2], rectangle[3]) if found else boxes[-1])
    return boxes


class Shift:
    """Mean shift or CamShift over the back-projected hue of the first box."""

    def __init__(self, step):
        self.step = step

    def project(self, image):
        hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV)
        return hsv, cv2.inRange(hsv, (0, 60, 32), (180, 255, 255))

    def init(self, image, box):
        x, y, width, height = self.box = box
        hsv, mask = self.project(image)
        part = slice(max(0, y), y + height), slice(max(0, x), x + width)
        self.colors = cv2.calcHist([hsv[part]], [0], mask[part], [16], [0, 180])
        cv2.normalize(self.colors, self.colors, 0, 255, cv2.NORM_MINMAX)

    def update(self, image):
        hsv, mask = self.project(image)
        likely = cv2.calcBackProject([hsv], [0], self.colors, [0, 180], 1) & mask
        _, box = self.step(likely, self.box, (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 10, 1))
        found = box[2] > 0 and box[3] > 0
        self.box = box if found else self.box
        return found, self.box


RIVALS = {
    "CSRT": lambda: cv2.TrackerCSRT_create(),
    "KCF": lambda: cv2.TrackerKCF_create(),
    "MIL": lambda: cv2.TrackerMIL_create(),
    "MedianFlow": lambda: LegacyTracker(cv2.legacy.TrackerMedianFlow_create()),
    "CamShift, hue": lambda: Shift(cv2.CamShift),
    "mean shift, hue": lambda: Shift(cv2.meanShift),
}


class LegacyTracker:
    """A tracker that takes boxes of floats."""

    def __init__(self, tracker):
        self.tracker = tracker

    def init(self, image, box):
        self.tracker.init(image, tuple(float(value) for value in box))

    def update(self, image):
        return self.tracker.update(image)


def processor_time():
    """Seconds of user and system time of all programs run so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_ours(program, folder, words):
    """The report of the program, and processor seconds per frame."""
    before = processor_time()
    command = [program, "emd", "track", str(folder / "img"), *words, "--threads", "1", "--device", "cpu", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return report, (processor_time() - before) / report["frames"]


def measure_ours(program, words, folder, decoding):
    report, seconds = run_ours(program, folder, ["--truth", str(folder / "groundtruth_rect.txt"), *words])
    return report["targets"][0]["mean_overlap"], report["targets"][0]["success_50"], max(0.0, seconds - decoding)


def measure_rival(name, images, truth):
    start = time.process_time()
    boxes = follow(RIVALS[name](), images, truth[0]) if name in RIVALS else [truth[0]] * len(images)
    seconds = (time.process_time() - start) / len(images)
    overlaps = numpy.array([overlap(box, true) for box, true in zip(boxes, truth)])
    return overlaps.mean(), (overlaps > 0.5).mean(), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sequences", nargs="+", type=pathlib.Path)
    parser.add_argument("--fovea", default="fovea", help="the program")
    parser.add_argument("--only", nargs="+", help="trackers to run, by the beginnings of their names")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    wanted = [name for name in ["a box that stays", *RIVALS, *OURS]
              if not arguments.only or any(name.startswith(word) for word in arguments.only)]
    overlaps, successes, times = ({name: {} for name in wanted} for _ in range(3))
    for folder in arguments.sequences:
        kind = folder.name.rsplit("_", 1)[0]
        truth = truth_of(folder)
        images = [cv2.imread(str(path)) for path in sorted((folder / "img").iterdir())]
        small = f"{images[0].shape[1] // 2},{images[0].shape[0] // 2},4,4"
        plain = ["--target", small, "--filter", "off", "--parts", "off", "--no-redetect"]
        decoding = run_ours(arguments.fovea, folder, plain)[1] if any(name in OURS for name in wanted) else 0
        for name in wanted:
            if name in OURS:
                results = measure_ours(arguments.fovea, OURS[name], folder, decoding)
            else:
                results = measure_rival(name, images, truth)
            for table, value in zip((overlaps, successes, times), results):
                table[name].setdefault(kind, []).append(value)
    kinds = sorted({kind for rows in overlaps.values() for kind in rows})
    print("| mean overlap / success | " + " | ".join(kinds) + " | ms per frame |")
    print("| --- |" + " --- |" * (len(kinds) + 1))
    for name in wanted:
        cells = []
        for kind in kinds:
            values = numpy.array(overlaps[name][kind])
            spread = f" ± {values.std(ddof=1) / numpy.sqrt(len(values)):.3f}" if len(values) > 1 else ""
            cells.append(f"{values.mean():.3f}{spread} / {numpy.mean(successes[name][kind]):.2f}")
        each = " / ".join(f"{1000 * numpy.mean(times[name][kind]):.1f}" for kind in kinds)
        print(f"| {name} | " + " | ".join(cells) + f" | {each} |", flush=True)


if __name__ == "__main__":
    main()
