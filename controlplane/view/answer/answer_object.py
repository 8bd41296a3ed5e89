"""An answer to a question about files as the JSON that `ask --json` prints.

It has the same content as the text for a terminal (`answer_text`), with full paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from controlplane.facts.answer_facts import AskedAnswer, Passage, shown_path
from controlplane.gates.support.marks import Mark, support_text


@dataclass(frozen=True, slots=True)
class _CitationResult:
    """A cited file with the lines of it that support the answer."""

    path: str
    line: int | None
    quote: str
    """The lines as they were read; empty if none is known."""
    reason: str
    """Why the file is cited, in the model's words."""


@dataclass(frozen=True, slots=True)
class _ClaimResult:
    """A value in the answer: its place there, and what supports it."""

    start: int
    """The offset of its first character in `AnswerResult.answer`."""
    end: int
    """The offset after its last character."""
    kind: str
    """What sort of value it is, such as a number or a name."""
    text: str
    support: str
    """`found`, `computed`, `given` or `missing`."""
    source: str | None
    line: int | None
    under: str
    """The name under which a found value stands, and which the answer or the question has, too."""
    note: str


@dataclass(frozen=True, slots=True)
class _AnswerResult:
    """An answer as `ask --json` prints it. docs/reference.md describes the fields."""

    question: str
    status: str
    answer: str
    unverified_draft: str
    outcome: str
    overridden: list[str]
    reason: str
    citations: list[_CitationResult]
    searched: list[str]
    not_looked_at: str
    unread: dict[str, str]
    document_notes: list[str]
    table_doubts: list[str]
    newer_versions: dict[str, str]
    files_read: list[str]
    changes: dict[str, str | None]
    changed: list[str]
    claims: list[_ClaimResult]
    notices: list[str]
    steps: int
    tokens: int
    cost_usd: float | None
    elapsed_ms: float
    journal: str


def answer_object(
    answer: AskedAnswer, journal: Path, notices: Sequence[str]
) -> dict[str, object]:
    """Return the answer as the object that `--json` prints, with all fields of `_AnswerResult`.

    `notices` are those of the run, for the user.
    """
    summary = answer.summary
    result = _AnswerResult(
        question=summary.instruction,
        status=answer.status,
        answer=summary.answer,
        unverified_draft=answer.draft,
        outcome=summary.outcome,
        overridden=answer.overridden,
        reason=answer.reason,
        citations=[_citation_result(passage) for passage in answer.citations],
        searched=list(answer.searched),
        not_looked_at=answer.not_seen,
        unread=answer.unread,
        document_notes=list(answer.document_notes),
        table_doubts=list(answer.table_doubts),
        newer_versions={version.cited: version.newest for version in answer.newer},
        files_read=[shown_path(path, answer.root) for path in answer.read],
        changes=answer.changes,
        changed=[change.path for change in answer.changed],
        claims=[_claim_result(mark, answer.root) for mark in answer.marks],
        notices=list(notices),
        steps=summary.step,
        tokens=summary.spent.tokens,
        cost_usd=summary.spent.cost_usd,
        elapsed_ms=summary.elapsed_ms,
        journal=str(journal),
    )
    return asdict(result)


def _citation_result(passage: Passage) -> _CitationResult:
    """Return a passage as `--json` prints it; its line is null if it cites a whole file."""
    line = passage.line or None
    return _CitationResult(passage.path, line, passage.text, passage.reason)


def _claim_result(mark: Mark, root: Path) -> _ClaimResult:
    """Return a value of the answer as `--json` prints it: where it is, and what supports it.

    Paths are shown relative to `root`, the user's folder.
    """

    def path_text(path: str) -> str:
        return shown_path(path, root)

    support: str = mark.support
    source = None
    line = None
    note = mark.note
    if mark.support == "unverified":
        support = "missing"  # the word by which scripts know it
        note = support_text(mark, path_text)
    elif mark.place is not None:
        source = path_text(mark.place.path)
        line = mark.place.line or None
    return _ClaimResult(
        start=mark.value.start,
        end=mark.value.end,
        kind=mark.value.kind,
        text=mark.value.text,
        support=support,
        source=source,
        line=line,
        under=mark.name,
        note=note,
    )
