"""A script that sends forged messages to the parent process gains nothing but the end of its step.

A script runs in a child process, which talks to the parent over a socket. `attacks/messages.txt`
has scripts that have got hold of the socket, and send what they like by the function `frame`, such
as a call without its arguments:

    frame({"number": 1, "body": {"kind": "call", "operation": "stat"}})
    print("LEAK" if answer()["kind"] == "ok" else "held")

These scripts run without the language layer, which would keep them from the socket. Only the kernel
layer protects the machine from them.
"""

import pytest

from controlplane.sandbox import Ending, Limits
from tests.sandbox.declared_calls import OPERATION_NAMES
from tests.sandbox.forgers import FORGERS_ISOLATION, run_forger
from tests.sandbox.opened_sandboxes import memory_growth_below, new_sandbox
from tests.sandbox.recording_host import RecordingHost
from tests.sandbox.script_corpus import corpus_scripts

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
