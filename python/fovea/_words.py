"""The words of the program's help in Python. Imports nothing of the package, since the build uses it to write stubs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any


def in_python(help: str, table: Iterable[dict[str, Any]] = ()) -> str:
    """A help of the program with keywords in place of options: ``mass='penalty'`` for "--mass penalty"."""
    words = {entry["name"]: entry.get("words") or () for entry in table}

    def keyword(match: re.Match[str]) -> str:
        name, value = match[1].replace("-", "_"), match[2]
        if value in words.get(name, ()):
            return f"``{name}={value!r}``"
        if value and re.fullmatch("[0-9.]+", value):
            return f"``{name}={value}``"
        return f"``{name}``" + (f" {value}" if value else "")

    return re.sub(r"(?<![-\w`])--([a-z]+(?:-[a-z]+)*)(?: ([a-z0-9]+(?:[.-][a-z0-9]+)*))?", keyword, help)
