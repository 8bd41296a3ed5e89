"""Matches regular expressions from scripts in the parent, without exponential time.

Python's `re` backtracks and holds the interpreter lock while it does. It therefore gets only lines on which the pattern
takes few steps in the worst case. Other lines are matched by a state machine (Thompson's construction), one character
at a time. Patterns that neither engine supports, and searches over the time limit, are refused.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import reduce
from re import _compiler as compiler  # type: ignore[attr-defined]  # not in the stubs
from re import _constants as codes  # type: ignore[attr-defined]  # not in the stubs
from re import _parser as parser  # type: ignore[attr-defined]  # not in the stubs
from typing import Any, Final, NoReturn

from sandbox.interface.error_codes import INVALID_ARGUMENT, RESOURCE_EXHAUSTED
from sandbox.interface.operations import CallError

MAX_PATTERN_CHARS: Final = 1_000
MAX_STATES: Final = 2_000
MAX_RANGED_CHARS: Final = 1_000_000
"""Characters in all ranges of a pattern together, because compiling it may visit each of them."""
MAX_CACHED_STATES: Final = 200_000
"""Size of the transition cache in target states, about 20 MB."""
MAX_SECONDS: Final = 0.8
"""CPU seconds for one search, so that a step that waits for it ends on time."""
QUICK_STEPS: Final = 9_000_000
"""Steps that `re` may take on one line."""
_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_REFERENCES: Final = (codes.GROUPREF, codes.GROUPREF_EXISTS)
_OPEN: Final = 20
"""A repetition whose bounds differ by this much or more counts as unbounded."""
_FREE_CHARS: Final = 20
"""Characters compared in a row in the time of one step."""


class LineMatcher:
    """A compiled pattern that is searched for in lines."""

    def __init__(self, pattern: str, quick: re.Pattern[str], parsed: Any) -> None:
        self._pattern = pattern
        self._quick = quick
        self._parsed = parsed
        self._quick_chars = _cost(parsed, inside=False).quick_chars()
        self._seconds = 0.0
        self._slow: _States | None = None
        if not self._quick_chars:
            self._slow = self._states()

    def search(self, line: str) -> bool:
        """Return whether the line contains a match. Raises `CallError` if the search takes too long."""
        started = time.thread_time()
        if self._seconds > MAX_SECONDS:
            self._refuse()
        if len(line) <= self._quick_chars:
            is_found = self._quick.search(line) is not None
        else:
            is_found = self._search_slowly(line, started + MAX_SECONDS)
        self._seconds += time.thread_time() - started
        return is_found

    def _search_slowly(self, line: str, deadline: float) -> bool:
        if self._slow is None:
            self._slow = self._states()
        found = self._slow.search(line, deadline)
        return self._refuse() if found is None else found

    def _refuse(self) -> NoReturn:
        msg = f"{self._pattern!r} takes too long on so much text; write it more simply, or search below a folder"
        raise CallError(RESOURCE_EXHAUSTED, msg)

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
        parsed = parser.parse(pattern)
        if _ranged(parsed) > MAX_RANGED_CHARS:
            msg = f"{pattern!r} has too many wide ranges of characters; write it more simply"
            raise CallError(INVALID_ARGUMENT, msg)
        return LineMatcher(pattern, re.compile(pattern), parsed)
    except (re.error, OverflowError, RecursionError) as error:
        msg = f"{pattern!r} is no regular expression: {error}"
        raise CallError(INVALID_ARGUMENT, msg) from None


def _ranged(node: Any) -> int:
    """Return the number of characters in the ranges of a pattern, at most 65,536 for each range."""
    if isinstance(node, tuple) and len(node) == 2 and node[0] is codes.RANGE:
        return min(int(node[1][1] - node[1][0]), 0x10000)
    return sum(map(_ranged, node)) if isinstance(node, tuple | list | parser.SubPattern) else 0


@dataclass(frozen=True, slots=True)
class _Cost:
    """The worst-case cost of backtracking: every choice before a failure is retried from every position of the line."""

    choices: float = 1
    opened: int = 0
    """The number of unbounded repetitions."""
    chars: float = 0
    """The number of characters compared."""
    is_steep: bool = False
    """A repetition contains another repetition or a choice."""

    def quick_chars(self) -> int:
        """Return the longest line that `re` may match."""
        if self.is_steep:
            return 0
        steps = QUICK_STEPS / self.choices / max(1, self.chars / _FREE_CHARS)
        return int(steps ** (1 / (self.opened + 1)))

    def __add__(self, other: _Cost) -> _Cost:
        """Return the cost of one pattern followed by the other."""
        return _Cost(
            min(self.choices * other.choices, _ENDLESS),
            self.opened + other.opened,
            min(self.chars + other.chars, _ENDLESS),
            self.is_steep or other.is_steep,
        )


_ENDLESS: Final = 1e18
_LEAST_STATES: Final = 10
"""Overhead of a cached transition, in states."""
_BETWEEN_CHECKS: Final = 4_096
"""Characters between two checks of the clock."""


def _cost(node: Any, *, inside: bool) -> _Cost:
    if isinstance(node, tuple) and len(node) == 2 and node[0] in _REPEATS:
        low, high, body = node[1]
        each = _cost(body, inside=inside or high > 1)
        varies = high - low
        times = max(low, 1) if varies >= _OPEN else high
        choices = 1 if varies >= _OPEN else varies + 1
        return each + _Cost(choices, int(varies >= _OPEN), each.chars * times, inside and varies > 0)
    if isinstance(node, tuple) and len(node) == 2 and node[0] is codes.BRANCH:
        parts = [_cost(each, inside=inside) for each in node[1][1]]
        return _Cost(
            sum(each.choices for each in parts),
            max(each.opened for each in parts),
            sum(each.chars for each in parts),
            inside or any(each.is_steep for each in parts),
        )
    if isinstance(node, tuple) and len(node) == 2 and node[0] in _REFERENCES:
        return _Cost(opened=1)
    if isinstance(node, tuple | list | parser.SubPattern):
        return reduce(_Cost.__add__, (_cost(each, inside=inside) for each in node), _Cost())
    return _Cost(chars=1)


class _Unsupported(Exception):
    """The pattern has a part that needs backtracking."""


_START, _WORD, _OTHER, _END = range(4)
"""What is beside a position: the start of the line, a word character, another character, or the end."""


class _States:
    """A state machine for a pattern: each state consumes one character or tests a position."""

    def __init__(self, parsed: Any) -> None:
        self._state = parsed.state
        self._compiled: dict[int, re.Pattern[str]] = {}
        """Single-character patterns by the identity of their node, which repetitions share."""
        self._tests: list[Any] = []
        """By state: a pattern of one character, a position (int), or None for a fork."""
        self._next: list[tuple[int, ...]] = []
        self._accept = self._add(None, ())
        self._begin = self._chain(list(parsed), self._accept)
        self._moves: dict[tuple[frozenset[int], int, str], tuple[bool, frozenset[int]]] = {}
        self._room = MAX_CACHED_STATES

    def search(self, line: str, deadline: float) -> bool | None:
        """Return whether the line contains a match, or None if `deadline` (thread CPU time) passes first."""
        here = frozenset((self._begin,))
        before = _START
        for place, character in enumerate(line):
            key = (here, before, character)
            move = self._moves.get(key)
            if (move is None or place % _BETWEEN_CHECKS == 0) and time.thread_time() > deadline:
                return None
            if move is None:
                move = self._move(here, before, character)
                if self._room > 0:
                    self._moves[key] = move
                    self._room -= len(move[1]) + _LEAST_STATES
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
            if id(node) not in self._compiled:
                self._compiled[id(node)] = compiler.compile(parser.SubPattern(self._state, [node]))
            return self._add(self._compiled[id(node)], (following,))
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
