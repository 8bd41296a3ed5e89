"""The templates, the style and the script of the HTML pages.

Text from journals is escaped, and invisible and control characters in it are made visible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from controlplane.facts.trial_facts import short_outcomes
from controlplane.gate_texts import gate_or_rule_text
from controlplane.quantity_texts import (
    cost_text,
    count_text,
    score_text,
    signed_text,
    span_text,
    tokens_text,
    unscored_text,
)
from controlplane.terminal_text import one_line, sanitize

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_Colour: TypeAlias = tuple[int, int, int]

# Colours and signs of scores in the map of tasks, from red for 0 to green for 1.

_RED: Final = (220, 38, 38)
_AMBER: Final = (245, 158, 11)
_GREEN: Final = (22, 163, 74)
_GREY: Final = "#f3f4f6"


@dataclass(frozen=True, slots=True)
class _HeatCell:
    """A score as text and colour."""

    text: str
    background: str


def heat_cell(score: float | None) -> _HeatCell:
    """Return the cell of a score: red up to 0, amber at a half, green from 1, grey without one."""
    if score is None:
        return _HeatCell("n/a", _GREY)
    clamped = min(max(score, 0.0), 1.0)
    if clamped <= 0.5:
        colour = _mixed(_RED, _AMBER, clamped * 2)
    else:
        colour = _mixed(_AMBER, _GREEN, clamped * 2 - 1)
    red, green, blue = colour
    return _HeatCell(f"{score:g}", f"#{red:02x}{green:02x}{blue:02x}")


def _mixed(low: _Colour, high: _Colour, share: float) -> _Colour:
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


_TEMPLATES: Final = Path(__file__).parent / "templates"
_LIVE_SCRIPT: Final = "6_live.js"
"""The part of the script that keeps a served page up to date."""


def style_of_page() -> str:
    """Return the style sheet of all pages."""
    return (_TEMPLATES / "report.css").read_text("utf-8")


def script_of_page(*, live: bool = False) -> str:
    """Return the script of a page of runs.

    With `live`, it also updates the page from the server.
    """
    texts = []
    for path in sorted(_TEMPLATES.glob("[0-9]*.js")):
        if live or path.name != _LIVE_SCRIPT:
            texts.append(path.read_text("utf-8"))
    return f'"use strict";(() => {{\n{"".join(texts)}}})();'


@lru_cache
def template(name: str) -> Template:
    """Return a template, with the filters that format numbers and texts."""
    return _environment().get_template(name)


@lru_cache
def _environment() -> Environment:
    """Return what Jinja needs to render our templates: their folder, filters and tests."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    for text_filter in (
        cost_text,
        count_text,
        gate_or_rule_text,
        heat_cell,
        json_text,
        moment,
        one_line,
        sanitize,
        score_class,
        score_mark,
        score_text,
        short_outcomes,
        signed_text,
        span_text,
        tokens_text,
        unscored_text,
    ):
        environment.filters[text_filter.__name__] = text_filter
    return environment


def _visible(value: object) -> object:
    """Return the value of a template's expression, sanitized if it is plain text.

    Jinja calls this for every expression. Markup from the templates themselves is not a
    plain `str`, and is unchanged.
    """
    if type(value) is str:
        return sanitize(value)
    return value


def json_text(value: object) -> str:
    """Return a setting's value as JSON, with letters beyond ASCII as they are."""
    return json.dumps(value, ensure_ascii=False)


def moment(at_ms: int) -> str:
    """Return a time as `2026-11-21 10:47 UTC`; empty if it is out of range."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime(
            "%Y-%m-%d %H:%M UTC"
        )
    except (OverflowError, ValueError, OSError):
        return ""


# The parts that every page has, whether `view` serves it or `report` writes it to a file.


@dataclass(frozen=True, slots=True)
class PackedTrial:
    """The data of a trial's page, packed for a file."""

    anchor: str
    data: str
    """JSON, deflated and in base64."""


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The parts of a page. It is either served by `view`, or written to a file."""

    title: str

    # Only if it is served

    source: str = ""
    """The page's path on the server."""
    events: str = ""
    """The path of its event stream on the server."""
    version: str = ""
    """The versions of its runs, as JSON. The page asks for what is new when the event stream sends others."""

    # Only in a file, which has to contain everything

    policy: str = ""
    """The Content-Security-Policy, which a server sends as a header."""
    style: str = ""
    script: str = ""
    blocks: Iterable[PackedTrial] = ()
    """The data of each trial, which is read from its journal while the file is written."""
