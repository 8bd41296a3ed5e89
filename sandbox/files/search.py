"""The search for lines of texts that match a regular expression."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

import re2

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError
from controlplane.sandbox.interface.operations import Plain

# Regular expressions in the syntax of RE2, which never backtracks.
#
# That is the syntax of `re` without look-around and back references. Matching takes time
# that is linear in the text.

_SHOWN_PATTERN_CHARS: Final = 200
"""Characters of a pattern that an error message quotes."""

_MAX_INSTRUCTIONS: Final = 4_000
"""The most instructions of a compiled pattern.
The time to match one byte grows with their number."""


_MOST_KEPT_PATTERNS: Final = 32
"""The most compiled patterns that are kept. Each may take three megabytes once it has searched, and
scripts may bring any number of them."""


@lru_cache(maxsize=_MOST_KEPT_PATTERNS)
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
    except (UnicodeEncodeError, re2.error) as error:
        raise CallError(INVALID_ARGUMENT, _refusal(pattern, _reason(error))) from None
    re2.purge()  # The library would keep many more.

    # `(abc){900}` is short, but compiled into 900 copies of `abc`.
    if compiled.programsize > _MAX_INSTRUCTIONS:
        shown = repr(pattern[:_SHOWN_PATTERN_CHARS])
        msg = f"the pattern {shown} is too large when its repetitions are written out; repeat less"
        raise CallError(INVALID_ARGUMENT, msg)
    return compiled


def _reason(error: Exception) -> str:
    """Return why RE2 refuses a pattern, such as `missing ): (a`."""
    # A lone surrogate cannot be written in UTF-8. RE2 then gives no reason.
    if isinstance(error, UnicodeEncodeError) or not error.args:
        return "a lone surrogate"
    reason = error.args[0]
    if isinstance(reason, bytes):
        return reason.decode("utf-8", "replace")
    return str(reason)


def _refusal(pattern: str, reason: str) -> str:
    """Return the message for a pattern that RE2 refuses: the reason, and what to write instead."""
    shown = pattern
    if len(pattern) > _SHOWN_PATTERN_CHARS:
        shown = f"{pattern[:_SHOWN_PATTERN_CHARS]}…"
    return f"error parsing regexp `{shown}`: {reason}; {_remedy(pattern)}"


_REMEDIES: Final = {
    # (?=x) (?!x) (?<=x) (?<!x)
    r"\(\?<?[=!]": "RE2 has no look-around: match the text around it too, and filter the lines in Python",
    # \1 (?P=name)
    r"\\[1-9]|\(\?P=": "RE2 has no back references: match both parts, and compare them in Python",
    # x*+ (?>x)
    r"[*+?}]\+|\(\?>": "RE2 has no possessive or atomic groups: write the plain repetition",
    # \Z
    r"\\Z": r"RE2 writes the end of the text as \z, and the end of a line as $",
    # \u20AC \N{EURO SIGN}
    r"\\[uUN]": r"RE2 writes a character by its number as \x{20AC}, or as itself",
    # (?(1)x|y)
    r"\(\?\(": "RE2 has no conditional groups: write the cases as alternatives",
}
"""What to write instead of syntax of `re` that RE2 does not have, by a pattern that finds the syntax."""


def _remedy(pattern: str) -> str:
    """Return what to write instead of the syntax that RE2 does not have, if the pattern uses any."""
    for missing_syntax, remedy in _REMEDIES.items():
        if re.search(missing_syntax, pattern):
            return remedy
    return "patterns have the syntax of RE2"


# A text cut into chunks: consecutive whole lines that are searched together.
#
# Lines end with a line feed. The last line of a text may end without one.

_CHUNK_BYTES: Final = 8_192
"""A chunk ends with the line in which it reaches this many bytes."""


def _chunks_of(text: bytes) -> Iterator[bytes]:
    """Yield the chunks of a text, in order."""
    start = 0
    while start < len(text):
        line_feed = text.find(b"\n", start + _CHUNK_BYTES)
        end = len(text) if line_feed < 0 else line_feed + 1
        yield text[start:end]
        start = end


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


_MAX_MARKS: Final = 30
"""The most marks after a letter that a normal form keeps, as Unicode's own format for streams does."""

_MARKS_OR_SIGNS: Final = re.compile(r"(?:[^\w\s\x00-\x7f]|[ﾞﾟ]){31,}")
"""Matches more than `_MAX_MARKS` consecutive marks, but also signs such as `═══`. The last two are
marks of Japanese letters of half width."""


def _normal_text(text: bytes) -> bytes | None:
    """Return a text in its normal form (NFKC); None if it already is in that form."""
    if text.isascii() or not _REPLACED_CHARACTERS.search(text):
        return None
    normal = unicodedata.normalize("NFKC", with_few_marks(_decoded(text)))
    return normal.encode("utf-8", "surrogatepass")


def with_few_marks(text: str) -> str:
    """Return a text in which no letter has more marks, such as accents, than one of a language has.

    Python sorts them for a normal form, in a time that grows with the square of their number: minutes
    for half a megabyte of marks on one letter. `normal_text` of the gates, which import no search, has
    the same function.
    """
    return _MARKS_OR_SIGNS.sub(_first_marks, text)


def _first_marks(run: re.Match[str]) -> str:
    """Return a run of marks and signs as it is; with too many marks, only its beginning."""
    marks = 0
    for character in run[0]:
        decomposed = unicodedata.normalize("NFKD", character)
        marks += unicodedata.combining(decomposed[0]) > 0
    return run[0][:_MAX_MARKS] if marks > _MAX_MARKS else run[0]


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


def _decoded(text: bytes) -> str:
    """Return the text of bytes in UTF-8. U+FFFD replaces bytes that are not valid UTF-8."""
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace")


# A pattern as it is searched for: in one line, or in a text of several lines.

_SYNTAX_CHARACTERS: Final = frozenset(r"\.^$|?*+()[]{}")
"""A pattern without any of these characters matches only itself."""

_MEANS_OTHERWISE_IN_SEVERAL_LINES: Final = re.compile(
    r"\\[Az]"  # `\A` and `\z`: the start and the end of the whole text
    r"|\(\?[a-zA-Z]*-"  # `(?-m)` and `(?i-s)`: flags that are turned off
)
"""Finds syntax that has a different meaning in a text of several lines, even if `^` and
`$` match at every line."""


class _Pattern:
    """A pattern of RE2, compiled. Raises `CallError` if it is not correct."""

    def __init__(self, pattern: str) -> None:
        self.in_line = compiled_pattern(pattern)
        """For a single line."""
        self._in_text: Any | None = None
        """For several lines at once; None if the pattern would mean something else there."""
        if not _MEANS_OTHERWISE_IN_SEVERAL_LINES.search(pattern):
            self._in_text = compiled_pattern(pattern, is_multiline=True)
        self.is_literal = not _SYNTAX_CHARACTERS.intersection(pattern)
        """True if the pattern matches only itself."""

    def may_match(self, text: bytes) -> bool:
        """Return False if no line of a text matches."""
        # A very long line is searched in parts, and a pattern such as `\\Aa` in single lines.
        if len(text) > bounds.MOST_SEARCHED_LINE_BYTES or self._in_text is None:
            return True
        return self._in_text.search(text) is not None


# Finds the lines of a text that match a pattern.
#
# A line of a megabyte is too long to be shown: of a long line, the part around each match is. It
# may be too long to be searched at once, too. Then it is searched in parts, which overlap:
#
#     line       ..............................
#     part 1     ==================
#     part 2                   =================
#     overlap                  =====             each match up to this length is whole in a part
#
# RE2 sees what stands before and behind a part. So `word$` matches only at the end of the line.

_OVERLAP_BYTES: Final = 25_000
"""Bytes that two neighbouring parts of a very long line share. A pattern has fewer, so that a literal
one is whole in one of the parts."""

_LONG_LINE_BYTES: Final = 4_000
"""Longer lines are shown as excerpts, because a model would overlook the match in a whole line."""

_BYTES_AROUND_MATCH: Final = 500
"""Bytes that an excerpt shows before and after a match."""


class _Span(NamedTuple):
    """The bytes from `start` up to `end` of a line."""

    start: int
    end: int


class _FoundLine(NamedTuple):
    """A line that matches, or an excerpt of a long line around a match."""

    number: int
    """Lines are counted from 1."""
    text: str
    offset: int | None = None
    """The number of bytes of the line before the excerpt; None for a whole line."""


class LineSearch:
    """Finds the lines that match a pattern, in any number of texts.

    In the text `b"due\\nlate\\n"`, the pattern `^l` finds `_FoundLine(2, "late")`.

    A text is searched as it is written, and if necessary again in the normal form of Unicode,
    in which an `é` of two characters (`e` and an accent) becomes one. The search stops when
    all texts together have taken `timeout_s` seconds.
    """

    def __init__(self, pattern: str, timeout_s: float) -> None:
        """Raises `CallError` (`invalid_argument`) if the pattern is not correct."""
        self._deadline = time.monotonic() + timeout_s
        self._pattern = _Pattern(pattern)
        pattern_in_normal_form = _normal_pattern(pattern)
        self._pattern_differs = pattern_in_normal_form != pattern
        """True if the pattern is not in normal form, such as `ｃａｆé` in letters of full width."""
        self._normal_pattern = self._pattern
        if self._pattern_differs:
            self._normal_pattern = _Pattern(pattern_in_normal_form)
        self.may_have_missed_match = False
        """True if no match was found in a line that was searched in parts.
        A match that is longer than their overlap would not be found."""

    @property
    def is_late(self) -> bool:
        """True if the time is over, so that the remaining texts were not searched."""
        return time.monotonic() > self._deadline

    def may_match(self, texts: Sequence[bytes]) -> bool:
        """Return False if no line of any of these texts matches: one search tells it for all."""
        joined = b"\n".join(texts)
        # Other texts are searched in another form as well, or without their carriage returns.
        if self._pattern_differs or not joined.isascii() or b"\r" in joined:
            return True
        return self._pattern.may_match(joined)

    def lines_of(self, text: bytes) -> Iterator[_FoundLine]:
        """Yield each matching line of a UTF-8 text, in order."""
        text = _with_line_feeds(text)
        lines = self._lines_of(self._pattern, text)
        normal_text = _normal_text(text)
        if normal_text is None and not self._pattern_differs:
            yield from lines  # A second search would find the same lines.
            return

        # Both forms of the text have the same line feeds, and so the same numbers of lines.
        all_lines = list(lines)
        numbers = {line.number for line in all_lines}
        written_lines = text.split(b"\n")
        if normal_text is None:
            normal_text = text
        for line in self._lines_of(self._normal_pattern, normal_text):
            if line.number in numbers:
                continue
            if line.offset is None:  # A whole line is shown as it is written.
                as_written = written_lines[line.number - 1]
                line = _FoundLine(line.number, _decoded(as_written))
            all_lines.append(line)
        all_lines.sort(key=lambda line: line.number)
        yield from all_lines

    def _lines_of(self, pattern: _Pattern, text: bytes) -> Iterator[_FoundLine]:
        """Yield the lines of a text that match a pattern, until the deadline is over.

        Most lines do not match. So a chunk of many lines is searched as a whole first, and its
        lines only if the pattern matches somewhere in it. (A match may go over several lines, of
        which none matches alone.)
        """
        first_number = 1
        for chunk in _chunks_of(text):
            if self.is_late:
                return
            if pattern.may_match(chunk):
                lines = chunk.removesuffix(b"\n").split(b"\n")
                for number, line in enumerate(lines, first_number):
                    if len(line) > _LONG_LINE_BYTES:
                        matches = self._matches_in(pattern, line)
                        yield from _excerpts(number, line, matches)
                    elif pattern.in_line.search(line):
                        yield _FoundLine(number, _decoded(line))
            first_number += chunk.count(b"\n")

    def _matches_in(self, pattern: _Pattern, line: bytes) -> Iterator[_Span]:
        """Yield the matches in a long line, until the deadline is over.

        A match such as that of `a+` may be cut in two at the end of a part. The next part begins
        there, and finds its rest as a match of its own.
        """
        has_matched = False
        position = 0
        while position <= len(line) and not self.is_late:
            end = min(position + bounds.MOST_SEARCHED_LINE_BYTES, len(line))
            match = pattern.in_line.search(line, position, end)
            if match is not None:
                has_matched = True
                yield _Span(match.start(), match.end())
                # An empty match must not be found again.
                position = max(match.end(), match.start() + 1)
            elif end == len(line):
                break
            else:
                position = end - _OVERLAP_BYTES

        is_in_parts = len(line) > bounds.MOST_SEARCHED_LINE_BYTES
        if is_in_parts and not has_matched and not pattern.is_literal:
            self.may_have_missed_match = True


def _excerpts(
    number: int, line: bytes, matches: Iterable[_Span]
) -> Iterator[_FoundLine]:
    """Yield each match in a long line with `_BYTES_AROUND_MATCH` on both sides.

    Excerpts that overlap become one. Matches at 1000, 1300 and 9000, of 10 bytes each, give
    the bytes 500 to 1810 and 8500 to 9510. An excerpt ends as soon as it is longer than
    `_LONG_LINE_BYTES`; that of the next match may then overlap it.
    """
    current: _Span | None = None
    for match in matches:
        start = max(match.start - _BYTES_AROUND_MATCH, 0)
        end = min(match.end + _BYTES_AROUND_MATCH, len(line))
        if current is not None and start <= current.end:
            start = current.start
        elif current is not None:
            yield _excerpt(number, line, current)
        current = _Span(start, end)

        if end - start > _LONG_LINE_BYTES:
            yield _excerpt(number, line, current)
            current = None  # The next match begins a new one.
    if current is not None:
        yield _excerpt(number, line, current)


def _excerpt(number: int, line: bytes, span: _Span) -> _FoundLine:
    """Return a part of a line, from the characters on that its first and its last byte belong to."""
    start = _character_start(line, span.start)
    end = _character_start(line, span.end)
    return _FoundLine(number, _decoded(line[start:end]), start)


_MOST_LATER_BYTES: Final = 3
"""The most bytes of a character in UTF-8 after its first one. They are `0b10......`."""


def _character_start(line: bytes, position: int) -> int:
    """Return the position at which the character at a position begins in UTF-8.

    In `"é!".encode()`, `é` takes the bytes 0 and 1: position 1 -> 0.
    """
    for candidate in range(position, max(position - _MOST_LATER_BYTES, 0), -1):
        byte_there = line[candidate : candidate + 1]  # empty at the end of the line
        if not b"\x80" <= byte_there < b"\xc0":
            return candidate
    return max(position - _MOST_LATER_BYTES, 0)


def _with_line_feeds(text: bytes) -> bytes:
    """Return a text with a line feed alone between its lines: `a\\r\\nb` -> `a\\nb`.

    A carriage return at the very end is removed, too.
    """
    return text.replace(b"\r\n", b"\n").removesuffix(b"\r")


# The result of a search in files: the matching lines, and how many files were searched.
#
# {
#     "matches": [{"path": "/docs/a.md", "line": 12, "text": "at most 3 days"}],
#     "truncated": True,
#     "searched": "3 of 10 files; narrow it by root or files",
# }

SEARCH_S: Final = 3.0
"""The longest time of one search, because the parent waits for it."""
_MOST_BATCH_TEXTS: Final = 64
"""The most texts that are first searched together."""
_MOST_MATCHES: Final = 1_200
"""Matches that one search returns."""
_MOST_MATCH_CHARS: Final = 600_000
"""Characters of all lines that one search returns.
Even with every character escaped, they fit one message."""
_MOST_CONTEXT_LINES: Final = 20
"""The most lines that a search shows before and after
a match. To see more, a script can read the file."""


def search_files(
    search: LineSearch,
    texts: Iterable[tuple[str, bytes]],
    file_count: int,
    *,
    limit: int,
    context: int,
    files_only: bool,
) -> dict[str, Plain]:
    """Search the texts of `file_count` files until a limit of time or size is reached.

    `texts` are pairs of a path and a text in UTF-8. Returns at most `limit` `matches` (0:
    `_MOST_MATCHES`), each with `context` lines around it; with `files_only`, the first one of each
    file. `truncated` is true if not all could be searched, and `searched` says how many files were.
    """
    most_matches = limit if 0 < limit < _MOST_MATCHES else _MOST_MATCHES
    context_lines = max(0, min(context, _MOST_CONTEXT_LINES))
    matches: list[Plain] = []
    remaining_chars = _MOST_MATCH_CHARS
    searched_files = 0
    is_full = False  # True if a match was left out because there is no room for it.
    for path, text in _without_unmatched(search, texts):
        lines = search.lines_of(text)
        if files_only:
            lines = islice(lines, 1)
        for match in _matches_to_show(path, text, lines, context_lines):
            remaining_chars -= len(str(match["text"]))
            if remaining_chars < 0 or len(matches) >= most_matches:
                is_full = True
                break
            matches.append(match)
        if is_full or search.is_late:
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
        "matches": matches,
        "truncated": is_cut or search.may_have_missed_match,
        "searched": report,
    }


def _without_unmatched(
    search: LineSearch, texts: Iterable[tuple[str, bytes]]
) -> Iterator[tuple[str, bytes]]:
    """Yield the texts with their paths, an empty one for each that is known not to match.

    Most texts are small and do not match, and one search in several of them is much faster than one
    in each.
    """
    for batch in _batches_of(texts):
        may_match = search.may_match([text for _, text in batch])
        for path, text in batch:
            yield path, text if may_match else b""


def _batches_of(
    texts: Iterable[tuple[str, bytes]],
) -> Iterator[list[tuple[str, bytes]]]:
    """Yield the texts in batches, of about the size of a chunk, that are searched together."""
    batch: list[tuple[str, bytes]] = []
    batch_bytes = 0
    for path, text in texts:
        batch.append((path, text))
        batch_bytes += len(text)
        if batch_bytes >= _CHUNK_BYTES or len(batch) == _MOST_BATCH_TEXTS:
            yield batch
            batch = []
            batch_bytes = 0
    yield batch


def _matches_to_show(
    path: str, text: bytes, lines: Iterable[_FoundLine], context_lines: int
) -> Iterator[dict[str, Plain]]:
    """Yield the matching lines of a file with their context. No line is shown twice."""
    all_lines: list[bytes] = []  # Those of the text, once they are needed.
    last_shown_line = 0
    for line in lines:
        match: dict[str, Plain] = {
            "path": path,
            "line": line.number,
            "text": line.text,
        }
        if line.offset is not None:
            # The text is an excerpt of a long line. It is shown without other lines, and with the
            # character of the file at which a script can read on.
            match["char"] = _char_of(text, line.number, line.offset)
        elif context_lines:
            # With a context of 2, the matches in the lines 10 and 12 show the lines 8 to 12,
            # and 13 to 14.
            all_lines = all_lines or text.split(b"\n")
            first_line = max(line.number - context_lines, last_shown_line + 1)
            last_shown_line = line.number + context_lines
            passage = _decoded(b"\n".join(all_lines[first_line - 1 : last_shown_line]))
            if not passage:
                continue  # The passages of earlier matches show this line and its context.
            match["first"] = first_line
            match["text"] = passage
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
    before = _decoded(text[: line_start + offset])
    return len(before) + 1
