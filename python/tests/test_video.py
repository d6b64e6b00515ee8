"""Video files: the same frames from FFmpeg's libraries, from PyAV and from imageio-ffmpeg."""

from __future__ import annotations

import os
import subprocess
import sys
import types

import numpy as np
import pytest

import fovea
from fovea import _fovea
from fovea.bench import _inputs

ABSENCE = "FFmpeg is not installed here"
needs_ffmpeg = pytest.mark.skipif(not _fovea.files.video_support()[0], reason="no FFmpeg to compare with")


@pytest.fixture
def without_ffmpeg(monkeypatch):
    """The library as it is where it finds no FFmpeg: y4m is read, other files are not."""
    real = _fovea.files.Reader

    def reader(path, options):
        if str(path).endswith((".mp4", ".mkv", ".avi")) and os.path.isfile(path):
            raise fovea.IoError(f"{path}: cannot read video: {ABSENCE}")
        return real(path, options)

    monkeypatch.setattr(_fovea.files, "Reader", reader)
    monkeypatch.setattr(_fovea.files, "video_support", lambda: (False, ABSENCE))


@pytest.fixture(scope="module")
def picture():
    return _inputs.photograph(200, 160)


def encoded(path, picture, codec, pixels, **facts):
    """A video of 7 frames in which the picture moves, written by PyAV."""
    av = pytest.importorskip("av")
    with av.open(str(path), "w") as file:
        try:
            stream = file.add_stream(codec, rate=30)
        except Exception:
            pytest.skip(f"this PyAV has no {codec}")
        stream.width, stream.height, stream.pix_fmt = 160, 128, pixels
        for name, value in facts.items():
            setattr(stream.codec_context, name, value)
        for i in range(7):
            shown = np.ascontiguousarray(picture[i : i + 128, 3 * i : 3 * i + 160])
            file.mux(stream.encode(av.VideoFrame.from_ndarray(shown, format="rgb24")))
        file.mux(stream.encode())
    return path


def all_frames(path, **options):
    with fovea.read_video(path, **options) as video:
        return video.info, list(video)


def same_frames(got, expected):
    assert [frame.frame for frame in got] == [frame.frame for frame in expected]
    for one, other in zip(got, expected):
        assert one.image.dtype == other.image.dtype and np.array_equal(one.image, other.image)


FILES = {
    "plain.mp4": ("mpeg4", "yuv420p", {}),
    "marked.mp4": ("mpeg4", "yuv420p", {"colorspace": 1, "color_range": 1}),
    "photos.avi": ("mjpeg", "yuvj420p", {}),
    "deep.mkv": ("ffv1", "yuv422p10le", {}),
    "gray.mkv": ("ffv1", "gray", {}),
    "color.mkv": ("ffv1", "bgr0", {}),
}
OPTIONS = [{}, {"color": "gray"}, {"start": 1, "step": 2, "count": 2}, {"deep": True}, {"matrix": "bt709"}]


@needs_ffmpeg
@pytest.mark.parametrize("name", FILES)
def test_pyav_gives_the_frames_of_ffmpeg(tmp_path, picture, request, name):
    codec, pixels, facts = FILES[name]
    path = encoded(tmp_path / name, picture, codec, pixels, **facts)
    expected = [all_frames(path, **options) for options in OPTIONS]
    assert expected[0][0]["reader"] == "FFmpeg" and len(expected[0][1]) == 7
    request.getfixturevalue("without_ffmpeg")
    for options, (known, frames) in zip(OPTIONS, expected):
        info, got = all_frames(path, **options)
        assert info == {**known, "reader": "PyAV"}
        same_frames(got, frames)
        assert np.allclose([f.seconds for f in got], [f.seconds for f in frames], atol=1e-3)


@needs_ffmpeg
@pytest.mark.parametrize("name", FILES)
def test_imageio_gives_the_pixels_of_ffmpeg(tmp_path, picture, request, monkeypatch, name):
    pytest.importorskip("imageio_ffmpeg")
    codec, pixels, facts = FILES[name]
    path = encoded(tmp_path / name, picture, codec, pixels, **facts)
    known, expected = all_frames(path)
    request.getfixturevalue("without_ffmpeg")
    monkeypatch.setitem(sys.modules, "av", None)
    info, got = all_frames(path)
    assert info == {**known, "reader": "imageio-ffmpeg", "format": "", "frames": -1}
    same_frames(got, expected)


@needs_ffmpeg
def test_detectors_read_what_pyav_opens(tmp_path, picture, request):
    path = encoded(tmp_path / "walk.mp4", picture, "mpeg4", "yuv420p")
    detector = fovea.people.Detector("hog", device="cpu", threads=2)
    expected = list(detector.video(path))
    request.getfixturevalue("without_ffmpeg")
    got = list(detector.video(path))
    assert len(got) == 7 and all(np.array_equal(a.xyxy, b.xyxy) for a, b in zip(got, expected))


def test_damaged_files_give_their_frames_and_then_an_error(tmp_path, picture, without_ffmpeg):
    path = encoded(tmp_path / "whole.mkv", picture, "ffv1", "yuv420p")
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(path.read_bytes()[: os.path.getsize(path) // 2])
    seen = 0
    with pytest.raises(fovea.FormatError, match=r"cut\.mkv: frame \d+: "):
        for _ in fovea.read_video(cut):
            seen += 1
    assert 0 < seen < 7
    cut.write_text("no video at all")
    with pytest.raises(fovea.FormatError, match=r"cut\.mkv: cannot read this video"):
        fovea.read_video(cut)
    with pytest.raises(fovea.FormatError, match="max_pixels"):
        fovea.read_video(path, max_pixels=100)
    video = fovea.read_video(path)
    video.close()
    with pytest.raises(fovea.InvalidArgument, match="closed"):
        next(video)


def test_without_any_reader_the_message_says_what_to_install(tmp_path, monkeypatch, without_ffmpeg):
    monkeypatch.setitem(sys.modules, "av", None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    path = tmp_path / "clip.mp4"
    path.write_bytes(b"\0" * 100)
    with pytest.raises(fovea.IoError, match=f"{ABSENCE}.*or install av"):
        fovea.read_video(path)
    with pytest.raises(fovea.IoError, match="No such file"):
        fovea.read_video(tmp_path / "nothing.mp4")


def test_a_system_without_ffmpeg_is_noticed(tmp_path):
    for name in ("avutil", "avcodec", "avformat", "swscale"):
        for version in range(5, 70):
            (tmp_path / f"lib{name}.so.{version}").touch()  # no library, and found first
    lines = """
import fovea
from fovea import _fovea
assert not _fovea.files.video_support()[0]
try:
    fovea.read_video("clip.mp4", step=0)
except fovea.InvalidArgument as error:
    print(error)
try:
    fovea.read_video("clip.mp4")
except fovea.Error as error:
    print(error)
"""
    (tmp_path / "clip.mp4").write_text("no video at all")
    words = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", lines], check=True, env=words, cwd=tmp_path, capture_output=True, text=True
    )
    refused, unread = done.stdout.splitlines()
    assert "step" in refused and unread.startswith("clip.mp4: cannot read")


def fake_imageio(planes, said, size):
    """A package that says what ffmpeg says, and gives the same planes several times."""

    def read_frames(path, **words):
        yield {"size": size, "codec": "h264", "pix_fmt": said, "fps": 29.97, "ffmpeg_version": "7.0 built somewhere"}
        assert words["pix_fmt"] == said.partition("(")[0]
        assert words["bits_per_pixel"] * size[0] * size[1] == 8 * len(planes)
        yield from [planes] * 6

    return types.SimpleNamespace(read_frames=read_frames)


@pytest.mark.parametrize(
    ("said", "chroma", "share", "matrix"),
    [
        ("yuv420p(tv, bt709, progressive)", "420mpeg2 XCOLORRANGE=LIMITED", 1.5, "bt709"),
        ("yuv422p(pc)", "422 XCOLORRANGE=FULL", 2, "bt601"),
        ("gray", "mono XCOLORRANGE=FULL", 1, "bt601"),
    ],
)
def test_planes_become_pixels_as_those_of_y4m_do(tmp_path, monkeypatch, without_ffmpeg, said, chroma, share, matrix):
    width, height = 24, 10
    planes = np.random.default_rng(3).integers(0, 256, int(share * width * height), dtype=np.uint8).tobytes()
    same = tmp_path / "same.y4m"
    same.write_bytes(f"YUV4MPEG2 W{width} H{height} F30000:1001 C{chroma}\n".encode() + 6 * (b"FRAME\n" + planes))
    monkeypatch.setitem(sys.modules, "av", None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", fake_imageio(planes, said, (width, height)))
    path = tmp_path / "clip.mp4"
    path.touch()
    for options in ({}, {"color": "gray"}, {"start": 2, "step": 3}, {"deep": True}):
        info, got = all_frames(path, **options)
        expected = all_frames(same, matrix=matrix, **options)[1]
        assert info["reader"] == "imageio-ffmpeg" and info["size"] == (width, height) and info["frames"] == -1
        same_frames(got, expected)
        assert np.allclose([f.seconds for f in got], [f.seconds for f in expected])


def test_images_and_y4m_are_read_by_the_library_itself(tmp_path, picture):
    fovea.write_image(tmp_path / "0.png", picture)
    assert fovea.read_video(tmp_path).info["reader"] == "Fovea"
