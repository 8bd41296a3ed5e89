"""The grader: compares an answer, and the state that the trial left, with the truth. No model is involved."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment, Submission
from benchmarks.ecom.tasks.task import Truth

NO_ANSWER: Final = "no answer provided"
MOST_PADDING: Final = 10
"""A record is read as JSON if it is at most so many times longer than the one that was expected."""
FREE_PATHS: Final = ("/docs/", "/bin/")
"""Needless references below these paths, and to the rules document, cost nothing."""


@dataclass(frozen=True, slots=True)
class Grade:
    """A score from 0 to 1, with one line for each fault."""

    score: float
    details: tuple[str, ...] = ()


def grade(truth: Truth, environment: EcomEnvironment) -> Grade:
    """Return the grade of a trial that has ended: 0 with any fault, all of which are told.

    Without one it is 1, or what the truth's own measure gives, which also tells how.
    """
    given = environment.submission
    if given is None:
        return Grade(0.0, (NO_ANSWER,))
    faults: list[str] = []
    if given.outcome != truth.outcome:
        faults.append(f"expected outcome {truth.outcome}, got {given.outcome}")
    faults += [*_change_faults(truth, environment), *_message_faults(truth, given)]
    faults += _reference_faults(truth, given, environment)
    if truth.measure is None:
        return Grade(0.0 if faults else 1.0, tuple(faults))
    score, lines = truth.measure.measure(given.message, given.refs)
    return Grade(0.0 if faults else round(score, 4), (*faults, *lines))


def _same(path: str, left: str | None, right: str | None) -> bool:
    if left is None or right is None or not path.endswith(".json") or len(left) > MOST_PADDING * len(right):
        return left == right
    try:
        return bool(json.loads(left) == json.loads(right))
    except (ValueError, RecursionError):  # A script wrote it: it may be nested without end.
        return left == right


def _change_faults(truth: Truth, environment: EcomEnvironment) -> list[str]:
    before = environment.workspace.files
    changed = {path: text for path, text in environment.changes.items() if text != before.get(path)}
    faults = []
    for path, wanted in sorted(truth.changes.items()):
        if path not in changed:
            faults.append(f"expected {path} to be {'deleted' if wanted is None else 'changed'}; it was left as it was")
        elif not _same(path, changed[path], wanted):
            faults.append(f"{path} does not hold what was expected" if wanted is not None else f"{path} still exists")
    faults += [f"unexpected change of {path}" for path in sorted(changed) if path not in truth.changes]
    return faults


def holds_token(message: str, token: str) -> bool:
    """Say whether `token` occurs in the message where no letter or digit touches it."""
    return re.search(rf"(?<![^\W_]){re.escape(token)}(?![^\W_])", message) is not None


def _message_faults(truth: Truth, given: Submission) -> list[str]:
    message = given.message.strip()
    if truth.is_exact:
        return [] if message == truth.message else [f"answer should be exactly {truth.message!r} and nothing else"]
    faults = [f"answer should contain {token!r}" for token in truth.tokens if not holds_token(message, token)]
    faults += [f"answer gives {token!r} away" for token in truth.forbidden if holds_token(message, token)]
    if not message:
        faults.append("answer is empty")
    return faults


def _is_free(path: str) -> bool:
    return path.startswith(FREE_PATHS) or path == "/AGENTS.MD"


def _root(path: str) -> str:
    """Return the prefix of a path by which reference faults are grouped."""
    return "/".join(path.split("/")[:3]) if path.startswith("/proc/") else "/" + path.split("/")[1]


def _reference_faults(truth: Truth, given: Submission, environment: EcomEnvironment) -> list[str]:
    # A name may hold the sign of a fragment.
    cited = {ref if environment.knows_file(ref) else ref.split("#", 1)[0] for ref in given.refs}
    required = {*truth.records, *truth.documents}
    missing = required - cited
    unknown = {ref for ref in cited if not environment.knows_file(ref)}
    extra = {ref for ref in cited - required - unknown if ref not in truth.tolerated and not _is_free(ref)}
    faults = [f"reference {ref} does not exist" for ref in sorted(unknown)]
    for root in sorted({_root(ref) for ref in missing | extra}):
        faults.append(f"references under {root}: {_listed(root, missing, extra)}")
    return faults


def _listed(root: str, missing: Iterable[str], extra: Iterable[str]) -> str:
    parts = []
    for label, refs in (("missing", missing), ("unexpected", extra)):
        here = sorted(ref for ref in refs if _root(ref) == root)
        if here:
            parts.append(f"{label} {', '.join(here)}")
    return "; ".join(parts)
