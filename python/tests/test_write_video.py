"""Videos that are written: what people hold goes in, and the same frames come back."""

from __future__ import annotations

import os

import numpy as np
import pytest

import fovea
from fovea import _fovea
from fovea.bench import _inputs

needs_ffmpeg = pytest.mark.skipif(not _fovea.files.video_support()[0], reason="no FFmpeg to write with")


@pytest.fixture(scope="module")
def frames():
    picture = _inputs.photograph(120, 90)
    return [np.ascontiguousarray(picture[i : i + 64, 2 * i : 2 * i + 80]) for i in range(7)]


def read(path, **options):
    with fovea.read_video(path, **options) as video:
        return video.info, [frame.image for frame in video]


def same(got, expected):
    assert len(got) == len(expected)
    for one, other in zip(got, expected):
        assert one.dtype == other.dtype and np.array_equal(one, other)


@needs_ffmpeg
@pytest.mark.parametrize("hold", [list, np.stack, iter, lambda frames: [f[:, :, ::-1][:, :, ::-1] for f in frames]])
def test_arrays_of_any_kind_come_back(tmp_path, frames, hold):
    path = tmp_path / "walk.mkv"
    fovea.write_video(path, hold(frames), fps=12.5)
    info, got = read(path)
    assert info["frame_rate"] == 12.5 and info["codec"] == "ffv1"
    same(got, frames)


@needs_ffmpeg
def test_gray_deep_and_whole_numbers_come_back(tmp_path, frames):
    gray = [frame[:, :, 1] for frame in frames]
    fovea.write_video(tmp_path / "gray.mkv", gray)
    same(read(tmp_path / "gray.mkv", color="gray")[1], gray)
    deep = [frame.astype(np.uint16) * 257 for frame in gray]
    fovea.write_video(tmp_path / "deep.mkv", deep)
    same(read(tmp_path / "deep.mkv", color="gray", deep=True)[1], deep)
    fovea.write_video(tmp_path / "float.mkv", [frame.astype(np.float64) for frame in frames])
    same(read(tmp_path / "float.mkv")[1], frames)


@needs_ffmpeg
def test_opencv_order(tmp_path, frames):
    turned = [frame[:, :, ::-1] for frame in frames]
    fovea.write_video(tmp_path / "a.mkv", turned, color="bgr")
    same(read(tmp_path / "a.mkv")[1], frames)
    fovea.set_color("bgr")
    try:
        fovea.write_video(tmp_path / "b.mkv", turned)
        fovea.write_video(tmp_path / "c.mkv", (frame for frame in fovea.read_video(tmp_path / "a.mkv")))
        fovea.write_video(tmp_path / "d.mkv", fovea.read_video(tmp_path / "a.mkv", color="rgb"))
    finally:
        fovea.set_color("rgb")
    for name in "bcd":
        same(read(tmp_path / f"{name}.mkv")[1], frames)


def test_videos_and_paths_keep_their_rate(tmp_path, frames):
    gray = [frame[:, :, 1] for frame in frames]
    fovea.write_video(tmp_path / "a.y4m", gray, fps=29.97)
    rate = read(tmp_path / "a.y4m")[0]["frame_rate"]
    assert rate == 30000 / 1001
    fovea.write_video(tmp_path / "b.y4m", tmp_path / "a.y4m")
    fovea.write_video(tmp_path / "c.y4m", fovea.read_video(tmp_path / "a.y4m", color="gray"))
    fovea.write_video(tmp_path / "d.y4m", fovea.read_video(tmp_path / "a.y4m", color="gray"), fps=10)
    fovea.write_video(tmp_path / "e.y4m", gray)
    assert [read(tmp_path / f"{name}.y4m")[0]["frame_rate"] for name in "bcde"] == [rate, rate, 10, 25]
    same(read(tmp_path / "c.y4m", color="gray")[1], gray)


def test_folders_of_images(tmp_path, frames):
    folder = tmp_path / "frames"
    fovea.write_video(folder, frames)  # a name without an ending that is not there yet
    fovea.write_video(folder, frames)  # and one that is
    (tmp_path / "file").write_text("")
    with pytest.raises(fovea.InvalidArgument, match="ends in ''; expected .mp4 .* a folder, or a name with %06d"):
        fovea.write_video(tmp_path / "file", frames)
    assert len(os.listdir(folder)) == 7
    same(read(folder)[1], frames)
    fovea.write_video(tmp_path / "again_%02d.png", [folder / name for name in sorted(os.listdir(folder))])
    same(read(tmp_path / "again_*.png")[1], frames)


def test_frames_are_taken_one_by_one(tmp_path, frames):
    """No frame is kept: the same array can be filled again and again."""
    gray, said = np.empty((64, 80), np.uint8), []

    def drawn():
        for frame in frames:
            gray[:] = frame[:, :, 1]
            yield gray

    fovea.write_video(tmp_path / "a.y4m", drawn(), progress=lambda stage, done, total: said.append((stage, done, total)))
    same(read(tmp_path / "a.y4m", color="gray")[1], [frame[:, :, 1] for frame in frames])
    assert said == [("frames", i + 1, 0) for i in range(7)]


def broken(frames):
    yield from frames
    raise RuntimeError("no more light")


@pytest.mark.parametrize(
    ("hold", "error", "says"),
    [
        (broken, RuntimeError, "no more light"),
        (lambda f: [*f, f[0][:, 1:]], fovea.InvalidArgument, "a frame is 79x64x3 of 8 bits, but the video began with 80x64x3"),
        (lambda f: [*f, f[0].astype(float) / 2], fovea.InvalidArgument, r"frames\[7\] is float64.* and holds"),
        (lambda f: [*f, np.zeros((64, 80, 4), np.uint8)], fovea.InvalidArgument, r"frames\[7\] is uint8 of shape"),
        (lambda f: [], fovea.InvalidArgument, "cannot finish a video without a frame"),
        (lambda f: f[0], fovea.InvalidType, "frames is one array of shape"),
        (lambda f: 3, fovea.InvalidType, "frames is 3; expected a path"),
    ],
)
def test_what_cannot_be_written_leaves_the_old_file(tmp_path, frames, hold, error, says):
    path = tmp_path / "walk.y4m"
    path.write_bytes(b"old")
    with pytest.raises(error, match=says) as raised:
        fovea.write_video(path, hold(frames))
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["walk.y4m"]
    assert "\n" not in str(raised.value)


def test_names_and_rates_that_cannot_be(tmp_path, frames):
    with pytest.raises(fovea.InvalidArgument, match=r"the name ends in '.gif'; expected .mp4"):
        fovea.write_video(tmp_path / "walk.gif", frames)
    with pytest.raises(fovea.InvalidArgument, match="fps is '0'"):
        fovea.write_video(tmp_path / "walk.y4m", frames, fps=0)
    with pytest.raises(TypeError, match="frame_rate"):
        fovea.write_video(tmp_path / "walk.y4m", frames, frame_rate=3)
    with pytest.raises(fovea.WriteError):
        fovea.write_video(tmp_path / "none/walk.y4m", frames)
    assert os.listdir(tmp_path) == []


@needs_ffmpeg
def test_every_other_frame_plays_as_fast(tmp_path, frames):
    fovea.write_video(tmp_path / "a.mkv", frames, fps=20)
    fovea.write_video(tmp_path / "b.mkv", fovea.read_video(tmp_path / "a.mkv", step=2))
    assert read(tmp_path / "b.mkv")[0]["frame_rate"] == 10
