"""Loops of `improve` over riddles, whose right hints are known.

    run = loop.improve("--json")
    assert run.json["is_better"]

There are riddles of six kinds, which a model solves by its hints (see `riddle_kinds.py`). Another
model, the proposer, mends the hints.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from controlplane.improving.loop_record import LoopRecord
from tests.controlplane.improving.improve_command import (
    PROPOSER,
    WORLD_OPTIONS,
    improve_command,
)
from tests.support.command import (
    ROOT,
    CommandResult,
    run_in_process,
    start_controlplane,
)
from tests.support.endpoints import ModelHttpRequest, ModelServer


@dataclass(frozen=True)
class RiddleLoop:
    """A folder in which a loop edits the file `hints.txt`, and the server of its models."""

    folder: Path
    server: ModelServer

    def improve(
        self,
        *options: str,
        proposer: str = PROPOSER,
        edited_file: str = "hints.txt",
        parts: tuple[str, ...] = WORLD_OPTIONS,
    ) -> CommandResult:
        """Run the loop to its end. `parts` are options such as `("--train", "1-11", ...)`."""
        files = {"proposer": proposer, "edited_file": edited_file}
        return self.command(*improve_command(*options, **files, parts=parts))

    def command(self, *words: str) -> CommandResult:
        """Run any command in the folder: `loop.command("resume", "last")`."""
        return run_in_process(*words, cwd=self.folder, **self._environment)

    def start_command(self, *words: str) -> subprocess.Popen[str]:
        """Start any command as a process of its own, which a test may stop."""
        return start_controlplane(*words, cwd=self.folder, **self._environment)

    @property
    def _environment(self) -> dict[str, str]:
        return {
            "OPENAI_BASE_URL": self.server.url,
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": str(ROOT),
        }

    @property
    def record(self) -> LoopRecord:
        """What the only loop in the folder has recorded: its plan, its proposals, its result."""
        (path,) = (self.folder / "runs").glob("*/loop.jsonl")
        return LoopRecord(path.parent)

    def requests_to(self, model: str) -> list[ModelHttpRequest]:
        """Return the requests so far that were for one of the two models."""
        requests = self.server.asked
        return [request for request in requests if request.body["model"] == model]
