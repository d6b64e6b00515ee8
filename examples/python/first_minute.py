"""A first minute with Fovea: people, motion and distances, without any data.

    python first_minute.py [PHOTO]

Without a photograph it draws its own pictures. It writes people.png and flow.png into the current folder."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt

import fovea

Picture = npt.NDArray[np.uint8]


def draw_texture(height: int, width: int, seed: int) -> Picture:
    """Gray squares of several sizes over each other."""
    rng = np.random.default_rng(seed)
    picture = np.full((height, width, 3), 128, np.uint8)
    for size in (64, 32, 16, 8):
        for _ in range(height * width // (4 * size * size)):
            y, x = int(rng.integers(-size, height)), int(rng.integers(-size, width))
            picture[max(0, y) : max(0, y + size), max(0, x) : max(0, x + size)] = rng.integers(40, 220)
    return picture


def find_people(picture: Picture) -> None:
    """Detects people, prints them, and writes a picture with their boxes."""
    detector = fovea.people.Detector("channels")
    people = detector.detect(picture)
    print(people)
    for person in people:
        left, top, right, bottom = person.xyxy
        print(f"  from ({left:.0f}, {top:.0f}) to ({right:.0f}, {bottom:.0f}), score {person.confidence:.2f}")
    print("  the same with the program:", people.command)
    fovea.write_image("people.png", people.draw())


def find_motion(first: Picture) -> None:
    """Moves a picture by a known way and finds it again."""
    second = np.roll(first, (2, 5), axis=(0, 1))
    flow = fovea.flow.estimate(first, second)
    print(flow)
    print(f"  median motion {np.median(flow.u):.2f} to the right and {np.median(flow.v):.2f} down; expected 5 and 2")
    fovea.write_image("flow.png", flow.to_color())


def compare_colors(first: Picture, second: Picture) -> None:
    """Compares the gray levels of two pictures by the Earth Mover's Distance."""
    counts = [np.bincount((picture // 16).ravel(), minlength=16).astype(np.float64) for picture in (first, second)]
    distances = fovea.emd.distance(counts[0], counts[1], ground="l1", mass="normalize")
    print(distances)
    print(f"  gray levels have to move by {16 * float(distances):.1f} of 255 on average")


def main() -> None:
    """Runs all three."""
    if len(sys.argv) > 1:
        photo = fovea.read_image(sys.argv[1])
        if photo.dtype != np.uint8:
            sys.exit(f"{sys.argv[1]} has samples of {photo.dtype}; expected a photograph of 8 bits")
        picture: Picture = np.ascontiguousarray(np.atleast_3d(photo)[:, :, :3])
    else:
        picture = draw_texture(360, 480, seed=1)
    find_people(picture)
    find_motion(picture)
    compare_colors(picture, np.clip(picture.astype(np.int64) + 20, 0, 255).astype(np.uint8))


if __name__ == "__main__":
    main()
