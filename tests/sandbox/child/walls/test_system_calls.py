"""No system call opens a second descriptor in a script's process.

A descriptor is the number by which a process knows an open file or socket. A script has one, for
its parent. Even one that has taken over its process, and makes 27 system calls such as `open` and
`dup` by their numbers, must not get a second one: the process layer sets the limit of descriptors
to zero.
"""

import ast
import platform
import sys

import pytest

from controlplane.sandbox import Layer
from tests.sandbox.child.walls.opening_calls import OPEN_BY_CALL_NUMBERS
from tests.sandbox.opened_sandboxes import new_sandbox

x86_64_only = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="calls the kernel by the numbers of x86_64",
)


@x86_64_only
def test_no_system_call_opens_a_second_descriptor(server):
    """The script runs twice, because the first step might leave something behind that helps the
    second."""
    with new_sandbox(server, isolation=frozenset({Layer.PROCESS})) as sandbox:
        for _ in range(2):
            result = sandbox.run(OPEN_BY_CALL_NUMBERS)

            # From Python 3.14 on, the interpreter itself refuses such calls through ctypes.
            is_refused_by_python = "may not: ctypes.call_function" in result.error
            assert result.output == "[]\n" or is_refused_by_python


@x86_64_only
def test_without_the_process_layer_the_same_script_opens_many_descriptors(server):
    """So the script is right, and the process layer is what stops it. A few of its 27 calls
    fail on any machine, for example for want of rights."""
    with new_sandbox(server, isolation=frozenset()) as sandbox:
        result = sandbox.run(OPEN_BY_CALL_NUMBERS)

    successful_calls = ast.literal_eval(result.output)
    assert len(successful_calls) > 10
