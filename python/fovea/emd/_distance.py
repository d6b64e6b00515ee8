"""Exact Earth Mover's Distances of histograms, and the functions of POT."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any, Literal, overload

import numpy as np

from .. import _fovea
from .._arguments import flag, word
from .._keywords import takes_options
from .._options import EmdSolveOptions, Unpack
from .._results import Table, command_line, on_host
from ..errors import InvalidArgument, InvalidType
from ._shared import Array, Bytes, Doubles, Ground, as_ground, as_numbers, what

_STATUSES: tuple[str, ...] = tuple(_fovea.emd.status_names())
_SOLVERS: tuple[str, ...] = tuple(_fovea.emd.solver_names())
_PIVOT_LIMIT = _STATUSES.index("pivot limit")
# What the names of ground distances begin with; anything else names a file.
_GROUNDS = frozenset(str(word).partition(":")[0] for word in _fovea.emd.ground_words())


class Distances(Table):
    """The distances of a batch, one row per problem."""

    distances: Any  #: one per problem, float64: a NumPy array, or a DeviceArray where P was on a GPU
    status: Bytes  #: one number per problem; ``statuses`` has their names
    #: steps of the simplex method; 0 where a closed form or its start was optimal
    pivots: np.ndarray[Any, np.dtype[np.uint16]]
    solver: Bytes  #: what solved each problem, as a number; ``solvers`` has their names
    flows: Any  #: on request the mass moved from bin i to bin j, of shape (problems, rows, columns)
    ground: dict[str, Any]  #: form, size and unit of the ground distance, and whether it is a metric and exact

    _compared = ("distances", "status", "pivots", "solver", "flows")

    def __init__(self, found: tuple[Any, ...], ground: dict[str, Any], **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.distances, self.status, self.pivots, self.flows = found[:4]
        self.solver = found[5]
        self.ground = ground
        self._seconds = origin.get("seconds", 0.0)

    def numpy(self) -> Distances:
        """The same with arrays of the CPU: itself where they are such already."""
        if isinstance(self.distances, np.ndarray):
            return self
        found = (on_host(self.distances), self.status, self.pivots, on_host(self.flows), -1, self.solver)
        origin = {"options": self.options, "provenance": self.provenance, "command": self.command}
        return Distances(found, self.ground, seconds=self._seconds, **origin)

    @property
    def statuses(self) -> list[str]:
        """``optimal``, ``empty``, ``pivot limit`` (the distance is an upper bound) or ``invalid mass``, per problem."""
        return [_STATUSES[code] for code in self.status]

    @property
    def solvers(self) -> list[str]:
        """What solved each problem: ``closed_form``, ``greedy_start``, ``greedy_simplex``, ``tableau``, ``wide_tableau``,
        ``auxiliary_simplex``, or ``nothing`` where a histogram has no mass or an invalid one."""
        return [_SOLVERS[code] for code in self.solver]

    @property
    def solved_by(self) -> dict[str, int]:
        """How many problems each solver took."""
        counts = np.bincount(self.solver, minlength=len(_SOLVERS))
        return {name: int(count) for name, count in zip(_SOLVERS, counts)}

    def columns(self) -> dict[str, Array]:
        """distance, status, pivots and solver."""
        return {
            "distance": on_host(self.distances),
            "status": np.array(_STATUSES)[self.status],
            "pivots": self.pivots,
            "solver": np.array(_SOLVERS)[self.solver],
        }

    def __len__(self) -> int:
        return len(self.status)

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any:
        return on_host(self.distances)[index]

    def __iter__(self) -> Iterator[float]:
        return iter(on_host(self.distances))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        distances = on_host(self.distances)
        return np.array(distances, dtype=dtype) if copy else np.asarray(distances, dtype=dtype)

    def __float__(self) -> float:
        """The distance of a single problem."""
        if len(self) != 1:
            raise InvalidType(f"only the distance of one problem is a number, and there are {len(self)}")
        return float(self[0])

    def __repr__(self) -> str:
        count = "1 distance" if len(self) == 1 else f"{len(self)} distances"
        mean = f", mean {float(np.mean(on_host(self.distances))):.6g}" if len(self) else ""
        unproved = int(np.count_nonzero(self.status == _PIVOT_LIMIT))
        bounds = f", {unproved} upper bounds" if unproved else ""
        made = f"{self.options['ground']}, {self.provenance['device']}, {1000 * self._seconds:.3g} ms"
        return f"{count}{mean}{bounds} ({made})"


class _Solver:
    """A solver with what its results record."""

    def __init__(self, ground: Any, bins: int, keywords: dict[str, Any]) -> None:
        self.solver = _fovea.emd.Solver(ground, bins, keywords)
        name = ground if isinstance(ground, str) else "given"
        self.options: dict[str, Any] = {"ground": name, **self.solver.options}
        self.provenance = {"device": self.options["device"], "seed": self.options["seed"]}
        self.ground: dict[str, Any] = dict(self.solver.ground)
        named = ["--ground", ground if isinstance(ground, str) else "GROUND"]
        line = ["fovea", "emd", "distance", "--problems", "PROBLEMS", *named, *self.solver.words]
        self.command = command_line(*line, "--json")
        self.flow_command = command_line(*line, "--flow", "--json")


class _Kept(threading.local):
    """The last solvers of a thread, because making one takes longer than solving a small problem."""

    most = 8

    def __init__(self) -> None:
        self.solvers: dict[Any, _Solver] = {}

    def get(self, ground: Any, bins: int, keywords: dict[str, Any]) -> _Solver:
        key: Any = None
        if isinstance(ground, str) and ground.partition(":")[0] in _GROUNDS:
            key = ground
        elif isinstance(ground, np.ndarray) and ground.dtype == np.float64 and ground.size <= 4096:
            key = (ground.shape, ground.tobytes()) if ground.flags.c_contiguous else None
        try:
            key = None if key is None else (key, bins, *sorted(keywords.items()))
            known = self.solvers.pop(key, None)
        except TypeError:  # a value that is no key is refused as an option
            key = known = None
        made = known or _Solver(ground, bins, keywords)
        if key is not None:
            if len(self.solvers) >= self.most:
                del self.solvers[next(iter(self.solvers))]
            self.solvers[key] = made
        return made


_kept = _Kept()


def _bins(rows: Any) -> int:
    shape = getattr(rows, "shape", None)
    return int(shape[-1]) if shape else 1


def _refuse_row(row: int, P: Any, Q: Any, names: tuple[str, str] | None = None) -> None:
    for name, rows in zip(names or (f"row {row} of P", f"row {row} of Q"), (P, Q)):
        if _fovea.lies_on_gpu(rows):
            raise InvalidArgument(f"row {row} of P or Q has a mass that is negative or not finite")
        table = np.atleast_2d(np.asarray(rows))
        masses = table[row if len(table) > 1 else 0]
        for i, mass in enumerate(masses.tolist()):
            if not 0 <= mass < float("inf"):
                raise InvalidArgument(f"{name} has mass {mass:g} in bin {i}; expected at least 0, and finite")
    raise InvalidArgument(f"the sum of the masses in row {row} is not finite")


@takes_options(_fovea.emd.solve_options(), rules=("strict",))
def distance(
    P: Any,
    Q: Any,
    ground: Ground = "threshold:3",
    flows: bool = False,
    *,
    invalid: Literal["raise", "nan"] = "raise",
    **options: Unpack[EmdSolveOptions],
) -> Distances:
    """The exact Earth Mover's Distance of each row of P to the row of Q, or to the only row of one of them.

    Rows are histograms of up to 64 bins: uint8, uint16, float32 or float64, or lists of numbers. The ground distance is
    a name (l1, l2, squared, threshold:T, circular, discrete), a file of costs, or costs as an array of float64. Where P
    lies on a GPU, the distances and flows stay there. With
    ``flows`` the result has the mass that moves from each bin to each other. A mass that is negative or not finite
    raises InvalidArgument; with ``invalid="nan"`` the distance of its problem is NaN, and the others are solved.

    >>> fovea.emd.distance([0.5, 0.5, 0], [0, 0.5, 0.5], ground="l1").distances
    array([1.])"""
    start = time.perf_counter()
    P, Q = as_numbers(P, "P"), as_numbers(Q, "Q")
    if not isinstance(invalid, str) or invalid != "raise":
        word(invalid, "invalid", ("raise", "nan"))
    if not isinstance(flows, bool):
        flows = flag(flows, "flows")
    kept = _kept.get(as_ground(ground), _bins(P), dict(options))
    found = kept.solver.solve(P, Q, flows, invalid == "nan")
    if found[4] >= 0 and invalid == "raise":
        _refuse_row(found[4], P, Q)
    return Distances(
        found,
        dict(kept.ground),
        options={**kept.options, "flows": flows},
        provenance=kept.provenance,
        command=kept.flow_command if flows else kept.command,
        seconds=time.perf_counter() - start,
    )


def _balanced(a: Any, b: Any, M: Any, check_marginals: bool) -> tuple[Any, Any, Any]:
    costs = as_numbers(M, "M")
    if not isinstance(costs, np.ndarray) or costs.dtype != np.float64 or costs.ndim != 2:
        raise InvalidType(f"M is {what(costs)}; expected an array of float64 with 2 axes")
    costs = np.ascontiguousarray(costs)
    shape = costs.shape
    sides = []
    for name, value, count in (("a", a, shape[0]), ("b", b, shape[1])):
        weights = as_numbers(value, name)
        if weights is None or (isinstance(weights, np.ndarray) and weights.size == 0):
            weights = np.full(count, 1.0 / max(1, count))
        most = 2 if name == "b" else 1
        if not isinstance(weights, np.ndarray) or weights.dtype != np.float64 or not 1 <= weights.ndim <= most:
            axes = "(bins,) or (bins, problems)" if name == "b" else "(bins,)"
            raise InvalidType(f"{name} is {what(weights)}; expected an array of float64 and of shape {axes}")
        if len(weights) != count:
            raise InvalidArgument(f"{name} has {len(weights)} bins, but M is of shape {shape}")
        sides.append(np.ascontiguousarray(weights))
    first, second = sides
    mass = float(first.sum())
    if second.ndim == 1:
        other = float(second.sum())
        _check_masses(mass, other, check_marginals)
        return first, second * (mass / other) if other != mass and other > 0 else second, costs
    others = second.sum(axis=0)
    for other in others.tolist():
        _check_masses(mass, other, check_marginals)
    return first, np.ascontiguousarray((second * (mass / np.where(others > 0, others, 1))).T), costs


def _check_masses(mass: float, other: float, wanted: bool) -> None:
    if wanted and not abs(mass - other) <= 1e-7 * abs(mass):
        raise InvalidArgument(f"the masses of a and b differ: {mass:g} and {other:g}; expected equal ones")


def _transport(a: Any, b: Any, M: Any, check_marginals: bool, flows: bool) -> Any:
    first, second, costs = _balanced(a, b, M, flag(check_marginals, "check_marginals"))
    # With a penalty of 0 the result is the cost itself, not the cost per mass.
    solver = _kept.get(costs, 0, {"mass": "penalty", "penalty": 0.0, "device": "cpu"}).solver
    found = solver.solve(first, second, flows, False)
    if found[4] >= 0:
        _refuse_row(found[4], first, second, ("a", "b"))
    return found


def emd2(a: Any, b: Any, M: Any, *, check_marginals: bool = True) -> Any:
    """The least cost of moving the weights a to the weights b under the costs M: ``ot.emd2`` of POT, up to 64 bins.

    Weights and costs are float64; no weights at all (``[]`` or None) are equal ones. With b of shape (bins, problems)
    the result is an array with one cost per column."""
    found = _transport(a, b, M, check_marginals, False)
    costs: Doubles = found[0]
    return costs if np.ndim(b) == 2 else float(costs[0])


def emd(a: Any, b: Any, M: Any, *, check_marginals: bool = True) -> Doubles:
    """A plan of least cost, the mass moved from bin i of a to bin j of b: ``ot.emd`` of POT, up to 64 bins."""
    if np.ndim(b) == 2:
        raise InvalidType("b has two axes; expected the weights of one problem")
    return _transport(a, b, M, check_marginals, True)[3][0]
