"""`replay` leaves the terminal as it was, and shows question marks where it has no Unicode.

While `replay` waits for a key, such as `q` to quit, the terminal is in a mode of single keys.
"""

import re
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.support.command import run_controlplane
from tests.support.terminal import CTRL_C, Terminal


@pytest.mark.parametrize(
    ("key", "exit_code"),
    [
        pytest.param(CTRL_C, Interrupted.exit_code, id="Ctrl-C"),
        pytest.param("q", 0, id="q"),
    ],
)
def test_the_terminal_is_restored_when_replay_ends(
    key: str, exit_code: int, terminal: Terminal
) -> None:
    """While `replay` reads single keys, the terminal is in another mode."""
    terminal.type(key)

    assert terminal.finish() == exit_code
    assert terminal.is_as_before  # its mode and its cursor


def test_a_terminal_without_unicode_gets_question_marks(journal: Path) -> None:
    """In UTF-8, the line of the gates is "gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK"."""
    command = ("replay", str(journal), "--trial", "loan.1", "--step", "2")

    # The encoding is that of a process, so the command gets one of its own.
    replayed = run_controlplane(*command, cwd=journal.parent, PYTHONIOENCODING="ascii")

    assert replayed.code == 0
    assert replayed.err == ""
    assert re.search(r"^gates \? .* sent back", replayed.out, re.MULTILINE)
