"""Signatures and documentation of functions whose keywords are options of the library."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from . import _rules
from ._words import in_python
from .errors import InvalidType

_Annotated = TypeVar("_Annotated", bound=Callable[..., Any])


def _annotation(entry: dict[str, Any]) -> str:
    kind = str(entry["kind"])
    if kind == "choice":
        kind = "Literal[" + ", ".join(repr(word) for word in entry["words"]) + "]"
    return f"{kind} | None" if entry["default"] is None else kind


def _line(entry: dict[str, Any], table: list[dict[str, Any]]) -> str:
    default = entry["default"]
    usual = entry["absent"] if default is None and entry["absent"] else repr(default)
    accepted = f" ({entry['accepts']})" if entry["accepts"] else ""
    return in_python(f"{entry['name']}: {entry['help']}{accepted}. Default: {usual}.", table)


def _shown(entry: dict[str, Any], own: Iterable[str]) -> dict[str, Any]:
    """The keyword of a signature that stands for an option: its own, or that of its part."""
    if not entry["part"] or entry["name"] in own:
        return entry
    return {"name": entry["part"], "kind": "dict[str, Any]", "default": None}


def _lines(table: list[dict[str, Any]], own: Iterable[str]) -> list[str]:
    """One line per option, those of a part behind it and without its name."""
    lines, part = [], ""
    for entry in table:
        shown = _shown(entry, own)["name"]
        if shown == entry["name"]:
            lines.append("    " + _line(entry, table))
            continue
        if shown != part:
            lines.append(f"    {shown}: A dict of these options. Each is a keyword too, with {shown}_ before its name.")
            part = shown
        lines.append("        " + _line(entry, table).removeprefix(f"{shown}_"))
    return lines


def default_of(table: list[dict[str, Any]], name: str) -> Any:
    """The default of one option."""
    return next(entry["default"] for entry in table if entry["name"] == name)


def takes_options(
    table: list[dict[str, Any]], rules: tuple[str, ...] = ("color", "strict")
) -> Callable[[_Annotated], _Annotated]:
    """Replaces ``**options`` in a signature by the keywords of a table, and lists them in the docstring.

    Options of one part, ``hog_cell`` and ``hog_block``, are one keyword in the signature, ``hog``, which takes a dict of
    them. ``rules`` are those for arrays (see ``_rules``) that a call may have of its own."""

    def annotate(function: _Annotated) -> _Annotated:
        signature = inspect.signature(function)
        own = {p.name: p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD}
        listed = {e["name"] for e in table}
        # Keywords of the table keep its order, also those that the function itself names.
        before = [p for p in own.values() if p.name not in listed or p.kind is not p.KEYWORD_ONLY]
        placed = {p.name for p in before}
        shown = {s["name"]: s for s in (_shown(e, own) for e in table) if s["name"] not in placed}
        keywords = [
            own.get(name)
            or inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=e["default"], annotation=_annotation(e))
            for name, e in shown.items()
        ]
        own_rules = {name: _rules.KEYWORDS[name] for name in rules if name not in listed}
        keywords += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, (kind, _) in own_rules.items()
        ]
        function.__signature__ = signature.replace(parameters=before + keywords)  # type: ignore[attr-defined]
        lines = "\n".join(
            _lines(table, own)
            + [f"    {name}: {help}. Default: as the program has it." for name, (_, help) in own_rules.items()]
        )
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\nOptions:\n{lines}\n"
        return _ruled(function, own_rules) if own_rules else function

    return annotate


def _ruled(function: Any, names: Iterable[str]) -> Any:
    first, second = (*names, None)[:2]

    @functools.wraps(function)
    def ruled(*arguments: Any, **keywords: Any) -> Any:
        if first in keywords or second in keywords:
            return _rules.call(_rules.taken_from(keywords), function, *arguments, **keywords)
        return function(*arguments, **keywords)

    return ruled


class Methods:
    """An object whose methods refuse keywords that they do not have as functions with options do: with the nearest one."""

    __slots__ = ()

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        for name, method in list(vars(cls).items()):
            if inspect.isfunction(method) and not name.startswith("_"):
                setattr(cls, name, _checked(method))


def _checked(method: Any) -> Any:
    @functools.wraps(method)
    def checked(*arguments: Any, **keywords: Any) -> Any:
        try:
            return method(*arguments, **keywords)
        except TypeError as error:
            if not isinstance(error, InvalidType):
                _refuse_unknown(method, arguments, keywords)
            raise

    return checked


def _refuse_unknown(method: Any, arguments: tuple[Any, ...], keywords: Iterable[str]) -> None:
    parameters = inspect.signature(method).parameters
    unknown = [name for name in keywords if name not in parameters]
    if not unknown or any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return
    options = getattr(arguments[0], "_options", {}) if arguments else {}
    near = difflib.get_close_matches(unknown[0], [*list(parameters)[1:], *options], 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if near and near[0] not in parameters:
        hint = f"; options are given when it is made: {type(arguments[0]).__name__}({near[0]}=...)"
    raise InvalidType(f"{method.__name__}() has no keyword {unknown[0]!r}{hint}") from None
