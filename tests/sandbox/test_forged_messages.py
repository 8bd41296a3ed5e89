"""A script that sends forged messages to the parent process gains nothing but the end of its step.

A script runs in a child process, which talks to the parent over a socket. Both send *frames*: a
length of four bytes, and a JSON object. A script that has got hold of the socket can send what it
likes, such as a call without its arguments:

    frame({"number": 1, "body": {"kind": "call", "operation": "stat"}})
"""

import time

import pytest

from controlplane.sandbox import Ending, Layer, Limits
from tests.sandbox.declared_calls import OPERATION_NAMES
from tests.sandbox.forgers import FORGERS_ISOLATION, run_forger
from tests.sandbox.opened_sandboxes import memory_growth_below, new_sandbox
from tests.sandbox.recording_host import RecordingHost
from tests.sandbox.script_corpus import corpus_scripts

pytestmark = [
    pytest.mark.second_tier,
    # Forgers run without the language layer, so that they run only if the kernel layer works.
    pytest.mark.usefixtures("canary"),
]

PARENT_GROWTH_MIB = 64
"""How much memory a script may cost the parent process at most."""


FORGED_MESSAGES = [
    pytest.param(script, id=title[:40])
    for title, script in corpus_scripts("attacks/messages.txt")
]
"""Scripts such as `frame({"number": 1, "body": {"kind": "format-disk"}})`."""


class TestForgedMessages:
    """A forged message costs at most the step of the script that sent it.

    `attacks/messages.txt` has scripts such as `frame({"number": 1, "body": {"kind":
    "format-disk"}})`. The parent ends the step, or refuses the message.
    """

    @pytest.mark.parametrize("script", FORGED_MESSAGES)
    def test_a_forged_message_costs_at_most_the_step_of_its_script(
        self, script, server
    ):
        """If the parent refuses the message, the script goes on and prints "held"."""
        host = RecordingHost()
        with (
            memory_growth_below(PARENT_GROWTH_MIB),
            new_sandbox(
                server,
                host,
                isolation=FORGERS_ISOLATION,
                limits=Limits(step_wall_s=2.0),
            ) as sandbox,
        ):
            sandbox.run("scratchpad['kept'] = 1")
            result = run_forger(sandbox, script)
            next_step = sandbox.run("print('next', scratchpad.get('kept'))")

        was_ended = result.ending in (Ending.KILLED, Ending.LIMIT)
        assert was_ended or result.output == "held\n", result
        assert next_step.output == "next 1\n"
        assert host.answers == []
        assert set(host.called_operations) <= OPERATION_NAMES


class TestForgedScratchpads:
    """The parent keeps what a script stores, its scratchpad, between steps."""

    def test_a_forged_scratchpad_that_cannot_be_decoded_is_replaced_by_an_empty_one(
        self, server
    ):
        """The scratchpad sends a set as `{"$": "set", "v": [1, 2]}`. The forged set would contain a
        list, which no set can."""
        with new_sandbox(server, isolation=FORGERS_ISOLATION) as sandbox:
            run_forger(
                sandbox, "frame({'scratchpad': {'s': {'$': 'set', 'v': [[1]]}}})"
            )
            result = sandbox.run("print(len(scratchpad))\nscratchpad['a'] = 1")
            next_step = sandbox.run("print(scratchpad)")

        assert result.output.startswith(
            "(the scratchpad cannot be read back and is empty now"
        )
        assert result.output.endswith("\n0\n")
        assert next_step.output == "{'a': 1}\n"


class SlowHost(RecordingHost):
    """Answers a call after 0.8 s, with more bytes than the buffer of a socket takes."""

    def call(self, operation, arguments, *, in_verify):
        time.sleep(0.8)
        return {"content": "x" * 1_900_000}


class TestFloodsAndDelays:
    """A script may send too much or too late, or not read what it is sent.

    The script runs below the lines of `FORGER`: `frame` sends a message to the parent, and
    `frame_of_call` a call of `harness.stat`.
    """

    def test_a_flood_of_frames_does_not_let_the_parent_grow(self, server):
        """The script sends half a megabyte of printed text again and again. The parent keeps a
        part."""
        flood = "while True: frame({'printed': 'x' * 500_000})"
        with (
            memory_growth_below(PARENT_GROWTH_MIB),
            new_sandbox(
                server,
                isolation=frozenset({Layer.PROCESS, Layer.KERNEL}),
                limits=Limits(step_wall_s=1.0),
            ) as sandbox,
        ):
            result = run_forger(sandbox, flood)

        assert result.ending in (Ending.LIMIT, Ending.KILLED)
        assert len(result.output) < 40_000

    def test_a_message_after_the_end_of_a_step_is_ignored(self, server):
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

    def test_a_child_that_does_not_read_its_result_is_waited_for_until_the_deadline(
        self, server
    ):
        """The script makes a call and loops, so that the parent cannot send the whole result."""
        with new_sandbox(
            server,
            SlowHost(),
            isolation=FORGERS_ISOLATION,
            limits=Limits(step_wall_s=1.0),
        ) as sandbox:
            result = run_forger(sandbox, "frame_of_call('/')\nwhile True: pass")

        assert result.ending is Ending.LIMIT
