"""What a run prints if its benchmark gives odd scores: none at all, 0.5, or a bit less than 1.

`pass@1 1.000 [0.439, 1.000]` is the share of passed trials with its 95 % interval, that of three
tasks, although each was played twice. A trial without a score must not be counted.
"""

from pathlib import Path

import pytest

from tests.controlplane.word_benchmark import MEANINGS
from tests.support.command import run_in_process


def reply_for(word: str) -> str:
    """Return the reply of a model, a script that answers the task about this word."""
    return f"""
[[reply]]
when = "{word}"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.define("{word}").meaning, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: True)
'''
"""


@pytest.mark.parametrize(
    ("benchmark_options", "expected_text"),
    [
        pytest.param(
            ("--set", "score=0.9999999999999999"),
            "pass@1 1.000 [0.439, 1.000]",
            id="0.6 + 0.3 + 0.1, a bit less than 1, is a pass",
        ),
        pytest.param(
            ("--set", "score=0.5"),
            "pass@1 0.000 [0.000, 0.561]",
            id="0.5 is not a pass",
        ),
        pytest.param(
            ("--set", "score=1", "--set", "broken_task=newt"),
            "without newt, which had no score",
            id="the trials of newt cannot start",
        ),
        pytest.param(
            ("--set", "score=none"),
            "6 of 6 trials over, no scores yet",
            id="no trial has a score",
        ),
        pytest.param(
            ("--set", "score=nan"),
            "the score of otter-1 is a finite number or None",
            id="scores that are not numbers are refused",
        ),
    ],
)
def test_figures_claim_no_more_than_odd_scores_show(
    benchmark_options: tuple[str, ...], expected_text: str, tmp_path: Path
) -> None:
    """Each of the three tasks is played twice, as otter-1 and otter-4, and all six answers are right."""
    replies = "".join(reply_for(word) for word in MEANINGS)
    (tmp_path / "replies.toml").write_text(replies)

    run = run_in_process(
        "run",
        "--benchmark=tests.controlplane.word_benchmark",
        *benchmark_options,
        "--model=scripted:replies.toml",
        "--repeats=2",
        cwd=tmp_path,
    )

    printed_text = " ".join(f"{run.out} {run.err}".split())
    assert expected_text in printed_text
    assert "--reads define" in printed_text  # `define` may change something.
