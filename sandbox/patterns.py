"""Regular expressions from scripts, matched in the parent, in time that no pattern can make exponential.

The library's engine backtracks, and holds the interpreter while it does. So it gets only what it does quickly: patterns
with at most two open repetitions, on lines short enough for them. The rest is matched by following all possibilities
at once, one character after another. What neither can do is refused.
"""

from __future__ import annotations

import math
import re
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

from sandbox.operations import INVALID_ARGUMENT, RESOURCE_EXHAUSTED, CallError

MAX_PATTERN_CHARS: Final = 1_000
MAX_STATES: Final = 2_000
MAX_CACHED_MOVES: Final = 20_000
MAX_SLOW_CHARS: Final = 3_000_000
"""How much text a costly pattern is matched on in one search: about a second of work."""
QUICK_LINE: Final = {0: 1_000_000, 1: 3_000, 2: 250}
"""By the number of open repetitions: the longest line that the library's engine gets."""
_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT)
_OPEN: Final = 20
"""A repetition of so many times or more counts as open."""
_SMALL: Final = 0.25
"""What another one, as `?`, counts for."""


class LineMatcher:
    """A compiled pattern that says whether it is found in a line."""

    def __init__(self, pattern: str, quick: re.Pattern[str], parsed: Any) -> None:
        self._pattern = pattern
        self._quick = quick
        self._parsed = parsed
        is_steep, opened = _cost(parsed, inside=False)
        self._quick_chars = 0 if is_steep else QUICK_LINE.get(math.ceil(opened), 0)
        self._slow: _States | None = None
        self._slow_chars = 0
        if not self._quick_chars:
            self._slow = self._states()

    def search(self, line: str) -> bool:
        """Say whether the pattern is found in the line. Raises `CallError` where the line is too long for it."""
        if len(line) <= self._quick_chars:
            return self._quick.search(line) is not None
        if self._slow is None:
            self._slow = self._states()
        self._slow_chars += len(line)
        if self._slow_chars > MAX_SLOW_CHARS:
            msg = f"{self._pattern!r} takes too long on so much text; write it more simply, or search below a folder"
            raise CallError(RESOURCE_EXHAUSTED, msg)
        return self._slow.search(line)

    def _states(self) -> _States:
        try:
            return _States(self._parsed)
        except _Unsupported as error:
            msg = f"{self._pattern!r} can take too long: {error} beside so many repetitions; write it more simply"
            raise CallError(INVALID_ARGUMENT, msg) from None


def compile_linear_enough(pattern: str) -> LineMatcher:
    """Return the compiled pattern. Raises `CallError` (`invalid_argument`) for one that is invalid or too costly."""
    if len(pattern) > MAX_PATTERN_CHARS:
        msg = f"the pattern has {len(pattern)} characters; at most {MAX_PATTERN_CHARS}"
        raise CallError(INVALID_ARGUMENT, msg)
    try:
        return LineMatcher(pattern, re.compile(pattern), parser.parse(pattern))
    except (re.error, OverflowError, RecursionError) as error:
        msg = f"{pattern!r} is no regular expression: {error}"
        raise CallError(INVALID_ARGUMENT, msg) from None


def _cost(node: Any, *, inside: bool) -> tuple[bool, float]:
    """Return whether a repetition is inside another (or alternatives are), and how many repetitions vary in all.

    One that varies by little counts as a part of an open one.
    """
    if isinstance(node, tuple) and len(node) == 2 and node[0] in _REPEATS:
        low, high, body = node[1]
        is_steep, opened = _cost(body, inside=inside or high > 1)
        if low == high:
            return is_steep, opened
        return is_steep or inside, opened + (1 if high >= _OPEN else _SMALL)
    if isinstance(node, tuple) and len(node) == 2 and node[0] is codes.BRANCH and inside:
        return True, 0
    if isinstance(node, tuple | list | parser.SubPattern):
        parts = [_cost(each, inside=inside) for each in node]
        return any(is_steep for is_steep, _ in parts), sum(opened for _, opened in parts)
    return False, 0


class _Unsupported(Exception):
    """A part of a pattern that cannot be followed without going back."""


_START, _WORD, _OTHER, _END = range(4)
"""What stands beside a position: nothing yet, a letter of a word, another character, nothing more."""


class _States:
    """All possibilities of a pattern at once: each state waits for one character, or for a condition on a position."""

    def __init__(self, parsed: Any) -> None:
        self._state = parsed.state
        self._tests: list[Any] = []
        """By state: a pattern of one character, a position (int), or None for a fork."""
        self._next: list[tuple[int, ...]] = []
        self._accept = self._add(None, ())
        self._begin = self._chain(list(parsed), self._accept)
        self._moves: dict[tuple[frozenset[int], int, str], tuple[bool, frozenset[int]]] = {}

    def search(self, line: str) -> bool:
        here = frozenset((self._begin,))
        before = _START
        for character in line:
            key = (here, before, character)
            move = self._moves.get(key)
            if move is None:
                move = self._move(here, before, character)
                if len(self._moves) < MAX_CACHED_MOVES:
                    self._moves[key] = move
            found, here = move
            if found:
                return True
            before = _kind(character)
        return self._accept in self._reached(here, before, _END)

    def _move(self, here: frozenset[int], before: int, character: str) -> tuple[bool, frozenset[int]]:
        reached = self._reached(here, before, _kind(character))
        after = {self._begin}
        for state in reached:
            test = self._tests[state]
            if isinstance(test, re.Pattern) and test.match(character):
                after.update(self._next[state])
        return self._accept in reached, frozenset(after)

    def _reached(self, here: frozenset[int], before: int, after: int) -> set[int]:
        reached: set[int] = set()
        waiting = list(here)
        while waiting:
            state = waiting.pop()
            if state in reached:
                continue
            reached.add(state)
            test = self._tests[state]
            if test is None or (isinstance(test, tuple) and _holds(test[0], before, after)):
                waiting.extend(self._next[state])
        return reached

    def _add(self, test: Any, following: tuple[int, ...]) -> int:
        if len(self._tests) >= MAX_STATES:
            msg = "too many counted repetitions"
            raise _Unsupported(msg)
        self._tests.append(test)
        self._next.append(following)
        return len(self._tests) - 1

    def _chain(self, nodes: list[Any], following: int) -> int:
        for node in reversed(nodes):
            following = self._one(node, following)
        return following

    def _one(self, node: Any, following: int) -> int:
        code, value = node
        if code in (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN):
            single = compiler.compile(parser.SubPattern(self._state, [node]))
            return self._add(single, (following,))
        if code is codes.BRANCH:
            return self._add(None, tuple(self._chain(list(each), following) for each in value[1]))
        if code is codes.SUBPATTERN and not value[1] and not value[2]:
            return self._chain(list(value[3]), following)
        if code in _REPEATS:
            return self._repeated(value[0], value[1], value[2], following)
        if code is codes.AT:
            return self._add((value,), (following,))
        msg = str(code).lower().replace("_", " ")
        raise _Unsupported(msg)

    def _repeated(self, low: int, high: Any, body: Any, following: int) -> int:
        nodes = list(body)
        if high is codes.MAXREPEAT:
            again = self._add(None, ())
            self._next[again] = (self._chain(nodes, again), following)
            following = again
        else:
            for _ in range(high - low):
                following = self._add(None, (self._chain(nodes, following), following))
        for _ in range(low):
            following = self._chain(nodes, following)
        return following


def _kind(character: str) -> int:
    return _WORD if character.isalnum() or character == "_" else _OTHER


def _holds(position: Any, before: int, after: int) -> bool:
    if position in (codes.AT_BEGINNING, codes.AT_BEGINNING_STRING):
        return before == _START
    if position in (codes.AT_END, codes.AT_END_STRING):
        return after == _END
    if position in (codes.AT_BOUNDARY, codes.AT_NON_BOUNDARY):
        return ((before == _WORD) != (after == _WORD)) == (position is codes.AT_BOUNDARY)
    return False
