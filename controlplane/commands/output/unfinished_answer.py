"""The answer of a question that was stopped, with what is known of the work on it."""

from __future__ import annotations

import json
from pathlib import Path

from controlplane.journal.journal_reader import open_journal
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.answer.answer_object import answer_object
from controlplane.view.answer.answer_reading import asked_answer
from controlplane.view.answer.answer_text import answer_text
from controlplane.view.answer.asked_answer import AskedAnswer
from controlplane.view.answer.shown_path import shown_path


def unfinished_text(path: Path, root: Path) -> str:
    """Return the answer in a journal, the last step, and the files that it read below `root`."""
    with open_journal(path) as journal:
        answer = asked_answer(journal, root)
        (trial,) = journal.trials.values()  # A question is a run of one trial.
        steps = trial.record.step_summaries
    parts = [answer_text(answer)]
    last_state = steps[-1].state if steps else ""
    if last_state:
        parts.append(f"last step: {one_line(last_state)}")
    if answer.read:
        parts.append(f"read so far: {_shown_files(answer, root)}")
    return sanitize("\n\n".join(parts))


def _shown_files(answer: AskedAnswer, root: Path) -> str:
    files = [shown_path(file, root) for file in answer.read]
    return one_line(", ".join(files))


def unfinished_json(path: Path, root: Path) -> str:
    """Return the answer in a journal as JSON."""
    with open_journal(path) as journal:
        answer = asked_answer(journal, root)
        return json.dumps(answer_object(answer, path, journal.summary.notices))
