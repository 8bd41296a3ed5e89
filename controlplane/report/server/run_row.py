"""A row of the list of runs that `view` shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from controlplane.configuration.continuation import is_of_questions
from controlplane.facts.run_facts import DAMAGED, RunFacts, run_facts
from controlplane.journal.totals.run_summary import RunProcess, RunSummary
from controlplane.quantity_texts import count_text
from controlplane.report.shown_runs import SHOWN_QUESTION_CHARS, score_interval
from controlplane.score_statistics import Interval
from controlplane.terminal_text import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from controlplane.report.server.watched_folder import WatchedLoop
    from controlplane.report.server.watched_run import WatchedRun


@dataclass(frozen=True, slots=True)
class RunRow:
    """The row of a journal, or of the record of an improvement loop, in the list of runs."""

    result: RunFacts
    kind: str
    """`run`, `question` or `loop`."""
    address: str
    """The address of its page, without the first slash."""
    tag: str
    """The first word of its name (`hard` of `hard-gpt5.2`), which related runs tend to share."""
    interval: Interval | None
    """The confidence interval of its score. None while it runs, because computing it is slow."""
    scale: str
    """The scale of its scores; empty for the usual one, from 0 to 1."""
    time_ms: int
    """The time that the run has taken."""
    last_ms: int
    """The time of its last event or, without events, of the file's last change."""
    played: str
    """What was played: a benchmark, or the name of the folder that a question is about."""
    solver: str
    about: str
    """The text of its only task, the number of its trials, the result of a loop, or an error."""

    @property
    def title(self) -> str:
        """Its name: of a question its text, of a run the user's name or, without one, its id."""
        if self.kind == "question" and self.about:
            return self.about
        return self.result.name or self.result.run

    def fits(self, words: str) -> bool:
        """Return True if the row contains each of these words, in any case."""
        run = self.result
        texts = (run.run, run.name, self.played, run.model, self.solver, self.about)
        return has_words(words, *texts)


def has_words(words: str, *texts: str) -> bool:
    """Return True if each word is part of one of the texts, in any case."""
    text = " ".join(texts).lower()
    return all(word in text for word in words.lower().split())


def run_row(run: WatchedRun, summary: RunSummary) -> RunRow:
    """Return the row of a run in the list of runs. `summary` has the totals of its journal."""
    result = run_facts(summary, run.path)
    if run.reading.fault:
        result = replace(result, ended=DAMAGED)
    elif run.is_running:
        result = replace(result, ended="running")
    result = _in_one_line(result, run.id)
    kind = "run"
    played = result.played
    if is_of_questions(result.benchmark):
        # Of the folder that a question is about, only the name is shown.
        kind = "question"
        played = played.rpartition("/")[2]
    solver = summary.opened.setting("agent") if summary.opened else None
    return RunRow(
        result=result,
        kind=kind,
        address=quote(run.key),
        tag=_tag_of(result.name),
        interval=None if run.is_running else score_interval(summary),
        scale=str(summary.scale) if summary.scale.beside_mean else "",
        time_ms=summary.process.wall_ms,
        last_ms=summary.process.last_ms or _change_ms(run.path),
        played=one_line(played),
        solver=one_line(str(solver or "")),
        about=one_line(run.reading.fault or _about(summary)),
    )


def loop_row(loop: WatchedLoop, result_text: str) -> RunRow:
    """Return the row of a loop. `result_text` is empty if the loop has not ended."""
    # A row needs the totals of a run. Those of a loop only say whether it has ended.
    summary = RunSummary(process=RunProcess(closed="finished" if result_text else ""))
    result = run_facts(summary, loop.path)
    if loop.is_running:
        result = replace(result, ended="running")
    result = _in_one_line(result, loop.id)
    return RunRow(
        result=result,
        kind="loop",
        address=quote(loop.key),
        tag=_tag_of(result.name),
        interval=None,
        scale="",
        time_ms=0,
        last_ms=_change_ms(loop.path),
        played=one_line(result.played),
        solver="",
        about=one_line(result_text),
    )


def _in_one_line(result: RunFacts, run_id: str) -> RunFacts:
    """Return totals with texts of one line, and with the id that the list shows."""
    name = one_line(result.name)
    return replace(result, run=run_id, name=name, model=one_line(result.model))


def _change_ms(path: Path) -> int:
    """Return the time of a file's last change."""
    return path.stat().st_mtime_ns // 1_000_000


def _about(summary: RunSummary) -> str:
    """Return the text of a run's only task, or the number of its trials."""
    trials = list(summary.trials.values())
    if len(trials) == 1 and trials[0].instruction:
        return trials[0].instruction[:SHOWN_QUESTION_CHARS]
    if trials:
        return count_text(len(trials), "trial")
    return ""


def _tag_of(name: str) -> str:
    """Return the first word of a run's name: `"hard-gpt5.2"` -> `"hard"`."""
    for separator in "-_.":
        name = name.replace(separator, " ")
    words = name.split()
    return words[0] if words else ""
