"""Makes the report of one run or several: reads each trial once, and keeps of it its facts and its packed page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from controlplane.journal.journal_content import Journal, RecordedTrial, open_journal
from controlplane.journal.journal_digest import is_being_written
from controlplane.report.html_page import Block, Page, page_html
from controlplane.report.reported_trial import TrialFacts, costs_of, submissions_of
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


def report_html(paths: Sequence[Path], on_progress: Callable[[int, int], None] = lambda done, total: None) -> Report:
    """Return the report of the journals at `paths`, telling how many of its trials are done.

    Raises `NotAJournal`, `JournalDamaged`.
    """
    making = _Making()
    for path in paths:
        making.take(path, on_progress)
    making.texts.close()
    html = page_html(Page(making.runs, making.blocks, making.texts.packs, making.texts.starts))
    return Report(html, len(making.runs), sum(len(each.trials) for each in making.runs))


class _Making:
    def __init__(self) -> None:
        self.texts = TextPacks()
        self.runs: list[RunFacts] = []
        self.blocks: list[Block] = []
        self._pages = TrialPages(self.texts)

    def take(self, path: Path, on_progress: Callable[[int, int], None]) -> None:
        is_running = is_being_written(path)
        with open_journal(path) as journal:
            if not is_running:
                journal.summary.mark_stopped()
            label, trials = self._label(journal), list[TrialFacts]()
            for number, each in enumerate(journal.summary.worst_first, start=1):
                anchor = f"trial-{len(self.runs) + 1}-{number}"
                trials.append(self._trial(journal.trials[each.trial_id], anchor, label))
                on_progress(number, len(journal.trials))
            self.runs.append(run_facts(journal.summary, trials, label, is_running=is_running))

    def _label(self, journal: Journal) -> str:
        wanted = one_line(journal.opened.name) or one_line(journal.run)
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
        )
