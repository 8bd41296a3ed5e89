"""A script that sends forged messages to the parent process gains nothing but the end of its step.

A script runs in a child process, which talks to the parent over a socket. `attacks/messages.txt`
has scripts that have got hold of the socket, and send what they like by the function `frame`, such
as a call without its arguments:

    frame({"number": 1, "body": {"kind": "call", "operation": "stat"}})
    print("LEAK" if answer()["kind"] == "ok" else "held")

These scripts run without the language layer, which would keep them from the socket. Only the kernel
layer protects the machine from them.
"""

import time

import pytest

from controlplane.sandbox import Ending, Layer, Limits
from tests.sandbox.local_parent import (
    OPERATION_NAMES,
    RecordingHost,
    memory_growth_below,
    new_sandbox,
)
from tests.sandbox.script_corpus import corpus_scripts

# Scripts that send forged messages to the parent process.
#
# A script runs in a child process, which talks to the parent over a socket. Both send *frames*: a
# length of four bytes, and a JSON object. `run_forger(sandbox, "frame({})")` runs a script that has
# got hold of the socket, and can send what it likes.

FORGER = """
import _socket as socket, gc, json, os, struct, sys  # also for the lines of the test

# The scratchpad has a method that sends it to the parent. The object of this method leads to the
# connection to the parent, and the connection has the socket. All are private: an attacker finds them.
connection = scratchpad._send_to_parent.__self__.conversation._connection
wire = connection.socket

def frame(message, length=None):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    wire.sendall(struct.pack("!I", len(body) if length is None else length) + body)

def answer():
    most_bytes = 1 << 30
    return json.loads(connection.receive(most_bytes))

def frame_of_call(path):
    call = {"kind": "call", "operation": "stat", "positional": [], "named": {"path": path}}
    frame({"number": 1, "body": call})  # the first request of the script
"""
"""The first lines of a script that forges messages.

`frame(message)` sends any message, or any bytes, with any length in front; `answer()` waits for
the next message of the parent; `frame_of_call(path)` sends the call `harness.stat(path)`.
"""

FORGERS_ISOLATION = frozenset({Layer.KERNEL})
"""Only the kernel layer: the language layer would keep the script from its socket."""


def run_forger(sandbox, script):
    """Run a script that may use the functions of `FORGER`: `run_forger(sandbox, "frame({})")`."""
    return sandbox.run(FORGER + script)


# A script may send its parent too much, or not read what it is sent.
#
# A script's process talks to the parent over a socket. The scripts here have got hold of the socket:
#
#     frame({"printed": "7"})     sends a message: that the script has printed "7"
#     frame_of_call("/a.md")      sends a message that calls `harness.stat("/a.md")`

# Forgers run without the language layer, so that they run only if the kernel layer works.
floods_and_delays_pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.usefixtures("canary"),
]


def test_a_flood_of_messages_does_not_let_the_parent_grow(server):
    """The script sends half a megabyte of printed text again and again. The parent keeps a
    part."""
    flood = "while True: frame({'printed': 'x' * 500_000})"
    with (
        memory_growth_below(max_mib=64),
        new_sandbox(
            server,
            # All layers but that of the language, which would keep scripts from the socket
            isolation=frozenset({Layer.PROCESS, Layer.KERNEL}),
            limits=Limits(step_wall_s=1.0),
        ) as sandbox,
    ):
        result = run_forger(sandbox, flood)

    assert result.ending in (Ending.LIMIT, Ending.KILLED)
    assert len(result.output) < 40_000


class SlowHost(RecordingHost):
    """Answers a call after 0.8 s, with more bytes than the buffer of a socket takes."""

    def call(self, operation, arguments, *, in_verify):
        time.sleep(0.8)
        return {"content": "x" * 1_900_000}


def test_a_child_that_does_not_read_its_result_is_waited_for_until_the_deadline(server):
    """The script makes a call and loops, so that the parent cannot send the whole result."""
    with new_sandbox(
        server, SlowHost(), isolation=FORGERS_ISOLATION, limits=Limits(step_wall_s=1.0)
    ) as sandbox:
        result = run_forger(sandbox, "frame_of_call('/')\nwhile True: pass")

    assert result.ending is Ending.LIMIT


# A script that has reported the end of its step may go on sending messages to its parent.
#
# A script's process talks to the parent over a socket. The script here has got hold of the socket:
#
#     frame({"printed": "7"})     sends a message: that the script has printed "7"
#     frame_of_call("/a.md")      sends a message that calls `harness.stat("/a.md")`
#     answer()                    waits for the next message of the parent

# Forgers run without the language layer, so that they run only if the kernel layer works.
late_messages_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("canary")]

# Tells the parent that the step of the script has ended: without an error, and with memory left.
END_OF_STEP = """
end_of_step = {"printed": "", "body": {
    "kind": "end", "ending": "finished", "error": "", "end_of_output": "", "is_spent": False,
}}
frame(end_of_step)
"""


def test_a_message_after_the_end_of_a_step_is_ignored(server):
    """The script reports the end of its step. It goes on nevertheless: it makes a call, reports the
    end again, now with a printed word, and waits."""
    script = (
        END_OF_STEP
        + "frame_of_call('/late')\n"
        + "frame(end_of_step | {'printed': 'late'})\n"
        + "while True: answer()"
    )
    host = RecordingHost()
    with new_sandbox(server, host, isolation=FORGERS_ISOLATION) as sandbox:
        result = run_forger(sandbox, script)
        time.sleep(0.05)  # The last messages arrive before the next step begins.
        next_step = sandbox.run("print('next')")

    assert result.ending is Ending.FINISHED
    assert next_step.output == "next\n"
    assert host.calls == []


# `canary` skips the tests on a machine without the kernel layer. After each test it fails if a
# script has reached the file or the port of `canary`.
pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("canary")]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(script, id=title[:40])
        for title, script in corpus_scripts("attacks/messages.txt")
    ],
)
def test_a_forged_message_costs_at_most_the_step_of_its_script(script, server):
    """If the parent refuses the message, the step is ended, or the script prints "held"."""
    host = RecordingHost()
    with (
        memory_growth_below(max_mib=64),
        new_sandbox(
            server, host, isolation=FORGERS_ISOLATION, limits=Limits(step_wall_s=2.0)
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


def test_a_forged_scratchpad_that_cannot_be_decoded_is_replaced_by_an_empty_one(server):
    """A set is sent as `{"$": "set", "v": [1, 2]}`. The forged one would contain a list."""
    with new_sandbox(server, isolation=FORGERS_ISOLATION) as sandbox:
        run_forger(sandbox, "frame({'scratchpad': {'s': {'$': 'set', 'v': [[1]]}}})")
        result = sandbox.run("print(len(scratchpad))\nscratchpad['a'] = 1")
        next_step = sandbox.run("print(scratchpad)")

    assert result.output.startswith(
        "(the scratchpad cannot be read back and is empty now"
    )
    assert result.output.endswith("\n0\n")
    assert next_step.output == "{'a': 1}\n"
