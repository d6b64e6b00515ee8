"""Puts the licenses of everything in a wheel inside: licenses.py WHEEL

Each shared library in it, and each library that is compiled into the extension module, has its license named in a list of
parts (CycloneDX, in sboms/ of the package's metadata) and its text beside the package's own, as Debian's package has it. A
shared library that SHARED does not name is an error, so that nobody ships one whose license was not read. What is compiled
in cannot be seen in the wheel: COMPILED lists it by hand. A license without a text is an error as well."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

# What the files in the wheel are under, which is less than whole packages are under: their tools and tests stay outside.
SHARED = {
    "libdeflate": "MIT",
    "libfmt": "MIT",
    "libhwy": "Apache-2.0",
    "libjpeg": "IJG AND BSD-3-Clause AND Zlib",
    "liblzma": "LicenseRef-Public-Domain",
    "libmissing_codecs": "Apache-2.0",
    "libpng16": "libpng-2.0",
    "libsharpyuv": "BSD-3-Clause",
    "libtbb": "Apache-2.0",
    "libtiff": "libtiff",
    "libwebp": "BSD-3-Clause",
    "libzstd": "BSD-3-Clause",
}
# Headers that the module is compiled with.
COMPILED = {
    "/usr/include/boost/version.hpp": "BSL-1.0",
    "/usr/include/eigen3/Eigen/Core": "MPL-2.0",
    "/usr/include/nlohmann/json.hpp": "MIT",
}
# Compiled into the package with GPU code, with the text in the folder of the toolkit.
CUDA = "LicenseRef-NVIDIA-CUDA-Toolkit AND Apache-2.0 WITH LLVM-exception"


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def package_of(pattern: str) -> str:
    """The package of this machine's architecture that a file belongs to."""
    own = output("dpkg", "--print-architecture").strip()
    for line in output("dpkg-query", "-S", pattern).splitlines():
        name, _, architecture = line.partition(": ")[0].partition(":")
        if architecture in ("", own):
            return name
    raise SystemExit(f"licenses: no package of {own} has {pattern}")


def stated(package: str, spdx: str) -> str:
    """What a package says about its license. Where it only points at Debian's common texts, these follow."""
    text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text()
    if spdx == "BSL-1.0":  # two megabytes about the documentation and tests of Boost
        text = re.search(r"^License: BSL-1.0\n Boost Software.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL).group()
    if spdx == "MPL-2.0":
        text += "\n" + pathlib.Path("/usr/share/common-licenses/MPL-2.0").read_text()
    return text


def cuda_text(toolkit: pathlib.Path, documents: pathlib.Path = pathlib.Path("/usr/share/doc")) -> str:
    """The license of the toolkit, which lies in its folder, or where Debian's package has it."""
    places = ("EULA.txt", "dist-info/nvidia_cuda_runtime*/licenses/License.txt", "doc/EULA.txt")
    files = [file for place in places for file in toolkit.glob(place)]
    files += documents.glob("nvidia-cuda-toolkit/copyright")
    for text in (file.read_text() for file in files):
        if text.strip():
            return text
    raise SystemExit(f"licenses: no license of CUDA is in {toolkit}; put NVIDIA's EULA.txt there")


def debian_part(package: str, spdx: str) -> dict:
    version = output("dpkg-query", "-W", "-f", "${Version}\n", package).splitlines()[0]
    return part(package, version, spdx, f"pkg:deb/debian/{package}@{urllib.parse.quote(version)}")


def part(name: str, version: str, spdx: str, purl: str) -> dict:
    return {
        "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
        "licenses": [{"expression": spdx}],
    }  # fmt: skip


def parts_of(unpacked: pathlib.Path, version: str, gpu: bool) -> tuple[list[dict], dict[str, str]]:
    """The parts of the wheel, and the texts of their licenses by the name of their file."""
    parts, texts = [], {}

    def add(package: str, spdx: str) -> dict:
        parts.append(debian_part(package, spdx))
        texts[f"{package}.txt"] = stated(package, spdx)
        return parts[-1]

    for path in sorted(unpacked.glob("*.libs/*")):
        match = re.fullmatch(r"(\w+)(?:-[0-9.]+)?-[0-9a-f]{8}(\.so.*)", path.name)
        if match is None or match[1] not in SHARED:
            raise SystemExit(f"licenses: {path.name} is in no table; read its license and name it in tools/wheel/licenses.py")
        spdx = SHARED[match[1]]
        if match[1] == "libmissing_codecs":
            found = part("missing_codecs", version, spdx, f"pkg:pypi/fovea-vision@{version}#tools/wheel")
            parts.append(found)
        else:
            found = add(package_of(f"*/{match[1]}{match[2]}"), spdx)
        found["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]
        found["properties"] = [{"name": "file", "value": path.relative_to(unpacked).as_posix()}]
    for header, spdx in COMPILED.items():
        add(package_of(header), spdx)
    nanobind = importlib.metadata.distribution("nanobind")
    parts.append(part("nanobind", nanobind.version, "BSD-3-Clause", f"pkg:pypi/nanobind@{nanobind.version}"))
    texts["nanobind.txt"] = next(f for f in nanobind.files if f.name == "LICENSE").locate().read_text()
    if gpu:
        toolkit = pathlib.Path(output("bash", "-c", "realpath $(command -v nvcc || echo /usr/local/cuda/bin/nvcc)").strip()).parents[1]
        texts["cuda.txt"] = cuda_text(toolkit)
        parts.append(part("cuda", toolkit.name.removeprefix("cuda-"), CUDA, "pkg:generic/cuda"))
    return parts, texts


def main() -> None:
    wheel = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "-d", folder, wheel], check=True, stdout=subprocess.DEVNULL)
        (unpacked,) = pathlib.Path(folder).iterdir()
        (info,) = unpacked.glob("*.dist-info")
        name, version = info.name.removesuffix(".dist-info").split("-")
        parts, texts = parts_of(unpacked, version, gpu=name.endswith("cu13"))
        for file, text in texts.items():
            (info / "licenses" / file).write_text(text)
        name = name.replace("_", "-")
        own = part(name, version, "Apache-2.0", f"pkg:pypi/{name}@{version}")
        bill = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": own}, "components": parts}
        for other in (info / "sboms").glob("*"):  # auditwheel's has no licenses
            other.unlink()
        (info / "sboms").mkdir(exist_ok=True)
        (info / "sboms/fovea.cdx.json").write_text(json.dumps(bill, indent=1) + "\n")
        terms = {term for each in parts for term in each["licenses"][0]["expression"].split(" AND ")}
        expression = " AND ".join(["Apache-2.0", *sorted(terms - {"Apache-2.0"})])
        files = "".join(f"License-File: {file}\n" for file in sorted(texts))
        metadata = (info / "METADATA").read_text()
        metadata = metadata.replace("License-Expression: Apache-2.0\n", f"License-Expression: {expression}\n", 1)
        (info / "METADATA").write_text(metadata.replace("License-File: LICENSE\n", f"License-File: LICENSE\n{files}", 1))
        wheel.unlink()
        subprocess.run([sys.executable, "-m", "wheel", "pack", "-d", wheel.parent, unpacked], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
