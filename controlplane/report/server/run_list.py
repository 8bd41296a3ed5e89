"""The list of runs that `view` shows: a row for each journal, and for each improvement loop."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from controlplane.configuration.run_names import is_of_questions
from controlplane.facts.run_facts import RunFacts, run_facts
from controlplane.journal.totals.run_summary import RunProcess, RunSummary
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import count_text
from controlplane.report.page_templates import PageFrame, template
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line

if TYPE_CHECKING:
    from controlplane.report.server.watched_folder import (
        WatchedFolder,
        WatchedLoop,
        WatchedRun,
    )


@dataclass(frozen=True, slots=True)
class ListedRun:
    """The row of a journal, or of the record of an improvement loop, in the list of runs."""

    result: RunFacts
    """Its facts, with texts of one line. Those of a loop only say whether it has ended."""
    kind: str
    """`run`, `question` or `loop`."""
    address: str
    """The address of its page, without the first slash."""
    last_ms: int
    """The time of its last event or, without events, of the file's last change."""
    about: str
    """The text of its only task, the number of its trials, the result of a loop, or an error."""
    played: str = ""
    """What was played: a benchmark, or the name of the folder that a question is about."""
    is_partial: bool = False
    """True if only the ends of the journal were read, so that its figures are not known yet."""

    @property
    def title(self) -> str:
        """Its name: of a question its text, of a run the user's name or, without one, its id."""
        if self.kind == "question" and self.about:
            return self.about
        return self.result.name or self.result.run

    def fits(self, words: str) -> bool:
        """Return True if the row contains each of these words, in any case."""
        run = self.result
        texts = (run.run, run.name, self.played, run.model, run.solver, self.about)
        return has_words(words, *texts)


def has_words(words: str, *texts: str) -> bool:
    """Return True if each word is part of one of the texts, in any case."""
    text = " ".join(texts).lower()
    return all(word in text for word in words.lower().split())


def row_of_run(run: WatchedRun, facts: RunFacts) -> ListedRun:
    """Return the row of a run with these facts."""
    kind = "run"
    played = facts.played
    if is_of_questions(facts.benchmark):
        # Of the folder that a question is about, only the name is shown.
        kind = "question"
        played = played.rpartition("/")[2]
    about = facts.question
    if not facts.is_readable:
        about = facts.error
    elif not about and facts.trials_total:
        about = count_text(facts.trials_total, "trial")
    return _row(run, facts, kind, about, played)


def row_of_loop(loop: WatchedLoop, result_text: str) -> ListedRun:
    """Return the row of a loop. `result_text` is empty if the loop has not ended."""
    summary = RunSummary(process=RunProcess(closed="finished" if result_text else ""))
    return _row(loop, run_facts(summary, loop.path), "loop", result_text)


def _row(
    file: WatchedRun | WatchedLoop,
    facts: RunFacts,
    kind: str,
    about: str,
    played: str = "",
) -> ListedRun:
    """Return the row of a run or a loop, with texts of one line, and the id that the list shows."""
    result = replace(
        facts,
        run=file.id,
        name=one_line(facts.name),
        model=one_line(facts.model),
        solver=one_line(facts.solver),
        ended="running" if file.is_running else facts.ended,
    )
    return ListedRun(
        result=result,
        kind=kind,
        address=quote(file.key),
        last_ms=facts.last_event_ms or file.path.stat().st_mtime_ns // 1_000_000,
        about=one_line(about),
        played=one_line(played),
    )


def run_list_html(folder: WatchedFolder, words: str, versions: list[int]) -> str:
    """Return the page with the runs whose rows contain `words`. Questions have a list of their own."""
    files = folder.runs.values()
    rows = [file.row for file in files if file.row is not None]
    fitting = [row for row in rows if row.fits(words)]
    runs = [row for row in fitting if row.kind != "question"]
    questions = [row for row in fitting if row.kind == "question"]
    shown_runs = runs[: bounds.SHOWN_PAGE_ROWS]
    shown_questions = questions[: bounds.SHOWN_PAGE_ROWS]
    return template("runs.html.j2").render(
        frame=PageFrame("Runs", events="/events", version=json.dumps(versions)),
        folder="/".join(folder.folder.absolute().parts[-2:]),
        runs=shown_runs,
        questions=shown_questions,
        left_out=len(fitting) - len(shown_runs) - len(shown_questions),
        found=words,
        unread=len(files) - sum(not row.is_partial for row in rows),
        command=invocation("run", "--limit", "6"),
    )
