"""The different texts that a trial's calls have seen, each kept once, in limited memory.

An answer may cite what was read, so the texts are kept until the trial ends. A script may
read one file a hundred times, and a file may have gigabytes:

    add(SeenText("fee: 7"))             -> the text, kept; for an equal one later, the same object
    add(SeenText("a very long one"))    -> SeenText("a very", is_cut=True), if no more fits
    add(SeenText("late: 21"))           -> SeenText("", is_cut=True): only that there was a text
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.paths.kept_beginning import beginning_of, bytes_of
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds

TEXT_OVERHEAD_BYTES: Final = 500
"""An estimate of the memory that a seen text takes besides its characters."""


class SeenTexts:
    """The texts of one trial, in the order in which they were first seen."""

    def __init__(self, most_bytes: int = 0) -> None:
        """`most_bytes` is the most memory for texts; 0 stands for the usual amount."""
        self.texts: list[SeenText] = []
        """The kept texts. Others may keep this list: it only grows at its end."""
        self._kept: dict[tuple[SeenText, tuple[int, ...]], SeenText] = {}
        """Each kept text, by itself and its lines: equal texts may stand on different lines."""
        self._room_bytes = most_bytes or bounds.MOST_EVIDENCE_BYTES

    def add(self, seen: SeenText) -> SeenText:
        """Return the text that is kept: an equal one, or else this one, cut if it is too long."""
        kept = self._kept.get((seen, seen.lines))
        if kept is not None:
            return kept
        text_bytes = bytes_of(seen)
        if text_bytes <= self._room_bytes:
            used_bytes = text_bytes + TEXT_OVERHEAD_BYTES
            self._room_bytes = max(self._room_bytes - used_bytes, 0)
            return self._keep(seen)

        # Only a beginning fits. The beginning of an earlier text may be equal to it.
        beginning = beginning_of(seen, self._room_bytes)
        kept = self._kept.get((beginning, beginning.lines))
        if kept is not None:
            return kept
        self._room_bytes = 0  # From now on, the beginnings are empty.
        return self._keep(beginning)

    def _keep(self, seen: SeenText) -> SeenText:
        """Keep a text that is not kept yet, and return it."""
        self._kept[seen, seen.lines] = seen
        self.texts.append(seen)
        return seen
