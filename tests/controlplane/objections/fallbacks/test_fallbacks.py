"""A fallback is what the product submits for a model that gives no acceptable answer.

In these runs, the model answers "17" in its second step, and has no reply for a third. Gate 4, a
check of citations, rejects the answer, as it cites a file that the model has not read. By default,
the fallback is the last rejected answer. With `--fallback internal`, the fallback says that no
answer was reached.
"""

from pathlib import Path

from tests.controlplane.objections.fallbacks.fallback_runs import (
    only_trial,
    replayed_text,
    run_without_accepted_answer,
)

WHY_THE_MODEL_ENDED = (
    "the model failed: the replies file has no reply for turn 3 of this trial"
)


def test_the_fallback_is_the_last_answer_that_was_sent_back(tmp_path: Path) -> None:
    run = run_without_accepted_answer(tmp_path)

    reason = "fallback: its last submission, sent back by gate 4 (citations were read)"
    assert reason in replayed_text(tmp_path)
    assert f"{reason}; {WHY_THE_MODEL_ENDED}" in run.out

    trial = only_trial(tmp_path)
    assert trial["state"] == "fallback"
    assert trial["answer"].startswith("17")
    assert trial["outcome"] == "OUTCOME_OK"
    assert trial["fallback_failed"] == ["4"]
    assert trial["steps"] == 2


def test_the_option_fallback_submits_an_internal_error_instead(tmp_path: Path) -> None:
    """The model's answer "17" is not used, and no gate is named as the reason."""
    run = run_without_accepted_answer(tmp_path, "--fallback", "internal")

    reason = "fallback: ERR_INTERNAL"
    assert reason in replayed_text(tmp_path)
    assert f"{WHY_THE_MODEL_ENDED}; {reason}" in run.out
    assert f"; {WHY_THE_MODEL_ENDED}" not in run.out

    trial = only_trial(tmp_path)
    assert trial["state"] == "fallback"
    assert trial["answer"].startswith("No answer")
    assert trial["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert trial["fallback_failed"] == []
    assert trial["steps"] == 2
