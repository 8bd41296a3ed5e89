"""A loop of `improve` that found better hints, and the server of its models, which still runs.

For example:

    finished_loop.best_hints    ->    "Solve the riddle.\\nRead the record twice.\\n..."
    finished_loop.names         ->    ["improve-2031...", "improve-2031", "last", "/tmp/..."]
"""

from dataclasses import dataclass
from typing import Any

from tests.controlplane.improving.riddle_models import RiddleLoop


@dataclass(frozen=True)
class FinishedLoop(RiddleLoop):
    """A loop that found better hints, and the server of its models, which still runs."""

    code: int
    result: dict[str, Any]
    """What the loop printed: `{"best": "3fa9...", "is_better": true, "text": "0.33 → ..."}`.
    `best` is the id of its best candidate."""

    @property
    def best_hints(self) -> str:
        """The hints of the best candidate."""
        candidate = self.record.folder / "candidates" / self.result["best"]
        return (candidate / "hints.txt").read_text(encoding="utf-8")

    @property
    def names(self) -> list[str]:
        """How a user may name the loop in a command: by its id, the beginning of the id, "last" or
        the path of its folder."""
        loop_id = self.record.folder.name
        beginning_of_id = loop_id[:12]
        return [loop_id, beginning_of_id, "last", str(self.record.folder)]
