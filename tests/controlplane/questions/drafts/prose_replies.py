"""A model that answers with prose in place of a script, and a check that prose is not an answer.

    result, requests = ask_model(folder, PROSE, step_reply(ANSWER))

The model replies with prose, and then with a script. `result` is what `ask --json` printed.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import QUESTION
from tests.support.command import CommandResult, run_in_process
from tests.support.endpoints import model_server, responding_in_turn

NO_CODE = '{"state": "an object without code"}'


PROSE = "Until 2026-03-01 (docs/loans.md:4). OUTCOME_OK"


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
