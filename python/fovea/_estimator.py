"""The rules of scikit-learn's estimators, for classes that do not need scikit-learn."""

from __future__ import annotations

import difflib
import re
import sys
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import _fovea
from ._arguments import array_from, array_of_type, shown, unmasked
from ._keywords import Methods
from ._options import Self
from .errors import InvalidArgument, InvalidType

__all__ = ["Estimator"]


class Estimator(Methods):
    """Parameters as scikit-learn has them: the constructor stores them as they are, ``fit`` checks them, and what was
    learned has names that end in an underscore. Clones, pipelines and searches of scikit-learn take such objects."""

    # Objects of the extension module are kept apart from what was learned, which alone is in __dict__.
    __slots__ = ("__dict__", "__weakref__", "_held")

    #: The table of the parameters with their defaults.
    _table: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, **parameters: Any) -> None:
        self._require_known(parameters)
        for entry in self._table:
            setattr(self, entry["name"], parameters.get(entry["name"], entry["default"]))

    if TYPE_CHECKING:  # the parameters

        def __getattr__(self, name: str) -> Any: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values."""
        return {entry["name"]: getattr(self, entry["name"]) for entry in self._table}

    def set_params(self, **parameters: Any) -> Self:
        """Changes parameters. They count from the next ``fit`` on, ``device`` and ``threads`` at once."""
        self._require_known(parameters)
        for name, value in parameters.items():
            setattr(self, name, value)
        self._held: Any = None  # made again when it is needed
        return self

    #: The parameters of the last ``fit``.
    parameters_: dict[str, Any]
    #: The numbers of a sample, and the names of its columns where ``fit`` was given a table with names.
    n_features_in_: int
    feature_names_in_: np.ndarray[Any, Any]

    def _keywords(self) -> dict[str, Any]:
        """The parameters as the library takes them."""
        usual = {entry["name"]: entry["default"] for entry in self._table}
        keywords = {name: usual[name] if value is None else value for name, value in self.get_params().items()}
        seed = "random_state" if "random_state" in keywords else "seed"
        drawn = keywords[seed]
        if isinstance(drawn, np.random.RandomState):
            keywords[seed] = int(drawn.randint(2**31 - 1))
        elif isinstance(drawn, np.random.Generator):
            keywords[seed] = int(drawn.integers(2**31 - 1))
        return keywords

    def _samples(self, X: Any, first: bool = False) -> Any:
        """Samples, one per row, as float32. But for the ``first`` time, they have to be like those of ``fit``."""
        known = self.__dict__
        if type(X) is np.ndarray and X.dtype == np.float32 and X.ndim == 2 and not first:
            if X.shape[1] == known["n_features_in_"] and "feature_names_in_" not in known:
                return X
        unmasked(X, "X")
        wanted = "an array of float32 and of shape (points, numbers)"
        given: Any = X
        if not _fovea.lies_on_gpu(X):
            if getattr(getattr(X, "dtype", None), "kind", "") == "c":
                raise InvalidType(f"X is {X.dtype} of shape {X.shape}; expected {wanted}. Complex data not supported")
            if type(X) is not np.ndarray or X.dtype.kind not in "iuf" or not X.dtype.isnative:
                given = array_from(X, "X", wanted, _fovea.array_rules()[1])
            if given.ndim == 1:
                raise InvalidType(
                    f"X is {given.dtype} of shape {given.shape}; expected {wanted}. Reshape your data: X.reshape(1, -1) is one "
                    "sample, X.reshape(-1, 1) has one number per sample"
                )
        shape = tuple(given.shape)
        if len(shape) == 2 and shape[1] == 0:
            raise InvalidArgument(f"X has 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
        if not first:
            self._require_alike(X, shape)
        if isinstance(given, np.ndarray) and given.dtype != np.float32:
            if _fovea.array_rules()[1]:
                raise InvalidType(f"X is {given.dtype} of shape {shape}, which takes a copy that strict forbids; expected {wanted}")
            given = array_of_type(given, "X", ["float32"], wanted)
        return given

    def _remember(self, X: Any, count: int) -> None:
        """Keeps what the samples of ``fit`` were like."""
        self.n_features_in_ = count
        self.__dict__.pop("feature_names_in_", None)
        names = _column_names(X)
        if names is not None:
            self.feature_names_in_ = names

    def _require_alike(self, X: Any, shape: tuple[int, ...]) -> None:
        kind, expected = type(self).__name__, self.n_features_in_
        names, known = _column_names(X), self.__dict__.get("feature_names_in_")
        if names is not None and known is not None and not np.array_equal(names, known):
            unseen, missing = sorted({*names} - {*known}), sorted({*known} - {*names})
            what = (
                f"{unseen[0]!r} was unseen at fit time" if unseen
                else f"{missing[0]!r} was seen at fit time and is missing" if missing
                else "they must be in the same order as in fit"
            )
            raise InvalidArgument(f"X: the feature names should match those that were passed during fit; {what}")
        if len(shape) == 2 and shape[1] != expected:
            raise InvalidArgument(f"X has {shape[1]} features, but {kind} is expecting {expected} features as input")
        if names is not None and known is None:
            warnings.warn(f"X has feature names, but {kind} was fitted without feature names", UserWarning, stacklevel=4)
        elif names is None and known is not None:
            message = f"X does not have valid feature names, but {kind} was fitted with feature names"
            warnings.warn(message, UserWarning, stacklevel=4)

    def _fitted_parameters(self) -> dict[str, Any]:
        self._require_fitted()
        return {**self.parameters_, "device": self.device, "threads": self.threads}

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in self.__dict__)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=self._estimator_type,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=["float32"]),
            input_tags=InputTags(),
        )

    #: What scikit-learn calls the kind of the estimator.
    _estimator_type: ClassVar[str | None] = None

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __repr__(self) -> str:
        usual = {entry["name"]: entry["default"] for entry in self._table}
        changed = {name: value for name, value in self.get_params().items() if repr(value) != repr(usual[name])}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise _not_fitted()(f"this {type(self).__name__} has learned nothing yet; call fit() first")

    def _require_known(self, parameters: dict[str, Any]) -> None:
        known = [entry["name"] for entry in self._table]
        for name in parameters:
            if name not in known:
                near = difflib.get_close_matches(name, known)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise InvalidType(f"{type(self).__name__}() has no keyword {name!r}{hint}")

    def _feature_prefix(self) -> str:
        return re.sub("[^a-z0-9]", "", type(self).__name__.lower())


def _not_fitted() -> type[InvalidArgument]:
    """The error of an estimator that has learned nothing, which is scikit-learn's as well where that is in use."""
    module = sys.modules.get("sklearn.exceptions")
    return InvalidArgument if module is None else type("NotFitted", (InvalidArgument, module.NotFittedError), {})


def _column_names(X: Any) -> np.ndarray[Any, Any] | None:
    """The names of the columns of a table, where they are texts."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns) or not len(columns):
        return None
    return np.asarray(list(columns), dtype=object)


def weights_of(sample_weight: Any, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One weight per sample, of 0 or more and not all 0."""
    unmasked(sample_weight, "sample_weight")
    weights = array_from(sample_weight, "sample_weight", "one number per sample", False)
    if weights.ndim != 1:
        raise InvalidArgument(f"sample_weight is {weights.dtype} of shape {weights.shape}; expected one number per sample")
    if len(weights) != count:
        raise InvalidArgument(f"sample_weight has {len(weights)} elements for {count} samples; expected one each")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise InvalidArgument(f"sample_weight holds {shown(weights[wrong][0])}; expected a finite number of 0 or more")
    if not weights.any():
        raise InvalidArgument("sample_weight is zero for every sample; expected a sum above 0")
    return weights.astype(np.float64)
