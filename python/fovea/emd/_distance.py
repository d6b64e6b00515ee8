"""Exact Earth Mover's Distances of histograms."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Literal, overload

import numpy as np

from .. import _fovea
from .._arguments import as_array, flag, word
from .._keywords import takes_options
from .._options import EmdSolveOptions, Unpack
from .._results import Table, command_line, on_host
from ..errors import InvalidArgument, InvalidType
from ._shared import Array, Bytes, Doubles, Ground, as_doubles, as_ground, as_numbers, costs_between

_STATUSES: tuple[str, ...] = tuple(_fovea.emd.status_names())
_SOLVERS: tuple[str, ...] = tuple(_fovea.emd.solver_names())
PIVOT_LIMIT = _STATUSES.index("pivot limit")
# What the names of ground distances begin with; anything else names a file.
_GROUNDS = frozenset(str(word).partition(":")[0] for word in _fovea.emd.ground_words())
#: Keywords of POT that no other function has.
_OF_POT = {"processes", "numItermax", "log", "return_matrix", "center_dual", "numThreads", "check_marginals", "potentials_init"}


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
        ``auxiliary_simplex``, ``network_simplex``, or ``nothing`` where a histogram has no mass or an invalid one."""
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
        unproved = int(np.count_nonzero(self.status == PIVOT_LIMIT))
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


kept = _Kept()


def _refuse_pot(caller: str, options: Mapping[str, Any]) -> None:
    for name in _OF_POT.intersection(options):
        raise InvalidType(f"{caller}() has no keyword {name!r}; emd2() has it, as in POT")


def _bins(rows: Any) -> int:
    shape = getattr(rows, "shape", None)
    return int(shape[-1]) if shape else 1


def refuse_row(row: int, P: Any, Q: Any, names: tuple[str, str] | None = None) -> None:
    for name, rows in zip(names or (f"row {row} of P", f"row {row} of Q"), (P, Q)):
        if _fovea.lies_on_gpu(rows):
            raise InvalidArgument(f"row {row} of P or Q has a mass that is negative or not finite")
        table = np.atleast_2d(np.asarray(rows))
        masses = table[row if len(table) > 1 else 0]
        for i, mass in enumerate(masses.tolist()):
            if not 0 <= mass < float("inf"):
                raise InvalidArgument(f"{name} has mass {mass:g} in bin {i}; expected at least 0, and finite")
    raise InvalidArgument(f"the sum of the masses in row {row} is not finite")


def _solved_each(P: Any, Q: Any, ground: Any, keywords: dict[str, Any]) -> tuple[_Solver, Any]:
    """A solver for costs of each pair, and a function of ``flows`` and ``mark`` that solves them."""
    costs = as_doubles(ground, "ground", (3,))
    if len(costs) == 0:
        raise InvalidArgument("ground has costs of no pair; expected those of at least 1")
    if keywords.get("device", "auto") == "auto":
        keywords["device"] = "cpu"
    made = _Solver(costs[0], 0, keywords)
    made.ground = {side: made.ground[side] for side in ("rows", "columns")}
    rows = [np.atleast_2d(as_array(side, name)) for side, name in ((P, "P"), (Q, "Q"))]
    first, second = (side.repeat(len(costs), axis=0) if len(side) == 1 else side for side in rows)
    return made, lambda flows, mark: made.solver.solve_each(first, second, costs, flows, mark)


@takes_options(_fovea.emd.solve_options(), rules=("strict",))
def distance(
    P: Any,
    Q: Any,
    ground: Ground = "l1",
    flows: bool = False,
    *,
    supports: Any = None,
    invalid: Literal["raise", "nan"] = "raise",
    **options: Unpack[EmdSolveOptions],
) -> Distances:
    """The exact Earth Mover's Distance of each row of P to the row of Q, or to the only row of one of them.

    Rows are histograms: uint8, uint16, float32 or float64, or lists of numbers. Both are scaled to mass 1 unless ``mass``
    says otherwise. The ground distance is a name (l1, cityblock or manhattan; l2 or euclidean; squared or sqeuclidean;
    threshold:T; circular; discrete; with ``supports`` also chebyshev), a file of costs, or costs as an array of float64, also those of each pair, of shape (problems, rows, columns). ``supports`` are the places
    of bins that are not one unit apart, of shape (bins,), (bins, coordinates) or, for each pair, (problems, bins,
    coordinates), or a tuple of two such arrays for P and Q; the name says how they are measured. Given costs have up to 4096
    bins, names with a closed form up to 2**20. More than 64 bins are solved on the CPU.

    Where P lies on a GPU, the distances and flows stay there. With ``flows`` the result has the mass that moves from each
    bin to each other: shares of 1 where both are scaled. A mass that is negative or not finite
    raises InvalidArgument; with ``invalid="nan"`` the distance of its problem is NaN, and the others are solved.

    >>> fovea.emd.distance([0.5, 0.5, 0], [0, 0.5, 0.5]).distances
    array([1.])"""
    start = time.perf_counter()
    _refuse_pot("distance", options)
    P, Q = as_numbers(P, "P"), as_numbers(Q, "Q")
    if not isinstance(invalid, str) or invalid != "raise":
        word(invalid, "invalid", ("raise", "nan"))
    if not isinstance(flows, bool):
        flows = flag(flows, "flows")
    costs = as_ground(ground) if supports is None else costs_between(supports, ground)
    if getattr(costs, "ndim", 2) == 3:
        solver, solve = _solved_each(P, Q, costs, dict(options))
        found = solve(flows, invalid == "nan")
    else:
        solver = kept.get(costs, _bins(P), dict(options))
        found = solver.solver.solve(P, Q, flows, invalid == "nan", False)
    if found[4] >= 0 and invalid == "raise":
        refuse_row(found[4], P, Q)
    return Distances(
        found,
        dict(solver.ground),
        options={**solver.options, "flows": flows},
        provenance=solver.provenance,
        command=solver.flow_command if flows else solver.command,
        seconds=time.perf_counter() - start,
    )


@takes_options(_fovea.emd.solve_options(), rules=())
def pairwise(
    A: Any, B: Any = None, ground: Ground = "l1", *, supports: Any = None, **options: Unpack[EmdSolveOptions]
) -> Doubles:
    """The distances of all rows of A to all rows of B, or to those of A itself: float64 of shape (rows of A, rows of B).

    Numbers of any type are taken. Ground distance, ``supports`` and masses are those of ``distance()``.

    >>> fovea.emd.pairwise([[1, 0, 0], [0, 0, 1]])
    array([[0., 2.],
           [2., 0.]])"""
    _refuse_pot("pairwise", options)
    sides = {"A": as_doubles(A, "A", (1, 2)), "B": as_doubles(A if B is None else B, "B", (1, 2))}
    first, second = (np.atleast_2d(rows) for rows in sides.values())
    costs = as_ground(ground) if supports is None else costs_between(supports, ground)
    solver = kept.get(costs, first.shape[1], dict(options))
    for name, rows, side in (("A", first, "rows"), ("B", second, "columns")):
        if rows.shape[1] != solver.ground[side]:
            bins = f"{rows.shape[1]} bins, but the ground distance has {solver.ground[side]} {side}"
            raise InvalidArgument(f"{name} has {bins}")
    table = np.empty((len(first), len(second)))
    across = len(first) < len(second)
    for i in range(min(table.shape)):
        one, other = (first[i : i + 1], second) if across else (first, second[i : i + 1])
        found = solver.solver.solve(one, other, False, False, False)
        if found[4] >= 0:
            row = (i, found[4]) if across else (found[4], i)
            refuse_row(found[4], one, other, (f"row {row[0]} of A", f"row {row[1]} of B"))
        (table[i] if across else table[:, i])[:] = on_host(found[0])
    return table
