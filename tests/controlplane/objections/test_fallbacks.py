"""Fallbacks: the answers of the harness for trials whose model gives no answer that is accepted.

By default, the fallback is the last answer that was sent back, which is better than nothing. With
`--fallback internal`, it says that no answer was reached.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.objections.scripted_model import LOOK_UP, run_ada
from tests.support.command import CommandResult, run_in_process

ANSWER_CITING_UNREAD_FILE = """
scratchpad["answer"], scratchpad["outcome"] = "17", "OUTCOME_OK"
scratchpad["refs_why"] = {"/unread.md": "it is 17"}
harness.answer(scratchpad, lambda sp: sp["n"] in sp["answer"])
"""
"""Gate 4, a group of checks of citations, objects: the model cites a file that it has not read."""


def run_without_accepted_answer(folder: Path, *options: str) -> CommandResult:
    """Run a model that looks the number up, gives an answer that is sent back, and then has no
    reply for a third step. Asserts that the trial ended with a fallback."""
    run = run_ada(folder, LOOK_UP, ANSWER_CITING_UNREAD_FILE, options=options)
    assert "1 ended by the fallback" in run.out
    return run


def only_trial(folder: Path) -> dict[str, Any]:
    """Return what `show` tells about the one trial of the last run: `{"state": "fallback",
    ...}`."""
    shown = run_in_process("show", "last", "--json", cwd=folder).json
    (trial,) = shown["trials"]
    assert isinstance(trial, dict)
    return trial


def replayed_text(folder: Path) -> str:
    """Return what `replay` prints about the last run, in one line."""
    replay = run_in_process("replay", "last", cwd=folder, COLUMNS="200")
    return " ".join(replay.out.split())


class TestFallbacks:
    """A model looks a number up, gives an answer that is sent back, and then has no reply any more.

    The answer cites a file that the model has not read, so gate 4, a check of citations,
    objects.
    """

    def test_the_fallback_is_the_last_answer_that_was_sent_back(
        self, tmp_path: Path
    ) -> None:
        """Gate 4 objected, as the answer cites a file that was not read. It is better than
        nothing."""
        run = run_without_accepted_answer(tmp_path)

        reason = (
            "fallback: its last submission, sent back by gate 4 (citations were read)"
        )
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

    def test_the_option_fallback_submits_an_internal_error_instead(
        self, tmp_path: Path
    ) -> None:
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

    @pytest.mark.parametrize(
        "options",
        [
            pytest.param((), id="last answer"),
            pytest.param(("--fallback", "internal"), id="internal error"),
        ],
    )
    def test_a_replay_does_not_mention_an_opening_that_a_benchmark_does_not_have(
        self, options: tuple[str, ...], tmp_path: Path
    ) -> None:
        """Some benchmarks open a trial with calls of their own, which a replay shows at the top.
        The phone book does not, so that the note "What is shown above" would be wrong."""
        run_without_accepted_answer(tmp_path, *options)

        replay = run_in_process("replay", "last", "--trial", "ada", cwd=tmp_path)

        assert "What is shown above" not in replay.out
