"""Compares an answer, and the files that a trial left, with what was expected. No model is involved."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

NO_ANSWER: Final = "no answer provided"
MOST_PADDING: Final = 10
"""A record is read as JSON if it is at most so many times longer than the one that was expected."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The one answer of a trial, as submitted."""

    message: str
    outcome: str
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grade:
    """A score from 0 to 1, with one line for each fault."""

    score: float
    details: tuple[str, ...] = ()


class EndState(Protocol):
    """What a trial left."""

    @property
    def submission(self) -> GivenAnswer | None:
        """The answer, None if there is none."""
        ...

    @property
    def first_files(self) -> Mapping[str, str]:
        """The files by path as the trial found them."""
        ...

    @property
    def changes(self) -> Mapping[str, str | None]:
        """What was written (path to text) and deleted (path to None)."""
        ...

    def knows_file(self, path: str) -> bool:
        """Say whether a file stands at exactly `path`, or stood there at the start."""
        ...


@dataclass(frozen=True, slots=True)
class Expectation:
    """How a trial must end."""

    outcome: str
    message: str | None = None
    """The only right message; None if it may be in free words."""
    tokens: tuple[str, ...] = ()
    """Strings that a message in free words must hold."""
    forbidden: tuple[str, ...] = ()
    """Strings that a message in free words must not hold, such as what a refusal must not reveal."""
    references: frozenset[str] = frozenset()
    """The paths that must be cited."""
    tolerated: frozenset[str] = frozenset()
    """Paths that may be cited but need not be. Any other one costs the score, unless it is free."""
    free: tuple[str, ...] = ()
    """Prefixes of paths below which needless references cost nothing."""
    changes: Mapping[str, str | None] | None = None
    """Every file that must change, with its new text, or None if it is deleted. No other file may change."""
    exact_ends: bool = True
    """Whether a newline that is missing or too many at the end of such a file is a fault."""


def faults_of(expected: Expectation, end: EndState) -> tuple[str, ...]:
    """Return one line for each fault of a trial that has ended, none for one without a fault."""
    given = end.submission
    if given is None:
        return (NO_ANSWER,)
    faults: list[str] = []
    if given.outcome != expected.outcome:
        faults.append(f"expected outcome {expected.outcome}, got {given.outcome}")
    faults += [*_change_faults(expected, end), *_message_faults(expected, given)]
    return (*faults, *_reference_faults(expected, given, end))


def _same(path: str, left: str | None, right: str | None, *, exact_ends: bool) -> bool:
    if left and right and not exact_ends:
        left, right = left.removesuffix("\n"), right.removesuffix("\n")
    if left is None or right is None or not path.endswith(".json") or len(left) > MOST_PADDING * len(right):
        return left == right
    try:
        return bool(json.loads(left) == json.loads(right))
    except (ValueError, RecursionError):  # A script wrote it: it may be nested without end.
        return left == right


def _change_faults(expected: Expectation, end: EndState) -> list[str]:
    before, wanted_changes = end.first_files, expected.changes or {}
    changed = {path: text for path, text in end.changes.items() if text != before.get(path)}
    faults = []
    for path, wanted in sorted(wanted_changes.items()):
        if path not in changed:
            faults.append(f"expected {path} to be {'deleted' if wanted is None else 'changed'}; it was left as it was")
        elif not _same(path, changed[path], wanted, exact_ends=expected.exact_ends):
            faults.append(f"{path} does not hold what was expected" if wanted is not None else f"{path} still exists")
    faults += [f"unexpected change of {path}" for path in sorted(changed) if path not in wanted_changes]
    return faults


def holds_token(message: str, token: str) -> bool:
    """Say whether `token` occurs in the message where no letter or digit touches it."""
    return re.search(rf"(?<![^\W_]){re.escape(token)}(?![^\W_])", message) is not None


def _message_faults(expected: Expectation, given: GivenAnswer) -> list[str]:
    message = given.message.strip()
    if expected.message is not None:
        return (
            [] if message == expected.message else [f"answer should be exactly {expected.message!r} and nothing else"]
        )
    faults = [f"answer should contain {token!r}" for token in expected.tokens if not holds_token(message, token)]
    faults += [f"answer gives {token!r} away" for token in expected.forbidden if holds_token(message, token)]
    if not message:
        faults.append("answer is empty")
    return faults


def _root(path: str) -> str:
    """Return the prefix of a path by which reference faults are grouped."""
    return "/".join(path.split("/")[:3]) if path.startswith("/proc/") else "/" + path.split("/")[1]


def _reference_faults(expected: Expectation, given: GivenAnswer, end: EndState) -> list[str]:
    # A name may hold the sign of a fragment.
    cited = {ref if end.knows_file(ref) else ref.split("#", 1)[0] for ref in given.refs}
    missing = expected.references - cited
    unknown = {ref for ref in cited if not end.knows_file(ref)}
    needless = cited - expected.references - unknown - expected.tolerated
    extra = {ref for ref in needless if not ref.startswith(expected.free)}
    faults = [f"reference {ref} does not exist" for ref in sorted(unknown)]
    for root in sorted({_root(ref) for ref in missing | extra}):
        faults.append(f"references under {root}: {_listed(root, missing, extra)}")
    return faults


def _listed(root: str, missing: Collection[str], extra: Iterable[str]) -> str:
    parts = []
    for label, refs in (("missing", missing), ("unexpected", extra)):
        here = sorted(ref for ref in refs if _root(ref) == root)
        if here:
            parts.append(f"{label} {', '.join(here)}")
    return "; ".join(parts)
