"""In a terminal, `replay` shows a page of a recorded trial, and a key leads to another page.

The trial `loan.1` has five pages: its initial prompt, three steps, and its end. `n` turns to the next
page and `p` back, `r` to the next rejected answer, and `t` to the next trial, here `loan.2`.
"""

from tests.controlplane.commands.replay_in_terminal.turned_pages import page_after
from tests.support.terminal import LEFT, RIGHT, Terminal


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
