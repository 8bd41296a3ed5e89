"""Finds the spelling in which an answer cites a path.

A script may cite `/DOCS/loans.md` after it has read `/docs/Loans.md`. Both mean the same file,
and the answer names it as listings spell it: `/docs/Loans.md`.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import nearest
from controlplane.gates.quoting import quote

MOST_COMPARED_PATHS: Final = 100
"""How many read paths are compared with a mistyped path, to suggest the nearest one."""


def spelling_to_cite(path: str, evidence: Evidence) -> str:
    """Return the spelling in which to cite a path, which may have a fragment such as `#row=7`.

    Raises `ValueError`, with a message for the script, if the path is a folder, or was
    not read. The message names the most similar path that was read.
    """
    reference = evidence.find(path)
    if reference.is_directory:
        msg = f"{quote(path)} is a folder: cite the files in it that were read."
        raise ValueError(msg)
    if reference.access is None:
        near = nearest(path, islice(evidence.accesses, MOST_COMPARED_PATHS))
        hint = f" (nearest that was read: {quote(near)})" if near else ""
        msg = (
            f"{quote(path)} was not read in this trial{hint}: read it before citing it."
        )
        raise ValueError(msg)
    return reference.citation
