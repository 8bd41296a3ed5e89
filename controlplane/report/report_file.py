"""Writes the report of one or more runs as one HTML file: reads each trial once, and keeps its facts and packed page.

All text of a journal is escaped. The policy lets the page fetch nothing and run only its one script and style, each
named by its hash. It tells the browser to refuse every string that a script would turn into markup or code.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controlplane.comparison.run_comparison import compared_run
from controlplane.journal.journal_content import Journal, RecordedTrial, open_journal
from controlplane.journal.journal_file import is_being_written
from controlplane.journal.run_summary import WAITING, RunSummary, total
from controlplane.report.run_facts import (
    RunFacts,
    TrialFacts,
    failure_groups,
    figures_of,
    has_failed,
    heat_cell,
    is_average,
    labels_by_submission,
    moment,
    run_facts,
    task_rows,
)
from controlplane.report.trial_data import TextPacks, TrialPages, packed
from controlplane.view.display_text import cost_text, count_text, one_line, sanitize, score_text, span_text, tokens_text
from controlplane.view.report import SHORT_OUTCOMES
from controlplane.view.trial_pages import steps_of

if TYPE_CHECKING:
    from jinja2 import Template


MOST_WAITING: Final = 500
"""Most trials that never began for which a report has pages."""
TEMPLATES: Final = Path(__file__).parent / "templates"
TEXTS: Final = ("css", "js")
POLICY: Final = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy of a page, without the hashes of its script and style."""


def score_class(score: float | None) -> str:
    """Return the CSS class of a score's cell: `s0` for 0 to `s5` for 1, `sealed` without a score."""
    if score is None:
        return "sealed"
    return "s5" if score >= 1 else "s0" if score <= 0 else f"s{min(int(score * 4) + 1, 4)}"


def score_mark(score: float | None) -> str:
    """Return the sign that shows a score's class without colour."""
    return "–" if score is None else "✓" if score >= 1 else "✗" if score <= 0 else "◐"


@lru_cache(maxsize=1)
def _templates() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    texts = (cost_text, count_text, one_line, sanitize, score_text, span_text, tokens_text)
    found.filters |= {text.__name__: text for text in (*texts, score_class, score_mark, heat_cell, moment)}
    found.tests |= {"failed": has_failed, "an_average": is_average}
    found.filters["short_outcome"] = lambda outcome: SHORT_OUTCOMES.get(outcome, outcome)
    found.filters["json_text"] = lambda value: sanitize(json.dumps(value, ensure_ascii=False))
    return found.get_template("report.html.j2")


@dataclass(frozen=True, slots=True)
class Report:
    """A report and its counts."""

    html: str
    runs: int
    trials: int


def report_html(
    runs: Sequence[Sequence[Path]], on_progress: Callable[[int, int], None] = lambda done, total: None
) -> Report:
    """Return the report of these runs, reporting how many trials of each are done.

    A run is its journal, followed by those of its reruns, whose trials replace its own. Raises `NotAJournal`,
    `JournalDamaged`, and `UsageError` for a journal that is not a rerun of those before it.
    """
    pages, blocks, found = TrialPages(), dict[str, str](), list[RunFacts]()
    for number, paths in enumerate(runs):
        with ExitStack() as opened:
            journals = [opened.enter_context(open_journal(path)) for path in paths]
            label = _label(journals, {run.label for run in found})
            is_running = [is_being_written(path) for path in paths]
            for journal, is_written in zip(journals, is_running, strict=True):
                if not is_written:
                    journal.summary.mark_stopped()
            recorded = _trials_of(paths, journals)
            summary, trials = _merged(journals, recorded), list[TrialFacts]()
            by_summary = {id(trial.summary): trial for trial in recorded}
            shown = summary.worst_first  # Trials that never began come last.
            left_out = sum(trial.state == WAITING for trial in shown) - MOST_WAITING
            if left_out > 0:
                shown = shown[:-left_out]
                notice = f"{count_text(left_out, 'trial')} that never began left out"
                summary = replace(summary, notices=[*summary.notices, notice])
            for place, told in enumerate(shown, start=1):
                record = by_summary[id(told)].record
                steps, anchor = steps_of(record, told), f"trial-{number + 1}-{place}"
                question = record.started.instruction if record.started else ""
                submissions, protests = (
                    labels_by_submission(steps, labelled)
                    for labelled in (lambda judged: judged.rejections, lambda judged: judged.protests)
                )
                figures = figures_of(steps, record.replies)
                trials.append(TrialFacts(anchor, number, told, sanitize(question), submissions, figures, protests))
                blocks[anchor] = packed({"run": label, **pages.data_of(record, steps, told)})
                on_progress(place, len(shown))
        found.append(run_facts(summary, trials, label, is_running=any(is_running)))
    return Report(_page(found, pages.texts, blocks), len(found), len(blocks))


def _page(runs: Sequence[RunFacts], texts: TextPacks, blocks: Mapping[str, str]) -> str:
    """Return the whole file; `blocks` holds the packed data of each trial's page, by its anchor."""
    texts.close()
    style, script = ("".join(path.read_text("utf-8") for path in sorted(TEMPLATES.glob(f"*.{kind}"))) for kind in TEXTS)
    script = f'"use strict";(() => {{\n{script}}})();'
    trials = [trial for run in runs for trial in run.trials]
    names = [run.label for run in runs]
    digests = (hashlib.sha256(text.encode()).digest() for text in (script, style))
    return _templates().render(
        policy=POLICY.format(*(base64.b64encode(digest).decode() for digest in digests)),
        style=style,
        script=script,
        title=names[0] if len(names) == 1 else f"{len(names)} runs: {', '.join(names)}",
        runs=runs,
        trials=trials,
        groups=failure_groups(trials, len(runs)),
        averages=sum(map(is_average, trials)),
        tasks=task_rows([run.trials for run in runs]) if len(runs) > 1 else [],
        blocks=blocks,
        packs=texts.packs,
        starts=packed(texts.starts),
    )


def _label(journals: Sequence[Journal], taken: Container[str]) -> str:
    wanted = "+".join(one_line(journal.opened.name) or one_line(journal.run) for journal in journals)
    numbered = (f"{wanted} ({number})" for number in itertools.count(2))
    return next(label for label in itertools.chain([wanted], numbered) if label not in taken)


def _trials_of(paths: Sequence[Path], journals: Sequence[Journal]) -> list[RecordedTrial]:
    """Return the trials of a run, replaced by those of its reruns."""
    if len(journals) == 1:
        return list(journals[0].trials.values())
    by_run = {journal.run: journal for journal in journals}
    return [by_run[trial.run].trials[trial.summary.trial_id] for trial in compared_run(paths).trials]


def _merged(journals: Sequence[Journal], trials: Sequence[RecordedTrial]) -> RunSummary:
    """Return the totals of the first journal's run with these trials; the reruns' time is added to its own."""
    first, *others = (journal.summary for journal in journals)
    if not others:
        return first
    return replace(
        first,
        trials={f"{trial.journal.run} {trial.trial_id}": trial.summary for trial in trials},
        spent=total(trial.summary.spent for trial in trials),
        retries=sum(summary.retries for summary in (first, *others)),
        notices=[notice for summary in (first, *others) for notice in summary.notices],
        last_ms=first.last_ms + sum(other.last_ms - other.began_ms for other in others),
    )
