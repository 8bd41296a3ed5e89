"""A script may send its parent too much or too late, or not read what it is sent.

A script's process talks to the parent over a socket. These scripts have got hold of the socket:
`frame` sends any message to the parent, and `frame_of_call` a call of `harness.stat`.
"""

import time

import pytest

from controlplane.sandbox import Ending, Layer, Limits
from tests.sandbox.forgers import FORGERS_ISOLATION, run_forger
from tests.sandbox.opened_sandboxes import memory_growth_below, new_sandbox
from tests.sandbox.recording_host import RecordingHost

# Forgers run without the language layer, so that they run only if the kernel layer works.
pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("canary")]


class SlowHost(RecordingHost):
    """Answers a call after 0.8 s, with more bytes than the buffer of a socket takes."""

    def call(self, operation, arguments, *, in_verify):
        time.sleep(0.8)
        return {"content": "x" * 1_900_000}


def test_a_flood_of_frames_does_not_let_the_parent_grow(server):
    """The script sends half a megabyte of printed text again and again. The parent keeps a
    part."""
    flood = "while True: frame({'printed': 'x' * 500_000})"
    with (
        memory_growth_below(max_mib=64),
        new_sandbox(
            server,
            isolation=frozenset({Layer.PROCESS, Layer.KERNEL}),
            limits=Limits(step_wall_s=1.0),
        ) as sandbox,
    ):
        result = run_forger(sandbox, flood)

    assert result.ending in (Ending.LIMIT, Ending.KILLED)
    assert len(result.output) < 40_000


def test_a_message_after_the_end_of_a_step_is_ignored(server):
    """The script reports the end of its step, then sends a call and a second end."""
    messages_after_end = """
def end(printed):
    report = {"kind": "end", "ending": "finished", "error": "", "is_spent": False}
    frame({"printed": printed, "body": report | {"end_of_output": ""}})
end("")
frame_of_call("/late")
end("late")
while True: answer()
"""
    host = RecordingHost()
    with new_sandbox(server, host, isolation=FORGERS_ISOLATION) as sandbox:
        result = run_forger(sandbox, messages_after_end)
        time.sleep(0.05)  # The last messages arrive before the next step begins.
        next_step = sandbox.run("print('next')")

    assert result.ending is Ending.FINISHED
    assert next_step.output == "next\n"
    assert host.calls == []


def test_a_child_that_does_not_read_its_result_is_waited_for_until_the_deadline(server):
    """The script makes a call and loops, so that the parent cannot send the whole result."""
    with new_sandbox(
        server, SlowHost(), isolation=FORGERS_ISOLATION, limits=Limits(step_wall_s=1.0)
    ) as sandbox:
        result = run_forger(sandbox, "frame_of_call('/')\nwhile True: pass")

    assert result.ending is Ending.LIMIT
