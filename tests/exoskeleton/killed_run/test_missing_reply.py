"""A killed run asks only for the reply that it does not have when it is resumed.

So no reply is paid for twice. The model is asked over the Responses API of OpenAI, whose replies are
lists of items: a thought ("reasoning") and calls of tools ("function_call").
"""

from pathlib import Path

from controlplane.journal.journal_reader import open_journal
from tests.exoskeleton.killed_run.killed_runs import kill_and_resume
from tests.exoskeleton.killed_run.opening_times import (
    answer_reply,
    read_reply,
    write_tasks,
)
from tests.support.command import run_in_process


def test_a_killed_run_asks_only_for_the_missing_reply_when_it_is_resumed(
    tmp_path: Path,
) -> None:
    """The run is killed while it waits for the fourth reply, with which its second task ends."""
    write_tasks(tmp_path / "tasks")
    replies = [
        # The first task: calls of the tools `read` and `list`, by their ids, then an answer.
        read_reply("read_1", "list_1"),
        answer_reply("7 euros"),
        # The second task
        read_reply("read_2", "list_2"),
        answer_reply("at 9"),
    ]

    killed = kill_and_resume(
        tmp_path, replies, "--benchmark", "folder:tasks", "--concurrency", "1"
    )

    assert len(killed.requests_before_kill) == 4
    assert len(killed.requests_after_kill) == 1
    assert killed.resumed.code == 0, killed.resumed.err
    scores = [trial["score"] for trial in killed.resumed.json["trials"]]
    assert scores == [1.0, 1.0]

    # The new request ends with the model's third reply, and with the results of its calls.
    request = killed.requests_after_kill[0].body
    last_items = request["input"][-5:]
    assert [(item["type"], item.get("call_id")) for item in last_items] == [
        ("reasoning", None),
        ("function_call", "read_2"),
        ("function_call", "list_2"),
        ("function_call_output", "read_2"),
        ("function_call_output", "list_2"),
    ]
    tool_names = {tool["name"] for tool in request["tools"]}
    assert tool_names >= {"read", "list", "report_completion"}

    # The journal has all steps of both trials, and a replay makes them again.
    verified = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    assert verified.code == 0, verified.out + verified.err
    (journal,) = tmp_path.glob("runs/*.jsonl")
    first_trial, second_trial = open_journal(journal).trials.values()
    assert len(first_trial.steps) == 2  # the turn that reads, and the turn that answers
    assert len(second_trial.steps) == 2
