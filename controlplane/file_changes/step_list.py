"""Lists of steps on disk, each of which changes one file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Literal

from controlplane.file_changes.change_steps import Step
from controlplane.journal.state_files import private_bytes, state_path
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class StepList:
    """A JSON file with steps. It is in the user's state folder, which only the user can write."""

    kind: Literal["changes", "changed"]
    """The beginning of the file's name: `changes` for steps that are being made, `changed` for
    those that were made last."""
    old_versions: Path
    """The folder that keeps the files as they were before the changes.

    Each such folder has lists of its own, with a hash of the folder's path in their
    names: `controlplane/changes-3f9a0c12be45d678.json`."""

    @property
    def path(self) -> Path:
        """The path of the file."""
        return state_path(self._path_in_state_folder)

    @property
    def _path_in_state_folder(self) -> str:
        folder = os.fsencode(self.old_versions.absolute())
        digest = hashlib.sha256(folder).hexdigest()[:16]
        return f"controlplane/{self.kind}-{digest}.json"

    def read(self) -> list[Step]:
        """Return the steps; none if the file does not exist."""
        data = private_bytes(self._path_in_state_folder, bounds.MOST_UNDO_BYTES)
        return [Step(*values) for values in json.loads(data or b"[]")]

    def write(self, steps: Sequence[Step], *, makes_folder: bool = False) -> None:
        """Write the steps. Raises `OSError`."""
        path = state_path(self._path_in_state_folder, makes=makes_folder)
        values = [astuple(step) for step in steps]
        write_whole(path, json.dumps(values).encode(), mode=0o600)
