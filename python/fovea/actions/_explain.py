"""Why a clip or an event counts as an action."""

from __future__ import annotations

from typing import Any, Optional

from .._explanation import Explanation


class MatchExplanation(Explanation):
    """What the nodes and triangles of a match add to its energy."""

    #: energy, distance, nodes (frame, place, appearance, dummy) and triangles (nodes, time, angles); their parts add up
    #: to the energy. None where nothing was matched
    match: Optional[dict[str, Any]]


class ActionExplanation(MatchExplanation):
    """Why a clip or an event counts as an action."""

    name: str  #: the action
    classes: list[tuple[str, float, int]]  #: name, distance and nearest prototype, the nearest class first
    runner_up: Optional[dict[str, Any]]  #: the match of the second class
    reject: dict[str, Any]  #: the reject level, or the sum and limit of the rule, and how far it was


class ClipExplanation(ActionExplanation):
    """Why a whole clip counts as an action."""

    #: name, weight, score of the first and the second class, and value; values add up to the log odds, or with fusion
    #: to the difference of distances. Empty where matching decides alone
    fusion: list[tuple[str, float, float, float, float]]


class EventExplanation(ActionExplanation):
    """Why an event of a stream was reported."""
