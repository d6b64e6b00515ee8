"""Writes the stubs of the extension module while the package is built: write_stubs.py MODULE_FOLDER OUT_FOLDER.

_options.pyi has one TypedDict per table of options, named after its function: people.detect_options() becomes
PeopleDetectOptions. The stubs of _fovea are written by nanobind; what it calls dict, list and object is made precise enough
for strict checks of the package's own code.
"""

from __future__ import annotations

import importlib
import pathlib
import re
import subprocess
import sys
import textwrap
from types import ModuleType
from typing import Any

HEAD = '''"""The keywords of functions, from the library's own description of its options."""

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict
'''


def annotation(entry: dict[str, Any]) -> str:
    kind = entry["kind"]
    if kind == "choice":
        kind = "Literal[" + ", ".join(f'"{word}"' for word in entry["words"]) + "]"
    return f"{kind} | None"


def typed_dict(name: str, table: list[dict[str, Any]]) -> str:
    lines = [f"class {name}(TypedDict, total=False):"]
    for entry in table:
        lines += textwrap.wrap(entry["help"], 110, initial_indent="    # ", subsequent_indent="    # ")
        lines.append(f"    {entry['name']}: {annotation(entry)}")
    return "\n".join(lines) + "\n"


def option_dicts(module: ModuleType) -> list[str]:
    dicts = []
    for system, part in sorted(vars(module).items()):
        if not isinstance(part, ModuleType):
            continue
        for function in sorted(f for f in vars(part) if f.endswith("_options")):
            words = [system, *function.split("_")]
            dicts.append(typed_dict("".join(word.capitalize() for word in words), getattr(part, function)()))
    return dicts


def precise(stub: str) -> str:
    for plain, full in (("dict", "dict[str, Any]"), ("list", "list[Any]"), ("tuple", "tuple[Any, ...]")):
        stub = re.sub(rf"\b{plain}\b(?!\[)", full, stub)
    stub = stub.replace("-> object", "-> Any").replace("**kwargs)", "**kwargs: Any)")
    stub = stub.replace("from _fovea import", "from . import")
    return "from typing import Any\n\n" + stub


def main() -> None:
    folder, out = (pathlib.Path(argument) for argument in sys.argv[1:])
    sys.path.insert(0, str(folder))
    module = importlib.import_module("_fovea")
    out.mkdir(parents=True, exist_ok=True)
    (out / "_options.pyi").write_text("\n\n".join([HEAD, *option_dicts(module)]))
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-r", "-i", str(folder), "-m", "_fovea", "-O", str(out)]
    subprocess.run(command, check=True)
    for stub in (out / "_fovea").glob("*.pyi"):
        stub.write_text(precise(stub.read_text()))
    with (out / "_fovea" / "__init__.pyi").open("a") as main_stub:
        main_stub.write("\n__version__: str\n")


main()
