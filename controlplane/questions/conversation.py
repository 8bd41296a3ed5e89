"""What a question (`controlplane ask`) is told about the earlier ones of its dialogue.

The journal of a question is that of a run with a single trial.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controlplane.configuration.recorded_settings import check_own
from controlplane.configuration.runs_folder import run_argument
from controlplane.errors import UsageError, invocation
from controlplane.journal.journal_files import journal_id, newest_first
from controlplane.journal.journal_reader import Journal, glance_at, open_journal
from controlplane.lifecycle import run_refusals
from controlplane.questions.scope import benchmark_options
from controlplane.run_names import last_own_journal
from controlplane.view.answer.asked_answer import AskedAnswer, asked_answer

if TYPE_CHECKING:
    from controlplane.journal.totals.run_summary import RunSummary

BENCHMARK: Final = "files"
MAX_REMEMBERED_TURNS: Final = 20
"""The number of earlier questions and answers that a further question is told."""
ANSWER_KEYS: Final = frozenset({"answer", "outcome", "refs_why"})
"""Keys of the scratchpad (where scripts keep values) that belong to one answer.
The next question does not get them."""


def last_question(folder: Path, *, is_trusted: bool) -> Path:
    """Return the journal of the last question in a folder.

    Raises `UsageError` if there is none, or if it belongs to another user.
    """
    # The name of a journal contains its benchmark: `20261120-071410-files-....jsonl`.
    journals = [path for path in newest_first(folder) if f"-{BENCHMARK}-" in path.name]
    if not journals:
        msg = f"--continue: no question was asked yet (no journal of one in {folder}); ask one first"
        raise UsageError(msg)
    last = journals[0] if is_trusted else last_own_journal(folder, journals)
    with open_journal(last) as journal:
        check_own(journal, is_trusted=is_trusted)
    return last


def is_question(summary: RunSummary) -> bool:
    """Return True if a run is a question about files."""
    opened = summary.opened
    if opened is None or len(summary.trials) != 1:
        return False
    return opened.benchmark.partition(":")[0] == BENCHMARK


def nothing_to_poll(path: Path) -> str:
    """Return why there are no scores to ask for in a journal's run; empty if there are some."""
    if is_question(glance_at(path)):
        show = invocation("show", run_argument(path))
        return f"{journal_id(path)} is a question, which has no scores to ask for; see: {show}"
    return run_refusals.reason_not_to_poll(path)


def earlier_context(before: Path) -> str:
    """Return what a question is told about the questions before it, as JSON.

    It is what the previous question was told, with that question itself added:

    - `run`: the id of the previous question's run.
    - `said`: the dialogue, as pairs of a question and its answer.
    - `scratchpad`: the values that the scripts of the previous question kept.
    - `read`: for each file that an answer cited, the hash of the text that scripts read.
    """
    with open_journal(before) as journal:
        earlier = json.loads(benchmark_options(journal).get("earlier") or "{}")
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
    """Return a question and its answer."""
    text = answer.summary.answer or "(no answer was accepted)"
    return [answer.summary.instruction, text]


def _hashes_of_cited(answer: AskedAnswer) -> dict[str, str]:
    return {path: answer.read.get(path, "") for path in answer.cited}
