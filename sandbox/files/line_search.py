"""Searches texts line by line for a regular expression in the syntax of RE2, in time linear in the texts.

Texts that are written in another form of Unicode than the pattern are found, too: with composed or decomposed letters,
or of full width. Of a long line, the part around each match is found.
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

REMEDIES: Final = (
    (
        r"\(\?<?[=!]",
        "RE2 has no look-around: match the text around it too, and filter the lines in Python",
    ),
    (r"\\[1-9]|\(\?P=", "RE2 has no back references: match both parts, and compare them in Python"),
    (r"[*+?}]\+|\(\?>", "RE2 has no possessive or atomic groups: write the plain repetition"),
    (r"\\Z", r"RE2 writes the end of the text as \z, and the end of a line as $"),
    (r"\\[uUN]", r"RE2 writes a character by its number as \x{20AC}, or as itself"),
    (r"\(\?\(", "RE2 has no conditional groups: write the cases as alternatives"),
)
"""What RE2 does not take, and what to write instead."""
SHOWN_PATTERN_CHARS: Final = 200
MOST_INSTRUCTIONS: Final = 4_000
"""Instructions of a compiled pattern: the time for one byte of text is at most proportional to them."""
CHUNK_BYTES: Final = 65_536
"""Bytes searched at once, and between two looks at the clock."""
MOST_BATCH_TEXTS: Final = 64
"""Small texts searched at once: a match may reach over all of them."""
MOST_CHUNK_LINES: Final = 64
"""Lines in which matches are looked for one after the other: a match may reach over all of them."""
PER_LINE_ONLY: Final = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
"""What means something else in a text of several lines, even where `^` and `$` match at each of them."""
SYNTAX: Final = frozenset(r"\.^$|?*+()[]{}")
"""Characters without which a pattern is a text."""
ASSERTION: Final = re.compile(r"[$^]|\\[AzbB]")
"""What matches by what stands beside it, as `^` or `\\b`: at the edge of a part of a line it proves nothing."""
OTHER_FORMS: Final = re2.compile(
    r"[\x{a0}\x{202f}\x{300}-\x{36f}\x{1100}-\x{11ff}\x{3099}\x{309a}\x{fb00}-\x{fb06}\x{ff01}-\x{ffee}]"
)
"""Characters that other texts write in another form: blanks that keep words together, accents and syllables that are
written apart, ligatures, and letters of full or half width. Few texts hold any, and only these are composed."""
LONG_LINE_BYTES: Final = 4_000
"""A longer line is shown in part: the model would not see the match in it."""
EXCERPT_BYTES: Final = 500
"""Bytes shown before and behind a match in a long line."""
OVERLAP_BYTES: Final = 25_000
"""Bytes of a very long line that two searched parts share: a shorter match is found in one of them."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line that matches, or a part of a long one around a match."""

    number: int
    text: str
    offset: int | None = None
    """The bytes of a long line before the part; None for a whole line."""


def refusal(pattern: str, reason: str) -> str:
    """Return the message for a pattern that RE2 does not take: the reason, and what to write instead."""
    shown = pattern
    if len(pattern) > SHOWN_PATTERN_CHARS:
        shown = f"{pattern[:SHOWN_PATTERN_CHARS]}…"
    return f"error parsing regexp `{shown}`: {reason}; {_remedy(pattern)}"


def _remedy(pattern: str) -> str:
    for sign, remedy in REMEDIES:
        if re.search(sign, pattern):
            return remedy
    return "patterns have the syntax of RE2"


@lru_cache(maxsize=256)
def compiled_pattern(pattern: str, *, is_multiline: bool = False) -> Any:
    """Return the matcher of a pattern, which takes text or UTF-8 bytes as those of `re` do.

    Raises `CallError` (`invalid_argument`) for what RE2 does not read and for a pattern that is too large.
    """
    if len(pattern) > bounds.MOST_PATTERN_CHARS:
        msg = f"a pattern has at most {bounds.MOST_PATTERN_CHARS} characters, not {len(pattern)}"
        raise CallError(INVALID_ARGUMENT, msg)
    options = re2.Options()
    options.log_errors = False
    try:
        matcher = re2.compile(f"(?m){pattern}" if is_multiline else pattern, options)
    except UnicodeEncodeError:
        raise CallError(INVALID_ARGUMENT, refusal(pattern, "a lone surrogate")) from None
    except re2.error as error:
        reason = error.args[0] if error.args else "a lone surrogate"
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "replace")
        raise CallError(INVALID_ARGUMENT, refusal(pattern, str(reason))) from None
    if matcher.programsize > MOST_INSTRUCTIONS:
        shown = repr(pattern[:SHOWN_PATTERN_CHARS])
        msg = f"the pattern {shown} is too large when its repetitions are written out; repeat less"
        raise CallError(INVALID_ARGUMENT, msg)
    return matcher


class LineSearch:
    """Finds the lines of texts that a pattern matches; lines end with a line feed, and count from 1.

    It ends when all texts together have taken `most_s`. Raises `CallError` (`invalid_argument`) for the pattern.
    """

    def __init__(self, pattern: str, most_s: float) -> None:
        self._lines = _LineMatcher(pattern, time.monotonic() + most_s)
        composed_pattern = _composed_pattern(pattern)
        self._has_other_form = composed_pattern != pattern
        self._composed_lines = self._lines
        if self._has_other_form:
            self._composed_lines = _LineMatcher(composed_pattern, self._lines.deadline)

    @property
    def is_late(self) -> bool:
        return self._lines.is_late

    @property
    def has_unsearched(self) -> bool:
        """True if a very long line may hold a match that reaches over the parts in which it was searched."""
        return self._lines.has_unsearched or self._composed_lines.has_unsearched

    def texts_to_search(self, texts: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        """Yield texts by path, but an empty one in place of a small one in which no line can match."""
        batch: list[tuple[str, bytes]] = []
        size = 0
        for path, text in texts:
            batch.append((path, text))
            size += len(text)
            if size > CHUNK_BYTES or len(batch) == MOST_BATCH_TEXTS:
                yield from self._with_matches(batch)
                batch = []
                size = 0
                if self.is_late:
                    return
        yield from self._with_matches(batch)

    def _with_matches(self, texts: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        """Yield texts, but an empty one in place of one in which no match begins."""
        may_match = self._lines.texts_with_matches([_normal_ends(text) for _, text in texts])
        for (path, text), may_text_match in zip(texts, may_match, strict=True):
            is_needed = may_text_match or self._composed(text) is not None
            yield path, text if is_needed else b""

    def lines_of(self, text: bytes) -> Iterator[FoundLine]:
        """Yield each line of a text in UTF-8 that matches, without its end, as it is written there."""
        composed = self._composed(text)
        if composed is None:
            yield from self._lines.lines_of(_normal_ends(text))
            return
        written_lines = _normal_ends(text).split(b"\n")
        lines = list(self._lines.lines_of(_normal_ends(text)))
        numbers = {line.number for line in lines}
        for line in self._composed_lines.lines_of(_normal_ends(composed)):
            if line.number in numbers:
                continue
            if line.offset is None:
                line = FoundLine(line.number, decode_line(written_lines[line.number - 1]))
            lines.append(line)
        yield from sorted(lines, key=lambda line: line.number)

    def _composed(self, text: bytes) -> bytes | None:
        """Return the composed form of a text; None if neither it nor the pattern differs from it."""
        composed = _composed_text(text)
        if composed is None and self._has_other_form:
            return text
        return composed


def _normal_ends(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").removesuffix(b"\r")


def _composed_pattern(pattern: str) -> str:
    """Return a pattern with its letters in the form of composed texts; what is syntax stays."""
    signs = []
    for sign in unicodedata.normalize("NFC", pattern):
        composed = unicodedata.normalize("NFKC", sign)
        is_letter = not sign.isascii() and composed.isalnum()
        signs.append(composed if is_letter else sign)
    return "".join(signs)


def _composed_text(text: bytes) -> bytes | None:
    """Return a text with composed letters and without full-width forms; None if it has no others."""
    if text.isascii() or not OTHER_FORMS.search(text):
        return None
    composed = unicodedata.normalize("NFKC", decode_line(text))
    return composed.encode("utf-8", "surrogatepass")


def decode_line(line: bytes) -> str:
    """Return the text of bytes in UTF-8, or what can be read of other bytes."""
    try:
        return line.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # Bytes that are not text in UTF-8 are searched as they are.
        return line.decode("utf-8", "replace")


class _LineMatcher:
    """Finds the matching lines of texts whose lines end with a line feed alone."""

    def __init__(self, pattern: str, deadline: float) -> None:
        self.deadline = deadline
        self.has_unsearched = False
        self._line = compiled_pattern(pattern)
        self._text = None
        if not PER_LINE_ONLY.search(pattern):
            self._text = compiled_pattern(pattern, is_multiline=True)
        self._has_assertions = ASSERTION.search(pattern) is not None
        self._is_literal = not SYNTAX.intersection(pattern)

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self.deadline

    def texts_with_matches(self, texts: Sequence[bytes]) -> list[bool]:
        """Say of each text whether a match begins in it; of large ones, that one may."""
        joined = b"\n".join(texts)
        if self._text is None or len(joined) >= 2 * CHUNK_BYTES:
            return [True] * len(texts)
        may_match = []
        start = 0
        match = self._text.search(joined)
        for text in texts:
            if match and match.start() < start:
                match = self._text.search(joined, start)
            may_match.append(match is not None and match.start() <= start + len(text))
            start += len(text) + 1
        return may_match

    def lines_of(self, text: bytes) -> Iterator[FoundLine]:
        """Yield the matching lines of a text."""
        start = 0
        number = 1
        while start < len(text) and not self.is_late:
            end = text.find(b"\n", start + CHUNK_BYTES) + 1 or len(text)
            yield from self._lines_of_chunk(text[start:end], number)
            number += text.count(b"\n", start, end)
            start = end

    def _lines_of_chunk(self, chunk: bytes, number: int) -> Iterator[FoundLine]:
        """Yield the matching lines of a chunk whose first line has this number.

        In few lines they are looked for one after the other. More lines are halved, and a half is looked at only if it
        holds a match at all.
        """
        text_matcher = None
        if len(chunk) <= bounds.MOST_SEARCHED_LINE_BYTES:
            text_matcher = self._text
        if text_matcher and chunk.count(b"\n") <= MOST_CHUNK_LINES:
            yield from self._lines_at_matches(chunk.removesuffix(b"\n"), number)
            return
        half = len(chunk) // 2
        middle = (chunk.rfind(b"\n", 0, half) + 1) or (chunk.find(b"\n", half) + 1)
        if not 0 < middle < len(chunk):
            yield from self._parts_of_line(chunk.removesuffix(b"\n"), number)
        elif text_matcher is None or text_matcher.search(chunk):
            yield from self._lines_of_chunk(chunk[:middle], number)
            yield from self._lines_of_chunk(chunk[middle:], number + chunk.count(b"\n", 0, middle))

    def _lines_at_matches(self, lines: bytes, number: int) -> Iterator[FoundLine]:
        """Yield the lines in which a match begins, if they match alone as well."""
        assert self._text is not None
        start = 0
        while start <= len(lines):
            match = self._text.search(lines, start)
            if match is None:
                return
            first = lines.rfind(b"\n", start, match.start()) + 1 or start
            end = lines.find(b"\n", match.start())
            line = lines[first:] if end < 0 else lines[first:end]
            yield from self._parts_of_line(line, number + lines.count(b"\n", 0, first))
            start = first + len(line) + 1

    def _parts_of_line(self, line: bytes, number: int) -> Iterator[FoundLine]:
        """Yield a line if it matches; of a long one, the parts around its matches."""
        if len(line) <= LONG_LINE_BYTES:
            if self._line.search(line):
                yield FoundLine(number, decode_line(line))
            return
        excerpt_start = 0
        excerpt_end = -1
        for start, end in self._matches_in_long_line(line):
            if excerpt_end >= 0 and start - EXCERPT_BYTES > excerpt_end:
                yield _excerpt(line, number, excerpt_start, excerpt_end)
                excerpt_end = -1
            if excerpt_end < 0:
                excerpt_start = max(start - EXCERPT_BYTES, 0)
            excerpt_end = min(end + EXCERPT_BYTES, len(line))
            if excerpt_end - excerpt_start > LONG_LINE_BYTES:
                yield _excerpt(line, number, excerpt_start, excerpt_end)
                excerpt_end = -1
        if excerpt_end >= 0:
            yield _excerpt(line, number, excerpt_start, excerpt_end)

    def _matches_in_long_line(self, line: bytes) -> Iterator[tuple[int, int]]:
        """Yield start and end of the matches in a line, which is searched in parts that overlap."""
        part_bytes = bounds.MOST_SEARCHED_LINE_BYTES
        found_to = 0
        """The end of the last match."""
        has_matches = False
        part_start = 0
        while part_start < len(line) and not self.is_late:
            part_end = _at_character(line, min(part_start + part_bytes, len(line)))
            position = max(found_to - part_start, 0)
            part = line[part_start:part_end]
            while position <= len(part):
                match = self._line.search(part, position)
                if match is None:
                    break
                start, end = match.span()
                is_at_edge = (start == 0 and part_start > 0) or (
                    end == len(part) and part_end < len(line)
                )
                if not (is_at_edge and self._has_assertions):
                    has_matches = True
                    yield part_start + start, part_start + end
                    found_to = part_start + end
                position = max(end, start + 1)
            if part_end == len(line):
                break
            part_start = _at_character(line, part_end - OVERLAP_BYTES)
        is_in_parts = len(line) > part_bytes
        if is_in_parts and not has_matches and not self._is_literal:
            self.has_unsearched = True


def _excerpt(line: bytes, number: int, start: int, end: int) -> FoundLine:
    start = _at_character(line, start)
    end = _at_character(line, end)
    return FoundLine(number, decode_line(line[start:end]), offset=start)


def _at_character(line: bytes, position: int) -> int:
    """Return the nearest place before a position at which a character begins in UTF-8."""
    for place in range(position, max(position - 4, 0), -1):
        if place == len(line) or line[place] & 0xC0 != 0x80:
            return place
    return position
