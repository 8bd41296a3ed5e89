"""Names of the files and folders that settings come from and lead to, without loading the other settings: most commands
that read a journal need none.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

CONFIG_FILE: Final = "controlplane.toml"
RUNS_DIR: Final = "runs"
"""The folder of the journals, unless another is named."""


def with_home(path: str) -> str:
    """Return `path` with a leading `~` expanded, which shells leave as it is after `=` and a colon."""
    return os.path.expanduser(path)  # noqa: PTH111 - pathlib's raises if there is no such user


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
