"""A thread that plays a child process, and sends the parent what the test writes."""

import json
from typing import Any

import pytest

from controlplane.sandbox import Ending, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.fuzz.forging_peer import ForgedServer
from tests.fuzz.inputs.script_frames import END_OF_STEP, PRINTED
from tests.sandbox.local_parent import new_sandbox


def test_right_frames_end_a_step_as_those_of_a_script_do() -> None:
    messages = [json.dumps(PRINTED).encode(), json.dumps(END_OF_STEP).encode()]

    with (
        ForgedServer(["forged"]) as server,
        server.child_that_sends(messages),
    ):
        result = new_sandbox(server).run("pass")

    assert result.ending is Ending.FINISHED
    assert result.output == "text"


def test_a_message_that_is_no_json_ends_a_step_with_an_error() -> None:
    with (
        ForgedServer(["forged"]) as server,
        server.child_that_sends([b"[[[["]),
    ):
        result = new_sandbox(server).run("pass")

    assert result.ending is not Ending.FINISHED


def call_worker_that_sends(message: bytes) -> Any:
    """Call a function of a worker that answers with this message. Return what the call returns."""
    with (
        ForgedServer(["forged"]) as server,
        server.child_that_sends([message]),
        Worker(server, limits=WorkerLimits(call_wall_s=2.0)) as worker,
    ):
        return worker.call("forged:function", 1, serve=lambda question: "text")


def test_the_result_of_a_worker_is_returned() -> None:
    value = call_worker_that_sends(
        b'{"body": {"kind": "ok", "value": {"content": "x"}}}'
    )

    assert value == {"content": "x"}


def test_a_message_without_a_kind_is_an_error_of_the_call() -> None:
    with pytest.raises(CallError):
        call_worker_that_sends(b'{"body": {"value": {"content": "x"}}}')
