"""A model that answers `ask` with prose has given a draft at most, and no answer.

It should reply with a JSON object that has a script as `code`: `{"state": "...", "code": "..."}`. If
it writes "Until 2026-03-01 (docs/loans.md:4)." instead, no script has looked at the files. It is
asked once more, and then its text is shown below a warning.
"""

from pathlib import Path

import pytest

from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ANSWER,
    QUESTION,
)
from tests.support.command import CommandResult, run_in_process
from tests.support.endpoints import (
    completion_json,
    http_response,
    model_server,
    responding_in_turn,
)
from tests.support.single_trial import step_reply

NO_CODE = '{"state": "an object without code"}'
PROSE = "Until 2026-03-01 (docs/loans.md:4). OUTCOME_OK"
OTHER_PROSE = "It says so."
THOUGHT_AND_PROSE = f"<think>Hm. {PROSE}</think>\n{PROSE}"
"""Some models write their thoughts between such tags; the text behind them counts."""


def ask_model(folder: Path, *replies: str) -> tuple[CommandResult, int]:
    """Ask a model that gives these replies in turn, however it is asked.

    Return what `ask --json` printed, and how many requests the model got.
    """
    options = ("--model", "m", "--reply-mode", "text", "--json")
    with model_server(responding_in_turn(*replies)) as server:
        endpoint = {"OPENAI_BASE_URL": server.url}
        result = run_in_process(
            "ask", QUESTION, "docs", *options, cwd=folder, **endpoint
        )
        return result, len(server.asked)


def check_prose_is_not_submitted(result: CommandResult, folder: Path) -> None:
    """Assert that `PROSE` is not the answer, and that no gate (a check of submitted answers) has
    judged it. The verdicts of the gates are in the recorded steps of the question."""
    assert PROSE not in result.json["answer"]
    replayed = run_in_process("replay", "last", "--trial", "ask", "--json", cwd=folder)
    for step in replayed.json["steps"]:
        assert PROSE not in str(step["verdicts"])
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


class TestProse:
    """A model replies with prose in place of a script, once or twice.

    `ask_model(folder, PROSE, step_reply(ANSWER))` lets it reply with prose, and then with a
    script; it returns what `ask --json` printed, and the number of requests. The question is
    about docs/loans.md in `loan_folder`.
    """

    @pytest.mark.parametrize(
        "replies",
        [
            pytest.param([OTHER_PROSE, THOUGHT_AND_PROSE], id="prose twice"),
            pytest.param([NO_CODE, PROSE], id="an object without code, then prose"),
        ],
    )
    def test_two_replies_in_a_row_without_code_end_in_an_unverified_draft(
        self, replies: list[str], loan_folder: Path
    ) -> None:
        """The model is asked for a script once more, and replies with prose again. That may be what
        the user wants, so it is shown, but not as an answer."""
        result, requests = ask_model(loan_folder, *replies)

        assert requests == 2
        assert result.code == A_QUESTION_FAILED
        assert result.json["status"] == "no_accepted_answer"
        assert result.json["unverified_draft"] == PROSE
        check_prose_is_not_submitted(result, loan_folder)

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
        self, replies: list[str], loan_folder: Path
    ) -> None:
        """The model is told to write a script. It does, and the prose is forgotten."""
        result, requests = ask_model(loan_folder, *replies)

        assert requests == len(replies)
        assert result.code == 0
        assert result.json["status"] == "answered"
        assert result.json["unverified_draft"] == ""
        check_prose_is_not_submitted(result, loan_folder)

    def test_an_unverified_draft_is_printed_below_a_warning(
        self, loan_folder: Path
    ) -> None:
        """The model replies with prose instead of a script, twice."""
        words = ("ask", QUESTION, "docs", "--model", "m")
        with model_server(http_response(200, completion_json(PROSE))) as server:
            result = run_in_process(*words, cwd=loan_folder, OPENAI_BASE_URL=server.url)

        assert result.code == A_QUESTION_FAILED
        heading = (
            "Unverified draft, which no check has seen and which was submitted nowhere:"
        )
        assert f"{heading}\n{PROSE}" in result.out
