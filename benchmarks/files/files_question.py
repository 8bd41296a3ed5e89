"""A question about files, and the conversation that it continues.

`ask --continue "And in March?" invoices/` is about the files below `invoices/`. It needs to know
what was asked before: the earlier questions and answers, and the files that the answers cite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox.files import sha256_of


@dataclass(frozen=True, slots=True)
class FilesQuestion:
    """A question about files, with all that its trials get."""

    text: str
    sources: SourceFiles
    """The files that it is about."""
    writable: str = ""
    """The folder that scripts may write to, such as `docs`; empty for none."""
    earlier: Conversation | None = None
    """The conversation that it continues; None for a first question."""

    @property
    def may_have_tables(self) -> bool:
        """True if scripts may query tables: some of the files, or tables that they write."""
        return self.sources.has_tables or self.writable != ""


class Conversation(BaseModel):
    """The questions and answers before a question, and what the answers rest on."""

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
