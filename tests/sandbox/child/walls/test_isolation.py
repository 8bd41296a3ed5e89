"""A script's process has one open descriptor, its connection to the parent, and can open no other.

A *descriptor* is the number by which a process knows an open file or socket. Even a script that
has taken over its process, and calls the kernel directly, must not get a second one: the process
layer sets the limit of descriptors to zero.
"""

import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from controlplane.sandbox import Ending, Layer
from tests.sandbox.child.walls.observed_processes import (
    Descriptors,
    LookingHost,
    ObservedServer,
)
from tests.sandbox.opened_sandboxes import new_sandbox

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

CALL_BEFORE_AND_AFTER_AN_IMPORT = """
harness.stat("/docs")
from zoneinfo import ZoneInfo
print(ZoneInfo("Europe/Vienna"))
harness.stat("/docs")
"""
"""A script with two calls. In plain Python, the import and the time zone between them would open
files: the descriptor of one that stayed open would be there at the second call."""

CALL_IN_VERIFY = """
def verify(sp):
    harness.stat("/docs")
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
"""
"""A script that makes its call in `verify`, the check of its answer, which the host asks for."""


class TestDescriptorsAtCalls:
    """A script's process has only its connection, whatever it has done before.

    A descriptor could leak from the server that forks the process, from a process that was killed
    and replaced, or from an import, for which plain Python opens files. So the host lists the
    descriptors of the script's process whenever it answers a call of the script.
    """

    @linux_only
    @pytest.mark.parametrize(
        "isolation",
        [
            pytest.param(frozenset({Layer.PROCESS}), id="process"),
            pytest.param(
                frozenset({Layer.LANGUAGE, Layer.PROCESS}), id="language,process"
            ),
        ],
    )
    def test_a_child_has_only_its_connection_at_every_call_of_every_step(
        self, isolation
    ):
        """1. A first process runs a script with two calls.
        2. It is killed. So the next step of the sandbox cannot run, and ends as "killed".
        3. A second process, which replaces the first, runs the same script.
        4. Then it runs a script that makes its call in `verify`.

        The kernel layer is left out, because it alone would refuse to open descriptors.
        """
        with ExitStack() as stack:
            # Since 60 files are open, the server's own socket gets a number above 60. A child must
            # close it, too, and not only descriptors with low numbers.
            for _ in range(60):
                stack.enter_context(Path(os.devnull).open("rb"))
            server = stack.enter_context(ObservedServer())
            host = LookingHost(server)
            sandbox = stack.enter_context(
                new_sandbox(server, host, isolation=isolation)
            )

            first_step = sandbox.run(CALL_BEFORE_AND_AFTER_AN_IMPORT)
            assert first_step.ending is Ending.FINISHED
            os.kill(server.pids[-1], signal.SIGKILL)
            killed_step = sandbox.run(CALL_BEFORE_AND_AFTER_AN_IMPORT)
            assert killed_step.ending is Ending.KILLED
            step_of_new_child = sandbox.run(CALL_BEFORE_AND_AFTER_AN_IMPORT)
            assert step_of_new_child.ending is Ending.FINISHED
            answering_step = sandbox.run(CALL_IN_VERIFY)
            assert answering_step.ending is Ending.FINISHED

        assert len(server.pids) == 2  # the killed process and the one that replaced it
        # The host has looked during ordinary calls and during those of `verify`.
        assert {call.in_verify for call in host.calls} == {False, True}
        # What a child must have: its connection, as descriptor 0, and no right to open another.
        connection_only = Descriptors(numbers=["0"], soft_limit="0", hard_limit="0")
        assert host.descriptors_at_calls == [connection_only] * len(host.calls)
