#!/usr/bin/env python3
"""A compiler launcher that compiles .cu files for the CPU and hands all other commands on.

usage: translate.py [LAUNCHER] COMPILER ARGUMENT... SOURCE

A .cu file is preprocessed with the headers in include/, what is not C++ in it is rewritten, and the result is compiled.
The inline functions of the object are then made its own: their bodies differ from those of the same name in objects of
the host where they ask for __CUDA_ARCH__, and the linker would keep either for both.
"""
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
DEPTH_WITH_ANGLES = {**DEPTH, "<": 1, ">": -1}
# Operations of PTX that include/emulator/ptx.h has; other assembly is left to the compiler.
KNOWN_PTX = re.compile(r"(rcp|rsqrt|ld|st|mma|cp|prefetch)\b")
NOT_FOR_US = {"-include": 2, "-x": 2, "-c": 1, "-MD": 1, "-Winvalid-pch": 1, "-fpch-preprocess": 1, "-O3": 1,
              "-Werror": 1, "-Wextra": 1, "-Wshadow": 1}  # nvcc gets none of these either
# Warnings about what the rewriting makes, or about what is no mistake on a device.
QUIET = ["-Wno-unknown-pragmas", "-Wno-unused", "-Wno-array-bounds", "-Wno-subobject-linkage", "-Wno-maybe-uninitialized"]


def closing(text: str, at: int) -> int:
    """The index behind the bracket that closes the one at `at`."""
    depth, i = 0, at
    while True:
        if text[i] == '"' and (literal := LITERAL.match(text, i)):
            i = literal.end()
            continue
        if text[i] == "'" and not text[i - 1].isalnum():  # not the mark between digits
            i = text.index("'", i + (2 if text[i + 1] == "\\" else 1)) + 1
            continue
        depth += DEPTH.get(text[i], 0)
        i += 1
        if depth == 0:
            return i


def split(text: str, separator: str = ",", depths: dict[str, int] = DEPTH) -> list[str]:
    """Splits at separators outside of brackets and strings."""
    parts, depth, begin, i = [], 0, 0, 0
    while i < len(text):
        if text[i] == '"' and (literal := LITERAL.match(text, i)):
            i = literal.end()
            continue
        depth += depths.get(text[i], 0)
        if text[i] == separator and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
        i += 1
    return [*parts, text[begin:]]


def kernel_before(text: str, at: int) -> tuple[int, int]:
    """Begin and end of the name, with template arguments, that stands before the <<< at `at`."""
    begin = end = len(text[:at].rstrip())
    if text[begin - 1] == ">":
        depth = 0
        while True:
            begin -= 1
            if text[begin] == ">" and text[begin - 1] != "-":
                depth += 1
            elif text[begin] == "<":
                depth -= 1
                if depth == 0:
                    break
        begin = len(text[:begin].rstrip())
    while text[begin - 1].isalnum() or text[begin - 1] in "_:":
        begin -= 1
        before = len(text[:begin].rstrip())
        if before < begin and (text.startswith("::", begin) or text[:before].endswith("::")):
            begin = before
    return begin, end


def rewrite_launches(text: str) -> str:
    """kernel<<<shape>>>(arguments) becomes a call."""
    while (at := text.find("<<<")) >= 0:
        begin, end = kernel_before(text, at)
        kernel = text[begin:end]
        depth, close = 0, at + 3
        while not (depth == 0 and text.startswith(">>>", close)):
            depth += DEPTH.get(text[close], 0)
            close += 1
        shape = f"::emulator::Config({text[at + 3:close]})"
        call = text.index("(", close)
        stop = closing(text, call)
        parts = ["::emulator::Empty{}" if "".join(part.split()) == "{}" else part for part in split(text[call + 1:stop - 1])]
        arguments = ",".join(parts)
        name = '"' + re.sub(r"\s+", " ", kernel).replace('"', "'") + '"'
        if any(part.strip().startswith("{") for part in parts):  # has no type of its own
            new = f"::emulator::launcher({shape}, {name}, {kernel})({arguments})"
        else:
            given = ", " + arguments if arguments.strip() else ""
            new = (f"::emulator::launch_deduced({shape}, {name}, "
                   f"[=](auto&... emulator_a) {{ {kernel}(emulator_a...); }}{given})")
        text = text[:begin] + new + text[stop:]
    return text


def shared_variables(declaration: str, is_extern: bool) -> str:
    """The declaration behind __shared__, as references to the memory of the block that runs."""
    first, *others = split(re.sub(r"\balignas\s*\(\s*\d+\s*\)", "", declaration).strip(), ",", DEPTH_WITH_ANGLES)
    match = re.fullmatch(r"(?P<kind>[^\[]*[\s>*])(?P<name>\w+)\s*(?P<bounds>(?:\[.*\])?)\s*", first, re.DOTALL)
    if not match:
        raise ValueError(f"not understood: __shared__ {declaration}")
    kind = match["kind"].strip()
    if is_extern:
        return f"{kind}* const {match['name']} = reinterpret_cast<{kind}*>(::emulator::dynamic_shared())"
    variables = [(match["name"], match["bounds"])]
    variables += [(name, bounds) for other in others for name, bounds in re.findall(r"(\w+)\s*((?:\[.*\])?)\s*$", other, re.DOTALL)[:1]]
    return "; ".join(f"static ::emulator::Slot emulator_slot_{name}; "
                     f"auto& {name} = ::emulator::shared<{kind}{bounds}>(emulator_slot_{name})" for name, bounds in variables)


def rewrite_shared(text: str) -> str:
    out, at = [], 0
    for match in re.finditer(r"(\bextern\s+)?\b__shared__\s", text):
        end = text.index(";", match.end())
        out += [text[at:match.start()], shared_variables(text[match.end():end], bool(match[1]))]
        at = end
    return "".join(out) + text[at:]


def rewrite_assembly(text: str) -> str:
    """Inline PTX becomes a call of the function that is named after its operation."""
    out, at = [], 0
    for match in re.finditer(r"\basm\b\s*(volatile\s*)?\(", text):
        end = closing(text, match.end() - 1)
        template, *lists = split(text[match.end():end - 1], ":")
        code = "".join(literal[1:-1] for literal in LITERAL.findall(template))
        operation = re.match(r"\s*([\w.]+)", code)
        if not operation or not KNOWN_PTX.match(operation[1]):
            continue
        name = operation[1].replace(".", "_")
        if name.startswith("cp_async_c"):  # the number of bytes is part of what it does
            name += "_" + re.findall(r",\s*(\d+)\s*;", code)[-1]
        operands = [operand.split("(", 1)[1].strip()[:-1] for part in lists[:2] for operand in split(part) if operand.strip()]
        out += [text[at:match.start()], f"::emulator::ptx_{name}({', '.join(operands)})"]
        at = end
    return "".join(out) + text[at:]


def lines_of_project(text: str) -> str:
    """Preprocessed text without what comes from headers of others."""
    keep, out = True, []
    for line in text.split("\n"):
        if marker := re.match(r'# \d+ "([^"]*)"', line):
            keep = "/src/" in marker[1] or marker[1].endswith((".cu", ".cuh"))
        elif keep:
            out.append(line)
    return "\n".join(out)


def instantiated(text: str) -> set[str]:
    """Names of explicit instantiations, which other objects may call."""
    names: set[str] = set()
    for match in re.finditer(r"(?<![\w.>:])template\s+(?!<)([^;{}]*);", lines_of_project(text)):
        if kind := re.match(r"(?:class|struct)\s+([\w:]+)", match[1]):
            names.add(kind[1].split("::")[-1])
        elif function := re.search(r"([\w:]+)\s*\(", re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", match[1]))):
            names.update(function[1].split("::")[-2:])
    return names


def make_inline_functions_local(path: str, kept: set[str]) -> None:
    merged, listed = path + ".merged", path + ".local"
    subprocess.run(["ld", "-r", "--force-group-allocation", path, "-o", merged], check=True)
    symbols = subprocess.run(["nm", "--defined-only", merged], check=True, capture_output=True, text=True).stdout
    weak = [line.split()[2] for line in symbols.splitlines() if line.split()[1] == "W"]
    mangled = [f"{len(name)}{name}" for name in kept]
    local = [name for name in weak if not any(token in name for token in mangled)]
    if not local:  # objcopy refuses an empty list
        os.remove(merged)
        return
    pathlib.Path(listed).write_text("\n".join(local))
    subprocess.run(["objcopy", f"--localize-symbols={listed}", merged, path], check=True)
    os.remove(merged)
    os.remove(listed)


@dataclasses.dataclass
class Command:
    compiler: list[str]  # with the launcher before it
    flags: list[str]
    files: dict[str, str]  # of -o, -MF, -MT

    @staticmethod
    def parse(words: list[str]) -> "Command":
        first = next(i for i, word in enumerate(words) if word.startswith("-"))
        command, i = Command(words[:first], [], {}), first
        while i < len(words) - 1:
            if words[i] in ("-o", "-MF", "-MT"):
                command.files[words[i]] = words[i + 1]
                i += 2
            elif words[i] in NOT_FOR_US:
                i += NOT_FOR_US[words[i]]
            else:
                command.flags.append(words[i])
                i += 1
        return command


def compile_cuda(words: list[str]) -> None:
    command, source = Command.parse(words), words[-1]
    target = command.files["-o"]
    expanded = target + ".ii"
    subprocess.run([command.compiler[-1], "-x", "c++", "-E", *command.flags, f"-I{HERE}/include", "-D__CUDACC__=1", "-include",
                    "cuda_runtime.h", "-MD", "-MF", command.files["-MF"], "-MT", command.files["-MT"], source, "-o", expanded],
                   check=True)
    text = pathlib.Path(expanded).read_text()
    kept = instantiated(text)
    text = rewrite_launches(rewrite_assembly(rewrite_shared(text)))
    # Without the checkout's own path the text is the same in each of them, for a compiler cache.
    pathlib.Path(expanded).write_text(text.replace(f"{ROOT}/", ""))
    flags = [flag for flag in command.flags if not flag.startswith(("-I", "-isystem"))]
    # Most of the time goes into changing fibers, which no optimizer helps; -O1 compiles in half the time of -O3.
    subprocess.run([*command.compiler, *flags, "-O1", "-fpreprocessed", "-fno-gnu-unique", "-fno-strict-aliasing", *QUIET,
                    "-c", expanded, "-o", target], check=True)
    os.remove(expanded)
    make_inline_functions_local(target, kept)


def main() -> None:
    words = sys.argv[1:]
    if not words:
        sys.exit(__doc__)
    if not words[-1].endswith(".cu"):
        os.execvp(words[0], words)
    try:
        compile_cuda(words)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    except ValueError as error:
        sys.exit(f"{words[-1]}: {error}")


if __name__ == "__main__":
    main()
