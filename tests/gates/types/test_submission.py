"""What is handed in can always be judged and sent."""

import pytest

from tests.gates.sample_trials import judged, pad


def test_what_is_missing_is_submitted_as_nothing() -> None:
    found = judged({})
    assert (found.answer, found.outcome, found.refs) == ("", "", ())


@pytest.mark.parametrize("answer", [None, 7, ["a"], "\ud800", "é"])
def test_what_is_submitted_can_always_be_sent(answer: object) -> None:
    judged(pad(answer=answer)).answer.encode("utf-8")
