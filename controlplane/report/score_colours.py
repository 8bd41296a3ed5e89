"""Colours and signs of scores in the map of tasks, from red for 0 to green for 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.report.task_map import Colour

RED: Final = (220, 38, 38)
AMBER: Final = (245, 158, 11)
GREEN: Final = (22, 163, 74)
GREY: Final = "#f3f4f6"


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A score as text and colour."""

    text: str
    background: str


def heat_cell(score: float | None) -> HeatCell:
    """Return the cell of a score: red up to 0, amber at a half, green from 1, grey without one."""
    if score is None:
        return HeatCell("n/a", GREY)
    clamped = min(max(score, 0.0), 1.0)
    if clamped <= 0.5:
        colour = _mixed(RED, AMBER, clamped * 2)
    else:
        colour = _mixed(AMBER, GREEN, clamped * 2 - 1)
    red, green, blue = colour
    return HeatCell(f"{score:g}", f"#{red:02x}{green:02x}{blue:02x}")


def _mixed(low: Colour, high: Colour, share: float) -> Colour:
    """Return a colour between two, `share` of the way from the first to the second."""
    red = round(low[0] + (high[0] - low[0]) * share)
    green = round(low[1] + (high[1] - low[1]) * share)
    blue = round(low[2] + (high[2] - low[2]) * share)
    return red, green, blue


def score_class(score: float | None) -> str:
    """Return the CSS class of a score's cell: `s0` to `s5`, or `sealed` without a score."""
    if score is None:
        return "sealed"
    if score >= 1:
        return "s5"
    if score <= 0:
        return "s0"
    quarter = int(score * 4) + 1
    return f"s{min(quarter, 4)}"


def score_mark(score: float | None) -> str:
    """Return the sign that shows a score's class without colour."""
    if score is None:
        return "–"
    if score >= 1:
        return "✓"
    if score <= 0:
        return "✗"
    return "◐"
