#!/usr/bin/env python3
"""Draws cubes with targets whose places are known and compares the scores of `fovea emd map` with their rivals.

    drawn_cubes.py FOVEA 0 24               # cubes of seeds 0 to 23, at most 4 targets each
    drawn_cubes.py FOVEA cube.mat data map  # a cube and its truth: the arrays data and map of a .mat file

Every connected region of the truth is the target in turn: its mean spectrum is searched for in all other pixels. Each line
has the areas under the ROC curves; deviations are those of 200 bootstrap samples of the other pixels. Cubes mix
materials whose spectra vary from pixel to pixel, under light that changes and with shadows, haze, stripes and noise; targets of up to three
related materials fill their pixels in part. Needs numpy and scipy.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.io
import scipy.ndimage as nd
from scipy.stats import rankdata

SCORES = ["distance", "fused", "angle", "sad", "matched", "ace"]


def smooth(random, bands, scale):
    margin = 4 * int(scale)
    return nd.gaussian_filter1d(random.standard_normal(bands + 2 * margin), scale)[margin : margin + bands]


def field(random, side, scale):
    values = nd.gaussian_filter(random.standard_normal((side, side)), scale, mode="wrap")
    return values / values.std()


def material(random, bands):
    shape = np.zeros(bands)
    for scale, size in ((bands / 3, 1.0), (bands / 8, 0.5), (bands / 25, 0.2)):
        part = smooth(random, bands, scale)
        shape += size * part / (part.std() + 1e-9)
    return np.clip(random.uniform(0.08, 0.4) * np.exp(random.uniform(0.15, 0.5) * shape), 0.01, 0.9)


def ground(random, side, bands):
    """Mixtures of materials, some of which resemble each other."""
    count = int(random.integers(3, 10))
    materials = np.array([material(random, bands) for _ in range(count)])
    for k in range(1, count):
        if random.random() < 0.5:
            materials[k] = 0.7 * materials[random.integers(0, k)] * random.uniform(0.6, 1.4) + 0.3 * materials[k]
    shares = np.array([field(random, side, random.uniform(1.5, 10)) for _ in range(count)]) * random.uniform(1.5, 7)
    shares = np.exp(shares - shares.max(0))
    return np.tensordot((shares / shares.sum(0)).transpose(1, 2, 0), materials, 1), materials


def add_targets(random, scene, materials, variation):
    """Puts 4 to 17 targets into the scene; returns where they are."""
    side, _, bands = scene.shape
    modes, deviation = variation
    kinds, base, strength = [], material(random, bands), random.uniform(0.35, 1.0)
    for kind in range(int(random.integers(1, 4))):
        mixed = 0 if kind == 0 else random.uniform(0.1, 0.4)
        spectrum = (1 - mixed) * base + mixed * material(random, bands)
        below = materials[random.integers(0, len(materials))]
        kinds.append((1 - strength) * below * (spectrum.mean() / below.mean()) + strength * spectrum)
    albedo, large, least = np.exp(random.uniform(-0.5, 0.9)), random.random() < 0.35, random.uniform(0.4, 0.95)
    deviation = deviation * random.uniform(0.7, 2.5)
    truth = np.zeros((side, side), bool)
    for _ in range(int(random.integers(4, 18))):
        width, height = random.integers(3, 9, 2) if large else random.integers(1, 5, 2)
        y, x = int(random.integers(2, side - height - 2)), int(random.integers(2, side - width - 2))
        if truth[y - 2 : y + height + 2, x - 2 : x + width + 2].any():
            continue
        own = kinds[random.integers(0, len(kinds))] * albedo * np.exp(random.normal(0, 0.2))
        own = own * np.exp(deviation * random.normal(0, 1, len(modes)) @ modes)
        pixels = own * np.exp(random.normal(0, 0.08, (height, width, 1)))
        pixels = pixels * np.exp(0.6 * deviation * random.normal(0, 1, (height, width, len(modes))) @ modes)
        share = np.clip(random.uniform(least, 1) + random.normal(0, 0.05, (height, width, 1)), 0.2, 1)
        place = (slice(y, y + height), slice(x, x + width))
        scene[place] = (1 - share) * scene[place] + share * pixels
        truth[place] = True
    return truth


def draw(seed):
    """A cube of whole numbers and its truth."""
    random = np.random.default_rng(seed)
    bands, side = int(random.integers(60, 190)), int(random.integers(60, 100))
    place = np.linspace(0, 1, bands)
    sun = np.exp(-(((place - 0.15) / 0.45) ** 2)) + 0.15
    for center, width, depth in ((0.38, 0.02, 0.5), (0.55, 0.03, 0.8), (0.78, 0.03, 0.8)):  # water
        sun *= 1 - depth * np.exp(-(((place - center) / width) ** 2))
    scene, materials = ground(random, side, bands)
    count = 12  # ways in which spectra vary
    modes = np.array([smooth(random, bands, bands / np.exp(random.uniform(np.log(3), np.log(50)))) for _ in range(count)])
    sizes = np.exp(random.normal(0, 0.6, count))
    modes *= (sizes / np.sqrt((sizes**2).sum()) / modes.std(1))[:, None]
    deviation = np.exp(random.uniform(np.log(0.01), np.log(0.08)))
    amounts = np.array([field(random, side, random.uniform(0.4, 3)) for _ in range(count)])
    amounts *= np.exp(0.4 * field(random, side, 2))
    scene = scene * np.exp(deviation * np.tensordot(amounts.transpose(1, 2, 0), modes, 1))
    truth = add_targets(random, scene, materials, (modes, deviation))
    light = np.exp(random.uniform(0, 0.35) * field(random, side, random.uniform(0.7, 12)))
    if random.random() < 0.5:
        light *= np.where(field(random, side, 3) > 1.3, random.uniform(0.2, 0.6), 1)
    cube = scene * sun * light[..., None] * np.exp(-random.uniform(0, 0.3) * place * (light[..., None] - 1))
    cube += random.uniform(0, 0.05) * np.exp(-5 * place)
    cube *= np.exp(random.uniform(0, 0.01) * random.standard_normal((1, side, bands)))
    quality = 10 ** random.uniform(1.4, 2.5)
    noise = cube.mean() / quality * np.exp(random.normal(0, 0.4, bands))
    noise[random.random(bands) < 0.04] *= random.uniform(2, 8)
    cube += noise * random.standard_normal(cube.shape)
    cube += random.standard_normal(cube.shape) * np.sqrt(abs(cube) * cube.mean()) / quality * 0.5
    return np.round(cube / cube.mean() * random.uniform(500, 3000)).astype(np.float32), truth


def area(score, truth):
    """Under the ROC curve, where low scores mean target."""
    ranks, targets = rankdata(-score), truth.sum()
    return (ranks[truth].sum() - targets * (targets + 1) / 2) / (targets * (len(truth) - targets))


def mapped(program, folder, words):
    line = [program, "emd", "map", folder / "cube.npy", "--signature", "contrast", "--target", folder / "target.npy"]
    line += ["--mask", folder / "others.npy", "--truth", folder / "truth.npy", "--device", "cpu", "--json", *words]
    found = subprocess.run([str(word) for word in line], capture_output=True, text=True, check=True)
    return json.loads(found.stdout)["roc_auc"]


def compare(program, cube, truth, most, name):
    """One row per target: areas, and the deviation of fused less angle."""
    regions, count = nd.label(truth, np.ones((3, 3)))
    rows = []
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        np.save(folder / "cube.npy", cube)
        np.save(folder / "truth.npy", truth.astype(np.uint8))
        for number in range(1, count + 1)[:most]:
            own = regions == number
            if not (truth & ~own).any():
                continue
            np.save(folder / "target.npy", cube[own].mean(0, dtype=np.float64).astype(np.float32)[None, None])
            np.save(folder / "others.npy", (~own).astype(np.uint8))
            plain = mapped(program, folder, ["-o", folder / "distance.npy", "--score", "distance"])
            fused = mapped(program, folder, ["-o", folder / "fused.npy", "--score", "fused"])
            rows.append([plain["emd"], fused["emd"]])
            rows[-1] += [plain[key] for key in ("spectral_angle", "sad", "matched_filter", "ace")]
            rows[-1].append(deviation(np.load(folder / "fused.npy"), cube, truth, own))
            print(f"{name} {own.sum():4d} pixels", *(f"{value:.4f}" for value in rows[-1]), flush=True)
    return rows


def deviation(fused, cube, truth, own):
    """Of the difference between the areas of fused scores and of the spectral angle."""
    pixels, target = cube[~own].astype(np.float64), cube[own].mean(0, dtype=np.float64)
    cosine = pixels @ target / np.sqrt((pixels**2).sum(1) * (target @ target) + 1e-30)
    score, known, random = fused[~own], truth[~own], np.random.default_rng(1)
    inside, outside = np.flatnonzero(known), np.flatnonzero(~known)
    differences = []
    for _ in range(200):
        chosen = np.concatenate([random.choice(inside, len(inside)), random.choice(outside, len(outside))])
        differences.append(area(score[chosen], known[chosen]) - area(-cosine[chosen], known[chosen]))
    return float(np.std(differences))


def main():
    program, *rest = sys.argv[1:]
    print("target", *SCORES, "deviation of fused - angle")
    if len(rest) == 3:
        arrays = scipy.io.loadmat(rest[0])
        rows = compare(program, arrays[rest[1]].astype(np.float32), arrays[rest[2]] != 0, None, pathlib.Path(rest[0]).stem)
    else:
        rows = []
        for seed in range(int(rest[0]), int(rest[1])):
            rows += compare(program, *draw(seed), 4, f"seed {seed}")
    table = np.array(rows)
    print("mean of", len(table), "targets:", *(f"{name} {value:.4f}" for name, value in zip(SCORES, table.mean(0))))
    for name in ("distance", "fused", "matched", "ace"):
        score, angle = table[:, SCORES.index(name)], table[:, 2]
        print(f"{name}: above the angle or equal on {(score >= angle).sum()}, least difference {(score - angle).min():+.4f}")
    ties = (table[:, 1] < table[:, 2]) & (table[:, 1] >= table[:, 2] - table[:, 6])
    print(f"fused: {ties.sum()} of the others lie within one deviation of the angle")
    print(f"fused: above the distance or equal on {(table[:, 1] >= table[:, 0]).sum()}")


if __name__ == "__main__":
    main()
