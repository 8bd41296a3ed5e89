"""Changes files in another process, a fork of this one, which may be killed half way.

`folder.change(one="new 1", two="new 2")` first writes the new versions to a work folder, and then
moves them into their places, one in each step:

    step 0    os.replace("kept.new/new/0", "one.txt")
    step 1    os.replace("kept.new/new/1", "two.txt")

A test gives a function in place of `os.replace`, which can kill the process at a step:

    change_in_fork(folder, {"one": "new"}, replace)    ->    -9 if `replace` has killed the fork
"""

import os
from collections.abc import Callable
from pathlib import Path

from tests.controlplane.file_changes.text_folder import TextFolder

OsReplace = Callable[..., None]
"""A function with the arguments of `os.replace(source, target)`."""


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
    return Path(source) == folder.root / f"kept.new/new/{number}"
