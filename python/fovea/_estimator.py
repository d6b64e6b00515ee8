"""The rules of scikit-learn's estimators, for classes that do not need scikit-learn."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, ClassVar

from .errors import InvalidArgument, InvalidType

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Estimator"]


class Estimator:
    """Parameters as scikit-learn has them: the constructor stores them as they are, ``fit`` checks them, and what was
    learned has names that end in an underscore. Clones, pipelines and searches of scikit-learn take such objects."""

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
        for name in [name for name in self.__dict__ if name.startswith("_")]:
            delattr(self, name)  # objects of the extension module, which are made again
        return self

    #: The parameters of the last ``fit``.
    parameters_: dict[str, Any]

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
        # Objects of the extension module are made again when they are needed.
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __repr__(self) -> str:
        usual = {entry["name"]: entry["default"] for entry in self._table}
        changed = {name: value for name, value in self.get_params().items() if repr(value) != repr(usual[name])}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise InvalidArgument(f"this {type(self).__name__} has learned nothing yet; call fit() first")

    def _require_known(self, parameters: dict[str, Any]) -> None:
        known = [entry["name"] for entry in self._table]
        for name in parameters:
            if name not in known:
                near = difflib.get_close_matches(name, known)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise InvalidType(f"{type(self).__name__}() has no keyword {name!r}{hint}")

    def _feature_prefix(self) -> str:
        return re.sub("[^a-z0-9]", "", type(self).__name__.lower())
