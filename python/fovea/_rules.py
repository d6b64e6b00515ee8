"""The order of colors in arrays, and whether arrays may be copied: of the program, or of one call and what it makes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, Literal, Optional

import numpy as np

from . import _fovea

#: Whether colors are blue, green and red, and whether copies are refused; None: as the program has it.
Rules = tuple[Optional[bool], Optional[bool]]

#: The keywords by which a call has rules of its own.
KEYWORDS = {
    "color": ("Literal['rgb', 'bgr'] | None", "the order of colors in arrays that are read and in pictures that are returned"),
    "strict": ("bool | None", "refuse arrays that would have to be copied"),
}


class RgbArray(np.ndarray[Any, np.dtype[Any]]):
    """Pixels in RGB, whatever order of colors the program has: those that a file was read to."""

    fovea_rgb = True


def set_color(color: Literal["rgb", "bgr"]) -> None:
    """Sets the order of colors for the whole program: "rgb", or "bgr" as OpenCV has it.

    Arrays with colors are then read in this order, and pictures are returned in it. Files and images of PIL say
    themselves what their colors are. The keyword ``color`` of a call counts more."""
    _fovea.set_array_rules(_is_bgr(color), None)


def set_strict(strict: bool = True) -> None:
    """Refuses, in the whole program, arrays that would have to be copied. The keyword ``strict`` of a call counts more."""
    _fovea.set_array_rules(None, _is_strict(strict))


def _is_bgr(color: Any) -> bool:
    from ._arguments import word

    return word(color, "color", ("rgb", "bgr")) == "bgr"


def _is_strict(strict: Any) -> bool:
    from ._arguments import flag

    return flag(strict, "strict")


def taken_from(keywords: dict[str, Any]) -> Rules:
    """Takes the rules of a call out of its keywords."""
    color, strict = keywords.pop("color", None), keywords.pop("strict", None)
    return None if color is None else _is_bgr(color), None if strict is None else _is_strict(strict)


def call(rules: Rules | None, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Calls a function under rules, which then hold for what it returns as well: results, and the steps of an iterator."""
    if rules is None:
        return function(*arguments, **keywords)
    return _obeying(_fovea.call_under(rules, function, *arguments, **keywords), rules)


def _obeying(value: Any, rules: Rules) -> Any:
    if inspect.isgenerator(value):
        return _steps(value, rules)
    if hasattr(value, "_steps"):  # Results
        value._steps = _pairs(value._steps, rules)
    if hasattr(value, "_rules") and value._rules is None:
        value._rules = rules
    return value


def _pairs(iterator: Any, rules: Rules) -> Iterator[Any]:
    for index, value in _steps(iterator, rules):
        yield index, _obeying(value, rules)


def _steps(iterator: Any, rules: Rules) -> Iterator[Any]:
    try:
        while True:
            try:
                value = _fovea.call_under(rules, next, iterator)
            except StopIteration:
                return
            yield _obeying(value, rules)
    finally:
        iterator.close()


def obey(thing: Any, rules: Rules) -> None:
    """Lets all public methods of an object be called under rules."""
    thing._rules = rules
    for name, _ in inspect.getmembers(type(thing), inspect.isfunction):
        if not name.startswith("_"):
            setattr(thing, name, functools.partial(call, rules, getattr(thing, name)))


def in_its_colors(method: Callable[..., Any]) -> Any:
    """A method that takes images or returns pictures in the order of colors of the call that made its object."""

    @functools.wraps(method)
    def ordered(self: Any, *arguments: Any, **keywords: Any) -> Any:
        return call(self._rules, method, self, *arguments, **keywords)

    return ordered
