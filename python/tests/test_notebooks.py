"""The notebooks of examples/python run from beginning to end and draw pictures, and so does the script beside them."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/python"
SYSTEMS = ("actions", "emd", "flow", "mesh", "people", "scenes")


@pytest.fixture(scope="module")
def nbformat():
    """What reads notebooks; it comes with nbclient."""
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    return pytest.importorskip("nbformat", reason="nbformat is not installed")


def read(nbformat, name):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def test_every_system_has_a_notebook():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(SYSTEMS)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_notebook_is_stored_without_outputs(nbformat, name):
    book = read(nbformat, name)
    nbformat.validate(book)
    for cell in book.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_notebook_runs_and_draws(nbformat, name, tmp_path):
    for module in ("ipykernel", "PIL", "pandas"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    from nbclient import NotebookClient

    book = read(nbformat, name)
    NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    pictures = [output.data for output in outputs if output.output_type in ("display_data", "execute_result")]
    assert any(kind.startswith("image/") for data in pictures for kind in data)


def test_the_script_runs(tmp_path):
    line = [sys.executable, FOLDER / "first_minute.py"]
    said = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "people" in said and "expected 5 and 2" in said
    assert (tmp_path / "people.png").exists() and (tmp_path / "flow.png").exists()
