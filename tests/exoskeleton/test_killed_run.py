"""A run over the Responses API of OpenAI that is killed and resumed.

It asks only for the one reply of the model that it does not have, and pays for no other twice.
"""

import socket
import threading
from pathlib import Path

from controlplane.journal.journal_reader import open_journal
from tests.exoskeleton.response_items import THOUGHT, function_call, response
from tests.support.command import run_in_process, start_controlplane, write_config
from tests.support.endpoints import ModelHttpRequest, model_server


def write_task(folder: Path, question: str, answer: str) -> None:
    """Write a task of the benchmark `folder`: a question about the file /notes.md."""
    (folder / "files").mkdir(parents=True)
    (folder / "files/notes.md").write_text("The fee is 7 euros. We open at 9.\n")
    (folder / "task.toml").write_text(
        f'instruction = "{question}"\n[expected]\noutcome = "OUTCOME_OK"\nanswer = "{answer}"\n'
    )


def completion(answer: str) -> dict[str, object]:
    """Return the call of a model that ends a trial with this answer, which cites /notes.md."""
    return function_call(
        "end",
        "report_completion",
        message=answer,
        outcome="OUTCOME_OK",
        records=[{"path": "/notes.md", "reason": "The fee is 7 euros. We open at 9."}],
    )


def test_a_killed_run_asks_only_for_the_missing_reply_when_it_is_resumed(
    tmp_path: Path,
) -> None:
    write_task(tmp_path / "tasks/fee", "How high is the fee?", "7 euros")
    write_task(tmp_path / "tasks/hours", "When do you open?", "at 9")
    replies = [
        # To the first task
        response(
            THOUGHT,
            function_call("read_1", "read", path="/notes.md"),
            function_call("list_1", "list", path="/"),
        ),
        response(completion("7 euros")),
        # To the second one
        response(
            THOUGHT,
            function_call("read_2", "read", path="/notes.md"),
            function_call("list_2", "list", path="/"),
        ),
        response(completion("at 9")),
    ]
    last_request_came = threading.Event()
    run_is_killed = threading.Event()

    def reply(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Give the replies in turn, and the last one only after the run was killed."""
        number = len(server.asked)
        if number == 4:
            last_request_came.set()
            run_is_killed.wait(60)
        return replies[min(number, 4) - 1]

    with model_server(reply) as server:
        write_config(
            tmp_path / "controlplane.toml",
            f'[profiles.big]\nmodel = "m"\nbase_url = "{server.url}"\napi = "responses"\n',
        )

        # 1. The run plays both tasks, one after the other. It is killed while it waits for the
        #    model's fourth reply.
        process = start_controlplane(
            "run",
            *("--benchmark", "folder:tasks"),
            *("--agent", "exoskeleton"),
            *("--model", "big"),
            *("--concurrency", "1"),
            "--quiet",
            cwd=tmp_path,
        )
        try:
            assert last_request_came.wait(60)
        finally:
            process.kill()
            process.communicate()
            run_is_killed.set()
        assert len(server.asked) == 4

        # 2. It is resumed, and asks for the fourth reply again, and for no other.
        resumed = run_in_process("resume", "last", "--json", cwd=tmp_path)
        assert len(server.asked) == 5

    assert resumed.code == 0, resumed.err
    assert [trial["score"] for trial in resumed.json["trials"]] == [1.0, 1.0]

    # 3. The request has what the killed run knew of the second task: the model's third reply, and
    #    the results of its calls.
    request = server.asked[-1].body
    thought, *calls_and_results = request["input"][-5:]
    assert thought["type"] == "reasoning"
    assert [(item["type"], item["call_id"]) for item in calls_and_results] == [
        ("function_call", "read_2"),
        ("function_call", "list_2"),
        ("function_call_output", "read_2"),
        ("function_call_output", "list_2"),
    ]
    tool_names = {tool["name"] for tool in request["tools"]}
    assert tool_names >= {"read", "list", "report_completion"}

    # 4. The journal has all steps of both trials, and a replay makes them again.
    verified = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    assert verified.code == 0, verified.out + verified.err
    (journal,) = tmp_path.glob("runs/*.jsonl")
    first_trial, second_trial = open_journal(journal).trials.values()
    assert len(first_trial.steps) == 2  # the turn that reads, and the turn that answers
    assert len(second_trial.steps) == 2


def test_a_trial_that_was_killed_at_its_first_request_sends_the_same_one_again(
    tmp_path: Path,
) -> None:
    """In a trial of the shop, functions make calls before the model is asked. The resumed run takes
    their results from the journal."""
    first_request_came = threading.Event()
    run_is_killed = threading.Event()

    def reply(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Reply that the task cannot be solved, to the first request only after the kill."""
        first_request_came.set()
        run_is_killed.wait(60)
        return response(
            function_call(
                "end",
                "report_completion",
                message="The tools have failed.",
                outcome="OUTCOME_ERR_INTERNAL",
            )
        )

    with model_server(reply) as server:
        write_config(
            tmp_path / "controlplane.toml",
            f'[profiles.big]\nmodel = "m"\nbase_url = "{server.url}"\napi = "responses"\n',
        )
        process = start_controlplane(
            "run",
            "record-field.1",
            *("--agent", "exoskeleton"),
            *("--model", "big"),
            # These parts would send requests of their own, or answer before the model.
            *("--parts", "-classifier,-preflight,-formatter"),
            "--quiet",
            cwd=tmp_path,
        )
        try:
            assert first_request_came.wait(60)
        finally:
            process.kill()
            process.communicate()
            run_is_killed.set()
        assert len(server.asked) == 1

        resumed = run_in_process("resume", "last", "--json", cwd=tmp_path)

    assert resumed.code == 0, resumed.err
    killed_request, resumed_request, *_ = server.asked
    assert resumed_request.body == killed_request.body
    verified = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    assert verified.code == 0, verified.out + verified.err
