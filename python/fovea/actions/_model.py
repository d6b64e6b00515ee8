"""Models of actions."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _fovea
from .._model import StoredModel, loaded
from ..files import Path


class Prototype(NamedTuple):
    """A chain of a model: consecutive nodes of one training clip."""

    label: int  #: the action
    clip: int  #: the training clip
    first: int  #: its first node in the clip
    nodes: int  #: how many nodes it has
    mirrored: bool  #: whether it is seen in a mirror
    reject: float  #: a match with a greater distance is not reported


class RejectRule(NamedTuple):
    """When a whole clip is rejected: where the weighted sum of its features is above the limit.

    The features are logarithms: of the distance to the nearest action, of its mean ratio to the distances of the next
    ones, and the same two of single descriptors."""

    weights: tuple[float, ...]
    limit: float
    singles: bool  #: whether single descriptors are compared


class LateFusion(NamedTuple):
    """How whole clips are classified by several methods: the probability of an action is the softmax of the weighted
    sum of their scores.

    The methods are matching, the distances of single descriptors, their votes, and words with support vectors."""

    weights: tuple[float, ...]
    words: int  #: the number of visual words


class Model(StoredModel):
    """Actions that were learned from clips."""

    _read = staticmethod(_fovea.actions.read_model)

    #: Clips that could not be read and were left out of the training, and why.
    failed: list[str]

    def __init__(self, model: Any, name: str, file: str | None, origin: dict[str, Any] | None = None) -> None:
        super().__init__(model, name, file, (origin or {}).get("command"))
        self.failed = (origin or {}).get("failed", [])

    @property
    def _words(self) -> list[str]:
        """What a command of the program says for it."""
        return ["--model", self.name if self._file else "MODEL.safetensors"]

    @property
    def classes(self) -> list[str]:
        """The names of the actions, by label."""
        return list(self._model.classes)

    @property
    def prototypes(self) -> list[Prototype]:
        """The chains that videos are matched with."""
        return [Prototype(*fields) for fields in self._model.prototypes]

    @property
    def options(self) -> dict[str, Any]:
        """How it finds points, compares and scores."""
        return dict(self._model.options)

    @property
    def reject_rule(self) -> RejectRule | None:
        """Which whole clips show none of the actions; None where reject levels of prototypes decide."""
        rule = self._model.reject_rule
        return None if rule is None else RejectRule(*rule)

    @property
    def late_fusion(self) -> LateFusion | None:
        """How whole clips are classified by several methods; None where it is by matching or by ``fusion``."""
        fusion = self._model.late_fusion
        return None if fusion is None else LateFusion(*fusion)

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {len(self.classes)} actions, {len(self.prototypes)} prototypes)"


def load_model(name: Path) -> Model:
    """Reads a shipped model by its name, such as ``weizmann``, or a model file."""
    return loaded(Model, name, "actions")
