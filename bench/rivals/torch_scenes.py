#!/usr/bin/env python3
"""What a PyTorch user has today for k-means and words of photos, measured on the GPU of this machine.

Prints {"rows": [{name, device, size, rival, seconds}]} with the names and sizes of `fovea bench scenes`, whose --rivals option
takes the file and keeps the faster of two rivals. Median of CUDA-event timings after warm-up; inputs are random and lie on the
device: photos of 310x246, 32 filters of up to 31x31, 500 words; scenes_corpus are the histograms of 1491 of them (113.7 million
pixels) in batches, from pictures on the device.
"""
import json

import torch
import torch.nn.functional as F

from torch_timing import seconds

DIMENSIONS, CLUSTERS, SAMPLES = 32, 500, 1491 * 200
WIDTH, HEIGHT, PHOTOS, BATCH, TAPS = 310, 246, 1491, 64, 31
PIXELS = WIDTH * HEIGHT


def random_rows(count):
    return torch.randint(0, 256, (count, DIMENSIONS), device="cuda").float()


def assign(points, centers):
    """The nearest center by one matrix product: |c|^2 / 2 - p . c, never smaller for a farther one."""
    halves = (centers * centers).sum(1) / 2
    return torch.addmm(halves, points, centers.T, alpha=-1).argmin(1)


def iterate(points, centers, ones):
    labels = assign(points, centers)
    sums = torch.zeros_like(centers).index_add_(0, labels, points)
    counts = torch.zeros(len(centers), device="cuda").index_add_(0, labels, ones)
    means = torch.where(counts[:, None] > 0, sums / counts.clamp(min=1)[:, None], centers)
    inertia = (points - centers[labels]).square().sum()
    shift = (means - centers).square().sum(1).max()
    return means, inertia, shift


def features(photos, kernels, centers):
    """Histograms of words: filters, nearest centers and counts, batch after batch."""
    result = []
    for first in range(0, len(photos), BATCH):
        batch = photos[first:first + BATCH]
        responses = F.conv2d(batch, kernels, padding=TAPS // 2).permute(0, 2, 3, 1).reshape(-1, DIMENSIONS)
        labels = assign(responses, centers).reshape(len(batch), -1)
        labels += torch.arange(len(batch), device="cuda")[:, None] * CLUSTERS
        result.append(torch.bincount(labels.flatten(), minlength=len(batch) * CLUSTERS).reshape(len(batch), CLUSTERS))
    return torch.cat(result).float() / PIXELS


def main():
    torch.manual_seed(0)
    rows = []

    def add(name, size, rival, function, repeats=15):
        for mode in ("fp32", "tf32"):
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = mode == "tf32"
            rows.append({"name": name, "device": "cuda:0", "size": size, "rival": f"torch {rival} {mode}",
                         "seconds": seconds(function, repeats)})

    samples, pixels, centers = random_rows(SAMPLES), random_rows(PIXELS), random_rows(CLUSTERS)
    ones = torch.ones(SAMPLES, device="cuda")
    to = f" to {DIMENSIONS}x{CLUSTERS}"
    add("kmeans_iteration", f"{DIMENSIONS}x{SAMPLES}{to}", "addmm, argmin, index_add", lambda: iterate(samples, centers, ones))
    add("kmeans_assign", f"{DIMENSIONS}x{SAMPLES}{to}", "addmm, argmin", lambda: assign(samples, centers))
    add("words_assign", f"{DIMENSIONS}x{PIXELS}{to}", "addmm, argmin", lambda: assign(pixels, centers))
    kernels = torch.rand(DIMENSIONS, 1, TAPS, TAPS, device="cuda")
    photos = torch.rand(PHOTOS, 1, HEIGHT, WIDTH, device="cuda")
    add("scenes_filters", f"{WIDTH}x{HEIGHT}", "conv2d", lambda: F.conv2d(photos[:1], kernels, padding=TAPS // 2))
    add("scenes_corpus", f"{HEIGHT}x{WIDTH * PHOTOS}", "conv2d, addmm, argmin, bincount",
        lambda: features(photos, kernels, centers), 3)
    print(json.dumps({"rows": rows}, indent=1))


if __name__ == "__main__":
    main()
