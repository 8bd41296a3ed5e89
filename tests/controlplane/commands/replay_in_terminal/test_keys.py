"""In a terminal, `replay` shows a page of a recorded trial, and a key leads to another page.

The trial `loan.1` has five pages: its initial prompt, three steps, and its end. `n` turns to the next
page and `p` back, `r` to the next rejected answer, and `t` to the next trial, here `loan.2`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import controlplane
from controlplane import Task
from controlplane.errors import Interrupted
from controlplane.tool_benchmark.tool_benchmark import TaskList
from tests.support.command import run_controlplane
from tests.support.terminal import CTRL_C, LEFT, RIGHT, Terminal

REPLIES = """
[[reply]]
state = "read"
plan = ["read", "answer"]
code = '''
scratchpad["days"] = harness.read("/loans.md").content
print("it says", scratchpad["days"])
'''
[[reply]]
state = "answer without words"
code = '''
scratchpad["answer"], scratchpad["outcome"] = "OUTCOME_OK", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "OUTCOME_OK")
'''
[[reply]]
state = "answer"
code = '''
scratchpad["answer"] = "21"
harness.answer(scratchpad, lambda sp: sp["answer"] == "21")
'''
"""
"""The model's replies. Gate 6 sends the answer "OUTCOME_OK" back, because it is no text."""


@pytest.fixture(scope="session")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the journal of two trials: loan.1 has the score 0, and loan.2 has 1."""
    folder = tmp_path_factory.mktemp("loans")
    (folder / "replies.toml").write_text(REPLIES)
    files = {"/loans.md": "21"}
    wrong = Task("loan.1", "For how long?", files=files, grade=lambda end: 0.0)
    right = Task("loan.2", "For how long?", files=files, grade=lambda end: 1.0)
    run = controlplane.run(
        TaskList([wrong, right], citations="none"),
        model=f"scripted:{folder / 'replies.toml'}",
        runs_dir=str(folder),
    )
    return run.journal


@pytest.fixture
def terminal(journal: Path) -> Iterator[Terminal]:
    """Return a terminal in which `replay` shows the first page of the trial."""
    with Terminal(
        "replay", journal, "--trial=loan.1", cwd=journal.parent, columns=80, rows=60
    ) as terminal:
        terminal.wait_for(r"q quit\s*$")  # The list of keys stands below each page.
        yield terminal


# Turns the pages that `replay` shows in a terminal.
#
# For example:
#
#     page_after("n", terminal)    ->    "loan.1 · step 1 of 3 · score 0.00 ..."


def page_after(key: str, terminal: Terminal) -> str:
    """Press a key, and return the page or the notice that is then shown."""
    terminal.screen.reset()
    terminal.type(key)
    return terminal.wait_for(r"q quit\s*$")


# In a terminal, `replay` shows a page for each step of a trial, with what the model did in it.
#
# A step is a script of the model. The recorded trial has three:
#
#     step 1    reads /loans.md, which contains "21", and keeps "21" in the scratchpad
#     step 2    answers "OUTCOME_OK", which a gate (a check of answers) rejects
#     step 3    answers "21"
#
# The key `n` turns to the next page, and `r` to the next step with a rejected answer.


def test_a_page_has_the_plan_the_calls_and_new_values_of_the_scratchpad(
    terminal: Terminal,
) -> None:
    assert "trial 1 of 2, worst first\nFor how long?" in terminal.text

    first_step = page_after("n", terminal)

    assert (
        "step 1 of 3 · score 0.00 · trial 1 of 2, worst first\n"
        "read\n"
        "  1. read\n"
        "  2. answer\n"
        "── code"
    ) in first_step
    assert re.search(
        r'→ read\(path="/loans.md".*\n'
        r"── output ─+\n"
        r"  it says 21\n"
        r"── scratchpad ─+\n"
        r'  \+ days = "21"',
        first_step,
    )


def test_a_page_has_what_gates_say_and_changed_values_of_the_scratchpad(
    terminal: Terminal,
) -> None:
    """The page of step 2 has a mark for each of the eight gates: "✓" has accepted the answer, "·"
    had nothing to check, and "-" was skipped. What rejects the answer is the rule "wording" of
    gate 6, which has a line of its own with "✗"."""
    second_step = page_after("r", terminal)
    third_step = page_after("n", terminal)

    assert "gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK" in second_step
    assert "OUTCOME_OK\n  ✗ gate 6 (wording)" in second_step
    assert re.search(r'~ answer: "OUTCOME_OK"\n +→ "21"', third_step)


# `replay` leaves the terminal as it was, and shows question marks where it has no Unicode.
#
# While `replay` waits for a key, such as `q` to quit, the terminal is in a mode of single keys.


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


def test_n_and_p_turn_pages_forward_and_back(terminal: Terminal) -> None:
    assert "initial prompt" in terminal.text

    assert "step 1 of 3" in page_after("n", terminal)
    assert "initial prompt" in page_after("p", terminal)


def test_arrows_enter_and_space_turn_pages(terminal: Terminal) -> None:
    enter = "\r"
    assert "step 1 of 3" in page_after(enter, terminal)
    assert "step 2 of 3" in page_after(RIGHT, terminal)
    assert "step 1 of 3" in page_after(LEFT, terminal)
    assert "step 2 of 3" in page_after(" ", terminal)


def test_r_leads_to_the_next_step_whose_answer_was_rejected(terminal: Terminal) -> None:
    assert "step 2 of 3" in page_after("r", terminal)
    assert "no further rejection in this trial" in page_after("r", terminal)


def test_t_leads_to_the_next_trial(terminal: Terminal) -> None:
    """The trials are in the order of their scores, the worst first."""
    assert "loan.1 · initial prompt · score 0.00 · trial 1 of 2" in terminal.text
    assert "step 1 of 3" in page_after("n", terminal)

    next_trial = page_after("t", terminal)

    assert "loan.2 · initial prompt · score 1.00 · trial 2 of 2" in next_trial


def test_a_notice_says_where_the_pages_of_a_trial_end(terminal: Terminal) -> None:
    assert "this is the beginning" in page_after("p", terminal)

    assert "step 1 of 3" in page_after("n", terminal)
    assert "step 2 of 3" in page_after("n", terminal)
    assert "step 3 of 3" in page_after("n", terminal)
    assert "the end · score 0.00" in page_after("n", terminal)
    assert "this is the end; t: the next trial" in page_after("n", terminal)
