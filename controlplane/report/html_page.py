"""Fills the template: all text of a journal is escaped, and the policy lets the page run and fetch nothing but its own.

The page holds one style and one script, each named by its hash in the policy. Nothing is loaded, and the browser is
told to refuse every string that a script would make markup or code of.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controlplane.report.failure_groups import failure_groups, has_failed
from controlplane.report.heat_map import heat_cell, task_rows
from controlplane.report.run_facts import RunFacts
from controlplane.report.text_packs import packed
from controlplane.view.display_text import cost_text, count_text, one_line, sanitize, score_text, span_text, tokens_text
from controlplane.view.report import SHORT_OUTCOMES

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Block:
    """The packed data of one trial's page, and the anchor that leads to it."""

    anchor: str
    data: str


@dataclass(frozen=True, slots=True)
class Page:
    """What a report is made of."""

    runs: Sequence[RunFacts]
    blocks: Sequence[Block]
    packs: Sequence[str]
    """The packs of texts."""
    starts: Sequence[int]
    """The number of the first text of each."""


def page_html(page: Page) -> str:
    """Return the whole file."""
    style, script = _own_text("*.css"), f'"use strict";(() => {{\n{_own_text("*.js")}}})();'
    trials = [trial for run in page.runs for trial in run.trials]
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            policy=policy_of(style, script),
            style=style,
            script=script,
            title=_title(page.runs),
            runs=page.runs,
            trials=trials,
            groups=failure_groups(trials, len(page.runs)),
            tasks=task_rows([each.trials for each in page.runs]) if len(page.runs) > 1 else [],
            blocks=page.blocks,
            packs=page.packs,
            starts=packed(list(page.starts)),
        )
    )


def policy_of(style: str, script: str) -> str:
    """Return the Content-Security-Policy of a page with this style and script."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_source(script)}",
            f"style-src {_source(style)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _own_text(pattern: str) -> str:
    """Return the files of that form as one, in the order of their names."""
    return "".join(each.read_text(encoding="utf-8") for each in sorted(TEMPLATES.glob(pattern)))


def _title(runs: Sequence[RunFacts]) -> str:
    return runs[0].label if len(runs) == 1 else f"{len(runs)} runs: {', '.join(each.label for each in runs)}"


def score_class(score: float | None) -> str:
    """Return the class of a score's cell: `s0` for 0 to `s5` for 1, `sealed` without one."""
    if score is None:
        return "sealed"
    return "s5" if score >= 1 else "s0" if score <= 0 else f"s{min(int(score * 4) + 1, 4)}"


def score_mark(score: float | None) -> str:
    """Return the sign that tells a score's class without colour."""
    return "–" if score is None else "✓" if score >= 1 else "✗" if score <= 0 else "◐"


@lru_cache(maxsize=1)
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    texts = (
        cost_text,
        count_text,
        one_line,
        sanitize,
        score_text,
        span_text,
        tokens_text,
        score_class,
        score_mark,
        heat_cell,
    )
    found.filters.update({each.__name__: each for each in texts})
    found.tests["failed"] = has_failed
    found.filters["short_outcome"] = lambda outcome: SHORT_OUTCOMES.get(outcome, outcome)
    return found
