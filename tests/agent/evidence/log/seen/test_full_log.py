"""The evidence log has room for 12 characters, and a trial reads longer texts.

The log keeps what calls have shown, to check the reasons for which files are cited. Of the first text,
"fees: twenty euros", it keeps "fees: twenty", and nothing of the second one.
"""

import pytest

from controlplane.sandbox.interface import bounds
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> CallsOfTrial:
    monkeypatch.setattr(bounds, "MOST_EVIDENCE_BYTES", 12)
    calls = CallsOfTrial()
    calls.read_text("/fees.md", "fees: twenty euros")
    calls.read_text("/late.md", "late: twenty euros")
    return calls


def test_the_beginning_of_a_text_is_kept_and_marked_as_cut(calls: CallsOfTrial) -> None:
    (seen,) = calls.access_to("/fees.md").seen

    assert seen.text == "fees: twenty"
    assert seen.is_cut


def test_that_a_text_was_read_is_kept_without_the_text(calls: CallsOfTrial) -> None:
    (seen,) = calls.access_to("/late.md").seen

    assert seen.text == ""
    assert seen.is_cut


@pytest.mark.parametrize(
    ("path", "reason", "is_accepted"),
    [
        pytest.param("/fees.md", "holds twenty", True, id="word of the kept text"),
        pytest.param("/fees.md", "holds moon", False, id="word of no text"),
        pytest.param("/late.md", "holds twenty", False, id="word of a lost text"),
    ],
)
def test_only_a_word_of_the_kept_text_justifies_a_citation(
    calls: CallsOfTrial, path: str, reason: str, is_accepted: bool
) -> None:
    scratchpad = valid_scratchpad(refs_why={path: reason})

    judgement = judge_scratchpad(scratchpad, calls)

    assert judgement.accepted is is_accepted
