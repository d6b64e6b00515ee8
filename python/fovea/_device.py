"""Devices and what this build can do."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _fovea

__all__ = ["Device", "build_info", "cuda_absence", "devices"]


class Device(NamedTuple):
    """A device that work can run on."""

    device: str
    name: str
    memory_bytes: int
    units: int
    capability: str


def devices() -> list[Device]:
    """Every device that work can run on here: the CPU first, then the usable GPUs."""
    return [Device(**entry) for entry in _fovea.devices()]


def cuda_absence() -> str:
    """Why no GPU can be used, or an empty text where one can."""
    return str(_fovea.cuda_absence())


def build_info() -> dict[str, Any]:
    """Version, compiler, instruction sets and features of this build."""
    return dict(_fovea.build_info())
