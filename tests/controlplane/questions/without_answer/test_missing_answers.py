"""`ask` fails if the model gives no answer in the steps that it has.

For example:

    --max-steps 1    ->    No answer was accepted. (no answer within 1 step ...
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ask,
    write_files,
)


def test_a_question_without_an_answer_in_time_is_a_failure(tmp_path: Path) -> None:
    """The model has one step, in which it does not answer."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})

    as_json = ask(tmp_path, "--max-steps", "1", "--json", script="x = 1")
    printed = ask(tmp_path, "--max-steps", "1", script="x = 1")

    assert as_json.code == A_QUESTION_FAILED
    assert as_json.json["status"] == "no_accepted_answer"
    assert printed.out.startswith("No answer was accepted. (no answer within 1 step")
