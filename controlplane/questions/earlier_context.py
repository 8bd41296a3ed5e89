"""What a question of `controlplane ask` is told about the earlier ones of its dialogue.

It is read from the journal of the question before, a run with a single trial, and passed on as an option
of the new run. So the scripts of the new question know what was asked, answered and read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controlplane.errors import as_usage_error
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.questions.scope import benchmark_options
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json
from controlplane.view.answer.answer_reading import asked_answer
from controlplane.view.answer.asked_answer import AskedAnswer

if TYPE_CHECKING:
    pass

MAX_REMEMBERED_TURNS: Final = 20
"""The number of earlier questions and answers that a further question is told."""
ANSWER_KEYS: Final = frozenset({"answer", "outcome", "refs_why"})
"""Keys of the scratchpad (where scripts keep values) that belong to one answer.
The next question does not get them."""


def earlier_context(before: Path) -> str:
    """Return what a question is told about the questions before it, as JSON.

    It is what the previous question was told, with that question itself added:

    - `run`: the id of the previous question's run.
    - `said`: the dialogue, as pairs of a question and its answer.
    - `scratchpad`: the values that the scripts of the previous question kept.
    - `read`: for each file that an answer cited, the hash of the text that scripts read.
    """
    with open_journal(before) as journal:
        with as_usage_error(f"{before}: its earlier questions", Unreadable):
            earlier = read_json(benchmark_options(journal).get("earlier") or "{}")
        # The folder only decides how paths are shown. From the root, they stay absolute.
        answer = asked_answer(journal, Path("/"))
        scratchpad = _last_scratchpad(journal)
    kept_values = {
        key: value for key, value in scratchpad.items() if key not in ANSWER_KEYS
    }
    dialogue = [*earlier.get("said", []), _turn(answer)]
    context = {
        "run": before.stem,
        "said": dialogue[-MAX_REMEMBERED_TURNS:],
        "scratchpad": kept_values,
        "read": earlier.get("read", {}) | _hashes_of_cited(answer),
    }
    return json.dumps(context)


def _last_scratchpad(journal: Journal) -> dict[str, Any]:
    """Return what the scratchpad holds after the last step of a question's only trial."""
    (trial,) = journal.trials.values()
    return dict(trial.steps[-1].scratchpad) if trial.steps else {}


def _turn(answer: AskedAnswer) -> list[str]:
    """Return a question and its answer: `["Until when?", "Until 3 May."]`."""
    text = answer.summary.answer or "(no answer was accepted)"
    return [answer.summary.instruction, text]


def _hashes_of_cited(answer: AskedAnswer) -> dict[str, str]:
    """Return the hash of each cited file as it was read, by path: changed files are then found."""
    return {path: answer.read.get(path, "") for path in answer.cited}
