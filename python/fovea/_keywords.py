"""Signatures and documentation of functions whose keywords are options of the library."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

_Annotated = TypeVar("_Annotated", bound=Callable[..., Any])


def _annotation(entry: dict[str, Any]) -> str:
    kind = str(entry["kind"])
    if kind == "choice":
        kind = "Literal[" + ", ".join(repr(word) for word in entry["words"]) + "]"
    return f"{kind} | None" if entry["default"] is None else kind


def _line(entry: dict[str, Any]) -> str:
    default = entry["default"]
    usual = entry["absent"] if default is None and entry["absent"] else repr(default)
    accepted = f" ({entry['accepts']})" if entry["accepts"] else ""
    return f"{entry['name']}: {entry['help']}{accepted}. Default: {usual}."


def default_of(table: list[dict[str, Any]], name: str) -> Any:
    """The default of one option."""
    return next(entry["default"] for entry in table if entry["name"] == name)


def takes_options(table: list[dict[str, Any]]) -> Callable[[_Annotated], _Annotated]:
    """Replaces ``**options`` in a signature by the keywords of a table, and lists them in the docstring."""

    def annotate(function: _Annotated) -> _Annotated:
        signature = inspect.signature(function)
        own = {p.name: p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD}
        listed = {e["name"] for e in table}
        # Keywords of the table keep its order, also those that the function itself names.
        before = [p for p in own.values() if p.name not in listed or p.kind is not p.KEYWORD_ONLY]
        placed = {p.name for p in before}
        keywords = [
            own[e["name"]]
            if e["name"] in own
            else inspect.Parameter(
                e["name"], inspect.Parameter.KEYWORD_ONLY, default=e["default"], annotation=_annotation(e)
            )
            for e in table
            if e["name"] not in placed
        ]
        function.__signature__ = signature.replace(parameters=before + keywords)  # type: ignore[attr-defined]
        lines = "\n".join("    " + _line(e) for e in table)
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\nOptions:\n{lines}\n"
        return function

    return annotate
