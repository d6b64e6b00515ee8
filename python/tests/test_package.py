"""The package as it is installed: how long its import takes, what that loads, and what the wheel holds."""

from __future__ import annotations

import base64
import csv
import email
import hashlib
import importlib.util
import io
import json
import struct
import subprocess
import sys
import zipfile

import pytest

import fovea
from conftest import ROOT

SYSTEMS = "fovea, fovea.people, fovea.flow, fovea.emd, fovea.scenes, fovea.actions, fovea.mesh, fovea.ops, fovea.kmeans"
# Packages that results convert to, and rivals of the benchmarks.
OPTIONAL = {"pandas", "PIL", "sklearn", "torch", "tqdm", "scipy", "trimesh", "pyarrow", "cv2", "ot", "av", "matplotlib"}


def fresh(lines):
    """What lines that print JSON say in a process of their own."""
    return json.loads(subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True).stdout)


def test_the_import_is_quick():
    # Compared with NumPy's import on the same machine, and in time of the processor, because it may be slow and busy.
    lines = (
        "from time import process_time as now; begin = now(); import numpy; middle = now(); import %s; "
        "print((now() - middle) / (middle - begin))"
    )
    assert min(fresh(lines % "fovea") for _ in range(5)) < 2
    assert min(fresh(lines % SYSTEMS) for _ in range(5)) < 4


def test_the_import_loads_nothing_that_is_optional():
    loaded = fresh(f"import json, sys, {SYSTEMS}; print(json.dumps(list(sys.modules)))")
    assert not OPTIONAL.intersection(name.partition(".")[0] for name in loaded)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_import_needs_neither_a_driver_nor_ffmpeg():
    lines = f"import json, {SYSTEMS}; print(json.dumps(open('/proc/self/maps').read()))"
    maps = fresh(lines)
    assert "_fovea.abi3.so" in maps
    for library in ("libcuda.so", "libcudart", "libnvidia", "libavcodec", "libavformat"):
        assert library not in maps


#: Licenses of what the wheel may hold: all of them let others use it in programs of any license.
ALLOWED = {
    "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-3-Clause", "BSL-1.0", "IJG", "LicenseRef-NVIDIA-CUDA-Toolkit",
    "LicenseRef-Public-Domain", "MIT", "MPL-2.0", "Zlib", "libpng-2.0", "libtiff",
}  # fmt: skip


def wheels():
    made = sorted((ROOT / "build/wheel").glob("*.whl"))
    return made or [pytest.param(None, marks=pytest.mark.skip(reason="no wheel in build/wheel"))]


@pytest.mark.parametrize("path", wheels(), ids=lambda path: getattr(path, "name", "none"))
def test_the_wheel_is_whole_and_small(path):
    name, version = path.name.split("-")[:2]
    assert name in ("fovea_vision", "fovea_vision_cu13")
    assert path.stat().st_size < (60e6 if name.endswith("cu13") else 12e6)
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        metadata = wheel.read(f"{name}-{version}.dist-info/METADATA").decode()
        assert f"\nName: {name.replace('_', '-')}\n" in metadata and f"\nVersion: {version}\n" in metadata
        record = csv.reader(io.StringIO(wheel.read(f"{name}-{version}.dist-info/RECORD").decode()))
        hashes = {row[0]: row[1] for row in record}
        assert set(hashes) == {entry for entry in names if not entry.endswith("/")}
        for entry, stated in hashes.items():
            if stated:
                digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(entry)).digest()).decode().rstrip("=")
                assert stated == f"sha256={digest}", entry
    # Models ship; the driver belongs to the machine, and FFmpeg has another license.
    models = {f"fovea/models/{model.name}" for model in (ROOT / "models").glob("*.safetensors") if not model.stem.endswith("-fisher")}
    assert models and models.issubset(names)
    assert "fovea/py.typed" in names and "fovea/_options.pyi" in names
    assert not [entry for entry in names if any(word in entry for word in ("libcuda", "libav", "libsw"))]
    assert not [entry for entry in names if "jbig" in entry or "Lerc" in entry]


@pytest.mark.parametrize("path", wheels(), ids=lambda path: getattr(path, "name", "none"))
def test_the_wheel_names_every_library_in_it_with_its_license(path):
    name, version = path.name.split("-")[:2]
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path) as wheel:
        bill = json.loads(wheel.read(f"{info}/sboms/fovea.cdx.json"))
        metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
        texts = {entry: wheel.read(entry).decode() for entry in wheel.namelist() if entry.startswith(f"{info}/licenses/")}
        files = {entry: hashlib.sha256(wheel.read(entry)).hexdigest() for entry in wheel.namelist() if ".libs/" in entry}
    assert bill["bomFormat"] == "CycloneDX"
    terms = set()
    for part in bill["components"]:
        terms.update(part["licenses"][0]["expression"].split(" AND "))
        ours = part["purl"].startswith(f"pkg:pypi/fovea-vision@{version}#")
        assert ours or texts[f"{info}/licenses/{part['name']}.txt"].strip(), part["name"]
    assert terms <= ALLOWED
    assert set(metadata["License-Expression"].split(" AND ")) == terms
    assert {f"{info}/licenses/{file}" for file in metadata.get_all("License-File")} == set(texts)
    listed = {part["properties"][0]["value"]: part["hashes"][0]["content"] for part in bill["components"] if "hashes" in part}
    assert listed == files
    compiled = " ".join(part["name"] for part in bill["components"] if "hashes" not in part)
    assert all(word in compiled for word in ("boost", "eigen", "nlohmann-json", "nanobind"))


def test_the_license_of_cuda_is_a_text_or_an_error(tmp_path):
    spec = importlib.util.spec_from_file_location("licenses", ROOT / "tools/wheel/licenses.py")
    licenses = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(licenses)
    toolkit, documents = tmp_path / "cuda-13.0", tmp_path / "doc"
    (toolkit / "doc").mkdir(parents=True)
    (toolkit / "EULA.txt").write_text("\n")
    with pytest.raises(SystemExit, match="no license of CUDA is in .*cuda-13.0; put NVIDIA's EULA.txt there"):
        licenses.cuda_text(toolkit, documents)
    (documents / "nvidia-cuda-toolkit").mkdir(parents=True)
    (documents / "nvidia-cuda-toolkit/copyright").write_text("as Debian has it")
    assert licenses.cuda_text(toolkit, documents) == "as Debian has it"
    (toolkit / "doc/EULA.txt").write_text("as NVIDIA has it")
    assert licenses.cuda_text(toolkit, documents) == "as NVIDIA has it"


@pytest.mark.parametrize("scheme, word", [(34661, "JBIG"), (34887, "LERC")])
def test_a_compression_that_the_package_leaves_out_is_named(scheme, word, tmp_path):
    fields = [(256, 16), (257, 4), (258, 1), (259, scheme), (262, 1), (273, 8), (277, 1), (278, 4), (279, 8)]
    entries = b"".join(struct.pack("<HHII", tag, 4 if tag == 273 else 3, 1, value) for tag, value in fields)
    content = struct.pack("<2sHI", b"II", 42, 16) + bytes(8) + struct.pack("<H", len(fields)) + entries + bytes(4)
    (tmp_path / "scan.tif").write_bytes(content)
    with pytest.raises(fovea.FormatError, match=f"scan.tif.*{word}.*deflate") as error:
        fovea.read_image(tmp_path / "scan.tif")
    assert "\n" not in str(error.value)
