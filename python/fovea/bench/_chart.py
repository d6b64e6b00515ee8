"""The comparisons of a report as a chart: bars to the right of 1 where Fovea is faster, to the left where it is not."""

from __future__ import annotations

import html
import itertools
import math

from ._report import Comparison, Report

# The colors of the library's charts, which pages replace by those of their theme.
_INK, _MUTED, _GRID, _AXIS = "ink,#1d2330", "muted,#5b6575", "grid,#e4e7ec", "axis,#8a93a3"
_FASTER, _SLOWER, _PAPER = "series-1,#2f6fde", "series-2,#e78000", "paper,#ffffff"
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"

_WIDTH, _EDGE, _TOP = 760, 8, 74
_HEAD, _ROW, _GAP, _BAR = 19, 20, 7, 13
_LETTER = 6.4  # pixels, generously
_NUMBERS = 56  # pixels for numbers at the ends of bars


class _Drawing:
    """Elements of SVG, one after another."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    @staticmethod
    def _color(kind: str, color: str, more: str = "") -> str:
        name, plain = color.split(",")
        return f'{kind}="{plain}" style="{kind}:var(--fovea-{name},{plain}){more}"'

    def box(self, x: float, y: float, width: float, height: float, color: str, round_by: float = 0) -> None:
        corner = f' rx="{round_by:g}"' if round_by else ""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self.lines.append(f"<rect {place}{corner} {self._color('fill', color)}/>")

    def line(self, start: tuple[float, float], end: tuple[float, float], color: str) -> None:
        path = f"M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}"
        self.lines.append(f'<path d="{path}" {self._color("stroke", color)}/>')

    def text(self, x: float, y: float, text: str, color: str, more: str = "") -> None:
        shown = html.escape(text)
        name, plain = _PAPER.split(",")
        halo = f";stroke:var(--fovea-{name},{plain});stroke-width:3px;paint-order:stroke"  # over the lines of the grid
        self.lines.append(f'<text x="{x:.1f}" y="{y:.1f}" {more}{self._color("fill", color, halo)}>{shown}</text>')


class _Axis:
    """A logarithmic axis that has 1 in it."""

    def __init__(self, values: list[float], left: float, right: float) -> None:
        self.low = min([*values, 0.5])
        self.high = max([*values, 2.0])
        self._left, self._scale = left, (right - left) / math.log(self.high / self.low)

    def at(self, value: float) -> float:
        return self._left + self._scale * math.log(value / self.low)

    def ticks(self) -> list[float]:
        """1, 10 and so on, and what lies between where there is room for it."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for steps in ((1, 2, 5), (1, 3), (1,)):
            every = [step * 10.0**power for power in range(first, last + 1) for step in steps]
            ticks = [value for value in every if self.low * 0.999 <= value <= self.high * 1.001]
            places = [self.at(value) for value in ticks]
            if all(b - a > 30 for a, b in itertools.pairwise(places)):
                return ticks
        return [1.0]


def _range_of(row: Comparison) -> tuple[float, float] | None:
    """The ratios of the extreme times: no pair of calls lies outside."""
    if row.fovea_range_ms is None or row.rival_range_ms is None:
        return None
    return row.rival_range_ms[0] / row.fovea_range_ms[1], row.rival_range_ms[1] / row.fovea_range_ms[0]


def _number(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"


def _draw_bar(draw: _Drawing, axis: _Axis, row: Comparison, y: float) -> None:
    if row.ratio is None:
        draw.text(axis.at(1) + 6, y + 10.5, "not measured", _MUTED, 'font-size="11" ')
        return
    base, end = axis.at(1), axis.at(row.ratio)
    draw.box(min(base, end), y, max(abs(end - base), 1), _BAR, _FASTER if row.ratio >= 1 else _SLOWER, 2)
    tip = max(base, end)
    extremes = _range_of(row)
    if extremes is not None:
        low, high = (axis.at(min(max(value, axis.low), axis.high)) for value in extremes)
        middle = y + _BAR / 2
        draw.line((low, middle), (high, middle), _INK)
        for place in (low, high):
            draw.line((place, middle - 3), (place, middle + 3), _INK)
        tip = max(tip, high)
    draw.text(tip + 5, y + 10.5, _number(row.ratio), _INK, 'font-size="11" ')


def to_svg(report: Report) -> str:
    """The ratios of a report as SVG. The same report gives the same bytes."""
    groups = [list(rows) for _, rows in itertools.groupby(report.comparisons, key=lambda row: (row.name, row.size))]
    names = [row.rival for row in report.comparisons]
    left = _EDGE + 16 + _LETTER * max((len(name) for name in names), default=0)
    ratios = [row.ratio for row in report.comparisons if row.ratio is not None]
    extremes = [value for row in report.comparisons for value in _range_of(row) or ()]
    axis = _Axis(ratios + extremes, left, _WIDTH - _EDGE - _NUMBERS)
    bottom = _TOP + sum(_HEAD + _ROW * len(rows) + _GAP for rows in groups)
    height = bottom + 40

    draw = _Drawing()
    draw.box(0, 0, _WIDTH, height, _PAPER)
    draw.text(_EDGE, 21, "Time of other libraries / time of Fovea", _INK, 'font-size="14" font-weight="600" ')
    place = report.machine
    made = f"Fovea {place['fovea']}, Python {place['python']}, {place['processor']}, up to {report.threads} threads"
    draw.text(_EDGE, 40, f"{made}; medians of {report.repeats} rounds", _MUTED)
    draw.box(_EDGE, 50, 10, 10, _FASTER, 2)
    draw.text(_EDGE + 15, 59, "Fovea is faster", _INK)
    draw.box(_EDGE + 125, 50, 10, 10, _SLOWER, 2)
    draw.text(_EDGE + 140, 59, "the other is faster", _INK)
    draw.text(_EDGE + 270, 59, "whiskers: from the least to the greatest times", _MUTED)
    for tick in axis.ticks():
        x = axis.at(tick)
        draw.line((x, _TOP), (x, bottom), _AXIS if tick == 1 else _GRID)
        draw.text(x, bottom + 17, f"{tick:g}", _MUTED, 'text-anchor="middle" ')
    y = float(_TOP)
    for rows in groups:
        draw.text(_EDGE, y + 13, f"{rows[0].name} ({rows[0].size})", _INK)
        y += _HEAD
        for row in rows:
            draw.text(_EDGE + 10, y + 10.5, row.rival, _MUTED)
            _draw_bar(draw, axis, row, y)
            y += _ROW
        y += _GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" aria-label="Time of other libraries / time of Fovea" font-family="{html.escape(_FONTS)}" '
        'font-size="12">'
    )
    return "\n".join([head, *draw.lines, "</svg>\n"])
