#!/usr/bin/env python3
"""Fisher vectors or VLAD with pieces of OpenCV and scikit-learn, beside `fovea scenes eval` on the same images.

    bench/rivals/fisher_scenes.py --train train.txt --test test.txt --fovea build/release/fovea

Dense SIFT of OpenCV (every 4 pixels, 3 sizes), PCA to 64 numbers, a mixture of 64 Gaussians with diagonal covariances
(GaussianMixture) or 64 means (KMeans), Fisher vectors or VLAD in the image and its quarters, signed roots, cells of length 1, and
LinearSVC. Fovea gets the same words, components and pyramid; `--color-words 64` adds its words of color in a third row. Words come
from training images alone in all rows. Lists have lines `file class`. Prints {"rows": [{method, accuracy, cpu_seconds}]}: CPU
seconds of the whole run, with images read, words learned, and the training and test images classified.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time
import warnings

import cv2
import numpy
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.svm import LinearSVC

WIDTHS = (16, 24, 36)  # of descriptors, in pixels; OpenCV's are six times as wide as the size of a key point
PLACES = 200  # samples per image, as Fovea draws


def read_list(path, most):
    """Returns (file, class) with at most `most` files per class."""
    base = pathlib.Path(path).resolve().parent
    numbers = base / "classes.txt"
    names = dict(line.split(None, 1) for line in numbers.read_text().splitlines()) if numbers.exists() else {}
    taken, rows = {}, []
    for line in pathlib.Path(path).read_text().splitlines():
        if not line.strip():
            continue
        file, label = line.rsplit(None, 1)
        label = names.get(label, label)
        taken[label] = taken.get(label, 0) + 1
        if taken[label] <= most:
            rows.append((str(base / file), label))
    return rows


def describe(path, step, sift, random=None):
    """Returns descriptors (square roots of L1-normalized SIFT) with places from 0 to 1, of all places or of some drawn ones."""
    image = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    height, width = image.shape
    points = [cv2.KeyPoint(float(x), float(y), across / 6, 0)
              for across in WIDTHS for y in range(step, height - 1, step) for x in range(step, width - 1, step)]
    if random is not None:
        points = [points[i] for i in random.choice(len(points), min(PLACES, len(points)), replace=False)]
    points, rows = sift.compute(image, points)
    rows = numpy.sqrt(rows / numpy.maximum(rows.sum(1, keepdims=True), 1e-6))
    return rows.astype(numpy.float32), numpy.array([(p.pt[0] / width, p.pt[1] / height) for p in points])


def fisher(model, rows):
    """The gradient of the mean log likelihood by means and deviations (Perronnin et al., 2010)."""
    shares = model.predict_proba(rows)
    counts = shares.sum(0)[:, None]
    first, second = shares.T @ rows, shares.T @ rows**2
    mean, variance = model.means_, model.covariances_
    by_mean = (first - counts * mean) / numpy.sqrt(variance)
    by_deviation = (second - 2 * first * mean + counts * mean**2) / variance - counts
    root = numpy.sqrt(model.weights_)[:, None]
    return numpy.concatenate([(by_mean / root).ravel(), (by_deviation / (root * numpy.sqrt(2))).ravel()])


def vlad(model, rows):
    words = model.predict(rows)
    sums = numpy.zeros_like(model.cluster_centers_)
    numpy.add.at(sums, words, rows - model.cluster_centers_[words])
    return sums.ravel()


def encode(code, model, rows, places):
    """Cells of the image and of its quarters, each with signed roots and the length 1 or 1/2."""
    quarter = (places[:, 0] >= 0.5).astype(int) + 2 * (places[:, 1] >= 0.5)
    cells = []
    for part, length in [(slice(None), 1.0)] + [(quarter == i, 0.5) for i in range(4)]:
        value = code(model, rows[part])
        value = numpy.sign(value) * numpy.sqrt(numpy.abs(value))
        cells.append(length * value / max(numpy.linalg.norm(value), 1e-12))
    return numpy.concatenate(cells).astype(numpy.float32)


def cpu_seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def rivals(train, test, options):
    labels, wanted = [label for _, label in train], [label for _, label in test]
    for name, code, model in (
            ("OpenCV SIFT, GaussianMixture, Fisher, LinearSVC", fisher,
             GaussianMixture(options.words, covariance_type="diag", random_state=1, max_iter=30)),
            ("OpenCV SIFT, KMeans, VLAD, LinearSVC", vlad, KMeans(options.words, n_init=1, random_state=1))):
        start = cpu_seconds()
        sift, random = cv2.SIFT_create(), numpy.random.default_rng(1)
        samples = numpy.concatenate([describe(path, options.step, sift, random)[0] for path, _ in train])
        pca = PCA(options.components, random_state=1).fit(samples)
        model.fit(pca.transform(samples))
        features = []
        for path, _ in train + test:
            rows, places = describe(path, options.step, sift)
            features.append(encode(code, model, pca.transform(rows), places))
        machine = LinearSVC(C=1.0, random_state=1).fit(features[:len(train)], labels)
        right = machine.predict(features[len(train):]) == numpy.array(wanted)
        yield {"method": name, "accuracy": float(right.mean()), "cpu_seconds": round(cpu_seconds() - start, 1)}


def fovea(train, test, options, extra):
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in (("train.txt", train), ("test.txt", test)):
            pathlib.Path(folder, name).write_text("".join(f"{path} {label}\n" for path, label in rows))
        command = [options.fovea, "scenes", "eval", folder, "--train", f"{folder}/train.txt", "--test", f"{folder}/test.txt",
                   "--dictionary-from", "split", "--words", "gradients", "--dictionary", str(options.words), "--components",
                   str(options.components), "--pyramid", "1", "--classifier", "svm", "--kernel", "linear", "--device", "cpu",
                   "--json", "--quiet", *extra]
        start = cpu_seconds()  # those of the program count once it has ended
        report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return {"method": "fovea " + " ".join(extra), "accuracy": report["accuracy_mean"],
                "cpu_seconds": round(cpu_seconds() - start, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", required=True)
    parser.add_argument("--test", required=True)
    parser.add_argument("--fovea", required=True, help="the program")
    parser.add_argument("--each", type=int, default=1 << 30, help="at most so many training images of a class")
    parser.add_argument("--test-each", type=int, default=1 << 30, help="at most so many test images of a class")
    parser.add_argument("--words", type=int, default=64)
    parser.add_argument("--components", type=int, default=64)
    parser.add_argument("--step", type=int, default=4, help="pixels between places of SIFT")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # that 30 steps of a mixture do not converge is known
    train, test = read_list(options.train, options.each), read_list(options.test, options.test_each)
    start = time.time()
    rows = [fovea(train, test, options, extra) for extra in
            (["--coding", "fisher"], ["--coding", "vlad"], ["--coding", "fisher", "--color-words", "64"])]
    rows += rivals(train, test, options)
    print(json.dumps({"train_images": len(train), "test_images": len(test), "words": options.words, "step": options.step,
                      "wall_seconds": round(time.time() - start, 1), "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
