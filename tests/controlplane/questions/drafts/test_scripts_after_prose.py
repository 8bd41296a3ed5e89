"""A model that answers `ask` with prose is asked for a script, and its next script counts.

The prose, "Until 2026-03-01 (docs/loans.md:4).", is then forgotten: `result.json["unverified_draft"]` is
empty.
"""

from pathlib import Path

import pytest

from tests.controlplane.questions.asked_question import ANSWER
from tests.controlplane.questions.drafts.prose_replies import (
    NO_CODE,
    PROSE,
    ask_model,
    check_prose_is_not_submitted,
)
from tests.support.single_trial import step_reply


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([PROSE, step_reply(ANSWER)], id="prose, then a script"),
        pytest.param(
            [PROSE, NO_CODE, NO_CODE, step_reply(ANSWER)],
            id="prose, two objects without code, then a script",
        ),
    ],
)
def test_an_answer_after_prose_is_accepted_without_a_draft(
    replies: list[str], loan_folder: Path
) -> None:
    """The model is told to write a script. It does, and the prose is forgotten."""
    result, requests = ask_model(loan_folder, *replies)

    assert requests == len(replies)
    assert result.code == 0
    assert result.json["status"] == "answered"
    assert result.json["unverified_draft"] == ""
    check_prose_is_not_submitted(result, loan_folder)
