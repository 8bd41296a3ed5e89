"""A model that answers `ask` with prose, twice, has given a draft at most, and no answer.

It should reply with a script, `{"state": "...", "code": "..."}`. If it writes "Until 2026-03-01
(docs/loans.md:4)." instead, no script has looked at the files. It is asked once more, and then its text
is shown below a warning.
"""

from pathlib import Path

import pytest

from tests.controlplane.questions.asked_question import A_QUESTION_FAILED, QUESTION
from tests.controlplane.questions.drafts.prose_replies import (
    NO_CODE,
    PROSE,
    ask_model,
    check_prose_is_not_submitted,
)
from tests.support.command import run_in_process
from tests.support.endpoints import completion_json, http_response, model_server

THOUGHT_AND_PROSE = f"<think>Hm. {PROSE}</think>\n{PROSE}"
"""Some models write their thoughts between such tags; the text behind them counts."""


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param(["It says so.", THOUGHT_AND_PROSE], id="prose twice"),
        pytest.param([NO_CODE, PROSE], id="an object without code, then prose"),
    ],
)
def test_two_replies_in_a_row_without_code_end_in_an_unverified_draft(
    replies: list[str], loan_folder: Path
) -> None:
    """The model is asked for a script once more, and replies with prose again. That may be what
    the user wants, so it is shown, but not as an answer."""
    result, requests = ask_model(loan_folder, *replies)

    assert requests == 2
    assert result.code == A_QUESTION_FAILED
    assert result.json["status"] == "no_accepted_answer"
    assert result.json["unverified_draft"] == PROSE
    check_prose_is_not_submitted(result, loan_folder)


def test_an_unverified_draft_is_printed_below_a_warning(loan_folder: Path) -> None:
    """The model replies with prose instead of a script, twice."""
    words = ("ask", QUESTION, "docs", "--model", "m")
    with model_server(http_response(200, completion_json(PROSE))) as server:
        result = run_in_process(*words, cwd=loan_folder, OPENAI_BASE_URL=server.url)

    assert result.code == A_QUESTION_FAILED
    heading = (
        "Unverified draft, which no check has seen and which was submitted nowhere:"
    )
    assert f"{heading}\n{PROSE}" in result.out
