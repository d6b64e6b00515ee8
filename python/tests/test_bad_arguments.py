"""Every public function, constructor and method refuses whatever it cannot use by an error of one line."""

from __future__ import annotations

import inspect
import types
import warnings

import numpy as np
import pytest

import fovea
from fovea import actions, emd, files, flow, mesh, ops, people, scenes
from fovea._batch import Results

VALUES = {
    "None": None,
    "text": "x",
    "bytes": b"x",
    "3": 3,
    "3.5": 3.5,
    "object": object(),
    "list": [],
    "list of None": [None],
    "empty": np.zeros(0),
    "matrix": np.zeros((40, 40)),
    "dict": {},
    "masked": np.ma.array(np.ones((4, 4), np.float32), mask=np.eye(4, dtype=bool)),
}
CPU = {"device": "cpu", "threads": 1}
GRAY = np.random.default_rng(1).integers(0, 255, (32, 40), dtype=np.uint8)
RGB = np.random.default_rng(2).integers(0, 255, (140, 80, 3), dtype=np.uint8)
SMALL = np.ascontiguousarray(RGB[:24, :24])
BOXES = np.array([[2.0, 2, 8, 8]])
MOT = np.array([[0.0, 1, 2, 2, 8, 8], [1, 1, 3, 2, 8, 8]])
CUBE = np.random.default_rng(3).random((8, 9, 4), dtype=np.float32)
POINTS = np.random.default_rng(4).random((12, 3), dtype=np.float32)
TETRAHEDRON = (
    np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    np.int32([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
)
DEPTH = np.random.default_rng(6).random((32, 40), dtype=np.float32)
ARCS, COSTS = np.array([[0, 1], [1, 2]]), np.array([1.0, 2.0])
CLIP = np.random.default_rng(5).integers(0, 255, (3, 24, 24), dtype=np.uint8)
WILD = np.kron(np.random.default_rng(6).integers(0, 255, (12, 8, 8), dtype=np.uint8), np.ones((1, 8, 8), np.uint8))


def clips():
    """Points that are known already, so that training has little to do."""
    rows = {name: np.full(8, 3, np.float32) for name in ("x", "y", "sigma2", "tau2", "confidence")}
    rows |= {"frame": np.arange(8, dtype=np.int32), "descriptors": np.ones((8, 162), np.float32)}
    one = actions.Points(
        {**rows, "size": (24, 24), "frames": 8, "frame_rate": 25.0},
        options={}, provenance={"device": None, "seed": None}, command="", seconds=0,
    )
    return [one, one, one, one]


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """Each public callable with arguments that it takes."""
    folder = tmp_path_factory.mktemp("files")
    fovea.write_image(folder / "image.png", SMALL)
    mesh.write(folder / "mesh.off", TETRAHEDRON)
    mesh.write_labels(folder / "labels.seg", np.arange(4))
    field = flow.estimate(GRAY, GRAY, quality="fast", **CPU)
    field.save(folder / "flow.flo")
    depth = flow.stereo(GRAY, GRAY, max_disparity=7, **CPU)
    flow.write_disparity(folder / "depth.pfm", DEPTH)
    regions = flow.segment_field(field, **CPU)
    mesh.write_costs(folder / "costs.csv", TETRAHEDRON, np.ones(6))
    (folder / "boxes.txt").write_text("1,2,8,8\n")
    (folder / "mot.txt").write_text("1,1,2,2,8,8,1,-1,-1,-1\n")
    points = clips()[0]
    points.save(folder / "points.txt")
    acts = folder / "acts"
    for name in ("bend", "walk"):
        (acts / name).mkdir(parents=True)
        frames = b"".join(b"FRAME\n" + frame.tobytes() for frame in CLIP)
        (acts / name / "s0_clip.y4m").write_bytes(b"YUV4MPEG2 W24 H24 F25:1 Ip A1:1 Cmono\n" + frames)
    detector = people.Detector("hog", ratio=2.0, **CPU)
    tracker = emd.Tracker(SMALL, (4, 4, 8, 8), **CPU)
    mapper = emd.Mapper((2, 2, 4, 4), **CPU)
    classifier = scenes.Classifier("sun8", **CPU)
    recognizer = actions.Recognizer("weizmann", **CPU)
    bag = scenes.BagOfWords(words=2, samples=9, **CPU).fit([SMALL, SMALL])
    kmeans = fovea.KMeans(2, **CPU).fit(POINTS)
    svm = ops.LinearSVM().fit(POINTS, np.arange(12) % 2)
    parts = mesh.segment(TETRAHEDRON, 2, division="hierarchical", **CPU)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its short curve
        measured = people.evaluate("hog", [RGB], [[[8, 6, 72, 134]]], draws=2, ratio=2.0, **CPU)
    windows = people.evaluate_windows("hog", [RGB], [RGB], ratio=2.0, **CPU)
    crops = [RGB[:128, :64]] * 2
    few = {"linear_rounds": 0, "linear_random_windows": 2, **CPU}
    vary = {"vary": ["gamma"], "linear_ratio": 2.0, **few}
    studied = people.study(crops, [RGB], crops, [RGB], **vary)
    place = {"dictionary": 2, "samples": 9, "neighbors": 1, **CPU}
    learn = {"dictionary": 2, "samples": 9, **CPU}
    words = scenes.learn_dictionary([SMALL] * 2, **learn)
    (folder / "labels.csv").write_text("class\na\nb\n")
    coarse = {"draws": 2, "ratio": 2.0, **CPU}
    all_windows = {"threshold": -100.0, "fuse": "none", **coarse}
    held = {"paper": False, "nodes": 3, "choose": False, "baselines": False, **CPU}
    save = {"path": folder / "saved.safetensors"}
    good = {
        files: {
            "models": ("people",), "model_path": ("hog", "people"), "read_image": (folder / "image.png",),
            "read_video": (folder,), "write_image": (folder / "copy.png", SMALL),
            "write_video": (folder / "copy.y4m", [SMALL, SMALL], {"progress": False}),
            "Frame": None, "Video": None,
        },
        people: {
            "Detector": ("hog", CPU), "detect": (RGB, "hog", None, {"ratio": 2.0, **CPU}), "load_model": ("hog",),
            "train": ("hog", crops, [RGB], {"checkpoint": None, "progress": False, **few}),
            "evaluate": ("hog", [RGB], [[[8, 6, 72, 134]]], {"negatives": None, "progress": False, **coarse}),
            "calibrate": ("hog", [RGB], [[[8, 6, 72, 134]]], {"negatives": None, "progress": False, **all_windows}),
            "evaluate_windows": ("hog", [RGB], [RGB], {"progress": False, "ratio": 2.0, **CPU}),
            "Model": people.load_model("hog"), "Detections": detector.detect(RGB), "Evaluation": measured,
            "WindowEvaluation": windows, "Detection": None, "Difference": None, "StageCount": None,
            "Tracker": (CPU,), "read_mot": (folder / "mot.txt",), "evaluate_tracks": (MOT, MOT),
            "track": ([RGB], "hog", {"progress": False, **CPU}),
            "Track": None, "Tracks": None, "TrackReport": None,
            "study": (crops, [RGB], crops, [RGB], {"progress": False, **vary}), "Study": studied, "StudyVariant": None,
            "WindowExplanation": None,
        },
        flow: {
            "Estimator": (CPU,),
            "estimate": (GRAY, GRAY, {"mask": None, "second_mask": None, "quality": "fast", **CPU}),
            "evaluate": (field, field), "read": (folder / "flow.flo", False),
            "write": (folder / "a.flo", field.u, field.v, None, field.confidence),
            "Flow": field, "Evaluation": flow.evaluate(field, field), "Errors": None,
            "stereo": (GRAY, GRAY, {"max_disparity": 7, **CPU}), "StereoMatcher": (CPU,), "Disparity": depth,
            "evaluate_stereo": (DEPTH, DEPTH, np.ones(DEPTH.shape, np.uint8)), "visible_pixels": (DEPTH,),
            "read_disparity": (folder / "depth.pfm",), "write_disparity": (folder / "b.pfm", DEPTH),
            "StereoEvaluation": flow.evaluate_stereo(DEPTH, DEPTH), "StereoErrors": None,
            "follow": (GRAY, GRAY, np.float32([[9, 9], [20, 16]]), None, CPU), "Followed": None,
            "segment": (GRAY, GRAY, {"quality": "fast", **CPU}),
            "segment_video": ([GRAY, GRAY], {"progress": False, "quality": "fast", **CPU}),
            "segment_field": (field, GRAY, CPU), "evaluate_segments": (GRAY, GRAY), "MotionSegments": regions,
            "SegmentsEvaluation": flow.evaluate_segments(GRAY, GRAY), "MotionRegion": None, "FlowExplanation": None,
        },
        emd: {
            "distance": ([1, 2], [2, 1], {"ground": "l1", "flows": False, "supports": None, "invalid": "raise", "device": "cpu"}),
            "emd": ([0.5, 0.5], [0.5, 0.5], np.eye(2), 9, False, True, "max", True, None),
            "emd2": ([0.5, 0.5], [0.5, 0.5], np.eye(2), 1, 9, False, False, True, "max", True, None),
            "pairwise": ([[1, 2]], [[2, 1]], {"ground": "l1", "supports": None, "device": "cpu"}),
            "Mapper": ((2, 2, 4, 4), None, {"variable": "", **CPU}),
            "map": (GRAY, (2, 2, 4, 4), None, {"variable": "", **CPU}),
            "evaluate": ((2, 2, 4, 4), GRAY, GRAY > 99, None, {"variable": "", **CPU}),
            "mean_spectrum": (CUBE, None, None),
            "read_cube": (folder / "image.png",), "roc": (GRAY.astype(np.float32), GRAY > 99, "low", None),
            "spectral_angle": (CUBE, CUBE[0, 0]), "sum_of_differences": (CUBE, CUBE[0, 0]),
            "matched_filter": (CUBE, CUBE[0, 0]), "adaptive_cosine": (CUBE, CUBE[0, 0]),
            "Tracker": (SMALL, (4, 4, 8, 8), None, CPU),
            "track": ([SMALL], (4, 4, 8, 8), None, {"progress": False, **CPU}),
            "find": (SMALL, SMALL[4:12, 4:12].copy(), CPU), "read_boxes": (folder / "boxes.txt", 0, 1),
            "evaluate_track": (BOXES, BOXES), "Distances": emd.distance([1, 2], [2, 1], device="cpu"),
            "Map": mapper.map(GRAY), "Roc": emd.roc(GRAY.astype(np.float32), GRAY > 99), "Tracks": tracker.track(SMALL),
            "Evaluation": emd.evaluate((2, 2, 4, 4), GRAY, GRAY > 99, **CPU),
            "TrackEvaluation": emd.evaluate_track(BOXES, BOXES), "Track": None, "Region": None,
            "Regions": mapper.map(GRAY).regions(), "MapExplanation": None, "TrackExplanation": None,
        },
        scenes: {
            "Classifier": ("sun8", CPU), "classify": (SMALL, "sun8", CPU), "load_model": ("sun8",),
            "train": ([SMALL] * 2, ["a", "b"], {"classes": None, "progress": False, "on_error": "raise", **place}),
            "evaluate": ("sun8", [SMALL], ["desert"], {"classes": None, "progress": False, "on_error": "raise", **CPU}),
            "cross_validate": (
                [SMALL] * 4, list("abab"),
                {"classes": None, "train": None, "test": None, "splits": 1, "progress": False, **place},
            ),
            "BagOfWords": ({"words": 2, **CPU},), "Model": scenes.load_model("sun8"),
            "Scene": classifier.classify(SMALL),
            "Words": classifier.words(SMALL), "Explanation": classifier.explain(SMALL), "Reason": None,
            "SceneExplanation": None,
            "Evaluation": scenes.evaluate("sun8", [SMALL], ["desert"], **CPU),
            "Dictionary": words, "load_dictionary": ("sun8",), "Learning": None, "LabelTable": None,
            "filters": (SMALL, CPU),
            "sample": ([SMALL] * 2, {"progress": False, "on_error": "raise", "samples": 9, **CPU}),
            "learn_dictionary": ([SMALL] * 2, {"progress": False, "on_error": "raise", **learn}),
            "find_words": (scenes.filters(SMALL, **CPU), words, CPU), "word_map": (SMALL, words, CPU),
            "word_histogram": (scenes.word_map(SMALL, words, **CPU), words, 1),
            "make_features": ([SMALL], words, {"progress": False, "on_error": "raise", "pyramid": 0, **CPU}),
            "train_model": (
                np.eye(2, dtype=np.float32), ["a", "b"], words,
                {"classes": None, "progress": False, "neighbors": 1, **CPU},
            ),
            "read_labels": (folder / "labels.csv",),
            "write_labels": (folder / "copy.csv", ["a.png"], ["a"], None),
        },
        actions: {
            "Recognizer": ("weizmann", CPU), "recognize": (CLIP, "weizmann", {"progress": False, **CPU}),
            "points": (CLIP, {"progress": False, **CPU}), "read_points": (folder / "points.txt",),
            "load_model": ("weizmann",), "Model": actions.load_model("weizmann"), "Points": points,
            "train": (
                clips(), list("abab"), list("1122"),
                {"paper": False, "cut_first": False, "on_error": "raise", "progress": False, "nodes": 3, **CPU},
            ),
            "cross_validate": (
                clips(), list("abab"), list("1122"),
                {"test_subjects": None, "validation_subjects": None, "kth": None, "partial": False, "unknown": False,
                 "cut_first": False, "on_error": "raise", "progress": False, **held},
            ),
            "Classifier": ("weizmann", CPU),
            "classify": (CLIP, "weizmann", {"first": 0, "frames": 0, **CPU}),
            "evaluate": ("weizmann", clips()[:1], ["walk"], {"on_error": "raise", "progress": False, **CPU}),
            "evaluate_stream": (
                acts, None, None,
                {"model": "weizmann", "test_subjects": None, "unknown": None, "cut_first": False, "on_error": "raise",
                 "progress": False, "gap": 0, **CPU},
            ),
            "match": (points, points, {"progress": False, "nodes": 3, **CPU}),
            "is_points_file": (folder / "points.txt",), "write_points": (folder / "d.txt", points),
            "convert_points": (folder / "points.txt", folder / "e.csv"),
            "make_points": (
                np.float32([[3, 4, 0]]), np.ones((1, 162), np.float32),
                {"size": (24, 24), "frames": 8, "scales": None, "confidence": None, "frame_rate": 25.0},
            ),
            "Events": recognizer.recognize(CLIP), "Evaluation": None, "Event": None, "Method": None, "Prototype": None,
            "ClipClass": None, "ClipEvaluation": None, "CurvePoint": None, "EventCounts": None, "StreamEvaluation": None,
            "StreamPoint": None,
            "Match": None, "LateFusion": None, "RejectRule": None, "UnknownActions": None, "ActionExplanation": None,
            "ClipExplanation": None, "MatchExplanation": None, "EventExplanation": None,
        },
        mesh: {
            "Mesh": TETRAHEDRON, "Segmenter": (2, CPU), "segment": (TETRAHEDRON, 2, {"costs": np.ones(6), **CPU}),
            "distances": (TETRAHEDRON, 0, {"costs": np.ones(6), "progress": False, **CPU}), "dual_graph": (TETRAHEDRON, 0),
            "evaluate": (parts, parts, {"mesh": TETRAHEDRON}), "info": (TETRAHEDRON,), "read": (folder / "mesh.off",),
            "read_labels": (folder / "labels.seg",), "write": (folder / "b.off", TETRAHEDRON, None, None, None),
            "arc_costs": (TETRAHEDRON, CPU), "read_costs": (folder / "costs.csv", TETRAHEDRON, None),
            "write_costs": (folder / "c.csv", TETRAHEDRON, np.ones(6)), "shape_diameters": (TETRAHEDRON, CPU),
            "Diameters": mesh.shape_diameters(TETRAHEDRON), "fuzzy_clusters": ((ARCS, COSTS), 2, CPU), "Clusters": None,
            "HierarchyNode": None,
            "write_labels": (folder / "b.seg", np.arange(4)), "Segmentation": parts,
            "Distances": mesh.distances(TETRAHEDRON, 0, **CPU), "Comparison": mesh.evaluate(parts, parts),
            "Info": mesh.info(TETRAHEDRON), "DualGraph": None, "SegmentExplanation": None, "FaceExplanation": None,
        },
        ops: {
            "LinearSVM": (), "KernelSVM": (), "accuracy": (np.eye(2, dtype=np.int64),), "assign": (np.eye(3),), "Assignment": None,
            "all_distances": (ARCS, COSTS, None, {"cutoff": None, "progress": False, **CPU}),
            "box_kernel": (3,), "confusion_matrix": (np.arange(2), np.arange(2), None),
            "convolve": (GRAY, np.ones((3, 3), np.float32), {"dtype": None}),
            "convolve_separable": (GRAY, np.ones(3, np.float32), np.ones(3, np.float32), {"dtype": None}),
            "distances_from": (ARCS, COSTS, np.array([0]), None, {"cutoff": None}),
            "gaussian_blur": (GRAY, 1.0, {"dtype": None}),
            "gaussian_derivative_kernel": (1.0, 1, 0), "gaussian_halve": (GRAY,), "gaussian_kernel": (1.0, 0),
            "gradient": (GRAY,),
            "integral": (GRAY, {"dtype": np.float64}), "integral_histogram": (GRAY, 8, None),
            "laplacian_of_gaussian_kernel": (1.0, 0),
            "minimum_cut": (ARCS, COSTS, np.ones(3), np.ones(3)),
            "nearest_source": (ARCS, COSTS, np.array([0]), None, {"cutoff": None}),
            "polar_gradient": (GRAY,), "pyramid": (GRAY,), "pyramid_sizes": (40, 32), "quantize": (GRAY,),
            "recall": (np.eye(2, dtype=np.int64),),
            "rectangle_sum": (ops.integral(GRAY), 0, 0, 2, 2), "resize": (GRAY, {"width": 20}),
            "wilson_interval": (1, 2),
            "window_histogram": (GRAY, 8, {"dtype": np.uint16}), "Cut": None, "Gradient": None, "Nearest": None,
            "PolarGradient": None,
        },
        fovea: {
            "run": ("ops blur", SMALL, {"sigma": 2}), "operations": (), "Operation": ("ops blur", {"sigma": 2}),
            "KMeans": (2,), "build_info": (), "cuda_absence": (), "devices": (), "DeviceArray": None, "set_color": ("rgb",),
            "set_strict": (False,),
        },
    }
    rows = {"filter": (lambda row: True,), "sort_by": (lambda row: 0, False)}
    methods = [
        (detector, {
            "detect": (RGB, None), "score": (RGB,), "scores": (RGB,), "video": ([RGB], {"progress": False}),
            "detect_all": ([RGB], {"progress": False, "on_error": "raise"}),
            "explain": (RGB, 40.0, 70.0), "explain_window": (RGB, (8, 6, 72, 134)),
        }),
        (people.load_model("hog"), {"save": save, "pictures": ()}),
        (detector.detect(RGB), {"draw": (RGB,), "to_coco": ("a.png", 1), "save": (folder / "people.csv",), **rows}),
        (measured, {"difference": (measured,), "to_svg": (measured,)}),
        (studied, {"to_svg": ("gamma",)}),
        (windows, {"miss_rate_at": (0.1,), "to_svg": (windows,)}),
        (flow.Estimator(quality="fast", **CPU), {
            "estimate": (GRAY, GRAY, None, None), "push": (GRAY, None), "explain": (GRAY, GRAY, 5, 6),
            "video": ([GRAY, GRAY], {"mask": None, "progress": False}),
            "finish": (), "interrupted": (),
        }),
        (field, {
            "to_color": (2.0,), "arrows": (GRAY,), "warp": (GRAY,), "save": (folder / "b.flo",), "numpy": (),
            "confidence_picture": (),
        }),
        (flow.StereoMatcher(max_disparity=7, **CPU), {"match": (GRAY, GRAY)}),
        (depth, {"to_color": (), "save": (folder / "c.pfm",)}),
        (regions, {"draw": (GRAY,), "save": (folder / "regions.csv",), "columns": ()}),
        (mapper, {"map": (GRAY,), "video": ([GRAY], {"progress": False}), "explain": (GRAY, 5, 6)}),
        (mapper.map(GRAY).regions(), {"to_coco": ("a.png", 1), **rows}),
        (people.Tracker(**CPU), {
            "track": (RGB, (BOXES, np.ones(len(BOXES)))), "people": (), "video": ([RGB], detector, {"progress": False}),
        }),
        (people.Tracker(**CPU).track(RGB, (BOXES, np.ones(len(BOXES)))), {
            "draw": (RGB,), "to_mot": (), "rows": (), "save": (folder / "tracks.csv",), **rows,
        }),
        (mapper.map(GRAY), {"regions": (), "below": (1.0,), "roc": (GRAY > 99,), "save": (folder / "map.npy",), "to_color": ()}),
        (tracker, {
            "add": (SMALL, (4, 4, 8, 8)), "add_example": (SMALL, SMALL[4:12, 4:12].copy()), "track": (SMALL,),
            "video": ([SMALL], {"progress": False}), "uses_parts": (1,), "likelihood": (1,), "explain": (SMALL, 1),
        }),
        (tracker.track(SMALL), {"draw": (SMALL,), "to_mot": (), **rows}),
        (classifier, {
            "classify": (SMALL,), "classify_all": ([SMALL], {"progress": False, "on_error": "raise"}),
            "features": (SMALL,),
            "words": (SMALL,), "explain": (SMALL, None), "why": (SMALL, None, None),
        }),
        (scenes.load_model("sun8"), {"save": save}),
        (words, {"save": save}),
        (classifier.classify(SMALL), {"explain": (None,), "why": (None, None)}),
        (classifier.explain(SMALL), {"draw": (SMALL,)}),
        (bag, {
            "fit": ([SMALL], None, {"progress": False}), "transform": ([SMALL], {"progress": False}),
            "fit_transform": ([SMALL], None, {"progress": False}), "get_feature_names_out": (None,),
        }),
        (kmeans, {
            "fit": (POINTS, None, {"progress": False}), "predict": (POINTS,), "partial_fit": (POINTS, None),
            "fit_predict": (POINTS, None, {"progress": False}),
            "transform": (POINTS,), "fit_transform": (POINTS, None, {"progress": False}), "score": (POINTS, None),
            "get_feature_names_out": (None,),
        }),
        (ops.KernelSVM().fit(POINTS, np.arange(12) % 2), {
            "fit": (POINTS, np.arange(12) % 2, None), "decision_function": (POINTS,), "predict": (POINTS,),
            "score": (POINTS, np.arange(12) % 2, None),
        }),
        (svm, {
            "fit": (POINTS, np.arange(12) % 2, None), "predict": (POINTS,), "decision_function": (POINTS,),
            "score": (POINTS, np.arange(12) % 2, None),
        }),
        (recognizer, {
            "push": (CLIP[0],), "finish": (), "stream": (CLIP, {"progress": False}),
            "recognize": (CLIP, {"progress": False}), "push_points": (points,),
        }),
        (actions.Classifier("weizmann", **CPU), {
            "classify": (CLIP, {"first": 0, "frames": 0}),
            "classify_all": ([CLIP], {"progress": False, "on_error": "raise"}), "explain": (WILD, {"first": 0, "frames": 0}),
        }),
        (actions.match(WILD, WILD, nodes=3, **CPU), {"draw": (5,)}),
        (points, {"draw": (CLIP[0], 0), "save": (folder / "c.txt",), "select": ({"most_per_frame": 0},)}),
        (recognizer.recognize(CLIP), {"draw": (CLIP[0], 0), "timeline": (), **rows}),
        (mesh.Segmenter(1, **CPU), {
            "segment": (TETRAHEDRON, np.ones(6)), "explain": (TETRAHEDRON, np.ones(6)), "segment_all": ([TETRAHEDRON], {"costs": None, "progress": False, "on_error": "raise"}),
        }),
        (parts, {"render": ("parts",), "page": (), "save": (folder / "c.off",), "split": (), "at_level": (1,), "tree": ()}),
        (mesh.shape_diameters(TETRAHEDRON), {"render": (), "save": (folder / "e.npy",)}),
        (mesh.distances(TETRAHEDRON, 0, **CPU), {"render": (), "save": (folder / "d.npy",)}),
    ]
    return good, methods


def split(arguments):
    """Positional arguments and keywords, which are a dictionary at the end."""
    if isinstance(arguments, dict):
        return (), arguments
    if arguments and isinstance(arguments[-1], dict):
        return tuple(arguments[:-1]), arguments[-1]
    return tuple(arguments), {}


def call(function, arguments, keywords):
    found = function(*arguments, **keywords)
    if isinstance(found, (types.GeneratorType, Results)):
        for _ in zip(range(3), found):
            pass
        found.close()
    return found


def probe(name, function, arguments):
    """What happens with each value in the place of each argument; what is neither taken nor refused well."""
    positional, keywords = split(arguments)
    call(function, positional, keywords)
    wrong = []
    places = [*range(len(positional)), *keywords]
    options = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    tried = [(place, what, value) for place in places for what, value in VALUES.items()]
    tried += [(p.name, "object", VALUES["object"]) for p in options]
    for place, what, value in tried:
        given, named = list(positional), dict(keywords)
        (given if isinstance(place, int) else named)[place] = value
        try:
            call(function, given, named)
        except fovea.Error as error:
            if not str(error) or "\n" in str(error) or len(str(error)) > 400:
                wrong.append(f"{name}[{place}] with {what}: {str(error)[:300]!r}")
        except BaseException as error:  # the point is that nothing else is raised
            wrong.append(f"{name}[{place}] with {what}: {type(error).__name__} {str(error)[:160]!r}")
    return wrong


SYSTEMS = (files, people, flow, emd, scenes, actions, mesh, ops, fovea)


@pytest.mark.parametrize("module", SYSTEMS, ids=[system.__name__ for system in SYSTEMS])
def test_functions_and_constructors(module, cases, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good, _ = cases
    listed = {name for name in module.__all__ if not isinstance(getattr(module, name), types.ModuleType)}
    if module is fovea:
        listed -= {*files.__all__, *(name for name in listed if hasattr(fovea.errors, name))}
    assert listed == set(good[module]), "a public name has no example here"
    wrong = []
    for name, arguments in good[module].items():
        if isinstance(arguments, tuple):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wrong += probe(f"{module.__name__}.{name}", getattr(module, name), arguments)
    assert not wrong, "\n".join(wrong)


def test_methods(cases, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = []
    for thing, known in cases[1]:
        kind = type(thing)
        for name in dir(kind):
            method = getattr(kind, name)
            if name.startswith("_") or not inspect.isfunction(method):
                continue
            if len(inspect.signature(method).parameters) > 1:
                assert name in known or name.endswith("_params"), f"{kind.__name__}.{name} has no example here"
        for name, arguments in known.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wrong += probe(f"{kind.__module__}.{kind.__name__}.{name}", getattr(thing, name), arguments)
    assert not wrong, "\n".join(wrong)


def masked(value):
    """An array as a masked one, or a list or tuple that begins with one; None for everything else."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return np.ma.array(value, mask=np.arange(value.size).reshape(value.shape) == 0)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], np.ndarray):
        return type(value)([masked(value[0]), *value[1:]])
    return None


def test_masks_are_never_lost(cases):
    good, methods = cases
    calls = [(getattr(module, name), arguments) for module in good for name, arguments in good[module].items()]
    calls += [(getattr(thing, name), arguments) for thing, known in methods for name, arguments in known.items()]
    refused = 0
    for function, arguments in calls:
        positional, keywords = split(arguments) if isinstance(arguments, (tuple, dict)) else ((), {})
        for place in [*range(len(positional)), *keywords]:
            given, named = list(positional), dict(keywords)
            target = given if isinstance(place, int) else named
            target[place] = masked(target[place])
            if target[place] is None:
                continue
            with pytest.raises(fovea.InvalidType, match="masked array") as caught:
                call(function, given, named)
                pytest.fail(f"{function} takes a masked array in place {place}")
            assert "\n" not in str(caught.value)
            refused += 1
    assert refused > 80


def test_masked_labels_and_weights_are_refused_too():
    for call_it in (
        lambda: fovea.people.evaluate("hog", [RGB], [masked(np.float64([[8, 6, 72, 134]]))]),
        lambda: emd.emd2(masked(np.array([0.5, 0.5])), np.array([0.5, 0.5]), np.eye(2)),
        lambda: flow.evaluate((masked(CUBE[:, :, 0].copy()), CUBE[:, :, 0].copy()), (CUBE[:, :, 0].copy(),) * 2),
        lambda: mesh.segment(types.SimpleNamespace(vertices=masked(TETRAHEDRON[0]), faces=TETRAHEDRON[1])),
    ):
        with pytest.raises(fovea.InvalidType, match="masked array"):
            call_it()


def test_models_of_other_systems_are_refused_by_their_name():
    for kind, other in ((people.Detector, scenes), (scenes.Classifier, actions), (actions.Recognizer, people)):
        model = other.load_model({scenes: "sun8", actions: "weizmann", people: "hog"}[other])
        system = other.__name__.rpartition(".")[2]
        with pytest.raises(fovea.InvalidType, match=f"^model is a Model of {system}; expected the name of a model"):
            kind(model)
