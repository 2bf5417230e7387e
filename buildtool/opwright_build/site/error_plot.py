"""Largest errors as SVG: for each element type a dot for this library's body and a ring for the standard's own, on a
logarithmic axis. Zero stands at its left end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from opwright_build.verify.facts.numerics import Row

_LEFT, _RIGHT, _WIDTH = 76.0, 16.0, 380.0
_ROW, _TOP, _BOTTOM = 26.0, 8.0, 24.0


def error_plot(rows: Sequence[Row], measure: str) -> str:
    """`measure` is `ulp` or `absolute`."""
    values = [float(getattr(side, measure)) for row in rows for side in (row.ours, row.standard)]
    positive = [value for value in values if value > 0 and math.isfinite(value)]
    low = math.floor(math.log10(min(positive))) if positive else 0
    high = max(math.ceil(math.log10(max(positive))) if positive else 1, low + 1)
    has_zero = any(value == 0 for value in values)
    first = low - 1 if has_zero else low
    height = _TOP + _ROW * len(rows) + _BOTTOM
    unit = "units in the last place" if measure == "ulp" else "absolute"

    def place(value: float) -> float:
        at = first if value <= 0 else high if not math.isfinite(value) else math.log10(value)
        return _LEFT + (at - first) / (high - first) * (_WIDTH - _LEFT - _RIGHT)

    told = "; ".join(
        f"{row.type}: {getattr(row.ours, measure):.3g} here, {getattr(row.standard, measure):.3g} in the standard"
        for row in rows
    )
    lines = [
        f'<svg class="ow-plot" viewBox="0 0 {_WIDTH:.0f} {height:.0f}" role="img" '
        f'aria-label="Largest error, {unit}. {escape(told)}">',
        *_axis(first, high, has_zero, height),
    ]
    for number, row in enumerate(rows):
        y = _TOP + _ROW * (number + 0.5)
        ours, standard = place(float(getattr(row.ours, measure))), place(float(getattr(row.standard, measure)))
        lines.append(f'<text class="ow-kind" x="{_LEFT - 12:.0f}" y="{y + 4:.1f}">{escape(row.type)}</text>')
        lines.append(f'<path class="ow-span" d="M{ours:.1f} {y:.1f}H{standard:.1f}"/>')
        lines.append(f'<circle class="ow-standard" cx="{standard:.1f}" cy="{y:.1f}" r="5.5"/>')
        lines.append(f'<circle class="ow-ours" cx="{ours:.1f}" cy="{y:.1f}" r="3.5"/>')
    return "\n".join([*lines, "</svg>"])


def _axis(first: int, high: int, has_zero: bool, height: float) -> Iterator[str]:
    step = max(1, math.ceil((high - first) / 6))
    for exponent in range(first, high + 1):
        is_zero = has_zero and exponent == first
        if not is_zero and (exponent - high) % step:
            continue
        x = _LEFT + (exponent - first) / (high - first) * (_WIDTH - _LEFT - _RIGHT)
        label = "0" if is_zero else _power(exponent)
        yield f'<path class="ow-grid" d="M{x:.1f} {_TOP - 4:.0f}V{height - _BOTTOM + 4:.0f}"/>'
        yield f'<text class="ow-tick" x="{x:.1f}" y="{height - 4:.0f}">{label}</text>'


def _power(exponent: int) -> str:
    if -2 <= exponent <= 3:
        return f"{10.0**exponent:g}"
    return f'10<tspan class="ow-power" dy="-5">{exponent}</tspan>'
