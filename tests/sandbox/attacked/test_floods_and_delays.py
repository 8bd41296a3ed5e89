"""A script may send its parent too much, or not read what it is sent.

A script's process talks to the parent over a socket. The scripts here have got hold of the socket:

    frame({"printed": "7"})     sends a message: that the script has printed "7"
    frame_of_call("/a.md")      sends a message that calls `harness.stat("/a.md")`
"""

import time

import pytest

from controlplane.sandbox import Ending, Layer, Limits
from tests.sandbox.forgers import FORGERS_ISOLATION, run_forger
from tests.sandbox.opened_sandboxes import memory_growth_below, new_sandbox
from tests.sandbox.recording_host import RecordingHost

# Forgers run without the language layer, so that they run only if the kernel layer works.
pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("canary")]


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
