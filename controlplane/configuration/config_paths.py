"""Names of the files and folders that settings come from and lead to. Loads nothing slow."""

from __future__ import annotations

import os
from typing import Final

CONFIG_FILE: Final = "controlplane.toml"
RUNS_DIR: Final = "runs"
"""The folder of the journals, unless another is named."""


def with_home(path: str) -> str:
    """Return `path` with a leading `~` expanded, which shells leave as it is after `=` and a colon."""
    return os.path.expanduser(path)  # noqa: PTH111 - pathlib's raises if there is no such user
