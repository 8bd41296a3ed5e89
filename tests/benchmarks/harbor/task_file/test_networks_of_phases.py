"""The network of a task's container, in two phases: the agent works, and the verifier runs.

The verifier is the script that gives the score. The task's file, `task.toml`, can want a network
for both phases, or for one of them.
"""

from pathlib import Path

from tests.benchmarks.harbor.task_file.written_task import write_and_read_task


def test_the_verifier_may_have_another_network_than_the_agent(tmp_path: Path) -> None:
    """`[environment]` is for both, unless one of them has a table with the same key."""
    toml = """
[environment]
network_mode = "no-network"

[verifier]
network_mode = "public"
"""
    task = write_and_read_task(tmp_path / "task", toml)

    assert task.file.agent_network == "no-network"
    assert task.file.verifier_network == "public"
