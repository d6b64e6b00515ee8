"""What scripts/keep_outputs leaves out of a comparison, because it differs from run to run or from machine to machine: times,
rates, memory, progress, temporary paths, versions and the names of processors. Everything else counts, to the byte."""
import re

VERSION = rb"[0-9]+\.[0-9]+\.[0-9]+"
# Members of JSON that are times of the program. Those of data, such as start_seconds of an event, are none of them, and
# --seconds among the options is a whole number.
FRACTION = rb"[0-9]+(?:\.[0-9]+(?:e[-+]?[0-9]+)?|e[-+]?[0-9]+)"
STAGES = rb"cluster|cut|diameter|distance|elapsed|estimate|graph|match|point|recognize|score|search|segment|train|variant"
MEASURED = rb"(?:" + STAGES + rb")_seconds|(?:images|frames)_per_second|seconds_per_frame|(?:peak|working)_memory_bytes"
EVERYWHERE = [
    (re.compile(rb'"fovea": "' + VERSION + rb'"'), rb'"fovea": <version>'),
    (re.compile(rb"(\b[Ff]ovea (?:version )?)" + VERSION), rb"\1<version>"),
]
IN_TEXT = [
    (re.compile(rb'"seconds": ?' + FRACTION), rb'"seconds": <time>'),
    (re.compile(rb'"(' + MEASURED + rb')": [0-9][-+.0-9e]*'), rb'"\1": <measured>'),
    (re.compile(rb"\b[0-9]+(?:\.[0-9]+)? (s|ms|us)\b"), rb"<time> \1"),
    (re.compile(rb"\b[0-9]+(?:\.[0-9]+)? ((?:frames )?per second)\b"), rb"<rate> \1"),
    (re.compile(rb"^fovea: [^\n]*[a-z]: [0-9]+ %\n", re.M), b""),  # progress
    (re.compile(rb'<svg [^>]*aria-label="Time [^"]*"[^>]*>(?:.*?<svg.*?</svg>)?.*?</svg>', re.S), b"<chart of times>"),
    (re.compile(rb"^(  cpu  +).*$", re.M), rb"\1<processor>"),
    (re.compile(rb'("kind": "cpu"|"device": "cpu"), "name": "[^"]*"'), rb'\1, "name": <processor>'),
    (re.compile(rb'"memory_bytes": [0-9]+'), rb'"memory_bytes": <memory>'),
]
TABLE_OF_TIMES = re.compile(r"  +(seconds|ms/frame)\b")
# Records of these commands hold the times of the units, in manifests.
RECORD_START = re.compile(rb"[0-9a-f]{8}\t([0-9]+)\t([a-z])\t([^\t\n]*)\t([0-9]+)\t([0-9a-f]{16})\t")
TIMED_RECORDS = re.compile(rb"\t(flow|mesh|actions) eval(-stream)?\t")


def in_columns(text: str) -> str:
    """Takes times out of tables of words: the numbers that end below the end of `seconds` in the head of a table, or the last
    ones where that is the last column."""
    lines, end, last = [], 0, False
    for line in text.split("\n"):
        place = len(line) if last else end
        number = re.search(r" +[0-9.]+$", line[:place]) if end else None
        if number and line[place:place + 1] in ("", " "):
            line = line[: number.start()] + " <time>" + line[place:]
        else:
            head = TABLE_OF_TIMES.search(line)
            end = head.end() if head else 0
            last = end == len(line)
        lines.append(line)
    return "\n".join(lines)


def in_csv(text: str) -> str:
    rows = [line.split(",") for line in text.split("\n")]
    timed = {i for i, name in enumerate(rows[0]) if name.strip() == "seconds"}
    return "\n".join(",".join("<time>" if r and i in timed and value else value for i, value in enumerate(row))
                     for r, row in enumerate(rows))


def in_html(text: str) -> str:
    """Takes times out of tables whose heads have units of time."""
    def one_table(match):
        table = match.group()
        heads = re.findall(r"<th [^>]*>.*?</th>", re.split("</thead>", table)[0])
        timed = {i for i, head in enumerate(heads) if re.search(r'<span class="unit">\((s|ms|us)\)</span>', head)}

        def one_row(row):
            cells = iter(range(len(heads)))
            return re.sub(r"(<td[^>]*>)(.*?)(</td>)",
                          lambda cell: cell[1] + ("<time>" if next(cells, -1) in timed else cell[2]) + cell[3], row.group())
        return re.sub(r"<tr><td.*?</tr>", one_row, table, flags=re.S) if timed else table
    return re.sub(r"<table.*?</table>", one_table, text, flags=re.S)


def in_manifest(data: bytes) -> bytes:
    """Without the sums of lines and in the order of inputs, since those that are done first stand first. Where records hold
    times, only number, status, name, size and hash of each input are left."""
    head, *records = data.split(b"\n")
    kept = [line[8:] for line in records]
    if TIMED_RECORDS.search(head):
        kept = [b"\t".join(start.groups()) for start in map(RECORD_START.match, records) if start]
    return b"\n".join([re.sub(rb"\t" + VERSION + rb"\t", b"\t<version>\t", head[8:]), *sorted(kept)])


def normal(data: bytes, root: str, name: str, words_only: bool) -> bytes:
    """The bytes of a file without what may differ. Of help (words_only) only versions are left out."""
    data = data.replace(root.encode(), b"<root>")
    if name.endswith(".manifest"):
        return in_manifest(data)
    tail = b""
    if name.endswith(".safetensors") and len(data) > 8:  # the head is text behind its length
        length = 8 + int.from_bytes(data[:8], "little")
        data, tail = data[8:length], data[length:]
    elif b"\0" in data and not name.endswith(".parquet"):
        return data
    for pattern, replacement in EVERYWHERE if words_only or name.endswith(".parquet") else EVERYWHERE + IN_TEXT:
        data = pattern.sub(replacement, data)
    how = {".csv": in_csv, ".html": in_html, ".stdout": in_columns}.get("." + name.rpartition(".")[2])
    if how and not words_only:
        data = how(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")
    return data + tail
