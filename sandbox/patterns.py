"""Regular expressions from scripts, matched in the parent: patterns that could take exponential time are refused."""

from __future__ import annotations

import re
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from sandbox.operations import INVALID_ARGUMENT, CallError

MAX_PATTERN_CHARS = 1_000


def compile_linear_enough(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern. Raises `CallError` (`invalid_argument`) where it is invalid, too long or nested."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise CallError(INVALID_ARGUMENT, f"the pattern has {len(pattern)} characters; at most {MAX_PATTERN_CHARS}")
    try:
        parsed = parser.parse(pattern)
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise CallError(INVALID_ARGUMENT, f"{pattern!r} is no regular expression: {error}") from None
    if _repeats_a_repetition(parsed, inside=False):
        msg = f"{pattern!r} repeats a repetition, which can take forever; write it without nesting"
        raise CallError(INVALID_ARGUMENT, msg)
    return compiled


def _repeats_a_repetition(node: Any, *, inside: bool) -> bool:
    if isinstance(node, tuple) and len(node) == 2 and node[0] in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        low, high, body = node[1]
        varies = low != high and high > 1
        return (inside and varies) or _repeats_a_repetition(body, inside=inside or varies)
    if isinstance(node, tuple | list | parser.SubPattern):
        return any(_repeats_a_repetition(each, inside=inside) for each in node)
    return False
