"""Keywords come from the library's own description of its options."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import fovea


@pytest.mark.parametrize(
    ("keywords", "kind", "words"),
    [
        ({"thresold": 1}, TypeError, "has no keyword 'thresold'; did you mean 'threshold'?"),
        ({"threshold": "high"}, TypeError, "threshold is 'high'; expected a number"),
        ({"ratio": 0.5}, ValueError, "expected a number from 1.01 to 4"),
        ({"ratio": float("nan")}, ValueError, "expected a number from 1.01 to 4"),
        ({"fuse": "never"}, ValueError, "expected smaller, union, mean-shift or none"),
        ({"region": (1, 2)}, TypeError, "region is (1, 2)"),
        ({"region": (0, 0, -5, 5)}, TypeError, "expected x,y,width,height"),
        ({"device": "tpu"}, ValueError, "write auto, cpu, cuda or cuda:N"),
        ({"threads": True}, TypeError, "threads is True; expected a whole number"),
        ({"stride": 2.5}, TypeError, "stride is 2.5; expected a whole number"),
        ({"stride": 10**30}, TypeError, "expected a whole number"),
        ({"fuse_weights": 1}, TypeError, "score, margin or one"),
    ],
)
def test_wrong_keywords_are_refused(keywords, kind, words):
    with pytest.raises(kind, match=re.escape(words)) as caught:
        fovea.people.Detector(**keywords)
    assert isinstance(caught.value, fovea.InvalidArgument)


def test_wrong_keywords_of_methods_are_refused_alike():
    image, detector = np.zeros((160, 100), np.uint8), fovea.people.Detector("hog", device="cpu")
    found, flow = detector.detect(image), fovea.flow.estimate(image, image, device="cpu")
    for call, says in (
        (lambda: detector.detect(image, maks=image), "detect() has no keyword 'maks'; did you mean 'mask'?"),
        (lambda: detector.detect(image, treshold=1), "options are given when it is made: Detector(threshold=...)"),
        (lambda: detector.detect_all([image], on_eror="skip"), "detect_all() has no keyword 'on_eror'; did you mean 'on_error'?"),
        (lambda: found.save("a.csv", outputs="csv"), "has no keyword 'outputs'"),
        (lambda: found.draw(pixels=image), "draw() has no keyword 'pixels'"),
        (lambda: found.to_coco(filename="a"), "did you mean 'file_name'?"),
        (lambda: flow.to_color(longst=3), "to_color() has no keyword 'longst'; did you mean 'longest'?"),
        (lambda: detector.model.save(file="a"), "save() has no keyword 'file'"),
        (lambda: fovea.KMeans(2).fit(np.zeros((4, 2)), weights=None), "fit() has no keyword 'weights'"),
        (lambda: detector.explain(image, 1, 1).draw(hole=True), "did you mean 'whole'?"),
    ):
        with pytest.raises(TypeError, match=re.escape(says)) as caught:
            call()
        assert isinstance(caught.value, fovea.InvalidType)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        detector.detect()
    assert inspect.signature(detector.detect).parameters.keys() == {"image", "mask"}


def test_options_of_a_part_are_one_keyword():
    signature = inspect.signature(fovea.flow.estimate)
    assert "lk" in signature.parameters and not any(name.startswith("lk_") for name in signature.parameters)
    assert len(inspect.signature(fovea.people.train).parameters) <= 24  # each of a hundred options is one of a part
    assert "\n    lk: " in fovea.flow.estimate.__doc__ and "\n        radius: " in fovea.flow.estimate.__doc__
    options = fovea.flow.Estimator(method="lk", lk={"radius": 3}, bm={}, device="cpu").options
    assert options == fovea.flow.Estimator(method="lk", lk_radius=3, device="cpu").options and options["lk_radius"] == 3
    assert fovea.Operation("mesh segment", hierarchy={"depth": 2}).options["hierarchy_depth"] == 2
    for keywords, says in (
        ({"lk": {"radios": 3}}, "no keyword 'lk_radios'; did you mean 'lk_radius'?"),
        ({"lk": {"radius": 3}, "lk_radius": 3}, "is given 'lk_radius' twice"),
        ({"lk": 3}, "lk is 3; expected a dict of its options"),
    ):
        with pytest.raises(TypeError, match=re.escape(says)):
            fovea.flow.Estimator(**keywords)


def test_values_of_numpy_and_none_are_taken():
    options = fovea.people.Detector(
        "hog", ratio=np.float32(1.25), stride=np.int64(16), region=np.array([1, 2, 64, 128]), threshold=None,
        fuse_weights="one", device="cpu",
    ).options
    assert options["ratio"] == 1.25 and options["stride"] == 16 and options["region"] == (1, 2, 64, 128)
    assert options["threshold"] == fovea.people.load_model("hog").threshold and options["fuse_weights"] == "one"


def test_signatures_and_documentation_list_every_option():
    for function in (fovea.people.Detector.__init__, fovea.people.detect, fovea.flow.estimate, fovea.read_image):
        signature = inspect.signature(function)
        assert not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
        for name, parameter in signature.parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                assert f"\n    {name}: " in function.__doc__
    assert inspect.signature(fovea.people.detect).parameters["ratio"].default == 1.05


def test_the_options_of_a_result_make_the_same_object():
    first = fovea.flow.Estimator(quality="best", lk_radius=3, device="cpu")
    assert fovea.flow.Estimator(**first.options).options == first.options
