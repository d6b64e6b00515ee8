"""Streams: the newest frame first, dropped frames counted, and nothing that a stream may reach beyond itself."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading

import numpy as np
import pytest

import fovea
from fovea import _fovea

pytestmark = pytest.mark.skipif(not _fovea.files.video_support()[0], reason="streams need FFmpeg")
WIDTH, HEIGHT = 80, 160


def frame(number):
    return b"FRAME\n" + bytes([number % 256]) * (WIDTH * HEIGHT)


@contextlib.contextmanager
def serving(numbers, pause=0.0, silent=False):
    """The address of a stream of gray frames, each of its number's brightness."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def serve():
        with contextlib.suppress(OSError):
            connection, _ = listener.accept()
            with connection:
                connection.sendall(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Cmono XCOLORRANGE=FULL\n".encode())
                for number in numbers:
                    connection.sendall(frame(number))
                    if ended.wait(pause):
                        return
                if silent:
                    ended.wait()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        listener.close()


def test_the_newest_frame_comes_first():
    sent, dropped = threading.Semaphore(0), threading.Event()

    def numbers_until_some_are_dropped():
        for number in itertools.count():
            yield number
            sent.release()
            if dropped.is_set():
                return

    with serving(numbers_until_some_are_dropped()) as address, fovea.read_video(address) as video:
        numbers = []
        for image, number, seconds in video:
            assert image[0, 0, 0] == number % 256 and seconds == pytest.approx(number / 25)
            numbers.append(number)
            if number >= len(numbers):
                dropped.set()
            for _ in range(0 if dropped.is_set() else 5):
                assert sent.acquire(timeout=60)
        assert video.info["live"] and video.info["dropped"] > 0
        assert numbers == sorted(numbers) and numbers[-1] == video.info["dropped"] + len(numbers) - 1


def test_all_frames_come_where_asked():
    with serving(range(20)) as address, fovea.read_video(address, live="all") as video:
        assert [number for _, number, _ in video] == list(range(20))
        assert video.info["dropped"] == 0


def test_a_length_ends_a_stream():
    with serving(range(10**6), 0.001) as address, fovea.read_video(address, count=3) as video:
        assert len(list(video)) == 3


def test_a_silent_stream_ends_after_its_frames():
    with serving(range(3), silent=True) as address, fovea.read_video(address, live="all", timeout=2) as video:
        assert [next(video).frame for _ in range(3)] == [0, 1, 2]
        with pytest.raises(fovea.IoError, match=r"nothing came for 2 s"):
            next(video)


def test_detectors_read_streams():
    detector = fovea.people.Detector("cascade", device="cpu")
    with serving(range(12), 0.01) as address:
        found = list(detector.video(address))
    assert found[-1].frame == 11 and 0 < len(found) <= 12
    with serving(range(5)) as address, fovea.read_video(address, live="all") as video:
        assert [one.frame for one in detector.video(video)] == list(range(5))


def test_other_systems_read_streams():
    with serving(range(4)) as address, fovea.read_video(address, live="all") as video:
        flows = list(fovea.flow.Estimator(device="cpu").video(video))
        assert [flow.frame for flow in flows] == [0, 1, 2]
    with serving(range(4)) as address:
        assert isinstance(list(fovea.flow.Estimator(device="cpu").video(address)), list)


@pytest.mark.parametrize("source", ["ftp://me:secret@host/a?hidden", "tcp://me:secret@127.0.0.1:1/?hidden"])
def test_passwords_appear_in_no_message(source):
    with pytest.raises(fovea.IoError) as raised:
        fovea.read_video(source)
    assert "***@" in str(raised.value) and "secret" not in str(raised.value) and "hidden" not in str(raised.value)


def test_cameras_have_numbers():
    with pytest.raises(fovea.IoError, match="there is no camera /dev/video99"):
        fovea.read_video("camera:99")
    with pytest.raises(fovea.InvalidArgument, match="such as camera:0"):
        fovea.read_video("camera:x")


def test_files_are_not_live(tmp_path):
    fovea.write_image(tmp_path / "0.png", np.zeros((HEIGHT, WIDTH, 3), np.uint8))
    with fovea.read_video(tmp_path) as video:
        assert video.info["live"] is False and video.info["dropped"] == 0 and not video.newest
