"""Texts that may break an encoding or a terminal, and the forms in which they are shown.

"a\\ud83d!"      "a\ufffd!"       half of a surrogate pair, which has no UTF-8
"\\x1b[31m"      "\u241b[31m"     an escape sequence, which turns a terminal's text red

A control character that has a picture in Unicode, such as "\u241b" for escape, is shown by the
picture, and any other by "\ufffd".
"""

from pathlib import Path

import pytest

from tests.controlplane.journal.foreign.evil_journal import write_strangers_journal
from tests.controlplane.report.hostile_journal import ReportedTrial, journal_of_trials

EVIL_AND_VISIBLE = {
    "high-half-of-a-pair": ("a\ud83d!", "a\ufffd!"),
    "low-half-of-a-pair": ("\udc00b", "\ufffdb"),
    "halves-in-the-wrong-order": ("\udc00\ud83d", "\ufffd\ufffd"),
    # Python's form of the file name b"caf\xe9", which is not UTF-8
    "byte-of-a-file-name": ("caf\udce9", "caf\ufffd"),
    "controls": (
        "\x00\x1b[31m\u202e\ufeff\u2028",
        "\u2400\u241b[31m\ufffd\ufffd\ufffd",
    ),
}
"""Each evil text with its visible form, by what it is."""

with_evil_texts = pytest.mark.parametrize(
    ("evil", "visible"), EVIL_AND_VISIBLE.values(), ids=EVIL_AND_VISIBLE
)

with_evil_runs = pytest.mark.parametrize(
    ("run", "visible"),
    [(name, visible) for name, (_, visible) in EVIL_AND_VISIBLE.items()],
    ids=EVIL_AND_VISIBLE,
)
"""`run` is the name of the text, by which the fixture `evil_view` shows a run over it."""


def write_journal_with(evil: str, path: Path) -> None:
    """Write a stranger's journal with the evil text behind each text.

    With "a\\ud83d!", the task is "What does alpha ask?a\\ud83d!".
    """
    own = path.with_name("own.jsonl")
    journal_of_trials(own, [ReportedTrial("alpha")])
    write_strangers_journal(own, evil, path)
    own.unlink()
