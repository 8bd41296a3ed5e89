"""The conversation that a question continues.

`ask --continue "And in March?"` needs to know what was asked before. The conversation has
the earlier questions and answers, and the files that the answers cite.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox.files import sha256_of


class Conversation(BaseModel):
    """The conversation that a question continues."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    """The id of the last run of the conversation."""
    said: tuple[tuple[str, str], ...]
    """Pairs of a question and its answer, in order."""
    scratchpad: dict[str, Any]
    """The scratchpad after the last run."""
    read: dict[str, str]
    """The cited files: the hash of each file's text when it was read, by its path.

    The hash is empty if only a passage of the file was read.
    """

    @property
    def text(self) -> str:
        """The questions and answers as text."""
        blocks = []
        for question, answer in self.said:
            blocks.append(f"Question: {question}\nAnswer: {answer}")
        return "\n\n".join(blocks)

    def unchanged(self, sources: SourceFiles) -> list[str]:
        """Return the cited files that still exist and have not changed since.

        Without a hash, a change cannot be seen, so such files count as unchanged.
        """
        unchanged = []
        for path, known_hash in self.read.items():
            text = sources.get(path)
            if text is None:
                continue
            if known_hash == "" or known_hash == sha256_of(text):
                unchanged.append(path)
        return unchanged
