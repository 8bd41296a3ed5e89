"""Makes the report of one run or several as one HTML file: reads each trial once, and keeps its facts and packed page.

All text of a journal is escaped, and the policy lets the page run and fetch nothing but its own: the page holds one
style and one script, each named by its hash in the policy. The browser is told to refuse every string that a script
would make markup or code of.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
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
    run_facts,
    task_rows,
)
from controlplane.report.trial_data import TextPacks, TrialPages, packed
from controlplane.view.display_text import cost_text, count_text, one_line, sanitize, score_text, span_text, tokens_text
from controlplane.view.report import SHORT_OUTCOMES
from controlplane.view.trial_pages import steps_of

if TYPE_CHECKING:
    from jinja2 import Environment


MOST_WAITING: Final = 500
"""Trials that never began, of which a report has pages."""
TEMPLATES: Final = Path(__file__).parent / "templates"


def _policy_of(style: str, script: str) -> str:
    """Return the Content-Security-Policy of a page with this style and script."""
    sources = f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}"
    return f"{sources}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _own_text(pattern: str) -> str:
    """Return the files of that form as one, in the order of their names."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(TEMPLATES.glob(pattern)))


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
    texts = (cost_text, count_text, one_line, sanitize, score_text, span_text, tokens_text)
    found.filters |= {text.__name__: text for text in (*texts, score_class, score_mark, heat_cell)}
    found.tests |= {"failed": has_failed, "an_average": is_average}
    found.filters["short_outcome"] = lambda outcome: SHORT_OUTCOMES.get(outcome, outcome)
    return found


@dataclass(frozen=True, slots=True)
class Report:
    """A report and what it holds."""

    html: str
    runs: int
    trials: int


def report_html(
    runs: Sequence[Sequence[Path]], on_progress: Callable[[int, int], None] = lambda done, total: None
) -> Report:
    """Return the report of these runs, telling how many trials of each are done.

    A run is its journal, and behind it those of its reruns, whose trials take the place of its own. Raises
    `NotAJournal`, `JournalDamaged`, and `UsageError` for a journal that is not a rerun of those before it.
    """
    making = _Making()
    for paths in runs:
        making.take(paths, on_progress)
    return Report(making.html(), len(making.runs), sum(len(run.trials) for run in making.runs))


class _Making:
    def __init__(self) -> None:
        self.texts = TextPacks()
        self.runs: list[RunFacts] = []
        self.blocks: dict[str, str] = {}
        """The packed data of each trial's page, by the anchor that leads to it."""
        self._pages = TrialPages(self.texts)

    def html(self) -> str:
        """Return the whole file."""
        self.texts.close()
        style, script = _own_text("*.css"), f'"use strict";(() => {{\n{_own_text("*.js")}}})();'
        trials = [trial for run in self.runs for trial in run.trials]
        names = [run.label for run in self.runs]
        page = _templates().get_template("report.html.j2")
        return page.render(
            policy=_policy_of(style, script),
            style=style,
            script=script,
            title=names[0] if len(names) == 1 else f"{len(names)} runs: {', '.join(names)}",
            runs=self.runs,
            trials=trials,
            groups=failure_groups(trials, len(self.runs)),
            averages=sum(map(is_average, trials)),
            tasks=task_rows([run.trials for run in self.runs]) if len(self.runs) > 1 else [],
            blocks=self.blocks,
            packs=self.texts.packs,
            starts=packed(self.texts.starts),
        )

    def take(self, paths: Sequence[Path], on_progress: Callable[[int, int], None]) -> None:
        is_running = any(map(is_being_written, paths))
        with ExitStack() as stack:
            journals = [stack.enter_context(open_journal(path)) for path in paths]
            for journal in journals:
                if not is_being_written(journal.path):
                    journal.summary.mark_stopped()
            recorded = _trials_of(paths, journals)
            summary = _merged(journals, recorded)
            by_summary = {id(trial.summary): trial for trial in recorded}
            label, trials = self._label(journals), list[TrialFacts]()
            shown = summary.worst_first  # Those that never began come last.
            left_out = sum(trial.state == WAITING for trial in shown) - MOST_WAITING
            if left_out > 0:
                shown = shown[:-left_out]
                notice = f"{count_text(left_out, 'trial')} that never began left out"
                summary = replace(summary, notices=[*summary.notices, notice])
            for number, told in enumerate(shown, start=1):
                anchor = f"trial-{len(self.runs) + 1}-{number}"
                trials.append(self._trial(by_summary[id(told)], anchor, label))
                on_progress(number, len(shown))
            self.runs.append(run_facts(summary, trials, label, is_running=is_running))

    def _label(self, journals: Sequence[Journal]) -> str:
        wanted = "+".join(one_line(journal.opened.name) or one_line(journal.run) for journal in journals)
        taken = {run.label for run in self.runs}
        numbered = (f"{wanted} ({number})" for number in range(2, len(taken) + 2))
        return next(label for label in (wanted, *numbered) if label not in taken)

    def _trial(self, trial: RecordedTrial, anchor: str, label: str) -> TrialFacts:
        record, summary = trial.record, trial.summary
        steps = steps_of(record, summary)
        data = self._pages.data_of(record, steps, summary)
        head = {"task": one_line(summary.task_id or summary.trial_id), "trial": one_line(summary.trial_id)}
        self.blocks[anchor] = packed({**head, "run": label, "score": summary.score, **data})
        return TrialFacts(
            anchor=anchor,
            run=len(self.runs),
            summary=summary,
            question=sanitize(record.started.instruction if record.started else ""),
            submissions=labels_by_submission(steps, lambda judged: judged.rejections),
            steps=figures_of(steps, record.replies),
            protests=labels_by_submission(steps, lambda judged: judged.protests),
        )


def _trials_of(paths: Sequence[Path], journals: Sequence[Journal]) -> list[RecordedTrial]:
    """Return the trials of a run, with those of its reruns replacing its own."""
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
