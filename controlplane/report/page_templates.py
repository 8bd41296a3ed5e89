"""The templates, the style and the script of the HTML pages.

Text from journals is escaped, and invisible and control characters in it are made visible.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
from controlplane.report.score_colours import heat_cell, score_class, score_mark
from controlplane.report.trial_commands import commands_about
from controlplane.report.trial_facts import has_failed
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.tables.rejection_lines import objection_lines
from controlplane.view.tables.trial_table import short_outcomes

if TYPE_CHECKING:
    from jinja2 import Environment, Template

TEMPLATES: Final = Path(__file__).parent / "templates"
LIVE_SCRIPT: Final = "6_live.js"
"""The part of the script that keeps a served page up to date."""


def style_of_page() -> str:
    """Return the style sheet of all pages."""
    return (TEMPLATES / "report.css").read_text("utf-8")


def script_of_page(*, live: bool = False) -> str:
    """Return the script of a page of runs.

    With `live`, it also updates the page from the server.
    """
    texts = []
    for path in sorted(TEMPLATES.glob("[0-9]*.js")):
        if live or path.name != LIVE_SCRIPT:
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
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    for text_filter in (
        commands_about,
        cost_text,
        count_text,
        gate_or_rule_text,
        heat_cell,
        json_text,
        moment,
        objection_lines,
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
    environment.tests["failed"] = has_failed
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
