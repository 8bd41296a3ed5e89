"""Finds the file that a script cites, by a path in any spelling.

An answer may only cite what was read, and by the path that listings show. After
`read("/DOCS/fees.md")` has reached the listed file `/docs/fees.md`:

    spelling_of("/DOCS/fees.md")         -> /docs/fees.md
    spelling_of("/docs")                 -> ValueError: it is a folder
    spelling_of("/docs/fee.md")          -> ValueError: it was not read (nearest: `/docs/fees.md`)
    spelling_of("docs/fees.md#row=7")    -> /docs/fees.md#row=7
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from controlplane.agent.evidence.log.evidence_collector import EvidenceCollector
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import nearest
from controlplane.gates.quoting import quote
from controlplane.gates.trial.seen_text import SeenText

MOST_COMPARED_PATHS: Final = 100
"""How many read paths are compared with a mistyped path, to suggest the nearest one."""


@dataclass(frozen=True, slots=True)
class CitedFiles:
    """Finds the files that the scripts of one trial cite."""

    evidence: EvidenceCollector
    """Has what the trial has read so far (`view()`)."""
    cited_paths: CitedPaths
    """The path by which to cite each file that a call has reached."""

    def spelling_of(self, path: str) -> str:
        """Return a cited path as listings spell it, with its fragment, such as `#row=7`.

        Raises `ValueError`, with a message for the script, if the path is a folder, or was
        not read.
        """
        path = path.strip()
        # Most citations name a file by the path of a call, which is found at once. Only for the
        # others, such as `/docs/fees.md#row=7`, the evidence is needed. It takes long, because it
        # has to be collected anew after each call.
        spelling = self.cited_paths.path_if_reached(path)
        if spelling is not None:
            return spelling
        evidence = self.evidence.view()
        reference = evidence.find(path)
        if reference.is_directory:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if reference.access is None:
            raise ValueError(_message_of_unread(path, evidence))
        return reference.citation

    def texts_of(self, spelling: str) -> Sequence[SeenText]:
        """Return the texts that were read in a file, given in the spelling of listings."""
        access = self.evidence.view().find(spelling).access
        return () if access is None else access.seen


def _message_of_unread(path: str, evidence: Evidence) -> str:
    """Return the message that a cited path was not read. It names the most similar one that was."""
    near = nearest(path, islice(evidence.accesses, MOST_COMPARED_PATHS))
    hint = f" (nearest that was read: {quote(near)})" if near else ""
    return f"{quote(path)} was not read in this trial{hint}: read it before citing it."
