"""The answer to a question about files, for `ask` to show: `answer_reading` reads it from a journal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.gates.support.marks import Mark
from controlplane.gates.trial import Change
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.sandbox.interface.outcomes import OutcomeKind
from controlplane.view.answer.newer_versions import NewerVersion
from controlplane.view.answer.trial_evidence import cited_paths

_ANSWERED: Final = "answered"
NOT_SAID: Final = "not_in_sources"
REFUSED: Final = "refused"
FALLBACK: Final = "no_accepted_answer"
STATUS_OF_KIND: Final = {
    OutcomeKind.DONE: _ANSWERED,
    OutcomeKind.NOT_FOUND: NOT_SAID,
    OutcomeKind.UNCLEAR: NOT_SAID,
    OutcomeKind.REFUSED: REFUSED,
}
"""The status of an accepted answer, by the kind of its outcome. One that gave up counts as not
accepted."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a cited file that support the answer, as they were read; or a citation without any."""

    path: str
    """The cited path, as the user would write it."""
    line: int = 0
    """The number of the first line; 0 if it is unknown."""
    text: str = ""
    """The lines as they were read. Empty if neither a quotation nor a value of the answer leads there."""
    reason: str = ""
    """Why the file is cited, in the model's words, which no file need have."""


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """The answer to one question, with what supports it and what scripts did for it.

    `asked_answer` creates it from the journal. `ask` prints it, as text or as JSON.
    """

    summary: TrialSummary
    """The question's trial, with the text of the answer, the time and the costs."""
    root: Path
    """The folder with the user's files. Paths in the trial, such as `/a/b.md`, begin there."""
    status: str
    """`answered`, `not_in_sources`, `refused` or `no_accepted_answer`."""
    now: str
    """The time that scripts saw; empty if they had no clock."""

    # What supports the answer

    citations: tuple[Passage, ...]
    """The cited files, each with the lines that support the answer."""
    marks: tuple[Mark, ...]
    """The values in the answer, each with what supports it."""
    newer: tuple[NewerVersion, ...]
    """The cited files with a newer version that is not cited. Paths are as the user writes them."""
    table_doubts: tuple[str, ...]
    """Remarks on tables that scripts may have misread, each with the table's path."""
    draft: str
    """What the model wrote, twice in a row, instead of a script, which ended the trial.

    It is unverified and was not submitted.
    """

    # What scripts did

    searched: tuple[str, ...]
    """What scripts searched for."""
    not_seen: str
    """The files that were left out or not searched, with the reasons."""
    unread: dict[str, str]
    """The documents that could not be read, by path, each with the reason."""
    document_notes: tuple[str, ...]
    """What the texts of documents do not show, such as cells that were left out."""
    read: dict[str, str]
    """The files that scripts read, by path, each with the hash of its text before any change."""
    changes: dict[str, str | None]
    """The files that scripts changed, by path, each with its new text; None for a deleted file."""
    changed: tuple[Change, ...]
    """What scripts changed: the files of `changes`, and what tools of MCP servers changed.

    A change that was taken back is left out.
    """
    servers: tuple[str, ...]
    """The MCP servers that scripts called."""

    @property
    def is_without_passages(self) -> bool:
        """True for an answer that no line of a cited file supports, and no computed value."""
        if self.status != _ANSWERED:
            return False
        has_passage = any(passage.text for passage in self.citations)
        is_supported = any(mark.support in ("found", "computed") for mark in self.marks)
        return not has_passage and not is_supported

    @property
    def exit_code(self) -> int:
        """0 for an accepted answer, else 1."""
        return 1 if self.status == FALLBACK else 0

    @property
    def cited(self) -> frozenset[str]:
        """The cited paths, as the trial spells them."""
        return frozenset(cited_paths(self.summary))

    @property
    def reason(self) -> str:
        """The reason why no answer was accepted; empty if one was."""
        return self.summary.reason if self.status == FALLBACK else ""

    @property
    def overridden(self) -> list[str]:
        """The rules that objected to the answer, which was sent nevertheless."""
        if self.status == FALLBACK:
            return []
        return list(self.summary.overridden)
