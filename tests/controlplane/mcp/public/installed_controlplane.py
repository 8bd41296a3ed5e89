"""A folder with a program `controlplane`, as an installation has one, for a PATH.

For example:

    folder_with_controlplane(tmp_path)    ->    the folder "bin" in tmp_path
"""

import sys
from pathlib import Path

from tests.support.command import ROOT


def folder_with_controlplane(folder: Path) -> Path:
    """Return a folder with a program `controlplane`, as an installation has one."""
    program = folder / "bin/controlplane"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m controlplane "$@"\n'
    )
    program.chmod(0o755)
    return program.parent
