"""Terminals in one folder, each with a run that plays in it.

    with terminals.run(trials=6, call_time_s=0.8) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.press(CTRL_C, "stopping after the running steps")

Every fifth trial of the benchmark (seat-005, seat-010, ...) is wrong. Each trial has one step with
two or three calls; the first answer is sent back by a check of its wording.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tests.support.terminal import Terminal


@dataclass(frozen=True)
class Terminals:
    """Opens terminals in one folder, each with a run of `tests.support.many_trials`."""

    folder: Path
    script: Path
    """The replies of the model."""

    def words(self, *options: str, trials: int, call_time_s: float) -> tuple[str, ...]:
        """Return the command of a run, whose calls take so long."""
        return (
            "run",
            "--benchmark",
            f"tests.support.many_trials:{trials}",
            "--model",
            f"scripted:{self.script}",
            "--set",
            f"seconds={call_time_s}",
            *options,
        )

    def run(
        self, *options: str, trials: int, call_time_s: float, **variables: str
    ) -> Terminal:
        """Open a terminal for a `with` block, and start a run in it."""
        words = self.words(*options, trials=trials, call_time_s=call_time_s)
        return Terminal(*words, cwd=self.folder, **variables)

    def journal_events(self) -> list[dict[str, object]]:
        """Return the events in the journal of the only run."""
        (path,) = (self.folder / "runs").glob("*.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()]
