"""A write to a file in the container of an agent's task may name the text that it replaces.

`if_match_sha256` is the hash of the text that the agent has read. If the file has another text by
now, nothing is written, and the call fails: "has changed".
"""

import pytest

from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from controlplane.sandbox.interface import CallError

pytestmark = pytest.mark.second_tier


def test_a_file_that_was_changed_after_it_was_read_is_not_overwritten(
    environment: TerminalEnvironment,
) -> None:
    """A shell command changes it in between."""
    environment.call("write", {"path": "a.txt", "content": "one"})
    hash_of_one = environment.call("read", {"path": "a.txt"})["sha256"]
    environment.call("shell", {"command": "echo two >a.txt"})

    arguments = {
        "path": "a.txt",
        "content": "three",
        "if_match_sha256": hash_of_one,
    }
    with pytest.raises(CallError, match="has changed"):
        environment.call("write", arguments)
