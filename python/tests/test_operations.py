"""Every operation of the program by its name, and the files of its results, which are those that the program writes."""

from __future__ import annotations

import inspect
import pathlib
import pickle
import shutil

import numpy as np
import pytest

import fovea
from fovea import _fovea
from fovea._words import in_python

# What an operation needs, or what makes all of its files possible.
OPTIONS = {
    "people detect": {"model": "hog", "threshold": -1},
    "people track": {"model": "hog", "threshold": -1, "confirm": 1},
    "emd track": {"target": "20,20,60,90"},
    "mesh segment": {"parts": 3, "division": "hierarchical", "keep_memberships": True, "picture_width": 96},
    "mesh distances": {"from": [0, 5], "picture_width": 96},
    "ops resize": {"width": 20},
    "ops convolve": {"laplacian": 1.5},
    "ops histogram": {"levels": 4, "window_width": 5, "window_height": 5},
}
# Those that write all of their files while they run.
AT_ONCE = {"mesh arcs", "mesh distances", "scenes words"}


def outputs():
    return [(name, each["name"]) for name in fovea.operations() for each in _fovea.operations.described(name)["outputs"]]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory, street):
    """An input of each kind, as a file."""
    folder = tmp_path_factory.mktemp("inputs")
    image = fovea.read_image(street)
    fovea.write_image(folder / "street.png", image[180:460, 180:420])
    rings = np.arange(24) / 24 * 2 * np.pi
    tube = [(np.cos(a) * (1 + 0.6 * np.cos(z)), np.sin(a) * (1 + 0.6 * np.cos(z)), z) for z in np.linspace(0, 9, 16) for a in rings]
    faces = [(r * 24 + i, r * 24 + (i + 1) % 24, r * 24 + 24 + i) for r in range(15) for i in range(24)]
    faces += [(r * 24 + (i + 1) % 24, r * 24 + 24 + (i + 1) % 24, r * 24 + 24 + i) for r in range(15) for i in range(24)]
    fovea.mesh.write(folder / "tube.off", (np.array(tube, np.float32), np.array(faces, np.int32)))
    return {False: folder / "street.png", True: folder / "tube.off"}


def options_of(name):
    known = _fovea.operations.described(name)
    here = {"device": "cpu"} if any(each["name"] == "device" for each in known["options"]) else {}
    return {**OPTIONS.get(name, {}), **here}


def flags_of(options):
    words = []
    for name, value in options.items():
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(",".join(map(str, value)) if isinstance(value, list) else str(value))
    return words


def content(folder):
    """The bytes of all files below a folder."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


def ending_of(name, output):
    known = next(each for each in _fovea.operations.described(name)["outputs"] if each["name"] == output)
    if known["file"] in ("an image", "any name") and output != "coco-results":
        return ".npy" if name in ("ops integral", "ops histogram") or output == "numbers" or name == "scenes filters" else ".png"
    return {"a folder": "", "any name": ".json"}.get(known["file"], known["file"].split(",")[0])


def written(folder, write):
    """What is written into a folder that did not exist."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write()
    return content(folder)


@pytest.mark.parametrize(("name", "output"), outputs(), ids=lambda value: str(value))
def test_every_file_is_the_programs(name, output, inputs, program, tmp_path):
    known = _fovea.operations.described(name)
    source = inputs[known["mesh"]].parent if known["video"] else inputs[known["mesh"]]
    options, folder = options_of(name), tmp_path / "files"
    ending = ending_of(name, output)
    if name == "mesh distances" and output != "output":
        options["nearest"] = True
    path = folder / f"out{ending}"
    flag = "-o" if output == "output" else f"--{output}"
    line = " ".join(["fovea", name, str(source), *flags_of(options), flag, str(path), "--quiet"])
    theirs = written(folder, lambda: program(line))
    ours = written(folder, lambda: fovea.run(name, source, **options, **{output.replace("-", "_"): path}))
    assert theirs and ours == theirs
    if name in AT_ONCE or known["video"]:
        return
    result = fovea.run(name, source, **options)
    known = [] if result._keeps else _fovea.operations.described(name)["file_options"]
    choices = {each["name"]: options[each["name"]] for each in known if each["name"] in options}
    assert written(folder, lambda: result.save(path, output=output, **choices)) == theirs


def test_every_operation_runs_with_an_array_and_is_pickled(inputs):
    for name in fovea.operations():
        mesh = _fovea.operations.described(name)["mesh"]
        if _fovea.operations.described(name)["video"]:
            continue
        value = fovea.mesh.read(inputs[True]) if mesh else fovea.read_image(inputs[False])
        if name in AT_ONCE:
            continue
        result = fovea.run(name, value, **options_of(name))
        assert result == fovea.run(name, inputs[mesh], **options_of(name)), name
        assert pickle.loads(pickle.dumps(result)) == result
        assert repr(result) and result.command.startswith(f"fovea {name} ")
        assert result.provenance["version"] == fovea.__version__


def test_the_polished_functions_give_the_same_results(inputs):
    found = fovea.run("people detect", inputs[False], model="hog", threshold=-1, device="cpu")
    assert type(found) is fovea.people.Detections
    assert found == fovea.people.detect(inputs[False], "hog", threshold=-1, device="cpu") and len(found) > 0
    parts = fovea.run("mesh segment", inputs[True], parts=3, device="cpu")
    assert type(parts) is fovea.mesh.Segmentation and parts == fovea.mesh.segment(inputs[True], 3, device="cpu")
    facts = fovea.run("mesh info", inputs[True])
    assert type(facts) is fovea.mesh.Info and facts == fovea.mesh.info(inputs[True])
    image = fovea.read_image(inputs[False])
    assert np.array_equal(fovea.run("ops blur", image, sigma=1.5).image, fovea.ops.gaussian_blur(image, 1.5))
    halves = fovea.run("ops pyramid", image, min_width=30).images
    assert all(np.array_equal(*pair) for pair in zip(halves, fovea.ops.pyramid(image, min_width=30)))


def test_results_are_saved_after_they_were_pickled(inputs, tmp_path):
    found = fovea.people.detect(inputs[False], "hog", threshold=-1, device="cpu")
    parts = fovea.mesh.segment(inputs[True], 3, division="hierarchical", keep_memberships=True, device="cpu")
    for result, names in ((found, ("a.csv", "a.json", "a.parquet")), (parts, ("a.ply", "a.seg", "a.png", "a.html", "a.npy", "a.json"))):
        copy = pickle.loads(pickle.dumps(result))
        for name in names:
            result.save(tmp_path / name)
            saved = (tmp_path / name).read_bytes()
            copy.save(tmp_path / name)
            assert (tmp_path / name).read_bytes() == saved
    found.save(tmp_path / "drawn.png")
    assert np.array_equal(fovea.read_image(tmp_path / "drawn.png"), found.draw())
    copy = pickle.loads(pickle.dumps(found))
    with pytest.raises(fovea.InvalidArgument, match="the image is not part of this result"):
        copy.save(tmp_path / "drawn.png")
    copy.save(tmp_path / "again.png", inputs[False])
    assert (tmp_path / "again.png").read_bytes() == (tmp_path / "drawn.png").read_bytes()
    blurred = pickle.loads(pickle.dumps(fovea.run("ops blur", inputs[False])))
    with pytest.raises(fovea.InvalidArgument, match="run the operation again"):
        blurred.save(tmp_path / "soft.png")


def test_frames_are_saved_with_their_place(inputs, tmp_path):
    frames = [fovea.read_image(inputs[False])] * 2
    for found in fovea.people.Detector("hog", threshold=-1, device="cpu").video(frames):
        found.save(tmp_path / "people.csv")
        rows = (tmp_path / "people.csv").read_text().splitlines()
        assert rows[0].startswith("input,frame,time_seconds,") or rows[0].split(",")[1] == "frame", rows[0]
        assert rows[1].split(",")[1] == str(found.frame)


def test_a_video_is_followed_from_its_first_frame(inputs, tmp_path):
    frames, options = [fovea.read_image(inputs[False])] * 3, options_of("people track")
    tracks = fovea.run("people track", frames, mot=tmp_path / "tracks.txt", **options)
    assert [each.frame for each in tracks] == [0, 1, 2] and len(tracks[2]) > 0
    detector = fovea.people.Detector("hog", threshold=-1, device="cpu")
    assert tracks == list(fovea.people.track(frames, detector, confirm=1, device="cpu"))
    assert (tmp_path / "tracks.txt").read_text() == "".join(each.to_mot() for each in tracks)
    again = fovea.Operation("people track", **options)
    assert list(again.video(frames)) == tracks == again.run(frames)
    tracks[2].save(tmp_path / "tracks.csv")
    assert (tmp_path / "tracks.csv").read_text().splitlines()[1].split(",")[1] == "2"


def test_a_target_is_followed_as_by_the_function(inputs, tmp_path):
    frames, text = [fovea.read_image(inputs[False])] * 3, tmp_path / "tracks.txt"
    tracks = fovea.run("emd track", frames, output=text, **options_of("emd track"))
    assert [each.frame for each in tracks] == [0, 1, 2]
    assert text.read_text() == "".join(each.to_mot() for each in fovea.emd.track(frames, (20, 20, 60, 90), device="cpu"))
    fovea.run("emd track", frames, target=["20,20,60,90", "90,30,40,60"], output=text, device="cpu")
    assert [line.split(",")[:2] for line in text.read_text().splitlines()] == [[f, n] for f in "123" for n in "12"]
    with pytest.raises(fovea.InvalidArgument, match="needs target"):
        fovea.run("emd track", frames)
    (tmp_path / "boxes.txt").write_text("20,20,60,90\n" * 3)
    with pytest.raises(fovea.InvalidArgument, match="truth and header belong to files"):
        fovea.run("emd track", frames, target="20,20,60,90", truth=tmp_path / "boxes.txt")


def test_wrong_files_are_refused_by_the_table(inputs, tmp_path):
    found = fovea.people.detect(inputs[False], "hog", device="cpu")
    with pytest.raises(fovea.InvalidArgument, match=r"people\.txt: people detect writes .*coco \(\.json\).*yolo \(a folder\)"):
        found.save(tmp_path / "people.txt")
    with pytest.raises(fovea.InvalidArgument, match="output is 'mot'"):
        found.save(tmp_path / "people.txt", output="mot")
    parts = fovea.mesh.segment(inputs[True], 2, device="cpu")
    with pytest.raises(fovea.InvalidArgument, match=r"a\.txt: a mesh is written as \.ply"):
        parts.save(tmp_path / "a.txt", output="output")
    for path, output, says in (
        ("a.npy", "seg", r"a\.npy: seg is written as \.seg; give a name that ends so"),
        ("a", "seg", "seg is written as"),
        ("a.txt", "picture", "a.txt.*png"),
        ("a.seg", "memberships", r"the array of memberships is written as \.npy"),
    ):
        with pytest.raises(fovea.InvalidArgument, match=says):
            parts.save(tmp_path / path, output=output)
        with pytest.raises(fovea.InvalidArgument, match=says):
            fovea.run("mesh segment", inputs[True], parts=2, keep_memberships=True, **{output: tmp_path / path})
    for path, output, says in (("a.txt", "csv", r"csv is written as \.csv"), ("a.csv", "coco", r"coco is written as \.json")):
        with pytest.raises(fovea.InvalidArgument, match=says):
            found.save(tmp_path / path, output=output)
    far, thick = fovea.mesh.distances(inputs[True], 0, device="cpu"), fovea.mesh.shape_diameters(inputs[True])
    with pytest.raises(fovea.InvalidArgument, match=r"distances are written as \.npy, \.csv or \.ply"):
        far.save(tmp_path / "far.txt")
    with pytest.raises(fovea.InvalidArgument, match=r"diameters are written as \.npy or \.ply"):
        thick.save(tmp_path / "thick.csv")
    with pytest.raises(fovea.InvalidArgument, match="tree needs division hierarchical"):
        parts.save(tmp_path / "a.json")
    with pytest.raises(fovea.InvalidArgument, match="keep_memberships"):
        parts.save(tmp_path / "a.npy")
    with pytest.raises(TypeError, match="has no keyword 'picture_widht'; did you mean 'picture_width'?"):
        parts.save(tmp_path / "a.png", picture_widht=3)
    with pytest.raises(fovea.InvalidArgument, match="mesh info writes no files"):
        fovea.mesh.info(inputs[True]).save(tmp_path / "info.png")
    assert not list(tmp_path.iterdir())


def test_wrong_words_are_refused(inputs):
    for call, words in (
        (lambda: fovea.run("ops blurr", inputs[False]), "there is no operation 'ops blurr'; expected people detect"),
        (lambda: fovea.run("ops blur", inputs[False], sigmaa=2), "has no keyword 'sigmaa'; did you mean 'sigma'"),
        (lambda: fovea.run("ops blur", inputs[False], sigma=99), "sigma is .*99.*; expected a number from 0.05 to 31"),
        (lambda: fovea.run("ops convolve", inputs[False]), "ops convolve needs either kernel FILE or laplacian SIGMA"),
        (lambda: fovea.run("mesh segment", inputs[False]), "street.png"),
        (lambda: fovea.run("people detect", None), "image is None"),
        (lambda: fovea.run("people detect", inputs[False], model=3), "model is 3"),
        (lambda: fovea.run("mesh segment", inputs[True], seg="parts.seg", page=3), "page is 3"),
        (lambda: list(fovea.Operation("ops blur", output="a.png").run_all([inputs[False]])), "output is one file"),
    ):
        with pytest.raises(fovea.Error, match=words):
            call()


def test_an_operation_is_used_repeatedly(inputs):
    image = fovea.read_image(inputs[False])
    blur = fovea.Operation("ops blur", sigma=1, threads=2)
    assert blur.options["sigma"] == 1 and "ops blur" in repr(blur)
    expected = blur.run(image)
    assert list(blur.run_all([inputs[False], image])) == [expected, expected]
    with pytest.warns(RuntimeWarning, match="missing.png"):
        assert list(blur.run_all(["missing.png", image], on_error="warn")) == [expected]
    frames = list(blur.video([image, image]))
    assert [each.frame for each in frames] == [0, 1] and np.array_equal(frames[1].image, expected.image)
    again = pickle.loads(pickle.dumps(blur))
    assert again.run(image) == expected


def test_a_model_and_a_mask_are_taken_as_objects(inputs):
    model = fovea.people.load_model("hog")
    image = fovea.read_image(inputs[False])
    options = {"threshold": -1, "device": "cpu"}
    everyone = fovea.run("people detect", image, model=model, **options)
    assert everyone == fovea.run("people detect", image, model="hog", **options) and len(everyone) > 0
    nobody = fovea.run("people detect", image, model=model, mask=np.zeros(image.shape[:2], bool), **options)
    assert len(nobody) == 0


def test_docstrings_and_stubs_have_every_operation_and_output():
    for kind, name in ((fovea.people.Detections, "people detect"), (fovea.mesh.Segmentation, "mesh segment")):
        for each in _fovea.operations.described(name)["outputs"]:
            assert f"\n    {each['name']} ({each['file']}): {in_python(each['help'])}" in kind.save.__doc__
    stub = (pathlib.Path(inspect.getfile(fovea)).parent / "_run.pyi").read_text()
    for name in fovea.operations():
        known = _fovea.operations.described(name)
        overload = stub[stub.index(f'Literal["{name}"]') :]
        keywords = overload[overload.index("Unpack[") + 7 : overload.index("]\n")]
        section = stub[stub.index(f"class {keywords}(") :].split("\nclass ")[0]
        for each in (*known["options"], *known["sources"], *known["file_options"], *known["outputs"]):
            keyword = each["name"].replace("-", "_")
            assert f"\n    {keyword}{'_' if keyword == 'from' else ''}: " in section, (name, keyword)
