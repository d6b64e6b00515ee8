"""Support vector machines, and how well predictions agree with the truth."""

from __future__ import annotations

import sys
import warnings
from typing import Any, ClassVar

import numpy as np

from .. import _fovea
from .._estimator import Estimator, weights_of
from .._arguments import unmasked
from .._keywords import takes_options
from .._options import OpsFitKernelSvmOptions, OpsFitSvmOptions, Self, Unpack
from ..errors import InvalidArgument, InvalidType

Array = np.ndarray[Any, np.dtype[Any]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]

# Numbers of samples that are in double precision at a time.
_BLOCK = 1 << 20


class _Machines(Estimator):
    """Machines that divide two classes, or each class from all others, and what follows from their values."""

    classes_: Array  #: the classes in ascending order; of two, the second has positive values
    converged_: bool  #: whether every machine ended within ``tol``
    objective_: Doubles  #: what each machine made as small, or in its dual form as great, as it could
    n_iter_: int  #: steps of the machine that took most
    intercept_: Floats  #: the bias of each machine

    _estimator_type = "classifier"

    #: Learns a machine that divides two classes.
    _learn: ClassVar[Any]
    #: What such a machine calls its steps.
    _steps: ClassVar[str]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from samples, one per row of an array of float32, and their classes: numbers or texts, two or more.

        ``sample_weight`` has one number of 0 or more per sample, float32 or float64."""
        samples, keywords = self._samples(X, first=True), self._keywords()
        if y is None:
            raise InvalidType(f"{type(self).__name__} requires y to be passed, but the target y is None")
        labels = _labels_of(y, "y")
        _require_one_each(samples, "y", len(labels))
        weights = None if sample_weight is None else weights_of(sample_weight, len(labels))
        classes = _classes_of(labels if weights is None else labels[weights > 0], "y")
        if len(classes) < 2:
            raise InvalidArgument("y has a single class (1 class) among samples with a weight; expected two or more")
        positive = classes[1:] if len(classes) == 2 else classes
        signs = (np.where(labels == one, 1, -1).astype(np.int8) for one in positive)
        machines = [self._learn(samples, sign, weights, keywords) for sign in signs]
        self.classes_ = classes
        self.n_iter_ = max(machine[self._steps] for machine in machines)
        self.converged_ = all(machine["converged"] for machine in machines)
        self.objective_ = np.array([machine["objective"] for machine in machines])
        self._remember(X, int(samples.shape[1]))
        self.parameters_ = keywords
        self.intercept_ = np.array([machine["bias"] for machine in machines], np.float32)
        self._keep(machines)
        return self

    def _keep(self, machines: list[dict[str, Any]]) -> None:
        raise NotImplementedError

    def decision_function(self, X: Any) -> Doubles:
        """How far each sample lies on the side of the second class, or with more than two classes a column per
        class."""
        self._require_fitted()
        samples = self._samples(X)
        _fovea.ops.check_samples(samples, self.n_features_in_)
        values = self._values(samples)
        return values[:, 0] if values.shape[1] == 1 else values

    def _values(self, X: Any) -> Doubles:
        """One column per machine."""
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """The class of each sample."""
        values = self.decision_function(X)
        places = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[places]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the samples whose class is predicted right."""
        predicted, truth = self.predict(X), _labels_of(y, "y")
        _require_one_each(predicted[:, None], "y", len(truth))
        weights = None if sample_weight is None else weights_of(sample_weight, len(truth))
        return float(np.average(predicted == truth, weights=weights))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags = None
        tags.classifier_tags = ClassifierTags()
        return tags


class LinearSVM(_Machines):
    """A linear support vector machine with the hinge loss. It follows the rules of scikit-learn's estimators, with
    samples of float32 that are not copied. More than two classes are each divided from all others.

    By default the bias is free, as theory has it; ``bias_feature`` is what ``sklearn.svm.LinearSVC`` calls
    ``intercept_scaling``."""

    coef_: Floats  #: one row of weights per machine: one for two classes, else one per class

    _table = _fovea.ops.fit_svm_options()
    _learn = staticmethod(_fovea.ops.fit_svm)
    _steps = "passes"

    @takes_options(_table, rules=())
    def __init__(self, **options: Unpack[OpsFitSvmOptions]) -> None:
        """Takes the parameters; ``fit`` checks them."""
        super().__init__(**options)

    def _keep(self, machines: list[dict[str, Any]]) -> None:
        self.coef_ = np.stack([machine["weights"] for machine in machines])

    def _values(self, X: Any) -> Doubles:
        samples = np.asarray(X)
        weights = np.ascontiguousarray(self.coef_.T, np.float64)
        values = np.empty((len(samples), len(self.coef_)))
        step = max(1, _BLOCK // samples.shape[1])
        for first in range(0, len(samples), step):
            values[first : first + step] = samples[first : first + step].astype(np.float64) @ weights
        values += self.intercept_
        return values


class KernelSVM(_Machines):
    """A support vector machine with an RBF or linear kernel, solved exactly. It follows the rules of scikit-learn's
    estimators, with samples of float32. More than two classes are each divided from all others.

    The matrix of the kernel is kept whole, four bytes per pair of samples: it is meant for studies, to learn what a
    kernel would gain over LinearSVM."""

    support_vectors_: list[Floats]  #: the support vectors of each machine, one per row
    dual_coef_: list[Floats]  #: one number per support vector of each machine

    _table = _fovea.ops.fit_kernel_svm_options()
    _learn = staticmethod(_fovea.ops.fit_kernel_svm)
    _steps = "steps"

    @takes_options(_table, rules=())
    def __init__(self, **options: Unpack[OpsFitKernelSvmOptions]) -> None:
        """Takes the parameters; ``fit`` checks them."""
        super().__init__(**options)

    def _keep(self, machines: list[dict[str, Any]]) -> None:
        self.support_vectors_ = [machine["vectors"] for machine in machines]
        self.dual_coef_ = [machine["coefficients"] for machine in machines]

    def _values(self, X: Any) -> Doubles:
        machines = zip(self.support_vectors_, self.dual_coef_, self.intercept_)
        parameters = self._fitted_parameters()
        columns = [
            _fovea.ops.kernel_svm_values({"vectors": v, "coefficients": c, "bias": float(b)}, X, parameters)
            for v, c, b in machines
        ]
        return np.stack(columns, axis=1).astype(np.float64)


def _require_one_each(X: Any, name: str, count: int) -> None:
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 2 and shape[0] != count:
        raise InvalidArgument(f"{name} has {count} elements for {shape[0]} samples; expected one each")


def _labels_of(y: Any, name: str) -> Array:
    unmasked(y, name)
    try:
        labels = np.asarray(y)
    except ValueError:  # rows of different lengths
        raise InvalidType(f"{name} is no array; expected one class per sample") from None
    if labels.dtype.kind == "c":
        raise InvalidType(f"{name} is {labels.dtype}; expected one class per sample. Complex data not supported")
    if labels.ndim == 2 and labels.shape[1] == 1:
        # A subclass of UserWarning, where scikit-learn is in use.
        kind = getattr(sys.modules.get("sklearn.exceptions"), "DataConversionWarning", UserWarning)
        warnings.warn("A column-vector y was passed when a 1d array was expected", kind, stacklevel=3)
        labels = labels[:, 0]
    if labels.ndim != 1 or labels.dtype.kind not in "biufUO":
        raise InvalidType(f"{name} is {labels.dtype} of shape {labels.shape}; expected one class per sample")
    if labels.dtype.kind == "f" and not np.all(np.isfinite(labels)):
        raise InvalidArgument(f"{name} has a class that is no number; expected finite ones")
    if labels.dtype.kind == "f" and np.any(labels != np.rint(labels)):
        raise InvalidArgument(f"{name} holds {labels[labels != np.rint(labels)][0]}; expected classes. Unknown label type: continuous")
    return labels


def _classes_of(labels: Array, name: str) -> Array:
    """The classes in ascending order."""
    try:
        return np.unique(labels)
    except TypeError:
        raise InvalidType(f"{name} has classes that cannot be ordered; expected numbers or texts") from None


def confusion_matrix(y_true: Any, y_pred: Any, classes: int | None = None) -> np.ndarray[Any, np.dtype[np.int64]]:
    """How often samples of each class (row) were predicted as each class (column), int64.

    Labels are int32 or int64 from 0 to ``classes`` - 1; without it, to the greatest that occurs."""
    return _fovea.ops.confusion_matrix(y_true, y_pred, classes)


def accuracy(confusion: Any) -> float:
    """The share of samples on the diagonal of a confusion matrix; 0 without samples."""
    return float(_fovea.ops.accuracy(confusion))


def recall(confusion: Any) -> Doubles:
    """The share of each true class that was predicted right, float64; 0 for a class without samples."""
    return _fovea.ops.recall(confusion)


def wilson_interval(right: int, all: int) -> tuple[float, float]:
    """The 95 % confidence interval of the share ``right`` / ``all`` (Wilson 1927)."""
    low, high = _fovea.ops.wilson_interval(right, all)
    return low, high
