"""`improve` is a loop that edits hints of an agent until it scores better.

A model plays tasks, here riddles of six kinds. Another model, the proposer, sees failed trials and
proposes new hints. A riddle is played in several worlds, made from seeds: in some the proposer sees the
trials, and others, CHECK_WORLDS and FINAL_WORLDS, check and prove the result:

    0.33 → 1.00 on 12 unseen tasks
"""

import pytest

from tests.controlplane.improving.finished_loop.finished_loops import FinishedLoop
from tests.controlplane.improving.improve_command import (
    CHECK_WORLDS,
    FINAL_WORLDS,
    PROPOSER,
)

pytestmark = pytest.mark.second_tier


def test_a_loop_adds_hints_that_help_and_deletes_those_that_harm(
    finished_loop: FinishedLoop,
) -> None:
    """The first hints have both sentences that harm, and none of the three that help."""
    assert "Read the record twice." in finished_loop.best_hints
    assert "Name the code alone." in finished_loop.best_hints
    assert "Keep the letter case." in finished_loop.best_hints
    assert "Answer before you look." not in finished_loop.best_hints
    assert "Shorten every code." not in finished_loop.best_hints

    assert finished_loop.code == 0
    assert finished_loop.result["is_better"] is True
    assert f" on {len(FINAL_WORLDS)} unseen tasks (+" in finished_loop.result["text"]


def test_a_proposal_that_copies_data_of_a_trial_is_refused(
    finished_loop: FinishedLoop,
) -> None:
    """A hint such as "The id is AL-477." is right in one world only."""
    refusals: list[str] = []
    for proposal in finished_loop.record.proposals:
        if "data of the trials" in proposal.refused:
            refusals.append(proposal.refused)

    assert refusals
    end_of_every_id = "77"
    assert end_of_every_id not in finished_loop.best_hints


def test_the_proposer_never_sees_check_and_final_worlds(
    finished_loop: FinishedLoop,
) -> None:
    """A riddle names its world: `Riddle of the kind alder, number 101: what is ...`."""
    for request in finished_loop.requests_to(PROPOSER):
        prompt = str(request.body["messages"])
        for world in (*CHECK_WORLDS, *FINAL_WORLDS):
            assert f"number {world}:" not in prompt
