"""Makes the report of one run or several: reads each trial once, and keeps of it its facts and its packed page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from controlplane.comparison.compared_trials import compared_run
from controlplane.journal.journal_content import Journal, RecordedTrial, open_journal
from controlplane.journal.journal_file import is_being_written
from controlplane.journal.run_summary import RunSummary, total
from controlplane.report.html_page import Block, Page, page_html
from controlplane.report.reported_trial import TrialFacts, costs_of, protests_of, submissions_of
from controlplane.report.run_facts import RunFacts, run_facts
from controlplane.report.text_packs import TextPacks, packed
from controlplane.report.trial_data import TrialPages
from controlplane.view.display_text import one_line, sanitize
from controlplane.view.walk.trial_pages import steps_of


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
    `NotAJournal`, `JournalDamaged`, and `UsageError` for a journal that is no rerun of those before it.
    """
    making = _Making()
    for paths in runs:
        making.take(paths, on_progress)
    making.texts.close()
    html = page_html(Page(making.runs, making.blocks, making.texts.packs, making.texts.starts))
    return Report(html, len(making.runs), sum(len(each.trials) for each in making.runs))


class _Making:
    def __init__(self) -> None:
        self.texts = TextPacks()
        self.runs: list[RunFacts] = []
        self.blocks: list[Block] = []
        self._pages = TrialPages(self.texts)

    def take(self, paths: Sequence[Path], on_progress: Callable[[int, int], None]) -> None:
        is_running = any(map(is_being_written, paths))
        with ExitStack() as stack:
            journals = [stack.enter_context(open_journal(each)) for each in paths]
            for each in journals:
                if not is_being_written(each.path):
                    each.summary.mark_stopped()
            recorded = _trials_of(paths, journals)
            summary = _merged(journals, recorded)
            by_summary = {id(each.summary): each for each in recorded}
            label, trials = self._label(journals), list[TrialFacts]()
            for number, told in enumerate(summary.worst_first, start=1):
                anchor = f"trial-{len(self.runs) + 1}-{number}"
                trials.append(self._trial(by_summary[id(told)], anchor, label))
                on_progress(number, len(recorded))
            self.runs.append(run_facts(summary, trials, label, is_running=is_running))

    def _label(self, journals: Sequence[Journal]) -> str:
        wanted = "+".join(one_line(each.opened.name) or one_line(each.run) for each in journals)
        taken = {each.label for each in self.runs}
        numbered = (f"{wanted} ({number})" for number in range(2, len(taken) + 2))
        return next(each for each in (wanted, *numbered) if each not in taken)

    def _trial(self, trial: RecordedTrial, anchor: str, label: str) -> TrialFacts:
        record, summary = trial.record, trial.summary
        steps = steps_of(record, summary)
        data = self._pages.data_of(record, steps, summary)
        head = {"task": one_line(summary.task_id or summary.trial_id), "trial": one_line(summary.trial_id)}
        self.blocks.append(Block(anchor, packed({**head, "run": label, "score": summary.score, **data})))
        return TrialFacts(
            anchor=anchor,
            run=len(self.runs),
            summary=summary,
            question=sanitize(record.started.instruction if record.started else ""),
            submissions=submissions_of(steps),
            costs=costs_of(steps, record.replies),
            protests=protests_of(steps),
        )


def _trials_of(paths: Sequence[Path], journals: Sequence[Journal]) -> list[RecordedTrial]:
    """Return the trials of a run, those of its reruns in the place of its own."""
    if len(journals) == 1:
        return list(journals[0].trials.values())
    by_run = {each.run: each for each in journals}
    return [by_run[each.run].trials[each.summary.trial_id] for each in compared_run(paths).trials]


def _merged(journals: Sequence[Journal], trials: Sequence[RecordedTrial]) -> RunSummary:
    """Return what the first journal's run amounts to with these trials; the reruns' time is added to its own."""
    first, *others = (each.summary for each in journals)
    if not others:
        return first
    return replace(
        first,
        trials={f"{each.journal.run} {each.trial_id}": each.summary for each in trials},
        spent=total(each.summary.spent for each in trials),
        retries=sum(each.retries for each in (first, *others)),
        notices=[notice for each in (first, *others) for notice in each.notices],
        last_ms=first.last_ms + sum(each.last_ms - each.began_ms for each in others),
    )
