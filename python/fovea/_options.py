"""The types of keywords, for type checkers alone.

They stand in the stub beside this file, which is written from the library's own description of its options, together
with what signatures need of ``typing_extensions``. At run time every name is ``object``."""

from __future__ import annotations


def __getattr__(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return object
