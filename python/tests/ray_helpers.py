"""What the tests of Ray share: photographs, and one run of the program to compare with."""

from __future__ import annotations

import os
import pathlib
import subprocess

import numpy as np
from conftest import draw_person

import fovea


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if is_result(path)}


def is_result(path: pathlib.Path) -> bool:
    return path.is_file() and ".manifest" not in path.name and path.name != "inputs.txt"


def one_run(words: list[str], folder: pathlib.Path, device: str = "cpu") -> tuple[int, str]:
    """The exit status and the text of one run in a folder. A manifest leaves the time of the run out of the text."""
    folder.mkdir()
    done = subprocess.run(
        [os.environ["FOVEA_PROGRAM"], *words, "--manifest", "whole.manifest", "--device", device],
        cwd=folder, capture_output=True, text=True, check=False,
    )
    return done.returncode, done.stdout


def draw_photos(folder: pathlib.Path) -> None:
    """Nine files, of which every other one shows somebody and the sixth is no image."""
    rng = np.random.default_rng(3)
    for number in range(9):
        photo = rng.integers(120, 180, (200, 160 + number, 3), dtype=np.uint8)
        if number % 2:
            draw_person(photo, 80, 180, 160)
        fovea.write_image(folder / f"{number}.png", photo)
    (folder / "5.png").write_bytes(b"no image")
