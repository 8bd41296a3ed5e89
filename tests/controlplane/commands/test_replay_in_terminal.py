"""In a terminal, `replay` shows a page of a recorded trial, and waits for a key for another page.

The trial here, seat-005, has five pages: its initial prompt, three steps, and its end. The model
counts 7 in step 1. In step 2 it answers "OUTCOME_OK", which gate 6 sends back. In step 3 it answers
"7", but the grader expects 8.
"""

import re
from collections.abc import Iterator

import pytest

from controlplane.errors import Interrupted
from tests.support.command import run_controlplane
from tests.support.recorded_run import RecordedRun
from tests.support.terminal import CTRL_C, LEFT, RIGHT, Terminal


@pytest.fixture
def terminal(recorded: RecordedRun) -> Iterator[Terminal]:
    """Return a terminal in which `replay` shows the first page of the trial."""
    words = ("replay", "first", "--trial", "seat-005")
    with Terminal(*words, cwd=recorded.folder, columns=80, rows=60) as terminal:
        terminal.wait_for(r"q quit\s*$")  # The list of keys stands below each page.
        yield terminal


def page_after(key: str, terminal: Terminal) -> str:
    """Press a key, and return the page or the notice that is then shown."""
    terminal.screen.reset()
    terminal.type(key)
    return terminal.wait_for(r"q quit\s*$")


class TestKeys:
    """Each key leads to another page, or says why there is none."""

    def test_keys_turn_pages_forward_and_back(self, terminal: Terminal) -> None:
        assert "initial prompt" in terminal.text

        assert "step 1 of 3" in page_after("n", terminal)
        assert "initial prompt" in page_after("p", terminal)

        assert "step 1 of 3" in page_after("\r", terminal)
        assert "step 2 of 3" in page_after(RIGHT, terminal)
        assert "step 1 of 3" in page_after(LEFT, terminal)
        assert "step 2 of 3" in page_after(" ", terminal)

    def test_r_leads_to_the_next_step_whose_answer_was_rejected(
        self, terminal: Terminal
    ) -> None:
        assert "step 2 of 3" in page_after("r", terminal)
        assert "no further rejection in this trial" in page_after("r", terminal)

    def test_t_leads_to_the_next_trial(self, terminal: Terminal) -> None:
        """The trials are in the order of their scores, the worst first."""
        assert "seat-005 · initial prompt · score 0.00 · trial 1 of 25" in terminal.text
        assert "step 1 of 3" in page_after("n", terminal)

        first_page = page_after("t", terminal)

        assert "seat-010 · initial prompt · score 0.00 · trial 2 of 25" in first_page

    def test_a_notice_says_where_the_pages_of_a_trial_end(
        self, terminal: Terminal
    ) -> None:
        assert "this is the beginning" in page_after("p", terminal)

        assert "step 1 of 3" in page_after("n", terminal)
        assert "step 2 of 3" in page_after("n", terminal)
        assert "step 3 of 3" in page_after("n", terminal)
        assert "the end · score 0.00" in page_after("n", terminal)
        assert "this is the end; t: the next trial" in page_after("n", terminal)


def test_pages_of_steps_show_what_the_model_did(terminal: Terminal) -> None:
    assert "trial 1 of 25, worst first\nHow many are there" in terminal.text

    # Step 1 keeps a value in the scratchpad, which the later steps can read.
    count = page_after("n", terminal)
    assert (
        "step 1 of 3 · score 0.00 · trial 1 of 25, worst first\n"
        "count\n"
        "  1. count\n"
        "  2. answer\n"
        "── code"
    ) in count
    assert re.search(
        r"→ count\(\).*\n"
        r"── output ─+\n"
        r"  counted 7\n"
        r"── scratchpad ─+\n"
        r'  \+ n = "7"',
        count,
    )

    rejection = page_after("n", terminal)
    assert "gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK" in rejection
    assert "OUTCOME_OK\n  ✗ gate 6 (wording)" in rejection

    # Step 3 changes a value of the scratchpad.
    answer = page_after("n", terminal)
    assert re.search(
        r'~ answer: "OUTCOME_OK"\n'
        r' +→ "7"',
        answer,
    )


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


def test_a_terminal_without_unicode_gets_question_marks(recorded: RecordedRun) -> None:
    """In UTF-8, the line of the gates is "gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK"."""
    command = ("replay", "first", "--trial", "seat-005", "--step", "2")

    # The encoding is that of a process, so the command gets one of its own.
    replayed = run_controlplane(*command, cwd=recorded.folder, PYTHONIOENCODING="ascii")

    assert replayed.code == 0
    assert replayed.err == ""
    assert re.search(r"^gates \? .* sent back", replayed.out, re.MULTILINE)
