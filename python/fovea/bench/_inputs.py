"""Inputs that behave like real ones: pictures with the statistics of photographs, and what is made of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def photograph(width: int, height: int, seed: int = 1) -> Array:
    """A drawn picture, uint8 of shape (height, width, 3).

    Leaves of all sizes lie over each other, few large ones and many small ones, as things do in photographs. Each has
    its color and a shade across it, people stand among them, and all of it has a texture that is rough at every scale.
    Blur and noise are those of a camera."""
    rng = np.random.default_rng(seed)
    picture: Array = np.full((height, width, 3), 110.0, np.float32)
    smallest, greatest = 3.0, height / 4
    # The density of radii falls with their third power, so that each size covers as much as any other.
    radii = 1 / np.sqrt(rng.uniform(1 / greatest**2, 1 / smallest**2, 12 * width * height // 1000))
    for radius in radii:
        _leaf(picture, rng, float(radius))
    for share in (0.15, 0.5, 0.8):
        size = rng.uniform(0.4, 0.6) * height
        draw_person(picture, (share + rng.uniform(0, 0.08)) * width, rng.uniform(0.85, 0.98) * height, size)
    picture *= (1 + 0.12 * _roughness(width, height, rng))[..., None]
    for axis in (0, 1):
        picture = (np.roll(picture, 1, axis) + 2 * picture + np.roll(picture, -1, axis)) / 4
    picture += rng.normal(0, 2, (height, width, 1)).astype(np.float32)
    return np.clip(picture, 0, 255).astype(np.uint8)


def _roughness(width: int, height: int, rng: np.random.Generator) -> Array:
    """Noise of deviation 1 whose amplitudes fall with the frequency."""
    down, across = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :]
    frequency = np.maximum(np.hypot(down, across), 1 / max(width, height))
    noise = np.fft.irfft2(np.fft.rfft2(rng.normal(size=(height, width))) / frequency, (height, width))
    return np.asarray(noise / noise.std(), np.float32)


def _leaf(picture: Array, rng: np.random.Generator, radius: float) -> None:
    height, width = picture.shape[:2]
    x, y = rng.uniform(0, width), rng.uniform(0, height)
    top, bottom = int(max(0, y - radius)), int(min(height, y + radius + 1))
    left, right = int(max(0, x - radius)), int(min(width, x + radius + 1))
    rows, columns = np.ogrid[top:bottom, left:right]
    across, down = ((columns - x) / radius).astype(np.float32), ((rows - y) / radius).astype(np.float32)
    angle, slimness = rng.uniform(0, np.pi), rng.uniform(1, 3)
    turned = np.cos(angle) * across + np.sin(angle) * down
    inside = turned**2 + (slimness * (np.cos(angle) * down - np.sin(angle) * across)) ** 2 < 1
    color = 110 * np.exp(0.4 * rng.normal()) + rng.normal(0, 12, 3)  # channels rise and fall together
    shade = 1 + 0.2 * rng.normal() * turned[inside]
    picture[top:bottom, left:right][inside] = color * shade[:, None]


def draw_person(picture: Array, x: float, bottom: float, size: float) -> None:
    """An upright figure: legs, body with arms, head."""
    unit, top = size / 8, bottom - size
    rows, columns = np.ogrid[: picture.shape[0], : picture.shape[1]]

    def limb(start: tuple[float, float], end: tuple[float, float], thickness: float) -> Array:
        from_x, from_y = x + start[0] * unit, top + start[1] * unit
        to_x, to_y = (end[0] - start[0]) * unit, (end[1] - start[1]) * unit
        share = np.clip(((columns - from_x) * to_x + (rows - from_y) * to_y) / (to_x**2 + to_y**2), 0, 1)
        return np.hypot(columns - from_x - share * to_x, rows - from_y - share * to_y) < thickness * unit

    for side in (-1, 1):
        picture[limb((0.35 * side, 4), (0.55 * side, 7.8), 0.42)] = (38, 40, 48)
        picture[limb((0.95 * side, 1.9), (1.15 * side, 4.1), 0.28)] = (52, 60, 92)
    picture[limb((0, 2.1), (0, 3.9), 0.85)] = (52, 60, 92)
    picture[limb((0, 0.55), (0, 0.75), 0.55)] = (196, 158, 136)


def gray_of(picture: Array) -> Array:
    """The lightness of a picture, uint8 of shape (height, width)."""
    if picture.ndim == 2:
        return picture
    weights = np.array([0.299, 0.587, 0.114], np.float32)
    return np.rint(picture[:, :, :3] @ weights).astype(np.uint8)


class Pair(NamedTuple):
    """Two gray images with the true motion between them."""

    first: Array
    second: Array
    u: Array  #: motion to the right of each pixel of the first image
    v: Array  #: motion downward
    known: Array  #: where a pixel of the first image is seen in the second


def moving_pair(gray: Array, seed: int = 2) -> Pair:
    """A camera that turns and comes closer by a little, and a disk in front that moves on its own."""
    height, width = gray.shape
    rng = np.random.default_rng(seed)
    front = gray[::-1, ::-1]
    x, y = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
    middle_x, middle_y = width / 2, height / 2
    growth, turn, to_x, to_y = 1.01, 0.008, 2.3, -1.6
    cos, sin = growth * np.cos(turn), growth * np.sin(turn)
    away_x, away_y = x - middle_x, y - middle_y
    u = cos * away_x - sin * away_y + middle_x + to_x - x
    v = sin * away_x + cos * away_y + middle_y + to_y - y
    back_x, back_y = away_x - to_x, away_y - to_y
    scale = growth**2
    from_x, from_y = (cos * back_x + sin * back_y) / scale, (cos * back_y - sin * back_x) / scale
    behind = _sampled(gray, from_x + middle_x, from_y + middle_y)
    step_x, step_y = -5.5, 2.25
    place_x, place_y, radius = 0.6 * width, 0.45 * height, 0.2 * height
    before = np.hypot(x - place_x, y - place_y) < radius
    after = np.hypot(x - step_x - place_x, y - step_y - place_y) < radius
    first = np.where(before, front, gray)
    second = np.where(after, _sampled(front, x - step_x, y - step_y), behind)
    u, v = np.where(before, step_x, u), np.where(before, step_y, v)
    end_x, end_y = x + u, y + v
    inside = (end_x >= 0) & (end_x <= width - 1) & (end_y >= 0) & (end_y <= height - 1)
    hidden = ~before & (np.hypot(end_x - step_x - place_x, end_y - step_y - place_y) < radius)
    images = [np.clip(image + rng.normal(0, 1, gray.shape), 0, 255).astype(np.uint8) for image in (first, second)]
    return Pair(images[0], images[1], u.astype(np.float32), v.astype(np.float32), inside & ~hidden)


def _sampled(image: Array, x: Array, y: Array) -> Array:
    """The image between its pixels, by bilinear interpolation."""
    height, width = image.shape
    x, y = np.clip(x, 0, width - 1.001), np.clip(y, 0, height - 1.001)
    left, top = x.astype(np.int64), y.astype(np.int64)
    across, down = x - left, y - top
    above = (1 - across) * image[top, left] + across * image[top, left + 1]
    below = (1 - across) * image[top + 1, left] + across * image[top + 1, left + 1]
    return np.asarray((1 - down) * above + down * below)


def patches(gray: Array, count: int, seed: int = 3) -> Array:
    """Patches of 8x4 pixels at random places, less their means, as float32 of shape (count, 32)."""
    rng = np.random.default_rng(seed)
    tops, lefts = rng.integers(0, gray.shape[0] - 4, count), rng.integers(0, gray.shape[1] - 8, count)
    rows = tops[:, None, None] + np.arange(4)[None, :, None]
    columns = lefts[:, None, None] + np.arange(8)[None, None, :]
    numbers: Array = gray[rows, columns].reshape(count, 32).astype(np.float32)
    numbers -= numbers.mean(axis=1, keepdims=True)
    numbers /= numbers.std(axis=1, keepdims=True) + 10
    return numbers


def histograms(gray: Array, count: int, bins: int, seed: int = 4) -> tuple[Array, Array]:
    """Histograms of gray levels in windows of 16x16 pixels, and those of windows nearby; each adds up to 1."""
    rng = np.random.default_rng(seed)
    height, width = gray.shape
    tops, lefts = rng.integers(0, height - 48, count), rng.integers(0, width - 48, count)
    down, across = rng.integers(0, 33, count), rng.integers(0, 33, count)
    levels = (gray.astype(np.int64) * bins) // 256

    def counted(y: Array, x: Array) -> Array:
        rows = y[:, None, None] + np.arange(16)[None, :, None]
        columns = x[:, None, None] + np.arange(16)[None, None, :]
        numbered = np.arange(count)[:, None] * bins + levels[rows, columns].reshape(count, -1)
        table = np.bincount(numbered.reshape(-1), minlength=count * bins).reshape(count, bins)
        return table / 256

    return counted(tops, lefts), counted(tops + down, lefts + across)


def bumpy_mesh(rings: int, sides: int) -> tuple[Array, Array]:
    """A closed surface with a waist and bumps: vertices of float32, and 2 * rings * sides faces of int32."""
    heights = -np.cos(np.pi * (np.arange(rings) + 1) / (rings + 1))
    turns = 2 * np.pi * np.arange(sides) / sides
    radii = np.sqrt(1 - heights**2) * (0.55 + 0.45 * heights**2)
    bumps = 1 + 0.08 * np.sin(5 * turns)[None, :] * np.cos(9 * heights)[:, None]
    around = radii[:, None] * bumps
    x, y = around * np.cos(turns), around * np.sin(turns)
    z = np.broadcast_to(1.6 * heights[:, None], x.shape)
    vertices = np.concatenate([np.stack([x, y, z], axis=2).reshape(-1, 3), [[0, 0, -1.6], [0, 0, 1.6]]])
    side = np.arange(sides)
    next_side = (side + 1) % sides
    low = (np.arange(rings - 1) * sides)[:, None]
    a, b = low + side, low + next_side
    faces = [np.stack([a, b, a + sides], axis=2), np.stack([b, b + sides, a + sides], axis=2)]
    last, south = (rings - 1) * sides, rings * sides
    ends = [
        np.stack([np.full(sides, south), next_side, side], axis=1),
        np.stack([np.full(sides, south + 1), last + side, last + next_side], axis=1),
    ]
    return vertices.astype(np.float32), np.concatenate([f.reshape(-1, 3) for f in faces] + ends).astype(np.int32)
