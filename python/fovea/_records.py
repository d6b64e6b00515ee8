"""The fields of results, for type checkers alone: see ``_options``."""

from ._options import __getattr__ as __getattr__
