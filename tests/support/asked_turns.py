"""Waits for a run that another process plays, until it has asked its model a number of times.

with start_controlplane("run", ..., cwd=folder):
    wait_for_turns(folder, turns=3)
"""

from pathlib import Path

from tests.support.command import wait_until


def wait_for_turns(folder: Path, turns: int = 1) -> None:
    """Wait until the run in `folder` has asked its model `turns` times, by its journal."""

    def has_asked() -> bool:
        for journal in (folder / "runs").glob("*.jsonl"):
            if journal.read_bytes().count(b'"type":"model_asked"') >= turns:
                return True
        return False

    wait_until(has_asked)
