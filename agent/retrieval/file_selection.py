"""Selects the best candidates for the room in the first message, and writes them into it.

A candidate is a file that may be shown. The room
is the number of characters left for such files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.cut_texts import shown_length
from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.retrieval.file_candidate import (
    Candidate,
    Reason,
    declared_records,
)

# Limits for files that are only found by their words. Files with a strong reason, such
# as that the request names them, are always wanted.

MIN_DOCUMENT_SCORES_BY_RANK: Final = (0.0, 0.45, 0.6, 0.8)
"""The score that a document needs, by its rank: the best one is always
shown, the second best needs 0.45, and the fifth is never shown."""
MIN_RECORD_WORD_SCORE: Final = 0.5
"""The word score that a record needs."""
NEARLY_BEST: Final = 0.9
"""A record with this share of its kind's best word score fits about as well as the best."""
MAX_NEARLY_BEST_RECORDS: Final = 6
"""If more records of one kind fit about as well as the best,
none is shown: their words don't show which one is meant."""

# How the selected files share the room.

RESERVED_PART: Final = 0.2
"""The part of the room that only the best document and files with a strong reason may use."""
MAX_NAMED_RECORD_PART: Final = 0.4
"""The part of the room that one named record may use."""
MIN_CHARS: Final = 250
"""A file is left out if there is room for fewer characters than this."""
SECTION_CHARS: Final = 160
"""The characters that a file's title, and the note that its text is cut, take in the message."""


@dataclass(frozen=True, slots=True)
class SelectedFile:
    """A file to show."""

    candidate: Candidate
    call: CallUnderWay
    """The call that read the file."""
    chars: int
    """How many characters the file may take."""


@dataclass(slots=True)
class FileRoom:
    """The characters that are left in the message for files."""

    remaining: int
    reserved: int
    """The characters for the best document and for files with a strong reason."""
    has_document: bool = False
    """True once the best document has its room."""

    def take(self, candidate: Candidate, needed: int) -> int | None:
        """Take room for a file, and return its characters; None if the file is left out.

        Only the best document and files that the request names may be cut. Other files are
        shown in full or not at all.
        """
        is_best_document = candidate.is_document and not self.has_document
        available = self.remaining
        if not is_best_document and not candidate.has_strong_reason:
            available -= self.reserved
        may_be_cut = is_best_document or Reason.NAMED in candidate.reasons
        if available < MIN_CHARS or (needed > available and not may_be_cut):
            return None

        taken = min(needed, available)
        self.remaining -= taken
        self.has_document = self.has_document or candidate.is_document
        return taken


def show_best_files(
    candidates: Sequence[Candidate], calls: InitialCalls, writer: SectionWriter
) -> None:
    """Write the best files into the message until its room for files is used.

    `candidates` are sorted, the best first.
    Each file that is shown gets its `shown_chars`.
    """
    selected = select_files(candidates, calls, writer.remaining_chars)
    # Documents come first: if several trials begin with the same text, endpoints can cache it.
    selected.sort(key=lambda file: not file.candidate.is_document)
    for file in selected:
        candidate = file.candidate
        assert candidate.read_operation is not None
        candidate.shown_chars = writer.show(
            candidate.read_operation,
            file.call,
            file.chars,
            is_fitting=True,
            remark=candidate.validity_remark,
        )


def select_files(
    candidates: Sequence[Candidate], calls: InitialCalls, max_chars: int
) -> list[SelectedFile]:
    """Return the files to show in at most `max_chars` characters, the best first."""
    ranked_chars = calls.tool_schema.ranked_chars
    reserved = int(RESERVED_PART * ranked_chars)
    room = FileRoom(min(ranked_chars, max_chars), reserved)
    distinct = _distinct_records(candidates)

    selected: list[SelectedFile] = []
    for candidate in candidates:
        call = FileReader(calls, candidate.read_operation).call_for(candidate.path)
        if call is None or not _is_wanted(candidate, distinct):
            continue
        chars = room.take(candidate, _needed_chars(candidate, calls))
        if chars is not None:
            selected.append(SelectedFile(candidate, call, chars))
    return selected


def _is_wanted(candidate: Candidate, distinct: set[str]) -> bool:
    """Return True if a file fits well enough to be shown if there is room."""
    if not candidate.reasons or candidate.is_refused:
        return False
    if candidate.has_strong_reason:
        return True
    if not candidate.is_document:
        return candidate.path in distinct

    rank = candidate.rank
    if rank is None or rank >= len(MIN_DOCUMENT_SCORES_BY_RANK):
        return False
    return candidate.score >= MIN_DOCUMENT_SCORES_BY_RANK[rank]


def _distinct_records(candidates: Iterable[Candidate]) -> set[str]:
    """Return the best records of each kind, such as loans.

    If too many records of a kind fit about equally well, none of them is returned: their
    words don't show which one is meant.
    """
    records_by_kind: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.is_document or Reason.WITHHELD in candidate.reasons:
            continue
        if candidate.word_score >= MIN_RECORD_WORD_SCORE:
            records_by_kind[candidate.kind].append(candidate)

    distinct: set[str] = set()
    for records in records_by_kind.values():
        best = max(record.word_score for record in records)
        min_word_score = NEARLY_BEST * best
        paths = [
            record.path for record in records if record.word_score >= min_word_score
        ]
        if len(paths) <= MAX_NEARLY_BEST_RECORDS:
            distinct.update(paths)
    return distinct


def _needed_chars(candidate: Candidate, calls: InitialCalls) -> int:
    """Return how many characters a file takes if there is room for it.

    A document takes its whole length. Records are cut, because documents matter more.
    """
    text = FileReader(calls, candidate.read_operation).text(candidate.path)
    all_chars = shown_length(text or "") + SECTION_CHARS
    if candidate.is_document:
        return all_chars
    if Reason.NAMED in candidate.reasons:
        named_chars = int(MAX_NAMED_RECORD_PART * calls.tool_schema.ranked_chars)
        return min(all_chars, named_chars)
    return min(all_chars, declared_records(calls.tool_schema).each_chars)
