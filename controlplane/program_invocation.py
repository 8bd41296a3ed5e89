"""How a user starts this program, for messages that name a command: `./start resume monday`.

A message such as "continue with: …" can be typed as it stands: the command is the shortest one that works
in the user's folder, whether the program was installed or is started from a clone.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from pathlib import Path


def invocation(*words: str) -> str:
    """Return a shell command: `invocation("show", "my run")` -> `controlplane show 'my run'`."""
    return " ".join((_program(), *(shlex.quote(word) for word in words)))


def _program() -> str:
    """Return the shortest shell text that starts this program: `./start`, or `controlplane`."""
    name_of_start_script = os.environ.get("CONTROLPLANE_CALLED_AS", "")
    if name_of_start_script:
        # `./start` sets it to the path by which the user called it.
        return shlex.quote(name_of_start_script)
    python = Path(sys.executable)
    script = python.with_name("controlplane")
    if script.exists():
        return _shortest(script)
    return f"{_shortest(python)} -P -m controlplane"


def _shortest(program: Path) -> str:
    """Return the shortest word with which a shell finds a program from the working folder."""
    found_path = shutil.which(program.name)
    # Do not resolve links: a virtual environment's python is a link to the python outside.
    if found_path is not None and Path(found_path).absolute() == program.absolute():
        return program.name
    return shlex.quote(shown_path(program))


def shown_path(path: Path) -> str:
    """Return a path relative to the working folder if the folder contains it, else unchanged."""
    with contextlib.suppress(OSError):  # The working folder may have been removed.
        if path.is_relative_to(Path.cwd()):
            return str(path.relative_to(Path.cwd()))
    return str(path)
