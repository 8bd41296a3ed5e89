"""What `doctor` says of this machine: whether scripts can be isolated, and journals written.

Each function returns one finding: "ok", a "note", or a "fault" with a remedy. It starts no run.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from controlplane.commands.diagnosis.diagnosis import Diagnosis
from controlplane.configuration.run_settings import RunSettings
from controlplane.lifecycle.resources.models.players import PLAYERS
from controlplane.lifecycle.resources.run_limits import loop_settings
from controlplane.sandbox import ForkServer, SandboxBroken, missing_layer


def isolation_finding(settings: RunSettings) -> Diagnosis:
    """Return whether the wanted layers of isolation (`kernel` and others) work on this machine."""
    wanted = loop_settings(settings).isolation
    try:
        with ForkServer() as server:
            missing = missing_layer(server, wanted)
    except SandboxBroken as error:
        remedy = "see `python -m controlplane.sandbox doctor`"
        return Diagnosis("isolation", "fault", str(error), remedy)
    if not missing:
        return Diagnosis("isolation", "ok", ", ".join(sorted(wanted)) or "none wanted")
    if settings.model in PLAYERS:
        return Diagnosis("isolation", "note", missing, "rule-based players need none")
    remedy = "see `python -m controlplane.sandbox doctor`, or name only working layers with --isolation"
    return Diagnosis("isolation", "fault", missing, remedy)


FREE_BYTES_NEEDED: Final = 50_000_000
"""A run of a hundred trials writes about ten megabytes."""
FREE_BYTES_COMFORTABLE: Final = 1_000_000_000
"""With less free space, the finding is a note."""


def disk_finding(settings: RunSettings) -> Diagnosis:
    """Return whether journals can be written to the folder of runs, and the free space."""
    folder = Path(settings.runs_dir).absolute()
    existing = folder  # A run makes the folders that are missing below this one.
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        text = f"{existing} cannot be written to"
        return Diagnosis("disk", "fault", text, "name another folder with --runs-dir")

    free_bytes = shutil.disk_usage(existing).free
    text = f"{free_bytes / 1e9:.1f} GB free for {folder}"
    remedy = "free some, or name another folder with --runs-dir"
    if free_bytes < FREE_BYTES_NEEDED:
        return Diagnosis("disk", "fault", text, remedy)
    if free_bytes < FREE_BYTES_COMFORTABLE:
        return Diagnosis("disk", "note", text, remedy)
    return Diagnosis("disk", "ok", text)
