"""A row of the list of runs that `view` shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from controlplane.journal.totals.run_summary import RunSummary
from controlplane.report.run_facts import score_interval
from controlplane.score_statistics import Interval
from controlplane.terminal_text import count_text, one_line
from controlplane.view.run_results import DAMAGED, RunResult, run_result

if TYPE_CHECKING:
    from controlplane.report.watched_run import WatchedRun

SHOWN_QUESTION_CHARS: Final = 200
QUESTION_PREFIX: Final = "files:"
"""The beginning of `played` in a run of `ask`, before its folder: `files:/home/me/docs`."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """The row of a journal, or of the record of an improvement loop, in the list of runs."""

    result: RunResult
    kind: str
    """`run`, `question` or `loop`."""
    address: str
    """The address of its page, without the first slash."""
    tag: str
    """The first word of its name (`hard` of `hard-gpt5.2`), which related runs tend to share."""
    interval: Interval | None
    """The confidence interval of its score. None while it runs, because computing it is slow."""
    time_ms: int
    """The time that the run has taken."""
    last_ms: int
    """The time of its last event or, without events, of the file's last change."""
    played: str
    """What was played: a benchmark, or the name of the folder that a question is about."""
    solver: str
    about: str
    """The text of its only task, the number of its trials, the result of a loop, or an error."""

    def fits(self, words: str) -> bool:
        """Return True if the row contains each of these words, in any case."""
        run = self.result
        texts = (run.run, run.name, self.played, run.model, self.solver, self.about)
        return has_words(words, *texts)


def has_words(words: str, *texts: str) -> bool:
    """Return True if each word is part of one of the texts, in any case."""
    text = " ".join(texts).lower()
    return all(word in text for word in words.lower().split())


def run_row(run: WatchedRun, summary: RunSummary, loop_result: str = "") -> RunRow:
    """Return the row of a journal or, with `loop_result`, of a loop."""
    result = _result(run, summary)
    played = result.played
    kind = "run"
    if run.is_loop:
        kind = "loop"
    elif played.startswith(QUESTION_PREFIX):
        # Of the folder that a question is about, only the name is shown.
        kind = "question"
        played = played.removeprefix(QUESTION_PREFIX).rpartition("/")[2]
    solver = summary.opened.setting("agent") if summary.opened else None
    return RunRow(
        result=result,
        kind=kind,
        address=quote(run.key),
        tag=_tag_of(result.name),
        interval=None if run.is_running else score_interval(summary),
        time_ms=summary.process.wall_ms,
        last_ms=summary.process.last_ms or run.path.stat().st_mtime_ns // 1_000_000,
        played=one_line(played),
        solver=one_line(str(solver or "")),
        about=one_line(loop_result or run.fault or _about(summary)),
    )


def _result(run: WatchedRun, summary: RunSummary) -> RunResult:
    """Return the totals of a run, with the state of its file as it is known here."""
    result = run_result(summary, run.path)
    ended = result.ended
    if run.fault:
        ended = DAMAGED
    elif run.is_running:
        ended = "running"
    name = one_line(result.name)
    model = one_line(result.model)
    return replace(result, run=run.id, name=name, model=model, ended=ended)


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
