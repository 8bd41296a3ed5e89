"""Loops of `improve` over riddles, whose right hints are known.

    run = loop.improve("--json")
    assert run.json["is_better"]

There are riddles of six kinds, which a model solves by its hints: alder needs the sentence "Read the
record twice.", and dogwood must not have "Answer before you look." (see `riddles.py`). Another model,
the proposer, mends the hints. Once, it copies an id such as AL-777 from a trial.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
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
from tests.support.endpoints import (
    ModelHttpRequest,
    ModelServer,
    Responder,
    model_server,
)

OK = 0

NOT_BETTER = 1
"""The exit code of a loop that does not show an improvement."""

USAGE_ERROR = 2

FIRST_HINTS = "Solve the riddle.\nAnswer before you look.\nShorten every code.\n"
"""The hints before the loop. They have the sentences that dogwood and elm must not have, and lack those
that alder, birch and cedar need."""


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
        worlds: tuple[str, ...] = WORLD_OPTIONS,
    ) -> CommandResult:
        """Run the loop to its end. It makes at most 12 proposals."""
        words = improve_command(
            *options, proposer=proposer, edited_file=edited_file, worlds=worlds
        )
        return self.command(*words)

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

    def tasks_of_parts(self) -> list[list[str]]:
        """Return the tasks of the loop's training, check and final part, in this order."""
        plan = self.record.plan
        parts: list[list[str]] = []
        for part in (plan.train, plan.check, plan.final):
            parts.append([task for _world, task in part])
        return parts

    def requests_to(self, model: str) -> list[ModelHttpRequest]:
        """Return the requests so far that were for one of the two models."""
        return [
            request for request in self.server.asked if request.body["model"] == model
        ]


@contextmanager
def riddle_loop_in(folder: Path, models: Responder) -> Iterator[RiddleLoop]:
    """Write the first hints into a folder, and serve the models of its loop for the block."""
    (folder / "hints.txt").write_text(FIRST_HINTS, encoding="utf-8")
    with model_server(models) as server:
        yield RiddleLoop(folder, server)
