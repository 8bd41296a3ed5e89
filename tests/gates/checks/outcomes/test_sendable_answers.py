"""Gate 6: an answer is a text of bounded length that UTF-8 can encode.

A script submits an answer, which the user reads. The number 21 instead of a text goes back to the
model with the message "the number `21`".
"""

from __future__ import annotations

import pytest

from tests.gates.found_verdicts import objection_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


@pytest.mark.parametrize(
    ("answer", "objection"),
    [
        pytest.param(21, "the number `21`", id="number"),
        pytest.param(None, "missing", id="None"),
        pytest.param(["21"], "a list of 1", id="list"),
        pytest.param(object(), "missing", id="object"),
        pytest.param("", "is empty", id="empty"),
        pytest.param(" \n", "is empty", id="blank"),
        pytest.param(
            "a\ud800b", "lone surrogate at character 1", id="not encodable as UTF-8"
        ),
        pytest.param("x" * 10_000_000, "10000000 characters", id="too long"),
    ],
)
def test_an_answer_that_cannot_be_sent_is_rejected(
    answer: object, objection: str
) -> None:
    judgement = judge_scratchpad(valid_scratchpad(answer=answer))

    assert objection in objection_of(judgement, 6)
