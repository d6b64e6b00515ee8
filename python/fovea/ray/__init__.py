"""Jobs on a Ray cluster: every verb of the program that works on many inputs, trainings and evaluations.

::

    import ray, fovea.ray as fr
    ray.init(address="auto")
    job = fr.detect("/data/photos", model="channels", out="/data/people", gpus_per_worker=1)
    job.progress()              # inputs that are done, and that have failed
    job.result().failed         # rows with path and error; a bad file is never an exception

A job is cut into shards, which are tasks of Ray: it schedules them, and repeats those whose worker or node dies. Every shard keeps a
manifest, so that nothing is done twice and the results have the bytes of one run of the program, whatever was killed.
"""

from ._job import Job, Progress, Result, run
from ._manifest import Failure
from ._operators import Detector, SceneClassifier
from ._evaluate import evaluate_actions, evaluate_flow, evaluate_mesh, evaluate_people, evaluate_scenes
from ._train import train_actions, train_people, train_scenes
from ._verbs import (
    classify_actions,
    classify_scenes,
    detect,
    distances,
    flow_bm,
    flow_lk,
    map_targets,
    ops,
    points,
    recognize,
    segment_meshes,
    segment_motion,
    track_people,
    track_targets,
    words,
)

__all__ = [
    "Detector",
    "Failure",
    "Job",
    "Progress",
    "Result",
    "SceneClassifier",
    "classify_actions",
    "classify_scenes",
    "detect",
    "distances",
    "evaluate_actions",
    "evaluate_flow",
    "evaluate_mesh",
    "evaluate_people",
    "evaluate_scenes",
    "flow_bm",
    "flow_lk",
    "map_targets",
    "ops",
    "points",
    "recognize",
    "run",
    "segment_meshes",
    "segment_motion",
    "track_people",
    "track_targets",
    "train_actions",
    "train_people",
    "train_scenes",
    "words",
]
