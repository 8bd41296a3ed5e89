"""What a run prints if its benchmark gives odd scores: none at all, 0.5, or a bit less than 1.

    pass@1 1.000 [0.439, 1.000]      all trials passed; the 95 % interval is 0.439 to 1

A trial passes with the score 1. The interval is computed from the number of tasks, three, although
each is played twice. Trials without a score are not counted, but told.
"""

from pathlib import Path

import pytest

from tests.controlplane.word_benchmark import MEANINGS
from tests.support.command import run_in_process


def reply_for(word: str) -> str:
    """Return the reply of a model to the task about this word, in the form of `replies.toml`."""
    return f"""
[[reply]]
when = "{word}"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.define("{word}").meaning, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: True)
'''
"""


@pytest.mark.parametrize(
    ("settings", "expected_text"),
    [
        pytest.param(
            ["score=0.9999999999999999"],
            "pass@1 1.000 [0.439, 1.000]",
            id="0.6 + 0.3 + 0.1, a bit less than 1, is a pass",
        ),
        pytest.param(
            ["score=0.5"], "pass@1 0.000 [0.000, 0.561]", id="0.5 is not a pass"
        ),
        pytest.param(
            ["score=1", "broken_task=newt"],
            "without newt, which had no score",
            id="the trials of newt cannot start, and are named",
        ),
        pytest.param(
            ["score=1", "broken_task=newt"],
            "mean score 1.000 over 4 of 6 trials · 2 without a score (could not start: ",
            id="the trials of newt cannot start, and are counted",
        ),
        pytest.param(
            ["score=none"],
            "6 of 6 trials over, no scores yet",
            id="no trial has a score",
        ),
        pytest.param(
            ["score=nan"],
            "6 of 6 trials over, no score · 6 without a score (the score nan is no finite number ×6)",
            id="scores that are not numbers are none",
        ),
    ],
)
def test_figures_claim_no_more_than_odd_scores_show(
    settings: list[str], expected_text: str, tmp_path: Path
) -> None:
    """There are six trials, from heron-0 to newt-5. The trials of a broken task cannot start."""
    replies = "".join(reply_for(word) for word in MEANINGS)
    (tmp_path / "replies.toml").write_text(replies)

    run = run_in_process(
        "run",
        "--benchmark=tests.controlplane.word_benchmark",
        *[f"--set={setting}" for setting in settings],
        "--model=scripted:replies.toml",
        "--repeats=2",
        cwd=tmp_path,
    )

    printed_text = " ".join(f"{run.out} {run.err}".split())
    assert expected_text in printed_text
