"""Earth Mover's Distances of all pairs, and POT's functions: values, keywords and gradients, and what is refused."""

from __future__ import annotations

import inspect
import types

import numpy as np
import pytest

import fovea

emd = fovea.emd
rng = np.random.default_rng(12)


def refused(call, words, kind=fovea.InvalidArgument):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_all_pairs():
    P, Q = rng.integers(1, 9, (40, 7)).astype(np.float64), rng.integers(1, 9, (5, 7)).astype(np.float64)
    for one, other in ((P, Q), (Q, P), (P[0], Q)):
        table = emd.pairwise(one, other)
        assert table.shape == (len(np.atleast_2d(one)), len(other))
        assert table[0, 3] == float(emd.distance(np.atleast_2d(one)[0], other[3]))
    squares = emd.pairwise(P.astype(np.uint8), ground="threshold:2")
    assert np.array_equal(squares, squares.T) and not squares.diagonal().any()
    costs = rng.random((7, 3))
    assert np.array_equal(emd.pairwise(P, Q[:, :3], costs)[:, 1], emd.distance(P, Q[1, :3], costs).distances)
    refused(lambda: emd.pairwise(P, Q[:, :3]), "B has 3 bins, but the ground distance has 7 columns")
    refused(lambda: emd.pairwise(P, -Q), "row 0 of B has mass -")
    refused(lambda: emd.pairwise(P, Q, costs=3), "costs", TypeError)


def weights(count):
    mass = rng.random(count)
    return mass / mass.sum()


def test_emd2_is_the_cost_of_the_plan():
    a, b, costs = weights(12), weights(20), rng.random((12, 20))
    plan = emd.emd(a, b, costs)
    assert np.allclose(plan.sum(axis=1), a) and np.allclose(plan.sum(axis=0), b)
    assert isinstance(emd.emd2(a, b, costs), float) and emd.emd(a.astype(np.float32), b, costs).dtype == np.float32
    assert np.isclose(emd.emd2(a, b, costs), (plan * costs).sum(), rtol=1e-10)
    assert np.isclose(emd.emd2(3 * a, 3 * b, costs), 3 * emd.emd2(a, b, costs), rtol=1e-10)
    assert np.isclose(emd.emd2([], [], [[0, 1], [1, 0]]), 0)
    assert emd.emd2([0.5, 0.5], [1, 0], [[0.0, 1.0], [1.0, 0.0]]) == 0.5
    many = np.stack([b, b[::-1]], axis=1)
    assert np.allclose(emd.emd2(a, many, costs), [emd.emd2(a, b, costs), emd.emd2(a, b[::-1], costs)], rtol=1e-12)
    assert emd.emd2(a, b, np.asfortranarray(costs)) == emd.emd2(a, b, costs)


def test_emd2_agrees_with_pot():
    ot = pytest.importorskip("ot", reason="POT is not installed")
    for rows, columns in ((2, 2), (5, 9), (64, 64), (65, 200), (1024, 300)):
        a, b, costs = weights(rows), weights(columns), rng.random((rows, columns))
        assert np.isclose(emd.emd2(a, b, costs), ot.emd2(a, b, costs), rtol=1e-9)
    for call in ("emd", "emd2"):  # the keywords that both have stand in one order
        ours, theirs = (list(inspect.signature(getattr(library, call)).parameters) for library in (emd, ot))
        assert [name for name in ours if name in theirs] == [name for name in theirs if name in ours]
    for call in ("emd", "emd2"):
        words = {"log": True, "numItermax": 1e6, "check_marginals": False}
        (ours, log), (theirs, expected) = (getattr(library, call)(a, b, costs, **words) for library in (emd, ot))
        assert np.allclose(ours, theirs) and set(log) == set(expected)
        assert np.isclose(log["cost"], expected["cost"]) and (log["warning"], log["result_code"]) == (None, 1)
        assert np.isclose(a @ log["u"], a @ expected["u"]) and np.isclose(b @ log["v"], b @ expected["v"])


def test_keywords_of_pot():
    a, b, costs = weights(9), weights(7), rng.random((9, 7))
    cost, log = emd.emd2(a, b, costs, return_matrix=True, processes=2, numThreads=1)
    assert cost == emd.emd2(a, b, costs) == log["cost"] and np.array_equal(log["G"], emd.emd(a, b, costs))
    assert np.isclose(a @ log["u"] + b @ log["v"], cost) and np.isclose(a @ log["u"], b @ log["v"])
    assert (log["u"][:, None] + log["v"] <= costs + 1e-12).all()
    plain = emd.emd2(a, b, costs, log=True, center_dual=False)[1]
    assert np.allclose(plain["u"] - log["u"], log["v"][0] - plain["v"][0]) and "G" not in plain
    pairs = emd.emd2(a, np.stack([b, b[::-1]], axis=1), costs, log=True)
    assert [pair[0] for pair in pairs] == [pair[1]["cost"] for pair in pairs] and pairs[0][0] == cost
    large = rng.random((90, 90))
    with pytest.warns(UserWarning, match="numItermax was reached"):
        bound, log = emd.emd2([], [], large, numItermax=2, log=True)
    assert log["result_code"] == 3 and "numItermax" in log["warning"] and bound > emd.emd2([], [], large)
    refused(lambda: emd.emd2(a, b, costs, numItermax=0), "numItermax is 0")
    refused(lambda: emd.emd2(a, b, costs, numThreads="all"), "numThreads is 'all'")


def test_names_of_scipy_and_pot():
    P, Q = np.random.default_rng(8).random((2, 40, 7))
    places = np.array([0.0, 1, 4, 9, 10, 12, 20])
    for theirs, ours in (("euclidean", "l2"), ("sqeuclidean", "squared"), ("cityblock", "l1"), ("manhattan", "l1")):
        assert emd.distance(P, Q, theirs) == emd.distance(P, Q, ours)
        assert np.array_equal(emd.distance(P, Q, theirs, supports=places), emd.distance(P, Q, ours, supports=places))
    corners = np.array([[0.0, 0], [3, 1], [1, 5]])
    apart = emd.distance([1.0, 0, 0], [[0.0, 1, 0], [0, 0, 1]], "chebyshev", supports=corners).distances
    assert apart.tolist() == [3, 5]
    with pytest.raises(fovea.InvalidArgument, match="'chebyshev' is not known; expected l1 .also cityblock or manhattan., l2"):
        emd.distance(P, Q, "chebyshev")
    for call, name in ((emd.distance, "distance"), (emd.pairwise, "pairwise")):
        with pytest.raises(TypeError, match=rf"{name}\(\) has no keyword 'log'; emd2\(\) has it"):
            call(P, Q, log=True)


def test_what_is_nearly_balanced_is_scaled():
    a, b, costs = weights(40), weights(30), rng.random((40, 30))
    exact = emd.emd2(a, b, costs)
    assert np.isclose(emd.emd2(a, b * (1 + 9e-7), costs), exact, rtol=1e-12)
    refused(lambda: emd.emd2(a, b * (1 + 2e-6), costs), "masses of a and b differ")
    assert np.isclose(emd.emd2(a.astype(np.float32), b.astype(np.float32), costs.astype(np.float32)), exact, rtol=1e-5)
    assert emd.emd2(a, b, np.ones((40, 30), int)) == pytest.approx(1)


def test_potentials_are_derivatives():
    a, b, costs = weights(6), weights(8), rng.random((6, 8))
    found = emd._pot._Plans((a, b, costs), emd._pot._options(100000, "max"), True, flows=True, potentials=True)
    step = 1e-7
    for place, derived in enumerate(found.gradients()):
        for at in np.ndindex(derived[0].shape):
            moved = []
            for sign in (1, -1):
                inputs = [a.copy(), b.copy(), costs.copy()]
                inputs[place][at] += sign * step
                moved.append(emd.emd2(*inputs, check_marginals=False))
            assert np.isclose((moved[0] - moved[1]) / (2 * step), derived[0][at], atol=1e-6)


def test_gradients_in_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    a, b, costs = weights(6), weights(8), rng.random((6, 8))
    inputs = [torch.from_numpy(value).requires_grad_() for value in (a, b, costs)]

    def cost(a, b, M):
        return emd.emd2(a, b, M, check_marginals=False)

    assert torch.autograd.gradcheck(cost, inputs)
    many = torch.from_numpy(np.stack([b, b[::-1]], axis=1)).requires_grad_()
    assert torch.autograd.gradcheck(cost, (inputs[0], many, inputs[2]))
    logits = torch.zeros(8, requires_grad=True)
    value, log = emd.emd2(torch.from_numpy(a).float(), logits.softmax(0), inputs[2].float(), log=True)
    value.backward()
    assert logits.grad.dtype == torch.float32 and abs(float(logits.grad.sum())) < 1e-6 and torch.is_tensor(log["u"])
    plan = emd.emd(torch.from_numpy(a), torch.from_numpy(b), inputs[2].detach())
    assert torch.is_tensor(plan) and not plan.requires_grad
    refused(lambda: emd.emd(*inputs), "whose gradients would be lost", fovea.InvalidType)
    refused(lambda: emd.distance(inputs[0], inputs[0]), "P is a Tensor whose gradients would be lost", fovea.InvalidType)


def test_gradients_are_never_lost_without_a_word():
    class Traced(np.ndarray):
        requires_grad = True

    mass, costs = np.array([0.5, 0.5]), np.eye(2)
    calls = {
        "P": lambda one: emd.distance(one, mass),
        "ground": lambda one: emd.distance(mass, mass, one),
        "A": lambda one: emd.pairwise(one),
        "a": lambda one: emd.emd(one, mass, costs),
        "b": lambda one: emd.emd2(mass, one, costs),
        "supports": lambda one: emd.distance(mass, mass, supports=one),
    }
    tracer = type("JVPTracer", (), {"__module__": "jax._src.interpreters.ad"})()
    variable = type("ResourceVariable", (), {"__module__": "tensorflow.python.ops"})()
    for name, call in calls.items():
        for one in (costs.view(Traced), types.SimpleNamespace(requires_grad=True), tracer, variable):
            refused(lambda one=one: call(one), f"^{name} is a .* whose gradients would be lost", fovea.InvalidType)


def test_emd2_agrees_with_linear_programming():
    optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
    a, b, costs = weights(6), weights(5), rng.random((6, 5))
    rows = np.kron(np.eye(6), np.ones(5))
    columns = np.kron(np.ones(6), np.eye(5))
    best = optimize.linprog(costs.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([a, b]))
    assert np.isclose(emd.emd2(a, b, costs), best.fun, rtol=1e-8)


def test_emd2_refuses_what_does_not_fit():
    a, b, costs = weights(4), weights(5), rng.random((4, 5))
    refused(lambda: emd.emd2(a, 2 * b, costs), "masses of a and b differ")
    refused(lambda: emd.emd2(b, a, costs), "a has 5 bins, but M has 4 rows")
    refused(lambda: emd.emd2(a, b, -costs), "cost")
    refused(lambda: emd.emd2(a, b, costs[0]), "M is float64 of shape")
    refused(lambda: emd.emd2(a, b, None), "M is None")
    refused(lambda: emd.emd2(a.astype(complex), b, costs), "a is an array of complex128")
    refused(lambda: emd.emd2(a * np.nan, b, costs), "masses of a and b differ")
    refused(lambda: emd.emd2([1.5, -0.5, 0, 0], b, costs), "a has mass -0.5 in bin 1")
    assert emd.emd2(a, 2 * b, costs, check_marginals=False) == pytest.approx(emd.emd2(a, b, costs))
