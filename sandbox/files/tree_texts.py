"""The texts of a tree of files: read one, or search all."""

from __future__ import annotations

import hashlib
import io
import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

import re2

from controlplane.sandbox.files.changed_files import ChangedFiles
from controlplane.sandbox.files.file_paths import content_type, normal_path
from controlplane.sandbox.files.search import (
    CHUNK_BYTES,
    Chunk,
    Line,
    chunks_of,
    compiled_pattern,
)
from controlplane.sandbox.files.tree_paths import TreePaths, files_at
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INVALID_ARGUMENT,
    NOT_FOUND,
    CallError,
)
from controlplane.sandbox.interface.operations import Plain

# The time at which a search has to end.


@dataclass(frozen=True, slots=True)
class _Deadline:
    """A point in time."""

    at_s: float
    """On `time.monotonic()`."""

    @classmethod
    def after(cls, seconds: float) -> _Deadline:
        """Return the deadline that many seconds from now."""
        return cls(time.monotonic() + seconds)

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.at_s


# The pieces in which a very long line is searched, since one search must not take long.
#
# Neighbouring pieces overlap, so that a match at their border is found:
#
#     line       ..............................
#     piece 1    ==================
#     piece 2                  =================
#     overlap                  =====             each match up to this length is whole in a piece

_OVERLAP_BYTES: Final = 25_000
"""Bytes that two neighbouring pieces of a very long line share.
Every shorter match is whole in one of the pieces."""

_UTF8_CHARACTER_BYTES: Final = 4
"""The most bytes that one character takes in UTF-8."""


@dataclass(frozen=True, slots=True)
class _LinePiece:
    """A part of a very long line, which is searched at once; or a shorter line as a whole.

    Neighbouring pieces share some bytes, so that a match at their border is whole in one.
    """

    text: bytes
    start: int
    """The number of bytes of the line before it."""
    is_cut_at_start: bool
    """True if the line has bytes before the piece."""
    is_cut_at_end: bool
    """True if the line goes on behind the piece."""

    def touches_cut(self, start: int, end: int) -> bool:
        """Return True if the bytes from `start` to `end` of the piece touch a cut of the line."""
        if self.is_cut_at_start and start == 0:
            return True
        return self.is_cut_at_end and end == len(self.text)


def _pieces_of(line: bytes) -> Iterator[_LinePiece]:
    """Yield the pieces of a line, in order. No character is cut at the edge of a piece.

    Each has at most `MOST_SEARCHED_LINE_BYTES`, and shares `_OVERLAP_BYTES` with the next.
    """
    start = 0
    while start < len(line):
        longest_end = min(start + bounds.MOST_SEARCHED_LINE_BYTES, len(line))
        end = _character_start(line, longest_end)
        is_last = end == len(line)
        yield _LinePiece(
            line[start:end], start, is_cut_at_start=start > 0, is_cut_at_end=not is_last
        )
        if is_last:
            return
        start = _character_start(line, end - _OVERLAP_BYTES)


def _character_start(line: bytes, position: int) -> int:
    """Return the last position, up to `position`, at which a character begins in UTF-8.

    In `"é!".encode()`, `é` takes the bytes 0 and 1: position 1 -> 0. A character has at
    most 4 bytes, so it begins at `position` or at one of the 3 positions before it. In
    bytes that are not UTF-8 there may be no beginning among them; `position` itself is
    then as good as any.
    """
    if position == len(line):
        return position
    before_earliest = max(position - _UTF8_CHARACTER_BYTES, 0)
    for candidate in range(position, before_earliest, -1):
        if _begins_character(line[candidate]):
            return candidate
    return position


def _begins_character(byte: int) -> bool:
    """Return True unless a byte is a later byte of a character: `0b10......` in UTF-8."""
    return not 0b1000_0000 <= byte < 0b1100_0000


# The normal form of Unicode (NFKC) of texts and patterns.
#
# The same character can be written in several ways, such as `é` as one character, or as
# an `e` followed by an accent. A search in normal forms finds all of them.

_REPLACED_CHARACTERS: Final = re2.compile(
    r"[\x{a0}\x{202f}"  # blanks at which a line is not broken
    r"\x{300}-\x{36f}\x{3099}\x{309a}"  # accents that are written after their letter
    r"\x{1100}-\x{11ff}"  # parts of Korean syllables
    r"\x{fb00}-\x{fb06}"  # ligatures, such as ﬁ
    r"\x{ff01}-\x{ffee}]"  # letters and signs of full or half width
)
"""Matches characters that the normal form replaces. Few texts have any."""


def _normal_text(text: bytes) -> bytes | None:
    """Return a text in its normal form (NFKC); None if it already is in that form."""
    if text.isascii() or not _REPLACED_CHARACTERS.search(text):
        return None
    normal = unicodedata.normalize("NFKC", decoded(text))
    return normal.encode("utf-8", "surrogatepass")


def _normal_pattern(pattern: str) -> str:
    """Return a pattern with its letters and digits in normal form: `ｃafé[ａ-ｃ]` -> `café[a-c]`.

    Other characters stay as they are: the normal
    form of a full-width `（` is `(`, which is syntax.
    """
    # 1. NFC makes one character of a letter and its accent. The characters can then be looked at
    #    one by one.
    composed = unicodedata.normalize("NFC", pattern)

    # 2. NFKC also replaces other forms of a character, such as those of full width. Here, only
    #    letters and digits are replaced.
    characters = []
    for character in composed:
        normal = unicodedata.normalize("NFKC", character)
        is_letter_or_digit = not character.isascii() and normal.isalnum()
        characters.append(normal if is_letter_or_digit else character)
    return "".join(characters)


def decoded(text: bytes) -> str:
    """Return the text of bytes in UTF-8. U+FFFD replaces bytes that are not valid UTF-8."""
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace")


# Finds a regular expression in a long line, and shows the part around each match.
#
# A line of a megabyte is too long to be shown, and may be too long to be searched at once. Then
# it is searched in pieces, which overlap (`line_pieces`).

_LONG_LINE_BYTES: Final = 4_000
"""Longer lines are shown as excerpts, because a model would overlook the match in a whole line."""

_BYTES_AROUND_MATCH: Final = 500
"""Bytes that an excerpt shows before and after a match."""


class _Excerpt(NamedTuple):
    """A part of a line that is shown."""

    text: str
    offset: int
    """The number of bytes of the line before it."""


@dataclass(frozen=True, slots=True)
class _Span:
    """The bytes from `start` up to `end` of a line."""

    start: int
    end: int


# Matches

_ASSERTION: Final = re.compile(
    r"[$^]"  # `^` and `$`
    r"|\\[AzbB]"  # `\A`, `\z`, `\b` and `\B`
)
"""Finds what depends on the neighbouring characters. At the edge of a piece of a line,
it may match although it does not match in the whole line."""

_SYNTAX_CHARACTERS: Final = frozenset(r"\.^$|?*+()[]{}")
"""A pattern without any of these characters matches only itself."""


class _LongLineSearch:
    """Finds the matches of a pattern in long lines, and cuts out the text around each.

    In a line of 10,000 bytes with a match at byte 6,000, the excerpt has the bytes from
    5,500 on. A very long line is searched in pieces, which overlap.
    """

    def __init__(self, pattern: str, deadline: _Deadline) -> None:
        self._pattern = compiled_pattern(pattern)
        self._deadline = deadline
        self._has_assertions = _ASSERTION.search(pattern) is not None
        """True if the pattern may match otherwise at the edge of a piece, as `word$` does."""
        self._is_literal = not _SYNTAX_CHARACTERS.intersection(pattern)
        """True if the pattern matches only itself. Every match is then
        shorter than the overlap of two pieces, so none is missed."""
        self.may_have_missed_match = False
        """True if no match was found in a line that was searched in pieces.
        A match that is longer than their overlap would not be found."""

    def excerpts(self, line: bytes) -> Iterator[_Excerpt]:
        """Yield the parts of a line around its matches."""
        for span in _spans_around(self._matches(line), len(line)):
            start = _character_start(line, span.start)
            end = _character_start(line, span.end)
            yield _Excerpt(decoded(line[start:end]), start)

    def _matches(self, line: bytes) -> Iterator[_Span]:
        """Yield the matches in a line, until the deadline is over."""
        has_matched = False
        end_of_last_match = 0
        for piece in _pieces_of(line):
            if self._deadline.is_over:
                break
            for match in self._matches_in_piece(piece, end_of_last_match):
                has_matched = True
                end_of_last_match = match.end
                yield match

        is_in_pieces = len(line) > bounds.MOST_SEARCHED_LINE_BYTES
        if is_in_pieces and not has_matched and not self._is_literal:
            self.may_have_missed_match = True

    def _matches_in_piece(
        self, piece: _LinePiece, end_of_last_match: int
    ) -> Iterator[_Span]:
        """Yield the matches in a piece of a line, from `end_of_last_match` on.

        At the edge of a piece, `word$` or `\\bword` may match although the line goes on
        there. So such a match is left out if it touches an edge. The neighbouring piece has
        the same place in its middle, and finds the match if there is one.

        A match of another pattern, such as `a+`, may be cut off at the edge. Then the next
        piece goes on behind it, and finds its rest as a match of its own.
        """
        position_in_piece = max(end_of_last_match - piece.start, 0)
        while position_in_piece <= len(piece.text):
            match = self._pattern.search(piece.text, position_in_piece)
            if match is None:
                return
            start, end = match.span()
            is_doubtful = self._has_assertions and piece.touches_cut(start, end)
            if not is_doubtful:
                yield _Span(piece.start + start, piece.start + end)
            # An empty match must not be found again.
            position_in_piece = max(end, start + 1)


# Excerpts


def _spans_around(matches: Iterable[_Span], line_bytes: int) -> Iterator[_Span]:
    """Yield each match with `_BYTES_AROUND_MATCH` on both sides, in a line of `line_bytes`.

    Spans that overlap become one. Matches at 1000, 1300 and 9000, of 10 bytes each, give
    the spans 500 to 1810 and 8500 to 9510. A span ends as soon as it is longer than
    `_LONG_LINE_BYTES`; the span of the next match may then overlap it.
    """
    current: _Span | None = None
    for match in matches:
        span = _Span(
            start=max(match.start - _BYTES_AROUND_MATCH, 0),
            end=min(match.end + _BYTES_AROUND_MATCH, line_bytes),
        )
        if current is None:
            current = span
        elif span.start <= current.end:
            current = _Span(current.start, span.end)
        else:
            yield current
            current = span

        if current.end - current.start > _LONG_LINE_BYTES:
            yield current
            current = None  # The next match begins a new one.
    if current is not None:
        yield current


# Finds the lines of a text that match a regular expression, several lines at once.
#
# Most lines do not match. So a chunk of many lines is searched as a whole, and taken
# apart only if the pattern matches somewhere in it.

_MAX_LINES_AT_ONCE: Final = 64
"""The most lines that are searched from match to match. Chunks with
more lines are halved first, and halves without a match are skipped."""


@dataclass(frozen=True, slots=True)
class _FoundLine:
    """A line that matches, or an excerpt of a long line around a match."""

    number: int
    """Lines are counted from 1."""
    text: str
    offset: int | None = None
    """The number of bytes of the line before the excerpt; None for a whole line."""


class _LineMatcher:
    """Finds the lines of a text that match a pattern of RE2.

    In the text `b"due\\nlate\\n"`, the pattern `^l` finds `FoundLine(2, "late")`.
    """

    def __init__(self, pattern: str, deadline: _Deadline) -> None:
        """Raises `CallError` if the pattern is not correct."""
        self._deadline = deadline
        """The moment at which all searches of this object end."""
        self._line_pattern = compiled_pattern(pattern)
        """For a single line."""
        self.text_pattern = _pattern_for_texts(pattern)
        """For several lines at once; None if the pattern would mean something else there."""
        self._long_lines = _LongLineSearch(pattern, deadline)

    @property
    def may_have_missed_match(self) -> bool:
        """True if a line was too long to be searched at once, and no match was found in its parts.

        A match that is longer than the overlap of two parts would not be found.
        """
        return self._long_lines.may_have_missed_match

    def lines_of(self, text: bytes) -> Iterator[_FoundLine]:
        """Yield the matching lines of a text in UTF-8, until the deadline is over.

        The text is taken in chunks, each of many whole lines.
        """
        for chunk in chunks_of(text):
            if self._deadline.is_over:
                return
            yield from self._lines_of_chunk(chunk)

    def _lines_of_chunk(self, chunk: Chunk) -> Iterator[_FoundLine]:
        """Yield the matching lines of a chunk.

        For example, a chunk of 1,000 lines has a match in line 700. It is searched as a
        whole, and then halved. Lines 1 to 500 have no match and are skipped. The others
        are halved again, until a chunk has at most `_MAX_LINES_AT_ONCE`. In that chunk,
        the search goes from match to match.

        Two kinds of chunks cannot be searched as a whole, and are halved down to single
        lines: those with a very long line, and all chunks if the pattern has a form such
        as `\\Aa`, which means something else in a text of several lines.
        """
        is_short_enough = len(chunk.text) <= bounds.MOST_SEARCHED_LINE_BYTES
        if is_short_enough and self.text_pattern is not None:
            if chunk.line_feeds <= _MAX_LINES_AT_ONCE:
                # A match may go over several lines, so each line is matched by itself again.
                for line in _lines_with_matches(self.text_pattern, chunk):
                    yield from self._matches_of_line(line)
                return
            if not self.text_pattern.search(chunk.text):
                return

        halves = chunk.halves()
        if halves is None:  # It is a single line.
            yield from self._matches_of_line(chunk.line_at(0))
            return
        for half in halves:
            yield from self._lines_of_chunk(half)

    def _matches_of_line(self, line: Line) -> Iterator[_FoundLine]:
        """Yield a line if it matches. Of a long line, yield excerpts around its matches."""
        if len(line.text) > _LONG_LINE_BYTES:
            for excerpt in self._long_lines.excerpts(line.text):
                yield _FoundLine(line.number, excerpt.text, excerpt.offset)
        elif self._line_pattern.search(line.text):
            yield _FoundLine(line.number, decoded(line.text))


_MEANS_OTHERWISE_IN_SEVERAL_LINES: Final = re.compile(
    r"\\[Az]"  # `\A` and `\z`: the start and the end of the whole text
    r"|\(\?[a-zA-Z]*-"  # `(?-m)` and `(?i-s)`: flags that are turned off
)
"""Finds syntax that has a different meaning in a text of several lines, even if `^` and
`$` match at every line."""


def _pattern_for_texts(pattern: str) -> Any | None:
    """Return the compiled pattern for texts of several lines: `^` and `$` match at each line.

    Returns None if the pattern would still have another meaning there than in a single line.
    """
    if _MEANS_OTHERWISE_IN_SEVERAL_LINES.search(pattern):
        return None
    return compiled_pattern(pattern, is_multiline=True)


def _lines_with_matches(text_pattern: Any, chunk: Chunk) -> Iterator[Line]:
    """Yield the lines in which a match begins. They need not match alone.

    For example, `a\\nb` may match in two lines together, but in neither of them alone.
    """
    text = chunk.text.removesuffix(b"\n")
    position = 0
    while position <= len(text):
        match = text_pattern.search(text, position)
        if match is None:
            return
        line = chunk.line_at(match.start())
        yield line
        position = line.next_start


# Several small texts that are searched together, to find out which of them may match.
#
# One search in 64 joined texts is much faster than 64 searches. Most texts have no match, and
# need no further search.


class SearchedText(NamedTuple):
    """The text of a file that a search looks through, with its path."""

    path: str
    text: bytes
    """In UTF-8."""
    may_match: bool = True
    """False if the text is known to have no match, so that its lines need not be searched."""


_MAX_BATCH_TEXTS: Final = 64
"""The most texts of a batch. More would save no time:
more of them would match, and each match costs another search."""

_MAX_BATCH_BYTES: Final = 2 * CHUNK_BYTES
"""A batch ends with the text that makes it longer than `CHUNK_BYTES`. If this last text is so
large that the batch has as many bytes as this, its texts are not searched together."""


def _batches_of(texts: Iterable[SearchedText]) -> Iterator[list[SearchedText]]:
    """Yield the texts in batches of at most `_MAX_BATCH_TEXTS`, in order. The last may be empty."""
    batch: list[SearchedText] = []
    batch_bytes = 0
    for text in texts:
        batch.append(text)
        batch_bytes += len(text.text)
        if batch_bytes > CHUNK_BYTES or len(batch) == _MAX_BATCH_TEXTS:
            yield batch
            batch = []
            batch_bytes = 0
    yield batch


def _texts_with_matches(text_pattern: Any | None, texts: Sequence[bytes]) -> list[bool]:
    """Return a flag for each text of a batch: True if a match may begin in it.

    Of the texts `b"due"` and `b"late"`, the pattern `^l` gives `[False, True]`. All flags are
    True if the texts are large, or if there is no pattern for texts of several lines (None).
    """
    joined = b"\n".join(texts)
    if text_pattern is None or len(joined) >= _MAX_BATCH_BYTES:
        return [True] * len(texts)

    # One search finds the next match, and so skips all texts before it. Only behind the
    # text in which that match begins is there a new search.
    flags = []
    text_start = 0
    next_match = text_pattern.search(joined)
    for text in texts:
        text_end = text_start + len(text)
        if next_match is not None and next_match.start() < text_start:
            next_match = text_pattern.search(joined, text_start)
        begins_in_text = next_match is not None and next_match.start() <= text_end
        flags.append(begins_in_text)
        text_start = text_end + 1  # behind the line feed that joins the texts
    return flags


# Searches texts for a regular expression, in their own spelling and in the normal form of Unicode.
#
# A text is searched as it is written, and if necessary a second time in its normal form:
# `café` then also finds an `é` that is written as an `e` followed by an accent.
#
# Small texts are first searched together, to skip those that cannot match.


class LineSearch:
    """Finds the lines that match a pattern, in any number of texts.

    A text is searched as it is written, and if necessary again in the normal form of Unicode,
    in which an `é` of two characters (`e` and an accent) becomes one. The search stops when
    all texts together have taken `timeout_s` seconds.
    """

    def __init__(self, pattern: str, timeout_s: float) -> None:
        """Raises `CallError` (`invalid_argument`) if the pattern is not correct."""
        self._deadline = _Deadline.after(timeout_s)
        self._matcher = _LineMatcher(pattern, self._deadline)

        pattern_in_normal_form = _normal_pattern(pattern)
        self._pattern_differs = pattern_in_normal_form != pattern
        """True if the pattern is not in normal form, such as `ｃａｆé` in letters of full width."""
        self._normal_matcher = self._matcher
        """For the second search. It is the same matcher if the pattern is in normal form."""
        if self._pattern_differs:
            self._normal_matcher = _LineMatcher(pattern_in_normal_form, self._deadline)

    @property
    def is_late(self) -> bool:
        """True if the time is over, so that the remaining texts were not searched."""
        return self._deadline.is_over

    @property
    def may_have_missed_match(self) -> bool:
        """True if a match in a very long line may have been missed.

        Such a line is searched in pieces. A match that is longer than their overlap is not found.
        """
        if self._matcher.may_have_missed_match:
            return True
        return self._normal_matcher.may_have_missed_match

    def lines_of(self, text: bytes) -> Iterator[_FoundLine]:
        """Yield each matching line of a UTF-8 text, in order."""
        text = _with_line_feeds(text)
        second_text = self._text_for_second_search(text)
        if second_text is None:
            yield from self._matcher.lines_of(text)
        else:
            yield from _lines_of_either(
                list(self._matcher.lines_of(text)),
                self._normal_matcher.lines_of(second_text),
                text,
            )

    def _text_for_second_search(self, text: bytes) -> bytes | None:
        """Return the normal form of a text if the pattern's normal form has to be searched in it.

        None if both the text and the pattern are in normal form already: then a second
        search would find the same lines as the first.
        """
        text_in_normal_form = _normal_text(text)
        if text_in_normal_form is not None:
            return text_in_normal_form
        if self._pattern_differs:  # The text is in normal form as it is.
            return text
        return None

    def prefiltered(self, texts: Iterable[SearchedText]) -> Iterator[SearchedText]:
        """Yield all texts, in order, with `may_match` false if a text is known to have no match.

        To find out, small texts are searched together, which is much faster than one by one.
        After the time is over, the remaining texts are not yielded.
        """
        pattern = self._matcher.text_pattern
        for batch in _batches_of(texts):
            first_search = _texts_with_matches(
                pattern, [_with_line_feeds(text.text) for text in batch]
            )
            for text, matches_first in zip(batch, first_search, strict=True):
                may_match = matches_first
                if not may_match:
                    # A second search may still find a line. Whether one is necessary is
                    # only asked now, because the normal form of a text takes long to make.
                    may_match = self._text_for_second_search(text.text) is not None
                yield text._replace(may_match=may_match)
            if self.is_late:
                return


def _lines_of_either(
    lines: Sequence[_FoundLine], lines_in_normal_form: Iterable[_FoundLine], text: bytes
) -> list[_FoundLine]:
    """Return the lines that either of two searches found in a text, in order.

    Both forms of the text have the same line feeds, and so the same numbers of lines.
    """
    written_lines = text.split(b"\n")
    numbers_of_first_search = {line.number for line in lines}
    all_lines = [*lines]
    for line in lines_in_normal_form:
        if line.number in numbers_of_first_search:
            continue
        if line.offset is None:  # A whole line is shown as it is written.
            as_written = written_lines[line.number - 1]
            line = _FoundLine(line.number, decoded(as_written))
        all_lines.append(line)
    all_lines.sort(key=lambda line: line.number)
    return all_lines


def _with_line_feeds(text: bytes) -> bytes:
    """Return a text with a line feed alone between its lines: `a\\r\\nb` -> `a\\nb`.

    A carriage return at the very end is removed, too.
    """
    return text.replace(b"\r\n", b"\n").removesuffix(b"\r")


# The lines around the matches of one file, each shown once.


@dataclass(frozen=True, slots=True)
class _LinePassage:
    """Consecutive lines of a file."""

    first_line: int
    text: str


class _Surroundings:
    """The lines around the matches of one file.

    Matches that are near each other share lines. No line is returned twice. `next_passage` must
    be called for the matches in their order.
    """

    def __init__(self, text: bytes, context: int) -> None:
        """`context` is the number of lines before and after a match."""
        self._text = text
        self._context = context
        self._lines: list[bytes] = []
        """The lines of the text; empty until they are needed."""
        self._last_returned_line = 0
        """The number of the last line that was returned.
        It may be larger than the number of lines in the text."""

    def next_passage(self, matching_line: int) -> _LinePassage | None:
        """Return the lines around a match, from the first one that was not returned before.

        With a context of 2, the matches in the lines 10 and 12 give the lines 8 to 12,
        and 13 to 14. None if nothing is left to show: no line, or a single empty one.
        """
        if not self._lines:
            self._lines = self._text.split(b"\n")
        first_line = max(matching_line - self._context, self._last_returned_line + 1)
        last_line = matching_line + self._context
        self._last_returned_line = last_line

        # Lines are numbered from 1. If the text ends before `last_line`, there are fewer.
        lines = self._lines[first_line - 1 : last_line]
        text = decoded(b"\n".join(lines))
        if not text:
            return None
        return _LinePassage(first_line, text)


# The result of a search in files: the matching lines, and how many files were searched.
#
# {
#     "matches": [{"path": "/docs/a.md", "line": 12, "text": "at most 3 days"}],
#     "truncated": True,
#     "searched": "3 of 10 files; narrow it by root or files",
# }

_SEARCH_S: Final = 3.0
"""The longest time of one search, because the parent waits for it."""
_MOST_MATCHES: Final = 1_200
"""Matches that one search returns."""
_MOST_MATCH_CHARS: Final = 600_000
"""Characters of all lines that one search returns.
Even with every character escaped, they fit one message."""
_MOST_CONTEXT_LINES: Final = 20
"""The most lines that a search shows before and after
a match. To see more, a script can read the file."""


@dataclass(frozen=True, slots=True)
class _ResultForm:
    """How much a search shows, as its caller asked for it."""

    limit: int
    """The most matches; 0 for `_MOST_MATCHES`."""
    context: int
    """Lines before and after each match."""
    files_only: bool
    """Show only the first match of each file."""

    @property
    def most_matches(self) -> int:
        return self.limit if 0 < self.limit < _MOST_MATCHES else _MOST_MATCHES

    @property
    def context_lines(self) -> int:
        return max(0, min(self.context, _MOST_CONTEXT_LINES))


def _search_files(
    search: LineSearch,
    texts: Iterable[SearchedText],
    file_count: int,
    form: _ResultForm,
) -> dict[str, Plain]:
    """Search the texts of `file_count` files until a limit of time or size is reached.

    Returns `matches`, `truncated` (True if not all could be searched) and `searched`, a
    text that says how many files were.
    """
    shown = _ShownMatches(form)
    searched_files = 0
    # A quick search of all texts sets `may_match`, so that most need not be searched by lines.
    for text in search.prefiltered(texts):
        if text.may_match:
            shown.add(text, search.lines_of(text.text))
        if shown.is_full or search.is_late:
            break
        searched_files += 1

    is_cut = searched_files < file_count
    report = f"{searched_files:,} of {file_count:,} files"
    if is_cut:
        report += "; narrow it by root or files"
    if search.may_have_missed_match:
        report += (
            f"; lines of more than {bounds.MOST_SEARCHED_LINE_BYTES:,} bytes were searched in "
            "parts, so that longer matches are not found"
        )
    return {
        "matches": shown.matches,
        "truncated": is_cut or search.may_have_missed_match,
        "searched": report,
    }


class _ShownMatches:
    """Collects the matches of a search, as many as one result can hold."""

    def __init__(self, form: _ResultForm) -> None:
        self._form = form
        self.matches: list[Plain] = []
        """One mapping a match: `{"path": "/docs/a.md", "line": 12, "text": "at most 3 days"}`."""
        self.is_full = False
        """True if a match was left out because the result was full. Then the search can end."""
        self._remaining_chars = _MOST_MATCH_CHARS
        """Characters of lines for which there is still room."""

    def add(self, text: SearchedText, lines: Iterable[_FoundLine]) -> None:
        """Add the matching lines of a file, until there is no room."""
        if self._form.files_only:
            lines = islice(lines, 1)
        for match in _matches_to_show(text, lines, self._form.context_lines):
            text_chars = len(str(match["text"]))
            has_room = text_chars <= self._remaining_chars
            if not has_room or len(self.matches) >= self._form.most_matches:
                self.is_full = True
                return
            self._remaining_chars -= text_chars
            self.matches.append(match)


def _matches_to_show(
    text: SearchedText, lines: Iterable[_FoundLine], context_lines: int
) -> Iterable[dict[str, Plain]]:
    """Yield the matching lines of a file with their context. No line is shown twice."""
    surroundings = _Surroundings(text.text, context_lines)
    for line in lines:
        match: dict[str, Plain] = {
            "path": text.path,
            "line": line.number,
            "text": line.text,
        }
        if line.offset is not None:
            # The text is an excerpt of a long line. It is shown without other lines, and with the
            # character of the file at which a script can read on.
            match["char"] = _char_of(text.text, line.number, line.offset)
        elif context_lines:
            passage = surroundings.next_passage(line.number)
            if passage is None:
                continue  # The passages of earlier matches show this line and its context.
            match["first"] = passage.first_line
            match["text"] = passage.text
        yield match


def _char_of(text: bytes, line_number: int, offset: int) -> int:
    """Return the number of the character (from 1, in the whole text) at a byte offset of a line.

    In `"é\\nab".encode()`, offset 1 of line 2 is the `b`: 4.
    """
    # 1. Find the byte at which the line starts, behind `line_number - 1` line feeds.
    line_start = 0
    for _ in range(line_number - 1):
        line_start = text.find(b"\n", line_start) + 1

    # 2. Count the characters before the position. The next one is the character asked for.
    before = decoded(text[: line_start + offset])
    return len(before) + 1


class TreeTexts:
    """The operations by which a script reads the texts of a tree, or searches in them.

    `harness.read("/docs/a.md")` calls `read`. Both methods raise `CallError`, for example
    if the path does not exist.
    """

    def __init__(self, files: ChangedFiles, paths: TreePaths) -> None:
        self._files = files
        self._paths = paths

    def read(
        self, path: str, start_line: int = 0, end_line: int = 0
    ) -> dict[str, Plain]:
        """Return the text of a file, or of its lines from `start_line` to `end_line`.

        Lines count from 1, and both are included. 0 means the first or the last line. The
        hash is that of the whole text, so that a later `write` can see if the file is the same.
        """
        resolved = self._paths.existing(path)
        if self._paths.is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a directory; list it")
        whole = self._files.text(resolved)
        if whole is None:
            raise CallError(NOT_FOUND, f"{resolved} cannot be read any more")
        return {
            "path": resolved,
            "content": _lines_from_to(whole, start_line, end_line),
            "truncated": False,
            "sha256": sha256_of(whole),
            "content_type": content_type(resolved),
        }

    def search(
        self,
        pattern: str,
        root: str = "/",
        limit: int = 10,
        files: str = "",
        context: int = 0,
        files_only: bool = False,
    ) -> dict[str, Plain]:
        """Return the lines at or below `root` that match a regular expression of RE2.

        - `limit`: the most lines that are returned; 0 for `_MOST_MATCHES`
        - `files`: a glob that selects the files to search
        - `context`: lines that are shown before and after each matching line
        - `files_only`: return only the first matching line of each file

        The result has `matches`, `truncated`, and `searched`, a text such as `3 of 10
        files; narrow it by root or files`. Each match has:

        - `path` and `line`: the file, and the number of the matching line
        - `text`: the line, with its context
        - `first`, only with a context: the number of the first line of the text
        - `char`, only if the line is too long to be shown: `text` is then the part
          around the match, and `char` is the number of its first character in the file
        """
        search = LineSearch(pattern, _SEARCH_S)
        form = _ResultForm(limit, context, files_only)
        paths = self._paths_to_search(root, files)
        texts = (SearchedText(path, self._files.in_utf_8(path)) for path in paths)
        return _search_files(search, texts, len(paths), form)

    def _paths_to_search(self, root: str, glob: str) -> list[str]:
        """Return the files to search, sorted.

        A large file is searched only if it is the root itself, because the script then
        asks for this very file.
        """
        paths = files_at(self._paths, root, glob)
        large_files = self._files.large_files()
        normal_root = normal_path(root)
        return [
            path for path in paths if path not in large_files or path == normal_root
        ]


def _lines_from_to(text: str, first: int, last: int) -> str:
    """Return the lines of a text from `first` to `last`: of `a\\nb\\nc`, 2 to 3 -> `b\\nc`.

    0 means the first or the last line. Raises `CallError` if `first` is behind `last`.
    """
    if not first and not last:
        return text
    if first < 0 or last < 0 or (last and first > last):
        msg = f"lines {first} to {last} are no range (they count from 1)"
        raise CallError(INVALID_ARGUMENT, msg)
    # `str.splitlines` would also split at other characters than a line feed.
    lines = io.StringIO(text, newline="\n")
    return "".join(islice(lines, max(first - 1, 0), last or None))


def sha256_of(text: str) -> str:
    """Return the hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
