"""Texts that may break an encoding or a terminal, and the forms in which they are shown.

"a\\ud83d!"      "a\ufffd!"       half of a surrogate pair, which has no UTF-8
"\\x1b[31m"      "\u241b[31m"     an escape sequence, which turns a terminal's text red

A control character that has a picture in Unicode, such as "\u241b" for escape, is shown by the
picture, and any other by "\ufffd".
"""

from pathlib import Path

import pytest

from tests.controlplane.journal.foreign.evil_journal import write_strangers_journal
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial

with_evil_texts = pytest.mark.parametrize(
    ("evil", "visible"),
    [
        pytest.param("a\ud83d!", "a\ufffd!", id="high half of a pair"),
        pytest.param("\udc00b", "\ufffdb", id="low half of a pair"),
        pytest.param("\udc00\ud83d", "\ufffd\ufffd", id="halves in the wrong order"),
        # Python's form of the file name b"caf\xe9", which is not UTF-8
        pytest.param("caf\udce9", "caf\ufffd", id="byte of a file name"),
        pytest.param(
            "\x00\x1b[31m\u202e\ufeff\u2028",
            "\u2400\u241b[31m\ufffd\ufffd\ufffd",
            id="controls",
        ),
    ],
)


def write_journal_with(evil: str, folder: Path) -> None:
    """Write `folder / "theirs.jsonl"`, a stranger's journal with the evil text behind each text.

    With "a\\ud83d!", the task is "What does alpha ask?a\\ud83d!".
    """
    own = folder / "own.jsonl"
    journal_of_trials(own, [ReportedTrial("alpha")])
    write_strangers_journal(own, evil, folder / "theirs.jsonl")
    own.unlink()
