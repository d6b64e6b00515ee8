"""The functions of POT."""

from __future__ import annotations

import functools
import sys
import warnings
from typing import Any

import numpy as np

from .._arguments import flag, number_of, whole_number
from ..errors import InvalidArgument, InvalidType
from ._distance import PIVOT_LIMIT, kept, refuse_row
from ._shared import Array, Doubles, as_doubles

_OPTIMAL, _STOPPED = 1, 3  # the codes of POT
_MOST_PIVOTS = 60000  # the option's limit; beyond it, the solver's own is in force


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _plain(value: Any, gradients: bool) -> Any:
    """A tensor where NumPy can read it, without its gradients if they are known otherwise; anything else as it is."""
    if not _is_tensor(value):
        return value
    return (value.detach() if gradients else value).cpu()


def _weights(value: Any, name: str, count: int, side: str) -> Doubles:
    """Weights of so many bins; no weights at all are equal ones."""
    if value is None or (np.ndim(value) == 1 and len(value) == 0):
        return np.full(count, 1.0 / max(1, count))
    weights = as_doubles(value, name, (1,) if name == "a" else (1, 2))
    if len(weights) != count:
        raise InvalidArgument(f"{name} has {len(weights)} bins, but M has {count} {side}")
    return weights


def _options(numItermax: Any, numThreads: Any) -> dict[str, Any]:
    """The solver's. With a penalty of 0 the distance is the cost itself, not the cost per mass."""
    most = number_of(numItermax, "numItermax")
    if not most >= 1:
        raise InvalidArgument(f"numItermax is {most:g}; expected at least 1")
    every = isinstance(numThreads, str) and numThreads == "max"
    threads = 0 if every else whole_number(numThreads, "numThreads", "a whole number or 'max'")
    pivots = int(most) if most <= _MOST_PIVOTS else 0
    return {"mass": "penalty", "penalty": 0.0, "device": "cpu", "max_pivots": pivots, "threads": threads}


class _Plans:
    """The solved problems of a call: their costs, plans and potentials."""

    def __init__(
        self, inputs: tuple[Any, Any, Any], options: dict[str, Any], check: bool, flows: bool, potentials: bool,
        gradients: bool = False,
    ) -> None:
        a, b, M = (_plain(value, gradients) for value in inputs)
        costs = as_doubles(M, "M", (2,))
        self.first = _weights(a, "a", costs.shape[0], "rows")
        second = _weights(b, "b", costs.shape[1], "columns")
        self.is_one = second.ndim == 1
        second = np.ascontiguousarray(np.atleast_2d(second.T))
        self.mass, others = float(self.first.sum()), second.sum(axis=1)
        for other in others.tolist() if check else ():
            if not abs(self.mass - other) <= 1e-6 * max(self.mass, other):
                raise InvalidArgument(f"the masses of a and b differ: {self.mass:g} and {other:g}; expected equal ones")
        self.scale = np.divide(self.mass, others, out=np.ones(len(others)), where=others > 0)
        self.second = second * self.scale[:, None]
        found = kept.get(costs, 0, options).solver.solve(self.first, self.second, flows, False, potentials)
        if found[4] >= 0:
            refuse_row(found[4], self.first, self.second, ("a", "b"))
        self.values: Doubles = found[0]
        self.flows, self.potentials = found[3], found[6]
        self.stopped: list[bool] = (found[1] == PIVOT_LIMIT).tolist()
        if any(self.stopped):
            warnings.warn("numItermax was reached: the cost is an upper bound", stacklevel=3)
        # What is returned is of the type of a, of b where there is none, or else of M.
        typed = [value for value in inputs if len(getattr(value, "shape", ())) and 0 not in value.shape]
        self._like: Any = next((value for value in typed if _is_tensor(value)), typed[0] if typed else None)

    def given(self, values: Any) -> Any:
        """Numbers as an array or a tensor of the type of the inputs, or float64 where that has no fractions."""
        like = self._like
        if _is_tensor(like):
            return sys.modules["torch"].as_tensor(values).to(like if like.is_floating_point() else like.double())
        return values.astype(like.dtype, copy=False) if getattr(like, "dtype", None) in (np.float32, np.float16) else values

    def log(self, k: int, cost: Any, center: bool, matrix: bool) -> dict[str, Any]:
        u, v = np.split(self.potentials[k], [len(self.first)])
        if center:  # the weighted sums of both become equal
            masses = self.first.sum() + self.second[k].sum()
            more = (self.second[k] @ v - self.first @ u) / masses if masses > 0 else 0.0
            u, v = u + more, v - more
        stopped = self.stopped[k]
        log = {"cost": cost, "u": self.given(u), "v": self.given(v)}
        log["warning"] = "numItermax reached before optimality. Try to increase numItermax." if stopped else None
        log["result_code"] = _STOPPED if stopped else _OPTIMAL
        return {**log, "G": self.given(self.flows[k])} if matrix else log

    def gradients(self) -> tuple[Array, Array, Array]:
        """The derivatives of each cost by a, b and M. Scaling b to the mass of a is a part of what is derived."""
        u, v = np.split(self.potentials, [len(self.first)], axis=1)
        mean = (v * self.second).sum(axis=1, keepdims=True) / (self.mass or 1.0)
        return u + mean, self.scale[:, None] * (v - mean), self.flows


@functools.cache
def _with_gradients() -> Any:
    """Costs as torch has them, whose gradients are known."""
    torch: Any = sys.modules["torch"]

    class Cost(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(context: Any, costs: Any, by: Any, *inputs: Any) -> Any:
            context.by = [
                torch.as_tensor(one).to(value) if _is_tensor(value) else None for one, value in zip(by, inputs)
            ]
            context.is_one = costs.ndim == 0
            return costs

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(context: Any, wanted: Any) -> Any:
            found: list[Any] = [None, None]
            for place, by in enumerate(context.by):
                if not context.needs_input_grad[place + 2]:
                    found.append(None)
                    continue
                each = wanted.reshape(-1, *[1] * (by.ndim - 1)).to(by) * by
                columns = place == 1 and not context.is_one
                found.append(each.T if columns else each.sum(dim=0))
            return tuple(found)

    return Cost


def emd2(
    a: Any,
    b: Any,
    M: Any,
    processes: Any = 1,
    numItermax: Any = 100000,
    log: bool = False,
    return_matrix: bool = False,
    center_dual: bool = True,
    numThreads: Any = "max",
    check_marginals: bool = True,
    potentials_init: Any = None,
) -> Any:
    """The least cost of moving the weights a to the weights b under the costs M: ``ot.emd2`` of POT, exactly.

    Arguments and results are those of POT. Weights and costs are numbers of any type; no weights at all (``[]`` or None)
    are equal ones. Masses that differ by up to 1e-6 of them are made equal by scaling b, and others are refused unless
    ``check_marginals=False``. With b of shape (bins, problems) the result has one cost per column. With ``log`` or
    ``return_matrix`` it is a pair of the cost and a dictionary, or a list of such pairs: ``cost``, the potentials ``u`` and
    ``v`` (with ``center_dual`` of equal weighted sums), ``warning``, ``result_code`` and, on request, the plan ``G``.

    Tensors of torch give a tensor, with gradients by a, b and M. Scaling b is a part of what is derived, so that masses
    which add up to any sum have a gradient. ``processes`` and ``potentials_init`` change nothing here.

    >>> fovea.emd.emd2([0.5, 0.5], [1, 0], [[0, 1], [1, 0]])
    0.5"""
    whole_number(processes, "processes")
    wanted, matrix, center = flag(log, "log"), flag(return_matrix, "return_matrix"), flag(center_dual, "center_dual")
    options, check = _options(numItermax, numThreads), flag(check_marginals, "check_marginals")
    tensors = [value for value in (a, b, M) if _is_tensor(value)]
    traced = any(value.requires_grad for value in tensors)
    plans = _Plans((a, b, M), options, check, matrix or traced, wanted or matrix or traced, gradients=True)
    costs: Any = plans.values[0] if plans.is_one else plans.values
    if tensors:
        costs = plans.given(costs)
    elif plans.is_one:
        costs = float(costs)
    if traced:
        costs = _with_gradients().apply(costs, plans.gradients(), a, b, M)
    if not wanted and not matrix:
        return costs
    each = [costs] if plans.is_one else list(costs)
    pairs = [(cost, plans.log(k, cost, center, matrix)) for k, cost in enumerate(each)]
    return pairs[0] if plans.is_one else pairs


def emd(
    a: Any,
    b: Any,
    M: Any,
    numItermax: Any = 100000,
    log: bool = False,
    center_dual: bool = True,
    numThreads: Any = "max",
    check_marginals: bool = True,
    potentials_init: Any = None,
) -> Any:
    """A plan of least cost, the mass moved from bin i of a to bin j of b: ``ot.emd`` of POT, exactly.

    With ``log`` it is a pair of the plan and the dictionary that ``emd2()`` describes. The plan has the type of a and no
    gradients."""
    if np.ndim(b) == 2:
        raise InvalidType("b has two axes; expected the weights of one problem")
    wanted, center = flag(log, "log"), flag(center_dual, "center_dual")
    options, check = _options(numItermax, numThreads), flag(check_marginals, "check_marginals")
    plans = _Plans((a, b, M), options, check, True, wanted)
    plan = plans.given(plans.flows[0])
    return (plan, plans.log(0, float(plans.values[0]), center, False)) if wanted else plan
