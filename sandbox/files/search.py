"""The search for lines of files that match a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

import re2

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError

# A text cut into chunks: consecutive whole lines that are searched together.
#
# Lines end with a line feed. The last line of a text may end without one.

_CHUNK_BYTES: Final = 8_192
"""A chunk ends with the line in which it reaches this many bytes."""


def chunks_of(text: bytes) -> Iterator[bytes]:
    """Yield the chunks of a text, in order."""
    start = 0
    while start < len(text):
        line_feed = text.find(b"\n", start + _CHUNK_BYTES)
        end = len(text) if line_feed < 0 else line_feed + 1
        yield text[start:end]
        start = end


# Regular expressions in the syntax of RE2, which never backtracks.
#
# That is the syntax of `re` without look-around and back references. Matching takes time
# that is linear in the text.

_SHOWN_PATTERN_CHARS: Final = 200
"""Characters of a pattern that an error message quotes."""

_MAX_INSTRUCTIONS: Final = 4_000
"""The most instructions of a compiled pattern.
The time to match one byte grows with their number."""


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
    except (UnicodeEncodeError, re2.error) as error:
        raise CallError(INVALID_ARGUMENT, refusal(pattern, _reason(error))) from None

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


def refusal(pattern: str, reason: str) -> str:
    """Return the message for a pattern that RE2 refuses: the reason, and what to write instead."""
    shown = pattern
    if len(pattern) > _SHOWN_PATTERN_CHARS:
        shown = f"{pattern[:_SHOWN_PATTERN_CHARS]}…"
    return f"error parsing regexp `{shown}`: {reason}; {_remedy(pattern)}"


def _remedy(pattern: str) -> str:
    """Return what to write instead of the syntax that RE2 does not have, if the pattern uses any."""
    for missing in _MISSING_SYNTAX:
        if re.search(missing.syntax, pattern):
            return missing.remedy
    return "patterns have the syntax of RE2"


class _MissingSyntax(NamedTuple):
    """Syntax of `re` that RE2 does not have."""

    syntax: str
    """A pattern that finds it."""
    remedy: str
    """What to write instead."""


_MISSING_SYNTAX: Final = (
    _MissingSyntax(
        r"\(\?<?[=!]",  # (?=x) (?!x) (?<=x) (?<!x)
        "RE2 has no look-around: match the text around it too, and filter the lines in Python",
    ),
    _MissingSyntax(
        r"\\[1-9]|\(\?P=",  # \1 (?P=name)
        "RE2 has no back references: match both parts, and compare them in Python",
    ),
    _MissingSyntax(
        r"[*+?}]\+|\(\?>",  # x*+ (?>x)
        "RE2 has no possessive or atomic groups: write the plain repetition",
    ),
    _MissingSyntax(
        r"\\Z",  # \Z
        r"RE2 writes the end of the text as \z, and the end of a line as $",
    ),
    _MissingSyntax(
        r"\\[uUN]",  # \u20AC \N{EURO SIGN}
        r"RE2 writes a character by its number as \x{20AC}, or as itself",
    ),
    _MissingSyntax(
        r"\(\?\(",  # (?(1)x|y)
        "RE2 has no conditional groups: write the cases as alternatives",
    ),
)
