"""What the faces of all systems share: an object of the extension module with its options, and the origin of results."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from . import _fovea
from ._results import command_line
from ._rules import Rules, call, obey
from .errors import InvalidType


def origin_of(
    options: Mapping[str, Any], words: Iterable[object], start: float | None = None, **provenance: Any
) -> dict[str, Any]:
    """What every result records of its call: the options, device and seed, and the words of the program's command.

    ``start`` is when the call began, by ``time.perf_counter()``."""
    origin: dict[str, Any] = {
        "options": dict(options),
        "provenance": {"device": options["device"], "seed": options["seed"], **provenance},
        "command": command_line("fovea", *words),
    }
    if start is not None:
        origin["_seconds"] = time.perf_counter() - start
    return origin


class Face:
    """An object of the extension module. Threads take turns, and several objects run side by side."""

    _face: Any  #: the object
    _options: dict[str, Any]  #: all of its options
    _words: list[str]  #: those that are not the default, as words of the program's command
    _arguments: tuple[Any, ...]  #: what makes another such object, together with the keywords
    _keywords: dict[str, Any]
    _rules: Rules | None = None  #: how it reads arrays and returns pictures, where that is not as in the program

    def _begin(self, face: Any, keywords: Mapping[str, Any], *arguments: Any) -> None:
        self._face, self._arguments, self._keywords = face, arguments, dict(keywords)
        self._options, self._words = dict(face.options), list(face.words)
        rules = _fovea.own_array_rules()
        if rules is not None:
            obey(self, rules)

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return dict(self._options)

    def _origin(
        self, *words: object, end: tuple[str, ...] = (), start: float | None = None, **provenance: Any
    ) -> dict[str, Any]:
        """The origin of a result. The options stand between ``words``, the verb with its inputs, and ``end``."""
        origin = origin_of(self._options, (*words, *self._words, *end), start, **provenance)
        if self._rules is not None:
            origin["_rules"] = self._rules
        return origin

    #: What an object knows that its arguments do not say, so that it cannot be pickled.
    _keeps = ""

    def __reduce__(self) -> tuple[Any, ...]:
        if self._keeps:
            raise InvalidType(f"a {type(self).__name__} cannot be pickled, because it keeps {self._keeps}")
        return _made_again, (type(self), self._arguments, self._keywords, self._rules)


def _made_again(kind: type[Face], arguments: tuple[Any, ...], keywords: dict[str, Any], rules: Rules | None) -> Face:
    made: Face = call(rules, kind, *arguments, **keywords)
    return made
