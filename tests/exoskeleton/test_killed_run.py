"""A run over the Responses API of OpenAI that is killed and resumed.

1. The run plays two tasks, one after the other. The model answers three requests: two about the
   first task, and the first about the second.
2. The last request gets no answer: the run waits, and is killed.
3. The resumed run asks only for this reply, which it does not have.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from controlplane.journal.journal_reader import open_journal
from tests.exoskeleton.resumed_run import kill_and_resume
from tests.exoskeleton.right_calls import LAST_TASK, reading_calls
from tests.support.command import run_in_process


def check_ends_with_first_reply(items: Sequence[Mapping[str, Any]]) -> None:
    """Assert that a request ends with what was there when the run was killed.

    For the last task, the model had replied once, with a thought and calls, and the calls had their
    results: [thought, call of read_0, call of date, result of read_0, result of date]
    """
    call_ids = [call["call_id"] for call in reading_calls(LAST_TASK)]
    thought = ("reasoning", None)
    calls = [("function_call", call_id) for call_id in call_ids]
    results = [("function_call_output", call_id) for call_id in call_ids]
    expected_end = [thought, *calls, *results]

    types_and_ids: list[tuple[str | None, str | None]] = []
    for item in items:
        types_and_ids.append((item.get("type"), item.get("call_id")))

    assert types_and_ids[-len(expected_end) :] == expected_end


STEPS_OF_TRIAL = 3
"""The checks before the model, the turn that reads, and the turn that answers."""


class TestKilledRun:
    """A killed run pays only for the one reply that it does not have.

    The model replied three times before the kill: twice about the first task, and once about the
    second, with a thought and calls. It was asked for its fourth and last reply.
    """

    def test_a_killed_run_asks_only_for_the_missing_reply_when_it_is_resumed(
        self, tmp_path: Path
    ) -> None:
        """The one request ends with the model's earlier reply, and with the results of its
        calls."""
        resumed = kill_and_resume(tmp_path)

        (request,) = resumed.requests
        check_ends_with_first_reply(request["input"])
        tool_names = {tool["name"] for tool in request["tools"]}
        assert tool_names >= {"read", "exec", "report_completion"}
        scores = [trial["score"] for trial in resumed.result["trials"]]
        assert scores == [1.0, 1.0]

    def test_the_journal_of_a_killed_and_resumed_run_can_be_replayed(
        self, tmp_path: Path
    ) -> None:
        """It has all steps of both trials, and the replay makes them again."""
        kill_and_resume(tmp_path)

        verified = run_in_process("replay", "last", "--verify", cwd=tmp_path)

        assert verified.code == 0, verified.out + verified.err
        (journal,) = tmp_path.glob("runs/*.jsonl")
        trials = open_journal(journal).trials.values()
        steps = [len(trial.steps) for trial in trials]
        assert steps == [STEPS_OF_TRIAL, STEPS_OF_TRIAL]
