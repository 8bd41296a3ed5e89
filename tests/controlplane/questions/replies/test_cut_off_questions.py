"""A question of `ask` that has used up its tokens is resumed with a higher limit.

The first reply of the model uses up the limit of 10 tokens. After `resume last --max-tokens-run 100000`
the second one answers from docs/loans.md: "Until 2026-03-01 [1].".
"""

from pathlib import Path

from controlplane.errors import BudgetExhausted
from tests.controlplane.questions.asked_question import ANSWER, QUESTION
from tests.support.command import CommandResult, run_in_process
from tests.support.endpoints import model_server, responding_in_turn
from tests.support.single_trial import step_reply


def resume_after_cut_off(folder: Path, *output_options: str) -> CommandResult:
    """Ask with a limit of 10 tokens, which the first of two replies uses up, and resume the
    question with a higher limit. Return what `resume` printed; `output_options` are "--json" or
    none."""
    question = ("ask", QUESTION, "docs", "--model", "m", *output_options)
    replies = responding_in_turn(step_reply("print(1)"), step_reply(ANSWER))
    with model_server(replies) as server:
        endpoint = {"OPENAI_BASE_URL": server.url}
        cut_off = run_in_process(
            *question, "--max-tokens-run", "10", cwd=folder, **endpoint
        )
        resume = ("resume", "last", "--max-tokens-run", "100000", *output_options)
        resumed = run_in_process(*resume, cwd=folder, **endpoint)

    assert cut_off.code == BudgetExhausted.exit_code
    assert resumed.code == 0, resumed.err
    return resumed


def test_a_question_that_was_cut_off_is_resumed_with_its_answer(
    loan_folder: Path,
) -> None:
    """`resume` prints the answer as `ask` would have, with footnote and passage."""
    resumed = resume_after_cut_off(loan_folder)

    assert resumed.out.startswith(
        "Until 2026-03-01 [1].\n"
        "\n"
        "  [1] docs/loans.md:4\n"
        "\n"
        "  docs/loans.md:4\n"
        "    > until 2026-03-01\n"
    )
    assert "controlplane replay" in resumed.err


def test_a_question_that_was_cut_off_is_resumed_with_its_answer_as_json(
    loan_folder: Path,
) -> None:
    resumed = resume_after_cut_off(loan_folder, "--json")

    assert resumed.json["status"] == "answered"
    (citation,) = resumed.json["citations"]
    assert citation["line"] == 4
