"""Reading the files that a verifier has left in its container, by a short program there.

The program needs only a shell and the usual commands, so this test runs it on this machine.
"""

import subprocess
from pathlib import Path

from controlplane.benchmarks.containers.runtime_program import CommandResult
from controlplane.benchmarks.harbor.verifier import read_logs


class MachineWithoutLogs:
    """Runs programs in a folder of this machine, which has no /logs/verifier."""

    def __init__(self, workdir: Path) -> None:
        self.workdir = workdir

    def script(self, program: str, *arguments: str) -> CommandResult:
        words = ["sh", "-c", program, "sh", *arguments]
        ended = subprocess.run(
            words, capture_output=True, check=False, cwd=self.workdir
        )
        return CommandResult(ended.stdout, ended.stderr, ended.returncode)


def test_a_reward_in_the_folder_of_the_agent_does_not_count(tmp_path: Path) -> None:
    """The verifier has removed the folder of its logs. The agent has written a reward of its own."""
    (tmp_path / "reward.txt").write_text("1")

    logs = read_logs(MachineWithoutLogs(tmp_path))

    assert logs.reward_text is None
    assert logs.reward_json is None
