"""What a new field of a result costs in Python: nothing, because all of it comes from the library's description."""

from __future__ import annotations

import copy
import pickle

import numpy as np

from fovea import _fovea
from fovea._results import Table, described


def with_heights():
    """The description of detected people, as the library would give it with one field more."""
    fields = copy.deepcopy(_fovea.people.detect_fields())
    people = next(field["element"]["fields"] for field in fields if field["name"] == "people")
    score = next(field for field in people if field["name"] == "score")
    people.append({**score, "name": "height_meters", "help": "how tall the person is", "unit": "meters"})
    return fields


@described(with_heights(), rows="people")
class Measured(Table):
    """The people of an image and how tall they are."""

    def __init__(self, values):
        super().__init__({}, {}, "")
        self._take({**values, **values["people"]})


def measured(meters):
    count = len(meters)
    people = {name: np.zeros((count, 4), np.float32) for name in ("box", "window")}
    people |= {name: np.ones(count, np.float32) for name in ("score", "confidence", "scale")}
    single = {field["name"]: 0 for field in Measured._fields}
    return Measured({**single, "people": {**people, "height_meters": np.array(meters, np.float32)}})


def test_a_new_field_is_an_attribute_with_its_documentation():
    assert measured([1.75, 1.5]).height_meters.tolist() == [1.75, 1.5]
    assert "    height_meters: how tall the person is, in meters\n" in Measured.__doc__


def test_a_new_field_is_the_last_column():
    result = measured([1.75, 1.5])
    assert list(result.columns()) == ["x", "y", "width", "height", "score", "confidence", "scale", "height_meters"]
    assert result.to_pandas()["height_meters"].tolist() == [1.75, 1.5]


def test_results_that_differ_in_a_new_field_are_unequal():
    assert measured([1.75]) == measured([1.75]) and measured([1.75]) != measured([1.5])


def test_a_new_field_is_pickled():
    result = measured([1.75, 1.5])
    assert pickle.loads(pickle.dumps(result)) == result
