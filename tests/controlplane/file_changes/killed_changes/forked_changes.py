"""Changes files in a fork of this process, which may be killed at one of its steps.

`folder.change` first writes the new versions of all files to a work folder, `kept.new/new/0` and so on,
with a list of *steps*: each calls `os.replace` to move one of them into its place.

    change_in_fork(folder, {"one": "new"}, replace)    ->    -9 if `replace` has killed the fork
"""

import os
from collections.abc import Callable
from pathlib import Path

from tests.controlplane.file_changes.text_folder import TextFolder

OsReplace = Callable[..., None]
"""`os.replace(source, target)`: a step calls it to move a new version into its place."""


def change_in_fork(
    folder: TextFolder, new_texts: dict[str, str], replace: OsReplace
) -> int:
    """Change files in a fork of this process, in which steps call `replace` for `os.replace`.

    Returns the exit code of the fork: -9 if it was killed.
    """
    fork = os.fork()
    if fork == 0:
        os.replace = replace
        folder.change(**new_texts)
        os._exit(0)
    _, status = os.waitpid(fork, 0)
    return os.waitstatus_to_exitcode(status)


def is_step(source: str | Path, number: int, folder: TextFolder) -> bool:
    """Return whether `os.replace(source, ...)` is the step of this number, counted from 0."""
    new_version = folder.root / f"kept.new/new/{number}"
    return str(source).startswith(str(new_version))
