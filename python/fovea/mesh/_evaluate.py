"""How much segmentations differ."""

from __future__ import annotations

from typing import Any

from .. import _fovea
from .._records import MeshEvaluateFields as _Comparison
from .._results import Record, command_line, described
from ..errors import InvalidArgument, InvalidType
from ..files import is_path
from ._mesh import MeshLike, mesh_like, read_labels
from ._segment import Segmentation


@described(_fovea.mesh.evaluate_fields())
class Comparison(Record, _Comparison):
    """How much a segmentation differs from others, by the measures of the Princeton benchmark: 0 for equal ones."""

    def __repr__(self) -> str:
        return f"Rand error {self.rand:.3f}, cut {self.cut_discrepancy:.3f}, Hamming {self.hamming:.3f}"


def _labels(value: Any, name: str) -> Any:
    if isinstance(value, Segmentation):
        return value.labels
    if is_path(value):
        return read_labels(value)
    if value is None:
        raise InvalidType(f"{name} is None; expected labels, a Segmentation, or a path")
    return value


def evaluate(labels: Any, truth: Any, *, mesh: MeshLike | None = None) -> Comparison:
    """Compares a segmentation with the true one, or with several that people made: then each measure is the mean.

    Labels and truth are arrays of int32 or int64 with one number per face, Segmentations or paths of label files; truth
    may be a list of them. The measures need the mesh, which a Segmentation brings along."""
    given = mesh if mesh is not None else next((s.mesh for s in (labels, truth) if isinstance(s, Segmentation)), None)
    if given is None:
        raise InvalidArgument("the measures depend on the mesh; give mesh=MESH, or a Segmentation as labels")
    truths = [_labels(each, "truth") for each in (truth if isinstance(truth, (list, tuple)) else [truth])]
    errors = _fovea.mesh.evaluate(mesh_like(given)._mesh, _labels(labels, "labels"), truths)
    folders = ("--meshes", "MESHES", "--segmentations", "TRUTHS", "--labels", "LABELS", "--no-people", "--json")
    command = command_line("fovea", "mesh", "eval", *folders)
    return Comparison({}, {"device": "cpu", "seed": None}, command, dict(errors))
