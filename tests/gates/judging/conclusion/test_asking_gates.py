"""A gate that asks objects in two turns of a trial, and then lets the answer pass.

A gate is a check of an answer. Gate 5 asks: it objects to a citation whose reason, "relevant
document", fits any file. A model that submits it a third time has thought about the objection, and
may be right. A gate that blocks objects until the answer is corrected.
"""

from __future__ import annotations

import pytest

from tests.gates.found_verdicts import rejecting_keys, verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.scripted_verify import ScriptedVerify, VerifyAnswer


@pytest.mark.parametrize(
    ("earlier_objections", "count_in_message"),
    [
        pytest.param([], "objection 1 of 2]", id="first turn"),
        pytest.param(["too vague"], "objection 2 of 2]", id="second turn"),
    ],
)
def test_an_asking_gate_objects_in_two_turns(
    earlier_objections: list[str], count_in_message: str
) -> None:
    judgement = judge_scratchpad(
        valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"}),
        earlier_objections={"5": earlier_objections},
    )

    assert verdict_of(judgement, 5).result == "reject"
    assert not judgement.accepted
    assert count_in_message in judgement.message


@pytest.mark.parametrize(
    "earlier_objections",
    [
        pytest.param(["too vague", "too vague"], id="third turn"),
        pytest.param(["too vague", "too vague", "too vague"], id="fourth turn"),
    ],
)
def test_an_asking_gate_is_overridden_after_two_objections(
    earlier_objections: list[str],
) -> None:
    """The objection is recorded, but the answer is accepted."""
    judgement = judge_scratchpad(
        valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"}),
        earlier_objections={"5": earlier_objections},
    )

    assert judgement.accepted
    assert judgement.message == ""
    assert verdict_of(judgement, 5).result == "overridden"
    assert "names nothing that was found there" in verdict_of(judgement, 5).reason


def test_a_blocking_gate_still_rejects_after_two_objections() -> None:
    """Gate 7 blocks. It calls the script's function `verify`, which here says no."""
    judgement = judge_scratchpad(
        valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"}),
        verify=ScriptedVerify(as_submitted=VerifyAnswer(says_yes=False)),
        earlier_objections={
            "5": ["too vague", "too vague"],
            "7": ["did not return True", "did not return True"],
        },
    )

    assert rejecting_keys(judgement) == ["7"]  # Gate 5, which asks, is overridden.
    assert "[gate 7: verify says yes] " in judgement.message
