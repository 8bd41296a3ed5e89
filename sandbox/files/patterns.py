"""Regular expressions of scripts and tasks: RE2 syntax, matched in time linear in the text.

RE2 is also what a platform written in Go takes, so a pattern that is refused here is refused there. Within the bound on
its size, a pattern from a stranger needs neither a process nor a watchdog of its own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import re2

from sandbox.interface import error_codes
from sandbox.interface.error_codes import CallError

MAX_PATTERN_CHARS: Final = 4_000
MAX_PROGRAM_SIZE: Final = 4_000
"""Max instructions of a compiled pattern: the time for one byte of text is at most proportional to them."""
MAX_LINE_BYTES: Final = 250_000
"""Bytes of one line that are searched; what stands behind them is not matched."""
SEARCH_S: Final = 10.0
"""Max seconds of one search."""
_CHUNK_BYTES: Final = 65_536
"""Bytes searched between two looks at the clock."""
_REMEDIES: Final = (
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
_PER_LINE_ONLY: Final = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
"""What means something else in a text of several lines, even where `^` and `$` match at each of them."""


def refusal(pattern: str, reason: str) -> str:
    """Return the message for a pattern that RE2 does not take: the reason, and what to write instead."""
    shown = pattern if len(pattern) <= 200 else f"{pattern[:200]}…"
    advice = next((remedy for sign, remedy in _REMEDIES if re.search(sign, pattern)), "patterns have the syntax of RE2")
    return f"error parsing regexp `{shown}`: {reason}; {advice}"


@lru_cache(maxsize=256)
def compiled_pattern(pattern: str, *, is_multiline: bool = False) -> Any:
    """Return the matcher of a pattern, which takes text or UTF-8 bytes as those of `re` do.

    Raises `CallError` (`invalid_argument`) for what RE2 does not read and for a pattern that is too large.
    """
    if len(pattern) > MAX_PATTERN_CHARS:
        msg = f"a pattern has at most {MAX_PATTERN_CHARS} characters, not {len(pattern)}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    options = re2.Options()
    options.log_errors = False
    try:
        matcher = re2.compile(f"(?m){pattern}" if is_multiline else pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0] if error.args and not isinstance(error, UnicodeEncodeError) else "a lone surrogate"
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise CallError(error_codes.INVALID_ARGUMENT, refusal(pattern, said)) from None
    if matcher.programsize > MAX_PROGRAM_SIZE:
        msg = f"the pattern {pattern[:200]!r} is too large when its repetitions are written out; repeat less"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    return matcher


class LineSearch:
    """Finds the lines of texts that a pattern matches; lines end with a line feed, and count from 1.

    Raises `CallError`: `invalid_argument` for the pattern, `deadline_exceeded` after `SEARCH_S` for all texts together.
    """

    def __init__(self, pattern: str) -> None:
        self._line = compiled_pattern(pattern)
        self._text = None if _PER_LINE_ONLY.search(pattern) else compiled_pattern(pattern, is_multiline=True)
        self._deadline = time.monotonic() + SEARCH_S

    def lines_of(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each matching line, without its end."""
        data = text.encode("utf-8", "surrogatepass")
        start, number = 0, 1
        while start < len(data):
            if time.monotonic() > self._deadline:
                msg = f"the search took longer than {SEARCH_S:g} s; search a smaller folder, or a simpler pattern"
                raise CallError(error_codes.DEADLINE_EXCEEDED, msg)
            end = data.find(b"\n", start + _CHUNK_BYTES) + 1 or len(data)
            chunk = data[start:end]
            if self._text is None or len(chunk) > 2 * MAX_LINE_BYTES or self._text.search(chunk):
                for offset, line in enumerate(chunk.removesuffix(b"\n").split(b"\n")):
                    if self._line.search(line.removesuffix(b"\r")[:MAX_LINE_BYTES]):
                        yield number + offset, line.removesuffix(b"\r").decode("utf-8", "surrogatepass")
            number += chunk.count(b"\n")
            start = end
