"""`ask` gives a model up that cannot be reached, after the time of `--model-patience`.

For example:

    --model-patience 1    ->    ... a step waits 1 s (--model-patience)
"""

from pathlib import Path

from controlplane.errors import Unreachable
from tests.controlplane.questions.asked_question import QUESTION
from tests.support.command import run_in_process


def test_an_unreachable_model_is_given_up_after_the_patience(loan_folder: Path) -> None:
    """Nothing listens at the address; `--model-patience` says for how long to try again."""
    asked = run_in_process(
        "ask",
        QUESTION,
        "docs",
        "--model=any",
        "--model-patience=1",
        cwd=loan_folder,
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        OPENAI_API_KEY="none",
    )

    assert asked.code == Unreachable.exit_code, asked.err
    assert "a step waits 1 s (--model-patience)" in asked.err
