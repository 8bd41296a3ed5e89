"""The grader of a trial's end in a world of files: outcome, message, references, changes. No model is involved; faults
use the words of the public platform."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controlplane.tasks import GivenAnswer, LocalEnvironment
from sandbox.interface import Plain

NO_ANSWER: Final = "no answer provided"


@dataclass(frozen=True, slots=True)
class Expectation:
    """The required end of a trial."""

    outcome: str
    message: str | None = None
    """The only right message; None if it may be in free words."""
    tokens: tuple[str, ...] = ()
    """Strings that a message in free words must hold."""
    forbidden: tuple[str, ...] = ()
    """Strings that a message in free words must not hold, such as facts that a refusal must not reveal."""
    references: frozenset[str] = frozenset()
    """The paths that must be cited."""
    tolerated: frozenset[str] = frozenset()
    """Paths that may be cited but need not be. Any other path costs the score, unless it is free."""
    free: tuple[str, ...] = ()
    """Prefixes of paths below which unnecessary references do not cost score."""
    changes: Mapping[str, str | None] | None = None
    """Every file that must change, with its new text, or None if it is deleted. No other file may change."""
    exact_ends: bool = True
    """True if a missing or extra newline at the end of such a file is a fault."""


def faults_of(expected: Expectation, end: LocalEnvironment) -> tuple[str, ...]:
    """Return one line for each fault of a trial that has ended; no lines without a fault."""
    given = end.submission
    if given is None:
        return (NO_ANSWER,)
    faults: list[str] = []
    if given.outcome != expected.outcome:
        faults.append(f"expected outcome {expected.outcome}, got {given.outcome}")
    return (
        *faults,
        *_reference_faults(expected, given, end),
        *_message_faults(expected, given),
        *_change_faults(expected, end),
    )


def _change_faults(expected: Expectation, end: LocalEnvironment) -> Iterator[str]:
    before, wanted = end.first_files, expected.changes or {}
    changed = {path: text for path, text in end.changes.items() if text != before.get(path)}
    if changed.keys() != wanted.keys():
        deleted = {path for path, text in changed.items() if text is None}
        if not wanted:
            yield "expected no file changes"
        elif any(text is not None for text in wanted.values()):
            yield f"expected only file changes [{_listed(wanted)}], got [{_listed(changed)}]"
        elif deleted != wanted.keys():
            yield f"expected only file deletions [{_listed(wanted)}], got [{_listed(deleted)}]"
        else:
            yield f"expected deleted files to be the only file changes [{_listed(wanted)}], got [{_listed(changed)}]"
    for path in sorted(changed.keys() & wanted.keys()):
        if fault := _mismatch(path, changed[path], wanted[path], exact_ends=expected.exact_ends):
            yield fault


def _mismatch(path: str, given: str | None, wanted: str | None, *, exact_ends: bool) -> str:
    """Return the difference in the content of a file, for JSON the first field that differs; empty if there is none."""
    if given and wanted and not exact_ends:
        given, wanted = given.removesuffix("\n"), wanted.removesuffix("\n")
    # A record is read as JSON if it is at most this many times longer than the expected one.
    if given and wanted and path.endswith(".json") and len(given) <= 10 * len(wanted):
        with suppress(ValueError, RecursionError):  # A script wrote it: it may be nested without end.
            left, right = json.loads(given), json.loads(wanted)
            if left == right:
                return ""
            field, *values = _difference(left, right)
            # Characters of a wrong value to show.
            got, due = (json.dumps(value)[:120] for value in values)
            return f"JSON mismatch in {path!r}: {field}: expected {due} got {got}"
    return "" if given == wanted else f"file {path} content did not match expected export"


def _difference(given: Plain, wanted: Plain, field: str = "") -> tuple[str, Plain, Plain]:
    """Return the first field in which two values differ, with its two values."""
    if isinstance(given, dict) and isinstance(wanted, dict):
        for name in {**wanted, **given}:
            if given.get(name) != wanted.get(name):
                return _difference(given.get(name), wanted.get(name), f"{field}.{name}".lstrip("."))
    return field or "$", given, wanted


def holds_token(message: str, token: str) -> bool:
    """Say whether `token` occurs in the message where no letter or digit touches it."""
    return re.search(rf"(?<![^\W_]){re.escape(token)}(?![^\W_])", message) is not None


def _message_faults(expected: Expectation, given: GivenAnswer) -> list[str]:
    message = given.message.strip()
    if expected.message is not None:
        return [] if message == expected.message else [f'Answer should be "{expected.message}"']
    faults = [f"Answer should contain {token!r}" for token in expected.tokens if not holds_token(message, token)]
    faults += [f"answer gives {token!r} away" for token in expected.forbidden if holds_token(message, token)]
    if not message:
        faults.append("answer is empty")
    return faults


def _root(path: str) -> str:
    """Return the prefix of a path by which reference faults are grouped."""
    return "/".join(path.split("/")[:3]) if path.startswith("/proc/") else "/" + path.split("/")[1]


def _reference_faults(expected: Expectation, given: GivenAnswer, end: LocalEnvironment) -> Iterator[str]:
    cited = {_cited_file(ref, end) for ref in given.refs}
    missing = expected.references - cited
    unknown = {ref for ref in cited if not end.knows_file(ref)}
    needless = cited - expected.references - unknown - expected.tolerated
    extra = {ref for ref in needless if not ref.startswith(expected.free)}
    yield from (f"answer contains invalid reference {ref!r}" for ref in sorted(unknown))
    for root in sorted({_root(ref) for ref in missing | extra}):
        lacking, needless = ({ref for ref in refs if _root(ref) == root} for refs in (missing, extra))
        if root.startswith("/proc/"):
            yield f'answer refs for family "{root}" mismatch: missing [{_listed(lacking)}], extra [{_listed(needless)}]'
        else:
            yield from (f"answer missing required reference {ref!r}" for ref in sorted(lacking))
            yield from (f"answer contains invalid reference {ref!r}" for ref in sorted(needless))


_SEPARATORS: Final = str.maketrans(",;", "\t\t")
"""What separates cells of a row, as tabs."""


def _cited_file(ref: str, end: LocalEnvironment) -> str:
    """Return the file that a reference is to; a fragment counts only if it is `#row=ID` of a row that the file has."""
    path, sign, row = ref.partition("#row=")
    if not sign or end.knows_file(ref):
        return ref
    text = end.changes.get(path) or end.first_files.get(path) or ""
    return path if any(row in line.translate(_SEPARATORS).split("\t") for line in text.splitlines()) else ref


def _listed(paths: Iterable[str]) -> str:
    return " ".join(sorted(paths))
