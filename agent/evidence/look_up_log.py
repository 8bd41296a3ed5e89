"""What a trial looked for and did not simply read: listings, searches, queries, and reads that gave nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agent.evidence.path_aliases import MAX_PATH_CHARS
from agent.evidence.returned_call import ReturnedCall, words_given
from gates.types import LookUp
from sandbox.interface import CallError, Effect, Operation, Plain, error_codes

MAX_LOOK_UPS: Final = 2_000
MAX_TERM_CHARS: Final = 600
"""Characters that are kept of what one look-up asked for."""
MAX_ALL_CHARS: Final = 200_000
"""Characters of places and terms that are kept of all look-ups of a trial; later ones are not."""


class LookUpLog:
    """Look-ups in their order, within the bounds of one trial. A call for help is none."""

    def __init__(self) -> None:
        self.look_ups: list[LookUp] = []
        self._room = MAX_ALL_CHARS

    def note_result(self, call: ReturnedCall) -> None:
        """Take a call that came back. A tool that ended with another exit code than 0 has failed."""
        hits = _number_of_hits(call)
        is_whole = call.result.get("truncated") is not True  # also where turn one shows less of it: it was looked up
        terms = _terms(call.declared, call.arguments)
        has_failed = call.declared.effect is Effect.EXECUTES and call.exit_code != 0
        self._add(LookUp(call.declared.name, call.asked or "/", terms, hits, is_whole, has_failed))

    def note_error(self, declared: Operation, asked: str, arguments: Mapping[str, Plain], error: CallError) -> None:
        """Take a call that the environment refused. That nothing is at a path is no failure: it was looked up."""
        is_absent = error.code == error_codes.NOT_FOUND and declared.effect is not Effect.EXECUTES
        terms = _terms(declared, arguments)
        self._add(LookUp(declared.name, asked or "/", terms, 0, is_whole=is_absent, has_failed=not is_absent))

    def _add(self, look_up: LookUp) -> None:
        self._room -= len(look_up.place) + len(look_up.terms)
        if self._room >= 0 and len(self.look_ups) < MAX_LOOK_UPS and len(look_up.place) <= MAX_PATH_CHARS:
            self.look_ups.append(look_up)


def _terms(declared: Operation, arguments: Mapping[str, Plain]) -> str:
    """Return what a call asked for beside its place: a pattern, a name, a query."""
    given = (value for name, value in arguments.items() if name != declared.subject and isinstance(value, str))
    return " ".join(filter(None, (*words_given(arguments), *given)))[:MAX_TERM_CHARS]


def _number_of_hits(call: ReturnedCall) -> int:
    """Return how many entries, paths, lines or children it gave; of a tool, how many lines it printed."""
    if call.declared.effect is Effect.EXECUTES:
        return len(call.shown_text()[0].strip().splitlines())
    lists = [value for value in call.result.values() if isinstance(value, list)]
    return max(map(len, lists), default=1)
