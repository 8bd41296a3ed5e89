"""In a terminal, `replay` shows a page of a recorded trial, and waits for a key for another page.

`n` leads to the next page, `t` to the next trial, `q` ends the command. The pages of steps look like
this; the one of step 3 shows how the scratchpad, which keeps values between steps, has changed:

    ── step 1 of 3 · ...       ── step 2 of 3 · ...              ── step 3 of 3 · ...
    count                      answer without words              answer
      1. count                 gates ✓ · · · · ✓ - ·  sent ...   gates ✓ · · · · ✓ ✓ ·  accepted ...
      2. answer                  ✗ gate 6 (wording)              ── code ────────
    ── code ────────           ── code ────────                    ...
      ...                        ...                             ── scratchpad ──
    ── output ──────                                               ~ answer: "OUTCOME_OK"
      counted 7                                                            → "7"
    ── scratchpad ──
      + n = "7"
"""

import re
from typing import NamedTuple

import pytest

from controlplane.errors import Interrupted
from tests.support.command import run_controlplane
from tests.support.recorded_run import RecordedRun
from tests.support.terminal import CTRL_C, LEFT, RIGHT, Terminal

SUCCESS = 0

START_OF_STEP_1 = (
    r"step 1 of 3 · score 0.00 · trial 1 of 25, worst first\n"
    r"count\n"
    r"  1. count\n"
    r"  2. answer\n"
    r"── code"
)
END_OF_STEP_1 = (
    r"── output ─+\n"
    r"  counted 7\n"
    r"── scratchpad ─+\n"
    r"  \+ n = \"7\""
)
REJECTION_IN_STEP_2 = (
    r"step 2 of 3[\s\S]*"
    r"gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK\n"
    r"  ✗ gate 6 \(wording\)"
)
CHANGE_IN_STEP_3 = (
    r"step 3 of 3[\s\S]*"
    r"~ answer: \"OUTCOME_OK\"\n"
    r" +→ \"7\""
)


class KeyPress(NamedTuple):
    key: str
    screen: str
    """A regular expression that the screen fits after the key."""


ENTER = "\r"
SPACE = " "
WALK_THROUGH_THE_TRIAL = [
    # n and p: the next and the previous page.
    KeyPress("n", START_OF_STEP_1),
    KeyPress("p", "initial prompt"),
    # Enter, the arrows and the space bar turn pages, too.
    KeyPress(ENTER, r"→ count\(\).*\n" + END_OF_STEP_1),
    KeyPress(RIGHT, REJECTION_IN_STEP_2),
    KeyPress(LEFT, "step 1 of 3"),
    # r: the next step whose answer was rejected.
    KeyPress("r", "step 2 of 3"),
    KeyPress(SPACE, CHANGE_IN_STEP_3),
    KeyPress("r", "no further rejection in this trial"),
    KeyPress("n", "the end .*score 0.00"),
    KeyPress("n", "this is the end; t: the next trial"),
    # t: the next trial.
    KeyPress("t", "seat-010 · initial prompt .* trial 2 of 25"),
    KeyPress("p", "this is the beginning"),
]


def open_trial_in_terminal(recorded: RecordedRun, *, rows: int = 24) -> Terminal:
    """Start `replay` of the first failed trial of the run "first", seat-005, in a terminal.

    Its three steps: count, an answer that a gate sends back, and the answer "7", where the grader
    expects 8.
    """
    words = ("replay", "first", "--trial", "seat-005")
    return Terminal(*words, cwd=recorded.folder, columns=80, rows=rows)


class TestTerminals:
    """The user walks through the trial seat-005 in a terminal, and leaves it by `q` or Ctrl-C.

    The trial has three steps: a count, an answer that a check (a gate) sends back, and the
    answer
    "7", where the grader expects 8.
    """

    def test_each_key_prints_the_page_that_it_names(
        self, recorded: RecordedRun
    ) -> None:
        """In a terminal, `replay` shows a page of the trial and waits for a key for another page.

        It begins with the initial prompt, in which the request is "How many are there? ...".
        """
        with open_trial_in_terminal(recorded, rows=60) as terminal:
            terminal.wait_for(
                "seat-005 · initial prompt · score 0.00 · trial 1 of 25, worst first\n"
                "How many are there"
            )
            for press in WALK_THROUGH_THE_TRIAL:
                terminal.wait_for(
                    r"q quit\s*$"
                )  # the end of the line that lists the keys
                terminal.screen.reset()
                terminal.press(press.key, press.screen)
            terminal.type("q")

            assert terminal.finish() == SUCCESS
            assert terminal.is_as_before

    @pytest.mark.parametrize(
        ("key", "exit_code"),
        [
            pytest.param(CTRL_C, Interrupted.exit_code, id="Ctrl-C"),
            pytest.param("q", SUCCESS, id="q"),
        ],
    )
    def test_the_terminal_is_restored_when_replay_ends(
        self, key: str, exit_code: int, recorded: RecordedRun
    ) -> None:
        """While `replay` reads single keys, the terminal is in another mode and hides the cursor.

        The last assertion is that both are as they were before the command.
        """
        with open_trial_in_terminal(recorded) as terminal:
            terminal.wait_for("q quit")
            terminal.type(key)

            assert terminal.finish() == exit_code
            assert terminal.is_as_before

    def test_a_terminal_without_unicode_gets_question_marks(
        self, recorded: RecordedRun
    ) -> None:
        """In UTF-8, the line of the gates is "gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK".

        The encoding is that of a process, so the command gets one of its own.
        """
        command = ("replay", "first", "--trial", "seat-005", "--step", "2")
        replayed = run_controlplane(
            *command, cwd=recorded.folder, PYTHONIOENCODING="ascii"
        )

        assert replayed.code == 0
        assert replayed.err == ""
        assert re.search(r"^gates \? .* sent back", replayed.out, re.MULTILINE)
