"""Selects the files that fit best for the first message, and tells which are left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import RankedFile
from controlplane.agent.evidence.calls import CallUnderWay
from controlplane.agent.initial_calls.file_reader import FileReader, InitialCalls
from controlplane.agent.initial_calls.sections import (
    SectionPlace,
    SectionWriter,
    compact_text_start,
    outcome_text,
    result_section,
    shown_length,
)
from controlplane.agent.retrieval.document_search import DocumentCandidate
from controlplane.agent.retrieval.ranking_reasons import Candidate, Reason
from controlplane.agent.retrieval.record_search import RecordCandidate, declared_records
from controlplane.sandbox.interface import Operation, ToolSchema

# Finds the records that fit a request better than others of their kind.
#
# A record is a file about one case, and loans, for example, are one kind of records. The *word
# score* of a record, from 0 to 1, says how well its words fit the request:
#
# | word scores of loans | distinct |
# |---|---|
# | `l-4` 1.0, `l-7` 0.6 | `l-4` |
# | `l-4` 1.0, `l-7` 0.95 | both: they fit nearly equally well |
# | `l-4` 0.4 | none: it hardly fits |
# | 12 loans with 1.0 | none: the words do not tell which one is meant |

_MIN_RECORD_WORD_SCORE: Final = 0.5
"""The word score that a record needs."""
_NEARLY_BEST: Final = 0.9
"""A record with this share of the best word score of its kind fits nearly as well as the best."""
_MAX_NEARLY_BEST_RECORDS: Final = 6
"""If more records of one kind fit nearly as well as the best, none of them is distinct."""


def _distinct_records(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths of the best records of each kind, if there are not too many of them.

    Records that the user who asks must not see are left out.
    """
    records_by_kind: dict[str, list[RecordCandidate]] = defaultdict(list)
    for record in candidates:
        if not isinstance(record, RecordCandidate):
            continue
        is_withheld = Reason.WITHHELD in record.reasons
        if record.word_score >= _MIN_RECORD_WORD_SCORE and not is_withheld:
            records_by_kind[record.kind].append(record)

    distinct: set[str] = set()
    for records in records_by_kind.values():
        best = max(record.word_score for record in records)
        min_word_score = _NEARLY_BEST * best
        paths = [
            record.path for record in records if record.word_score >= min_word_score
        ]
        if len(paths) <= _MAX_NEARLY_BEST_RECORDS:
            distinct.update(paths)
    return distinct


# The room for files in the first message: a number of characters that the best files share.
#
# Files take their room one after the other, the best first. The last part of the room is kept
# for files that matter most. For example, of 10,000 characters, the last 2,000 are kept for the
# best document and for files that the request names.

_RESERVED_PART: Final = 0.2
"""The part of the declared room that only the files that matter most may use."""
_MIN_CHARS: Final = 250
"""A file is left out if there is room for fewer characters than this."""


@dataclass(slots=True)
class _FileRoom:
    """The characters that are left in the message for files."""

    remaining_chars: int
    """The characters that no file has taken yet."""
    reserved_chars: int
    """The last so many of the remaining characters are only for the best document, and for
    files with a strong reason, such as that the request names them."""
    has_document: bool = False
    """True once the best document has its room."""

    @classmethod
    def of(cls, declared_chars: int, max_chars: int) -> _FileRoom:
        """Return the room that the environment declares, or less if the message has less left.

        The reserved part stays the same: of 10,000 declared characters, it is 2,000.
        """
        return cls(
            remaining_chars=min(declared_chars, max_chars),
            reserved_chars=int(_RESERVED_PART * declared_chars),
        )

    def take(self, candidate: Candidate, needed_chars: int) -> int | None:
        """Take room for a file that needs so many characters, and return how many it gets.

        Returns None if the file is left out. Only the best document, and files that the
        request names, get fewer characters than they need: they are cut.
        """
        # 1. How many characters may the file take?
        is_document = isinstance(candidate, DocumentCandidate)
        is_best_document = is_document and not self.has_document
        available_chars = self.remaining_chars
        if not is_best_document and not candidate.has_strong_reason:
            available_chars -= self.reserved_chars

        # 2. Leave it out if it does not fit, and may not be cut.
        may_be_cut = is_best_document or Reason.NAMED in candidate.reasons
        if available_chars < _MIN_CHARS:
            return None
        if needed_chars > available_chars and not may_be_cut:
            return None

        # 3. Take the room.
        taken_chars = min(needed_chars, available_chars)
        self.remaining_chars -= taken_chars
        self.has_document = self.has_document or is_document
        return taken_chars


# How much room a file needs in the first message, which shows the files that fit a request.
#
# All files share a *room*, which the environment declares as `ToolSchema.ranked_chars`. Documents
# (texts for all requests) matter more than records (about one case), so records are cut. With a
# room of 10,000 characters, and `NamedFiles.each_chars=600`, a file of 5,000 characters needs:
#
# | file | characters |
# |---|---|
# | a document | 5,160, with its title |
# | a record that the request names | 4,000, a part of the room |
# | another record | 600 |

_MAX_NAMED_RECORD_PART: Final = 0.4
"""The part of the room for all files that one named record may use."""
_SECTION_CHARS: Final = 160
"""The characters that a file's title, and the note that its text is cut, take in the message."""


def needed_chars(candidate: Candidate, text: str, tool_schema: ToolSchema) -> int:
    """Return how many characters a file with this text takes if there is room for it."""
    whole_chars = shown_length(text) + _SECTION_CHARS
    if isinstance(candidate, DocumentCandidate):
        return whole_chars
    if Reason.NAMED in candidate.reasons:
        max_chars = int(_MAX_NAMED_RECORD_PART * tool_schema.ranked_chars)
    else:
        max_chars = declared_records(tool_schema).each_chars
    return min(whole_chars, max_chars)


# Decides which files fit a request well enough to be shown, if there is room.
#
# A file is a document (a text for all requests) or a record (about one case). Its *score* says how
# well it fits. For "Close loan-12",
#
#     /records/loan-12.json                 is wanted for a strong reason: the request names it
#     /docs/loans.md, the best document     is wanted
#     /docs/cards.md, the second, score 0.2 is not: it needs 0.6

_MIN_DOCUMENT_SCORES_BY_RANK: Final = (0.0, 0.6, 0.6, 0.8)
"""The score that a document needs, by its rank: the best one is always shown, the second best
needs 0.6, and the fifth is never shown."""


def _wanted_files(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the files that fit well enough to be shown if there is room, in their order."""
    best_records = _distinct_records(candidates)
    wanted: set[str] = set()
    for candidate in candidates:
        if _is_wanted(candidate, best_records):
            wanted.add(candidate.path)
    # A document is not shown without the notices that change it.
    for candidate in candidates:
        if isinstance(candidate, DocumentCandidate) and not candidate.is_refused:
            if not wanted.isdisjoint(candidate.changed_paths):
                wanted.add(candidate.path)
    return [candidate for candidate in candidates if candidate.path in wanted]


def _is_wanted(candidate: Candidate, best_records: set[str]) -> bool:
    """Return True if a file fits well enough to be shown.

    `best_records` has the paths of the records, such as loans, whose words fit the request
    better than those of other loans.
    """
    # A file is refused if it must not be shown, such as a record of another user.
    if not candidate.reasons or candidate.is_refused:
        return False
    if candidate.has_strong_reason:
        return True
    if isinstance(candidate, DocumentCandidate):
        return _fits_by_rank(candidate)
    return candidate.path in best_records


def _fits_by_rank(document: DocumentCandidate) -> bool:
    """Return True if a document has the score that is needed at its rank."""
    rank = document.rank
    if rank is None or rank >= len(_MIN_DOCUMENT_SCORES_BY_RANK):
        return False
    return document.score >= _MIN_DOCUMENT_SCORES_BY_RANK[rank]


# Selects the files to show in the first message.
#
# A candidate is a document (a text for all requests) or a record (about one case). All share a
# *room*, which the environment declares as `ToolSchema.ranked_chars`. With 7,000 characters:
#
# | candidate, the best first | characters | selected |
# |---|---|---|
# | `/records/loans/loan-12.json`, which the request names | 900 | 900 |
# | `/docs/loans.md`, the best document | 5,000 | 5,000 |
# | `/docs/fees.md`, the second best | 2,000 | no: it does not fit into what is left |
# | `/docs/cards.md`, which hardly has words of the request | 300 | no: it is not wanted |


@dataclass(frozen=True, slots=True)
class _SelectedFile:
    """A file to show."""

    candidate: Candidate
    read_operation: Operation
    """The operation that read the file."""
    call: CallUnderWay
    """The call that read the file."""
    chars: int
    """How many characters of the message the file may take."""


def _select_files(
    candidates: Sequence[Candidate], calls: InitialCalls, max_chars: int
) -> list[_SelectedFile]:
    """Return the files to show in at most `max_chars` characters, the best first.

    They are the candidates that fit the request well enough, and were read. If a file does not
    fit into the remaining room, the next one is tried.
    """
    room = _FileRoom.of(calls.tool_schema.ranked_chars, max_chars)
    selected: list[_SelectedFile] = []
    for candidate in _wanted_files(candidates):
        operation = candidate.read_operation
        if operation is None:
            continue  # The environment has no call that reads the file.
        reader = FileReader(calls, operation)
        call = reader.call_for(candidate.path)
        if call is None:
            continue  # The trial had no call left to read the file.
        text = reader.text(candidate.path) or ""  # empty if the call has failed
        chars = room.take(candidate, needed_chars(candidate, text, calls.tool_schema))
        if chars is None:
            continue  # There is no room for the file.
        selected.append(_SelectedFile(candidate, operation, call, chars))
    return selected


# Tells the model which files the first message does not show.
#
# The model can read them itself, so it should know that there are more:
#
#     (Not shown: 2 documents of /docs; /docs/updates/2031-05-02-keys.md (not begun).)


def files_left_out(
    candidates: Iterable[Candidate],
    shown_chars: Mapping[str, int],
    document_root: str,
) -> str:
    """Return the line that tells the model what is not shown; empty if all is shown.

    The model should know of some files by their paths (see `_left_out_remark`). Other documents
    are only counted, and other records are not mentioned. `shown_chars` has the files that are
    shown.
    """
    document_count = 0
    remarks: list[str] = []
    for candidate in candidates:
        if shown_chars.get(candidate.path):
            continue
        remark = _left_out_remark(candidate)
        if remark:
            remarks.append(remark)
        elif isinstance(candidate, DocumentCandidate):
            document_count += 1

    if document_count:
        remarks.insert(0, f"{document_count} documents of {document_root}")
    if not remarks:
        return ""
    return f"(Not shown: {'; '.join(remarks)}.)\n"


def _left_out_remark(candidate: Candidate) -> str:
    """Return the remark about a file that is not shown; empty if the model need not know it.

    - a document that changes others, or is not in force: `/docs/a.md (not begun)`
    - a record that the request names, but that belongs to another user than the one who asks
    """
    reasons = candidate.reasons
    if isinstance(candidate, DocumentCandidate):
        if candidate.document.is_notice or Reason.NOT_IN_FORCE in reasons:
            return candidate.path + candidate.validity_remark
        return ""
    if Reason.WITHHELD in reasons and Reason.NAMED in reasons:
        return f"{candidate.path} (it belongs to somebody else)"
    return ""


# The rows about files in the journal, which say how well each fits a request and if it is shown.
#
# For "Renew my loan l-7":
#
#     RankedFile(path="/loans/l-7.json", score=8.0, reason="named", chars=900)
#     RankedFile(path="/docs/fees.md", score=0.4, reason="words", chars=0)      # not shown

_MAX_ROWS: Final = 40
"""How many files the journal lists for one request, shown or not."""
_MAX_LEFT_OUT_ROWS: Final = 12
"""How many of them may be files that are not shown. The best of these are listed."""


def journal_rows(
    candidates: Iterable[Candidate], shown_chars: Mapping[str, int]
) -> tuple[RankedFile, ...]:
    """Return the rows for the journal: the shown files, then the best of the files left out.

    `shown_chars` has how many characters of each shown file are shown, by path. A file that
    nothing connects with the request has no row.
    """
    shown: list[RankedFile] = []
    left_out: list[RankedFile] = []
    for candidate in candidates:
        chars = shown_chars.get(candidate.path, 0)
        if chars:
            shown.append(_row(candidate, chars))
        elif candidate.reasons:
            left_out.append(_row(candidate, chars))
    rows = shown + left_out[:_MAX_LEFT_OUT_ROWS]
    return tuple(rows[:_MAX_ROWS])


def _row(candidate: Candidate, shown_chars: int) -> RankedFile:
    return RankedFile(
        path=candidate.path,
        score=round(candidate.score, 2),
        reason="+".join(candidate.reasons),
        chars=shown_chars,
    )


def is_fitting_left_out(file: RankedFile) -> bool:
    """Return True if a file of the journal's list fits, and may be shown, but is not shown.

    `file.reason` has the reasons for which it fits or must not be shown: `named+words`.
    """
    reasons = file.reason.split("+")
    is_refused = Reason.WITHHELD in reasons or Reason.NOT_IN_FORCE in reasons
    return bool(file.reason) and not file.chars and not is_refused


# Writes the files that fit a request best into the first message.
#
# For "Renew my loan l-7", which names a record, a file about one case:
#
#     show_best_files(...)   -> {"/docs/loans.md": 5000, "/loans/l-7.json": 900}
#
# The message then has a section of 5,000 characters for the best document, a text for all requests,
# and one of 900 for the record. A section has a heading, and as much of the file as fits.


def show_best_files(
    candidates: Sequence[Candidate], calls: InitialCalls, writer: SectionWriter
) -> dict[str, int]:
    """Write the best files into the message until its room for files is used.

    `candidates` are sorted, the best first. Return the lengths of the sections, by path.
    """
    selected = _select_files(candidates, calls, writer.remaining_chars)
    # Documents come first: if several trials begin with the same text, endpoints can cache it.
    selected.sort(key=lambda file: not isinstance(file.candidate, DocumentCandidate))
    return {file.candidate.path: _show_file(file, writer) for file in selected}


def _show_file(file: _SelectedFile, writer: SectionWriter) -> int:
    """Add the section of a file to the message, and return its length."""
    operation = file.read_operation
    outcome = file.call.outcome()
    # `file.chars` is the share of the message's room that this file has got. The file may be a
    # record in JSON, of which more fits without the indentation.
    room = writer.room_for_result(file.chars)
    shown_text = compact_text_start(outcome_text(operation, outcome), room)
    section = result_section(
        SectionPlace.FITTING,
        outcome,
        shown_text,
        operation,
        writer.tool_schema,
        remark=file.candidate.validity_remark,
    )
    writer.add_result(section, file.call, shown_text)
    return sum(len(piece) for piece in section.pieces)
