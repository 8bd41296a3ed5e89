"""Fallbacks are the answers of the product for trials whose model gives no answer that is accepted.

By default, the fallback is the last answer that was sent back, which is better than nothing. With
`--fallback internal`, it says that no answer was reached. Here the answer cites a file that the model
has not read, so gate 4, a check of citations, objects.
"""

from pathlib import Path

from tests.controlplane.objections.fallbacks.fallback_runs import (
    only_trial,
    replayed_text,
    run_without_accepted_answer,
)


def test_the_fallback_is_the_last_answer_that_was_sent_back(tmp_path: Path) -> None:
    """Gate 4 objected, as the answer cites a file that was not read. It is better than
    nothing."""
    run = run_without_accepted_answer(tmp_path)

    reason = "fallback: its last submission, sent back by gate 4 (citations were read)"
    assert reason in run.out
    assert reason in replayed_text(tmp_path)
    reason_for_no_other_answer = "; the model failed: the"
    assert reason_for_no_other_answer in run.out

    trial = only_trial(tmp_path)
    assert trial["state"] == "fallback"
    assert trial["answer"].startswith("17")
    assert trial["outcome"] == "OUTCOME_OK"
    assert trial["fallback_failed"] == ["4"]
    assert trial["steps"] == 2


def test_the_option_fallback_submits_an_internal_error_instead(tmp_path: Path) -> None:
    """With `--fallback internal`, the last answer of the model is not used. The reason that is
    shown names neither the gate nor the model's failure."""
    run = run_without_accepted_answer(tmp_path, "--fallback", "internal")

    reason = "fallback: ERR_INTERNAL"
    assert reason in run.out
    assert reason in replayed_text(tmp_path)
    assert "; the model failed: the" not in run.out

    trial = only_trial(tmp_path)
    assert trial["state"] == "fallback"
    assert trial["answer"].startswith("No answer")
    assert trial["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert trial["fallback_failed"] == []
    assert trial["steps"] == 2
