"""In a terminal, `replay` shows a page for each step of a trial, with what the model did in it.

A step is a script of the model. The recorded trial has three:

    step 1    reads /loans.md, which contains "21", and keeps "21" in the scratchpad
    step 2    answers "OUTCOME_OK", which a gate (a check of answers) rejects
    step 3    answers "21"

The key `n` turns to the next page, and `r` to the next step with a rejected answer.
"""

import re

from tests.controlplane.commands.replay_in_terminal.turned_pages import page_after
from tests.support.terminal import Terminal


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
