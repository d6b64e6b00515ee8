"""What scripts/fault_drill and scripts/fault_drill_ray share: drawn images, and the hashes of what a run has written."""
import hashlib
import pathlib
import random
import shutil


def draw(folder: pathlib.Path, count: int, width: int, height: int, damaged: int) -> None:
    """Images of noise over a ramp. Every so many there is a damaged one."""
    folder.mkdir()
    ramp = bytes((x + y) % 256 for y in range(height) for x in range(width))
    for i in range(count):
        noise = random.Random(i).randbytes(width * height)
        data = f"P5 {width} {height} 255\n".encode() + bytes((a + b // 4) % 256 for a, b in zip(ramp, noise))
        (folder / f"{i:04}.pgm").write_bytes(data[: len(data) // 3] if i % damaged == damaged - 1 else data)


def divide_into_places(images: pathlib.Path, folder: pathlib.Path, most: int = 60) -> None:
    """Copies images as two kinds of scenes."""
    for number, image in enumerate(sorted(images.iterdir())[:most]):
        kind = folder / ("flat", "steep")[number % 2]
        kind.mkdir(parents=True, exist_ok=True)
        shutil.copy(image, kind)


def snapshot(folder: pathlib.Path) -> dict[str, str]:
    """The hashes of all files but manifests."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and ".manifest" not in path.name}
