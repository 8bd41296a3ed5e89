"""The conversation that a question continues."""

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
    """Every question with its answer, in order."""
    scratchpad: dict[str, Any]
    """The scratchpad after the last run."""
    read: dict[str, str]
    """The hash of each file that the answers cite, by its path.

    It is empty for a file of which only a passage was found and cited.
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
