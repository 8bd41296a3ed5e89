"""Says where the journals are, without loading the other settings: most commands that read a journal need none."""

from __future__ import annotations

import os
from pathlib import Path

from controlplane.configuration.config_paths import CONFIG_FILE, RUNS_DIR, with_home


def runs_folder(given: str | None = None) -> Path:
    """Return the folder of the journals: the one given, else that of the environment, controlplane.toml, the default.

    Raises `UsageError` if controlplane.toml is consulted and cannot be read.
    """
    named = given or os.environ.get("CONTROLPLANE_RUNS_DIR")
    file = Path.cwd() / CONFIG_FILE
    if not named and os.path.lexists(file):
        from controlplane.configuration.setting_sources import runs_dir_in

        return Path(with_home(runs_dir_in(file)))
    return Path(with_home(named or RUNS_DIR))
