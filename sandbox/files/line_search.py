"""Searches texts line by line for a regular expression, in time that is linear in the texts.

Patterns have the syntax of RE2, which is that
of `re` without look-around and back references.

`LineSearch` is what other modules use. It searches a text as it is written, and if
necessary a second time in its normal form of Unicode: `café` then also finds an `é`
that is written as an `e` followed by an accent. `_LineMatcher` finds the matching lines
in one of these forms.

Most lines do not match. So several lines are searched at once, and are taken
apart only if the pattern matches somewhere in them. There are four sizes,
from the largest to the smallest:

- a batch: several small texts that are searched together;
- a chunk: whole lines of one text;
- a piece: a part of a very long line;
- an excerpt: the part of a long line that is shown.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import re2

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError

_SHOWN_PATTERN_CHARS: Final = 200
"""Characters of a pattern that an error message quotes."""

_MAX_INSTRUCTIONS: Final = 4_000
"""The most instructions of a compiled pattern.
The time to match one byte grows with their number."""

_CHUNK_BYTES: Final = 65_536
"""Bytes of text that are searched between two checks of the deadline."""

_MAX_BATCH_TEXTS: Final = 64
"""The most small texts that are searched together. More would save no time:
more of them would match, and each match costs another search."""

_MAX_BATCH_BYTES: Final = 2 * _CHUNK_BYTES
"""A batch ends with the text that makes it longer than `_CHUNK_BYTES`. If that text is
so large that the batch has this many bytes, each text is searched by itself."""

_MAX_CHUNK_LINES: Final = 64
"""The most lines that are searched from match to match. Chunks with
more lines are halved first, and halves without a match are skipped."""

_LONG_LINE_BYTES: Final = 4_000
"""Longer lines are shown as excerpts, because a model would overlook the match in a whole line."""

_EXCERPT_BYTES: Final = 500
"""Bytes that are shown before and after a match in a long line."""

_OVERLAP_BYTES: Final = 25_000
"""Bytes that two neighbouring pieces of a very long line share.
Every shorter match is whole in one of the pieces."""

_UTF8_CHARACTER_BYTES: Final = 4
"""The most bytes that one character takes in UTF-8."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line that matches, or an excerpt of a long line around a match."""

    number: int
    """Lines are counted from 1."""
    text: str
    offset: int | None = None
    """The number of bytes of the line before the excerpt; None for a whole line."""


# Patterns

_REMEDIES: Final = (
    (
        r"\(\?<?[=!]",  # (?=x) (?!x) (?<=x) (?<!x)
        "RE2 has no look-around: match the text around it too, and filter the lines in Python",
    ),
    (
        r"\\[1-9]|\(\?P=",  # \1 (?P=name)
        "RE2 has no back references: match both parts, and compare them in Python",
    ),
    (
        r"[*+?}]\+|\(\?>",  # x*+ (?>x)
        "RE2 has no possessive or atomic groups: write the plain repetition",
    ),
    (r"\\Z", r"RE2 writes the end of the text as \z, and the end of a line as $"),
    (r"\\[uUN]", r"RE2 writes a character by its number as \x{20AC}, or as itself"),
    (r"\(\?\(", "RE2 has no conditional groups: write the cases as alternatives"),
)
"""Pairs of a pattern that finds syntax that RE2 lacks, and a text on what to write instead."""


@lru_cache(maxsize=256)
def compiled_pattern(pattern: str, *, is_multiline: bool = False) -> Any:
    """Return the compiled pattern. Its methods take text or UTF-8 bytes, as those of `re` do.

    With `is_multiline`, `^` and `$` match at every line. Raises `CallError`
    (`invalid_argument`) if the pattern is not correct, or too large.
    """
    if len(pattern) > bounds.MOST_PATTERN_CHARS:
        msg = f"a pattern has at most {bounds.MOST_PATTERN_CHARS} characters, not {len(pattern)}"
        raise CallError(INVALID_ARGUMENT, msg)

    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(f"(?m){pattern}" if is_multiline else pattern, options)
    except UnicodeEncodeError:
        raise CallError(
            INVALID_ARGUMENT, refusal(pattern, "a lone surrogate")
        ) from None
    except re2.error as error:
        # RE2 gives no reason if it cannot even read the pattern as text.
        reason: Any = "a lone surrogate"
        if error.args:
            reason = error.args[0]
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "replace")
        raise CallError(INVALID_ARGUMENT, refusal(pattern, str(reason))) from None

    if compiled.programsize > _MAX_INSTRUCTIONS:
        shown = repr(pattern[:_SHOWN_PATTERN_CHARS])
        msg = f"the pattern {shown} is too large when its repetitions are written out; repeat less"
        raise CallError(INVALID_ARGUMENT, msg)
    return compiled


def refusal(pattern: str, reason: str) -> str:
    """Return the message for a pattern that RE2 refuses: the reason, and what to write instead."""
    shown = pattern
    if len(pattern) > _SHOWN_PATTERN_CHARS:
        shown = f"{pattern[:_SHOWN_PATTERN_CHARS]}…"
    return f"error parsing regexp `{shown}`: {reason}; {_remedy(pattern)}"


def _remedy(pattern: str) -> str:
    for unknown_syntax, remedy in _REMEDIES:
        if re.search(unknown_syntax, pattern):
            return remedy
    return "patterns have the syntax of RE2"


# Forms of Unicode

_OTHER_FORMS: Final = re2.compile(
    r"[\x{a0}\x{202f}"  # blanks at which a line is not broken
    r"\x{300}-\x{36f}\x{3099}\x{309a}"  # accents that are written after their letter
    r"\x{1100}-\x{11ff}"  # parts of Korean syllables
    r"\x{fb00}-\x{fb06}"  # ligatures, such as ﬁ
    r"\x{ff01}-\x{ffee}]"  # letters of full or half width
)
"""Matches characters that the normal form replaces. Few texts
have any, and only these texts are searched a second time."""


def _normal_text(text: bytes) -> bytes | None:
    """Return a text in its normal form (NFKC); None if it already is in that form."""
    if text.isascii() or not _OTHER_FORMS.search(text):
        return None
    normal = unicodedata.normalize("NFKC", decode_line(text))
    return normal.encode("utf-8", "surrogatepass")


def _normal_pattern(pattern: str) -> str:
    """Return a pattern with its letters and digits in normal form: `ｃafé[ａ-ｃ]` -> `café[a-c]`.

    Other characters stay as they are: the normal
    form of a full-width `（` is `(`, which is syntax.
    """
    # 1. NFC makes one character of a letter and its accent.
    composed = unicodedata.normalize("NFC", pattern)

    # 2. NFKC also replaces other forms of a character, here only those of letters and digits.
    characters = []
    for character in composed:
        normal = unicodedata.normalize("NFKC", character)
        is_letter_or_digit = not character.isascii() and normal.isalnum()
        characters.append(normal if is_letter_or_digit else character)
    return "".join(characters)


def decode_line(line: bytes) -> str:
    """Return the text of bytes in UTF-8. U+FFFD replaces bytes that are not valid UTF-8."""
    try:
        return line.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return line.decode("utf-8", "replace")


def _with_line_feeds(text: bytes) -> bytes:
    """Return a text with a line feed alone between its lines: `a\\r\\nb` -> `a\\nb`.

    A carriage return at the very end is removed, too.
    """
    return text.replace(b"\r\n", b"\n").removesuffix(b"\r")


# The search


class LineSearch:
    """Finds the lines that match a pattern, in any number of texts.

    The search stops when all texts together have taken `timeout_s` seconds.
    """

    def __init__(self, pattern: str, timeout_s: float) -> None:
        """Raises `CallError` (`invalid_argument`) if the pattern is not correct."""
        deadline = time.monotonic() + timeout_s
        self._matcher = _LineMatcher(pattern, deadline)

        normal_pattern = _normal_pattern(pattern)
        self._pattern_differs = normal_pattern != pattern
        """True if the pattern is not in normal form, such as `ｃａｆé` in letters of full width."""
        self._normal_matcher = self._matcher
        """For the second search. It is the same matcher if the pattern is in normal form."""
        if self._pattern_differs:
            self._normal_matcher = _LineMatcher(normal_pattern, deadline)

    @property
    def is_late(self) -> bool:
        """True if the time is over, so that the remaining texts were not searched."""
        return self._matcher.is_late

    @property
    def may_have_missed_match(self) -> bool:
        """True if a match in a very long line may have been missed.

        Such a line is searched in pieces. A match that is longer than their overlap is not found.
        """
        if self._matcher.may_have_missed_match:
            return True
        return self._normal_matcher.may_have_missed_match

    def lines_of(self, text: bytes) -> Iterator[FoundLine]:
        """Yield each matching line of a UTF-8 text, in order.

        A line matches as it is written, or in its normal form (`_normal_text`).
        """
        text = _with_line_feeds(text)
        second_text = self._text_for_second_search(text)
        if second_text is None:
            yield from self._matcher.lines_of(text)
            return

        # Search both forms. They have the same line feeds, and so the same numbers of lines.
        lines = list(self._matcher.lines_of(text))
        numbers_of_first_search = {line.number for line in lines}
        written_lines = text.split(b"\n")
        for line in self._normal_matcher.lines_of(second_text):
            if line.number in numbers_of_first_search:
                continue
            is_whole_line = line.offset is None
            if is_whole_line:  # Show the line as it is written, not its normal form.
                line = FoundLine(
                    line.number, decode_line(written_lines[line.number - 1])
                )
            lines.append(line)
        yield from sorted(lines, key=lambda line: line.number)

    def _text_for_second_search(self, text: bytes) -> bytes | None:
        """Return the normal form of a text if the pattern's normal form has to be searched in it.

        None if both the text and the pattern are in normal form already: then a second
        search would find the same lines as the first.
        """
        normal_text = _normal_text(text)
        if normal_text is not None:
            return normal_text
        if self._pattern_differs:
            return text  # It is in normal form already, but the pattern is not.
        return None

    def texts_to_search(
        self, texts: Iterable[tuple[str, bytes]]
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the texts with their paths. A text that cannot match is replaced by an empty one.

        To find out, small texts are searched together, which is much faster than one by one.
        """
        batch: list[tuple[str, bytes]] = []
        batch_bytes = 0
        for path, text in texts:
            batch.append((path, text))
            batch_bytes += len(text)
            if batch_bytes > _CHUNK_BYTES or len(batch) == _MAX_BATCH_TEXTS:
                yield from self._matching_texts(batch)
                batch = []
                batch_bytes = 0
                if self.is_late:
                    return
        yield from self._matching_texts(batch)

    def _matching_texts(
        self, batch: Sequence[tuple[str, bytes]]
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the texts of a batch. A text that cannot match is replaced by an empty one."""
        may_match = self._matcher.texts_with_matches(
            [_with_line_feeds(text) for _, text in batch]
        )
        for (path, text), may_text_match in zip(batch, may_match, strict=True):
            if may_text_match or self._text_for_second_search(text) is not None:
                yield path, text
            else:
                yield path, b""


# The search in one form of the texts

_MEANS_OTHERWISE_IN_SEVERAL_LINES: Final = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
"""Finds syntax with a different meaning in a text of several lines, even if `^` and `$`
match at every line: `\\A`, `\\z`, and flags that are turned off, such as `(?-m)`."""

_ASSERTION: Final = re.compile(r"[$^]|\\[AzbB]")
"""Finds `^`, `$`, `\\b` and so on, which depend on the neighbouring characters. At the
edge of a piece of a line, they may match although they do not match in the whole
line."""

_SYNTAX_CHARACTERS: Final = frozenset(r"\.^$|?*+()[]{}")
"""A pattern without any of these characters matches only itself."""


class _LineMatcher:
    """Finds the matching lines of texts whose lines end with a line feed alone.

    A *batch* has several small texts, a *chunk* has whole lines of one text, and a *piece*
    is a part of a very long line.
    """

    def __init__(self, pattern: str, deadline: float) -> None:
        """`deadline` is on `time.monotonic()`."""
        self._deadline = deadline
        self.may_have_missed_match = False
        """Described at `LineSearch.may_have_missed_match`."""

        self._line_pattern = compiled_pattern(pattern)
        """For single lines."""
        self._text_pattern: Any = None
        """For several lines at once; None if the pattern would mean something else there."""
        if not _MEANS_OTHERWISE_IN_SEVERAL_LINES.search(pattern):
            self._text_pattern = compiled_pattern(pattern, is_multiline=True)

        self._has_assertions = _ASSERTION.search(pattern) is not None
        """True if a match at the edge of a piece of a line may not be a match in the whole line."""
        self._is_literal = not _SYNTAX_CHARACTERS.intersection(pattern)
        """True if the pattern matches only itself. Every match is then
        shorter than the overlap of two pieces, so none is missed."""

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def texts_with_matches(self, texts: Sequence[bytes]) -> list[bool]:
        """Return a flag for each text: True if a match may begin in it.

        All flags are True if the texts are large, or if the pattern cannot search
        several texts at once.
        """
        joined = b"\n".join(texts)
        if self._text_pattern is None or len(joined) >= _MAX_BATCH_BYTES:
            return [True] * len(texts)

        # `next_match` is the first match in the joined texts that begins in the current
        # text or later. It is searched again only after the text in which it begins. So
        # all texts before it are skipped by one search.
        flags = []
        text_start = 0
        next_match = self._text_pattern.search(joined)
        for text in texts:
            text_end = text_start + len(text)
            if next_match is not None and next_match.start() < text_start:
                next_match = self._text_pattern.search(joined, text_start)
            begins_in_text = next_match is not None and next_match.start() <= text_end
            flags.append(begins_in_text)
            text_start = text_end + 1  # behind the line feed that joins the texts
        return flags

    def lines_of(self, text: bytes) -> Iterator[FoundLine]:
        """Yield the matching lines of a text."""
        chunk_start = 0
        first_number = 1
        while chunk_start < len(text) and not self.is_late:
            chunk_end = _line_end(text, chunk_start + _CHUNK_BYTES)
            chunk = text[chunk_start:chunk_end]
            yield from self._lines_of_chunk(chunk, first_number)
            first_number += chunk.count(b"\n")
            chunk_start = chunk_end

    def _lines_of_chunk(self, chunk: bytes, first_number: int) -> Iterator[FoundLine]:
        """Yield the matching lines of a chunk of whole lines.

        `first_number` is the number of its first line in the text.

        For example, a chunk of 1,000 lines has a match in line 700. It is searched as a
        whole, and then halved. Lines 1 to 500 have no match and are skipped. The others
        are halved again, until a chunk has at most `_MAX_CHUNK_LINES`. In that chunk, the
        search goes from match to match.
        """
        # Some patterns mean something else in several lines; they have no `_text_pattern`.
        is_small = len(chunk) <= bounds.MOST_SEARCHED_LINE_BYTES
        can_search_at_once = is_small and self._text_pattern is not None
        has_few_lines = chunk.count(b"\n") <= _MAX_CHUNK_LINES

        # 1. Few lines: go from match to match.
        if can_search_at_once and has_few_lines:
            yield from self._lines_at_matches(chunk.removesuffix(b"\n"), first_number)
            return

        # 2. A single line, which cannot be halved.
        middle = _line_start_near_middle(chunk)
        if middle is None:
            yield from self._matches_of_line(chunk.removesuffix(b"\n"), first_number)
            return

        # 3. Many lines without a match: skip them.
        if can_search_at_once and not self._text_pattern.search(chunk):
            return

        # 4. Many lines with a match, or lines that cannot be searched at once: search each half.
        first_half = chunk[:middle]
        second_half = chunk[middle:]
        yield from self._lines_of_chunk(first_half, first_number)
        yield from self._lines_of_chunk(
            second_half, first_number + first_half.count(b"\n")
        )

    def _lines_at_matches(self, lines: bytes, first_number: int) -> Iterator[FoundLine]:
        """Yield the lines in which a match begins, if they also match alone.

        For example, `a\\nb` may match in two lines together, but in neither of them alone.
        """
        position = 0
        while position <= len(lines):
            match = self._text_pattern.search(lines, position)
            if match is None:
                return
            line_start = _line_start(lines, match.start())
            line_end = _line_end(lines, match.start())
            line = lines[line_start:line_end].removesuffix(b"\n")
            number = first_number + lines.count(b"\n", 0, line_start)
            yield from self._matches_of_line(line, number)
            position = line_start + len(line) + 1

    def _matches_of_line(self, line: bytes, number: int) -> Iterator[FoundLine]:
        """Yield a line if it matches. Of a long line, yield excerpts around its matches."""
        if len(line) <= _LONG_LINE_BYTES:
            if self._line_pattern.search(line):
                yield FoundLine(number, decode_line(line))
            return

        for excerpt in self._excerpts_of_long_line(line):
            yield _excerpt_line(line, number, excerpt)

    def _excerpts_of_long_line(self, line: bytes) -> Iterator[_Span]:
        """Yield each match of a long line with `_EXCERPT_BYTES` on both sides.

        Excerpts that overlap become one. Matches at 1000, 1300 and 9000, of 10 bytes
        each, give the excerpts 500 to 1810 and 8500 to 9510. An excerpt ends as soon as
        it is longer than `_LONG_LINE_BYTES`.
        """
        excerpt: _Span | None = None
        for match in self._matches_in_long_line(line):
            around_match = _Span(
                start=max(match.start - _EXCERPT_BYTES, 0),
                end=min(match.end + _EXCERPT_BYTES, len(line)),
            )
            if excerpt is None:
                excerpt = around_match
            elif around_match.start <= excerpt.end:
                excerpt = _Span(excerpt.start, around_match.end)
            else:
                yield excerpt
                excerpt = around_match

            if excerpt.end - excerpt.start > _LONG_LINE_BYTES:
                yield excerpt
                excerpt = None  # The next match begins a new one.
        if excerpt is not None:
            yield excerpt

    def _matches_in_long_line(self, line: bytes) -> Iterator[_Span]:
        """Yield the matches in a line. A very long line is searched in pieces that overlap."""
        piece_bytes = bounds.MOST_SEARCHED_LINE_BYTES
        has_matched = False
        end_of_last_match = 0
        piece_start = 0
        while piece_start < len(line) and not self.is_late:
            piece_end = _character_start(
                line, min(piece_start + piece_bytes, len(line))
            )
            piece = _Span(piece_start, piece_end)
            for match in self._matches_in_piece(line, piece, end_of_last_match):
                has_matched = True
                end_of_last_match = match.end
                yield match
            if piece_end == len(line):
                break
            piece_start = _character_start(line, piece_end - _OVERLAP_BYTES)

        is_in_pieces = len(line) > piece_bytes
        if is_in_pieces and not has_matched and not self._is_literal:
            self.may_have_missed_match = True

    def _matches_in_piece(
        self, line: bytes, piece: _Span, end_of_last_match: int
    ) -> Iterator[_Span]:
        """Yield the matches in a piece of a line, from `end_of_last_match` on.

        Where the line was cut into pieces, `^`, `$` or `\\b` may match although they do
        not match in the whole line. So a match of such a pattern is left out if it
        touches the cut. Nothing is lost: the pieces overlap, so the neighbouring piece
        has the same place away from its ends.
        """
        text = line[piece.start : piece.end]
        is_cut_at_start = piece.start > 0
        is_cut_at_end = piece.end < len(line)

        # Positions in `text`, not in the line
        position = max(end_of_last_match - piece.start, 0)
        while position <= len(text):
            match = self._line_pattern.search(text, position)
            if match is None:
                return
            start, end = match.span()
            touches_cut_start = is_cut_at_start and start == 0
            touches_cut_end = is_cut_at_end and end == len(text)
            is_doubtful = self._has_assertions and (
                touches_cut_start or touches_cut_end
            )
            if not is_doubtful:
                yield _Span(piece.start + start, piece.start + end)
            position = max(end, start + 1)  # An empty match must not be found again.


# Positions in bytes


@dataclass(frozen=True, slots=True)
class _Span:
    """The bytes from `start` up to `end` of a line."""

    start: int
    end: int


def _line_start(text: bytes, position: int) -> int:
    """Return where the line at a position begins."""
    previous_line_feed = text.rfind(b"\n", 0, position)
    if previous_line_feed < 0:
        return 0
    return previous_line_feed + 1


def _line_end(text: bytes, position: int) -> int:
    """Return where the line at a position ends, its line feed included."""
    line_feed = text.find(b"\n", position)
    if line_feed < 0:
        return len(text)
    return line_feed + 1


def _line_start_near_middle(text: bytes) -> int | None:
    """Return where a line begins near the middle of a text; None if the text is a single line."""
    half = len(text) // 2
    middle = _line_start(text, half)
    if middle == 0:
        middle = _line_end(text, half)
    return middle if 0 < middle < len(text) else None


def _excerpt_line(line: bytes, number: int, excerpt: _Span) -> FoundLine:
    """Return an excerpt, cut where a character begins."""
    start = _character_start(line, excerpt.start)
    end = _character_start(line, excerpt.end)
    return FoundLine(number, decode_line(line[start:end]), offset=start)


def _character_start(line: bytes, position: int) -> int:
    """Return the last position, up to `position`, at which a character begins in UTF-8.

    All bytes of a character except its first have the form `0b10......`. A character
    has at most 4 bytes, so it begins at `position` or at one of the 3 positions before
    it. In bytes that are not UTF-8 there may be no beginning among them; `position`
    itself is then as good as any.
    """
    before_earliest = max(position - _UTF8_CHARACTER_BYTES, 0)
    for candidate in range(position, before_earliest, -1):
        if candidate == len(line):
            return candidate
        is_first_byte = line[candidate] & 0b1100_0000 != 0b1000_0000
        if is_first_byte:
            return candidate
    return position
