"""Writes the stubs of the extension module while the package is built: write_stubs.py MODULE_FOLDER OUT_FOLDER.

_options.pyi has one TypedDict per table of options, named after its function: people.detect_options() becomes
PeopleDetectOptions. _records.pyi has one class per description of a result, whose attributes are its fields and, as columns,
the fields of its only list of records that is printed: people.detect_fields() becomes PeopleDetectFields. _run.pyi has an overload
of run() per operation, with its keywords and the class of its result. The stubs of _fovea are written by nanobind; what it calls dict, list and object is made precise enough for strict checks of the package's own code.
"""

from __future__ import annotations

import importlib
import pathlib
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from keyword import iskeyword
from types import ModuleType
from typing import Any

sys.path.append(str(pathlib.Path(__file__).parent / "fovea"))  # behind all others: _words is the only one of its name
from _words import in_python  # noqa: E402

HEAD = '''"""The keywords of functions, from the library's own description of its options."""

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict

from typing_extensions import Self as Self
from typing_extensions import Unpack as Unpack
'''

RECORDS_HEAD = '''"""The fields of results, from the library's own description of them."""

from typing import Any

import numpy as np
'''


def annotation(entry: dict[str, Any]) -> str:
    kind = entry["kind"]
    if kind == "choice":
        kind = "Literal[" + ", ".join(f'"{word}"' for word in entry["words"]) + "]"
    return f"{kind} | None"


def comment(entry: dict[str, Any], table: Iterable[dict[str, Any]] = ()) -> list[str]:
    text = in_python(entry["help"], table).replace("``", "`")
    return textwrap.wrap(text, 110, initial_indent="    # ", subsequent_indent="    # ", break_on_hyphens=False)


# How a call reads arrays is no option of the library: fovea._rules.
RULES = """    # The order of colors in arrays that are read and in pictures that are returned.
    color: Literal["rgb", "bgr"] | None
    # Refuse arrays that would have to be copied.
    strict: bool | None"""


def typed_dict(name: str, table: list[dict[str, Any]]) -> str:
    """A class of keywords, behind one for each part of the options."""

    def members(entries: Iterable[dict[str, Any]], prefix: str = "") -> list[str]:
        return [
            line
            for entry in entries
            for line in (*comment(entry, table), f"    {entry['name'].removeprefix(prefix)}: {annotation(entry)}")
        ]

    names = {entry["name"] for entry in table}
    parts = {part: f"{name}{part.capitalize()}" for entry in table if (part := entry.get("part")) and part not in names}
    lines = []
    for part, title in parts.items():
        lines += [f"class {title}(TypedDict, total=False):"]
        lines += [*members((entry for entry in table if entry.get("part") == part), f"{part}_"), ""]
    lines += [f"class {name}(TypedDict, total=False):"]
    lines += [f"    {part}: {title} | None" for part, title in parts.items()]
    if not re.match("Kmeans|.*Svm|ScenesBag", name) and all(entry["name"] != "color" for entry in table):
        lines.append(RULES)
    return "\n".join([*lines, *members(table)]) + "\n"


def field_type(entry: dict[str, Any], column: bool = False) -> str:
    kind = entry["kind"]
    if column and "dtype" in entry or kind == "array":
        plain = f"np.ndarray[Any, np.dtype[np.{entry['dtype'].replace('bool', 'bool_')}]]"
    elif kind in ("box", "size", "point"):
        number = "float" if entry["dtype"].startswith("float") else "int"
        plain = f"tuple[{', '.join([number] * (4 if kind == 'box' else 2))}]"
    elif kind == "list":
        element = entry["element"]
        plain = "dict[str, Any]" if element["kind"] == "record" else field_type(element, True)
        plain = f"dict[str, {field_type(element)}]" if entry["named"] else plain
        if entry["fixed"] and not column:
            plain = f"tuple[{', '.join([field_type(element)] * entry['fixed'])}]"
    else:
        plain = {"choice": "str", "record": "dict[str, Any]"}.get(kind, kind)
    plain = f"list[{plain}]" if column and "dtype" not in entry and kind != "record" else plain
    nan = column and kind == "float"  # an array has NaN where a number is absent
    return f"{plain} | None" if entry.get("optional") and not nan else plain


def record_class(name: str, fields: list[dict[str, Any]]) -> str:
    fields = [f for f in fields if f["name"].isidentifier()]  # only the program's JSON has other names
    lists = [f for f in fields if f["kind"] == "list" and f["element"]["kind"] == "record" and f["printed"]]
    rows = lists[0]["element"]["fields"] if len(lists) == 1 else []
    known = {f["name"] for f in fields}  # a field of the result itself has its name
    rows = [f for f in rows if f["name"] not in known]
    lines = [f"class {name}:"]
    for entry, column in [*((f, False) for f in fields), *((f, True) for f in rows)]:
        lines += comment(entry)
        lines.append(f"    {entry['name']}: {field_type(entry, column)}")
    return "\n".join(lines) + "\n"


def classes_of(module: ModuleType, end: str, make: Callable[[str, list[dict[str, Any]]], str]) -> list[str]:
    """A class for each function of the module's parts whose name ends so."""
    classes = []
    for system, part in sorted(vars(module).items()):
        if not isinstance(part, ModuleType):
            continue
        for function in sorted(f for f in vars(part) if f.endswith(end)):
            words = [system, *function.split("_")]
            classes.append(make("".join(word.capitalize() for word in words), getattr(part, function)()))
    return classes


RUN_HEAD = '''"""Any operation of the program by its name, from the library's own description of its operations."""

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict, overload

import numpy as np
from typing_extensions import Unpack

from ._arguments import OnError
from ._batch import Results
from ._frames import VideoLike
from ._operation import Operated
from ._progress import Progress
from ._saved import OperationResult
'''

OPERATION = '''
def operations() -> list[str]: ...

class Operation(Operated):
    def __init__(self, operation: str, **options: Any) -> None: ...
    def run(self, input: Any) -> Any: ...
    def run_all(
        self, inputs: str | PathLike[str] | Iterable[Any], *, progress: Progress = False, on_error: OnError = "raise"
    ) -> Results[Any]: ...
    def video(self, source: VideoLike, *, keep_images: bool = False, progress: Progress = False) -> Results[Any]: ...
'''


def own_classes() -> dict[str, tuple[str, str]]:
    """The module and class of results that the package itself defines, by operation."""
    found = {}
    for path in sorted((pathlib.Path(__file__).parent / "fovea").glob("*/*.py")):
        for name, kind in re.findall(r'@of_operation\("([^"]+)".*\)\nclass (\w+)', path.read_text()):
            found[name] = (f".{path.parent.name}.{path.stem}", kind)
    return found


def run_stub(module: ModuleType) -> str:
    """The stub of fovea._run."""
    operations, own, imports, classes, overloads = module.operations, own_classes(), [], [], []
    for name in operations.names():
        known, title = operations.described(name), "".join(word.capitalize() for word in re.split("[ -]", name))
        if name in own:
            place, kind = own[name]
            imports.append(f"from {place} import {kind}")
        else:
            kind = title
            classes.append(record_class(kind, known["fields"]).replace(f"class {kind}:", f"class {kind}(OperationResult):"))
        result = f"list[{kind}]" if known["video"] else kind
        outputs = [{**each, "kind": "str | PathLike[str]", "name": each["name"].replace("-", "_")} for each in known["outputs"]]
        sources = [{**each, "kind": "Any"} for each in known["sources"]]
        named = {each["name"] for each in sources}
        options = [each for each in known["options"] if each["name"] not in named]
        keywords = [*options, *sources, *known["file_options"], *outputs]
        keywords = [{**each, "name": f"{each['name']}_" if iskeyword(each["name"]) else each["name"]} for each in keywords]
        classes.append(typed_dict(f"{title}Keywords", keywords))
        overloads.append(
            f'@overload\ndef run(\n    operation: Literal["{name}"], input: Any, **options: Unpack[{title}Keywords]\n) -> {result}: ...\n'
        )
    return "\n".join([RUN_HEAD, *imports, *classes, OPERATION, *overloads])


def precise(stub: str) -> str:
    for plain, full in (("dict", "dict[str, Any]"), ("list", "list[Any]"), ("tuple", "tuple[Any, ...]")):
        stub = re.sub(rf"\b{plain}\b(?!\[)", full, stub)
    stub = stub.replace("-> object", "-> Any").replace("**kwargs)", "**kwargs: Any)").replace("*args,", "*args: Any,")
    stub = stub.replace("from _fovea import", "from . import")
    return "from typing import Any\n\n" + stub


def main() -> None:
    folder, out = (pathlib.Path(argument) for argument in sys.argv[1:])
    sys.path.insert(0, str(folder))
    module = importlib.import_module("_fovea")
    out.mkdir(parents=True, exist_ok=True)
    (out / "_options.pyi").write_text("\n\n".join([HEAD, *classes_of(module, "_options", typed_dict)]))
    (out / "_run.pyi").write_text(run_stub(module))
    (out / "_records.pyi").write_text("\n\n".join([RECORDS_HEAD, *classes_of(module, "_fields", record_class)]))
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-r", "-i", str(folder), "-m", "_fovea", "-O", str(out)]
    subprocess.run(command, check=True)
    for stub in (out / "_fovea").glob("*.pyi"):
        stub.write_text(precise(stub.read_text()))
    with (out / "_fovea" / "__init__.pyi").open("a") as main_stub:
        main_stub.write("\n__version__: str\n")


main()
