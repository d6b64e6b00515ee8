"""Times of Fovea in Python: the overhead of calls, and whole tasks side by side with other libraries.

``python -m fovea.bench`` prints tables; ``--help`` lists what can be chosen. Libraries that are not installed are rows
with the reason. Everything runs on the CPU, because that is where the others run."""

from ._report import Report
from ._run import run

__all__ = ["Report", "run"]
