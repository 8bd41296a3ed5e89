"""Hundreds of scripts in `ordinary/*.txt` and `attacks/*.txt`, and what reads them.

An ordinary script is one as models write it. An attack tries to reach what a script must not have,
and prints LEAK if it did. A line with a title begins each script of a file:

    # --- generator frame
    print("LEAK", (x for x in ()).gi_frame)
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

CORPUS_FOLDER = Path(__file__).parent


class CorpusScript(NamedTuple):
    """A script of a corpus file, such as the one above: `tricks: generator frame`."""

    title: str
    source: str


ORDINARY_SCRIPT_FILES = (
    "ordinary/constructs.txt",
    "ordinary/modules.txt",
    "ordinary/classes.txt",
    "ordinary/harness.txt",
    "ordinary/agents.txt",
    "ordinary/functions.txt",
    "ordinary/newer.txt",
    "ordinary/library.txt",
    "ordinary/objects.txt",
    "ordinary/idioms.txt",
    "ordinary/work.txt",
    "ordinary/corners.txt",
    "ordinary/makers.txt",
    "ordinary/everyday.txt",
    "ordinary/documented.txt",
)
"""The files with ordinary scripts, which must run as in plain Python."""

_NEEDED_PYTHON = re.compile(r"\(Python 3\.(\d+)\)$")
"""Finds the minor version in a title such as `type parameters (Python 3.12)`."""


def runs_here(title: str) -> bool:
    """Return whether this Python is new enough for a script with this title."""
    needed = _NEEDED_PYTHON.search(title)
    if needed is None:
        return True
    return sys.version_info >= (3, int(needed[1]))


def corpus_scripts(*names: str) -> list[CorpusScript]:
    """Return every script in these corpus files that this Python can run.

    The title gets the name of the file: in `attacks/tricks.txt`, the line `# --- generator frame`
    begins the script `tricks: generator frame`.
    """
    scripts: list[CorpusScript] = []
    for name in names:
        path = CORPUS_FOLDER / name
        _, *blocks = re.split(r"(?m)^# --- ", path.read_text(encoding="utf-8"))
        for block in blocks:
            title, _, source = block.partition("\n")
            if runs_here(title):
                scripts.append(CorpusScript(f"{path.stem}: {title}", source))
    return scripts
