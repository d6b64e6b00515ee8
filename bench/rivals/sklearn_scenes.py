#!/usr/bin/env python3
"""scikit-learn's k-means on the sizes of `fovea bench scenes`, on the CPU with one thread and with all.

Prints {"rows": [{name, device, threads, size, rival, seconds}]}, which the --rivals option of that command takes. Medians of
wall-clock times after a first run; points are evenly random, as the command's are.
"""
import json
import os
import statistics
import time
import warnings

import numpy
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

DIMENSIONS, CLUSTERS, SAMPLES, PIXELS = 32, 500, 1491 * 200, 246 * 310
ITERATIONS = 5


def seconds(function, repeats):
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main():
    warnings.simplefilter("ignore")  # that a few iterations do not converge is known
    random = numpy.random.default_rng(0)
    samples = random.integers(0, 256, (SAMPLES, DIMENSIONS)).astype(numpy.float32)
    pixels = random.integers(0, 256, (PIXELS, DIMENSIONS)).astype(numpy.float32)
    centers = random.integers(0, 256, (CLUSTERS, DIMENSIONS)).astype(numpy.float32)
    rows = []

    def fit(iterations):
        return KMeans(CLUSTERS, init=centers, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd",
                      copy_x=False).fit(samples.copy())

    def add(name, count, rival, threads, time_taken):
        rows.append({"name": name, "device": "cpu", "threads": threads, "rival": rival, "seconds": time_taken,
                     "size": f"{DIMENSIONS}x{count} to {DIMENSIONS}x{CLUSTERS}"})

    for threads in sorted({1, os.cpu_count()}):
        with threadpool_limits(threads):
            model = fit(1)
            # The difference of two fits is iterations alone, without checks, copies and the last labels.
            long, short = seconds(lambda: fit(1 + ITERATIONS), 3), seconds(lambda: fit(1), 3)
            add("kmeans_iteration", SAMPLES, "sklearn KMeans", threads, (long - short) / ITERATIONS)
            add("kmeans_assign", SAMPLES, "sklearn predict", threads, seconds(lambda: model.predict(samples), 5))
            add("words_assign", PIXELS, "sklearn predict", threads, seconds(lambda: model.predict(pixels), 9))
    print(json.dumps({"rows": rows}, indent=1))


if __name__ == "__main__":
    main()
