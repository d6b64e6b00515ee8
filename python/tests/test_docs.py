"""The examples of the documentation run as they stand."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib
import re

import numpy as np
import pytest

import fovea

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/opencv.md"])
def test_examples_run_as_they_stand(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/opencv.md", "docs/architecture.md"])
def test_examples_choose_thresholds_in_the_units_of_the_model(page):
    own = fovea.people.load_model("channels").threshold
    text = (ROOT / page).read_text()
    found = re.findall(r"(?:people\.detect|[Dd]etector)\([^)\n]*\"(?:people/)?channels\"[^)\n]*threshold ?= ?([-0-9.]+)", text)
    assert all(own / 2 < float(number) < 2 * own for number in found)


MODULES = ["people", "flow", "emd", "scenes", "actions", "mesh", "ops", "files", "errors", "kmeans"]


def docstrings(module):
    """The documentation of a module and of all that is public in it, by name."""
    found = {module.__name__: module}
    for name in [name for name in dir(module) if not name.startswith("_")]:
        thing = getattr(module, name)
        found[f"{module.__name__}.{name}"] = thing
        if inspect.isclass(thing):
            found.update({f"{module.__name__}.{name}.{part}": getattr(thing, part) for part in dir(thing) if not part.startswith("_")})
    return {name: inspect.getdoc(thing) or "" for name, thing in found.items()}


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_speak_python(name):
    module = importlib.import_module(f"fovea.{name}")
    assert "annotations" not in dir(module)
    for place, text in docstrings(module).items():
        spoken = re.sub(r"``fovea [^`]*``", "", text)  # commands of the program
        assert not re.search(r"(?<![-\w])--[a-z]", spoken), place


def test_examples_of_docstrings_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {"fovea.run": fovea.run.__doc__}
    for name in MODULES:
        texts.update(docstrings(importlib.import_module(f"fovea.{name}")))
    ran = 0
    for place, text in texts.items():
        names = {"fovea": fovea, "np": np, **vars(fovea.people)}
        test = doctest.DocTestParser().get_doctest(text, names, place, place, 0)
        assert doctest.DocTestRunner(verbose=False).run(test).failed == 0, place
        ran += bool(test.examples)
    assert ran >= 12


def test_stubs_speak_of_keywords():
    folder = pathlib.Path(inspect.getfile(fovea)).parent
    for stub in sorted(folder.rglob("*.pyi")):
        assert not re.search(r"(?<![-\w])--[a-z]", stub.read_text()), stub
    assert "with `mass='penalty'`" in (folder / "_options.pyi").read_text()


def test_helps_of_options_have_keywords():
    assert "surplus mass with ``mass='penalty'`` (" in fovea.emd.distance.__doc__
    assert "with ``horizon``: height" in fovea.people.detect.__doc__
    assert "needs ``division``" in fovea.mesh.Segmentation.save.__doc__
