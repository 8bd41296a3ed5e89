"""Checks that the paths and recorded values which an answer states agree with the trace."""

from __future__ import annotations

import re
from typing import Final

from gates.language.answer_contract import derive_contract
from gates.types import terms
from gates.types.canonical_paths import nearest
from gates.types.evidence import CALL_FAILED, Evidence
from gates.types.plain_data import quote
from gates.types.submission import OK, Case, Submission
from gates.types.verdict import MAX_FAULTS

_DELETED: Final = re.compile(
    r"\b(?:deleted|removed)\s+(?:file\s)?paths\b|\bpaths\s+(?:of|that)\b[^.]*\b(?:deleted|removed)\b", re.I
)
_RECORDED: Final = re.compile(r"\brecorded\b|\bfields?\b|\bin (?:its|the|my) (?:\w+ )?record\b", re.IGNORECASE)
_ABSENT: Final = re.compile(
    r"\W*(?:null|none|nil|n/?a|empty|missing|undefined|unknown|absent|nothing"
    r"|not (?:recorded|set|given|present|available)"
    r"|no (?:such )?(?:value|field|entry|record)(?: is)?(?: recorded)?)\W*",
    re.IGNORECASE,
)
_MAX_ABSENT_CHARS: Final = 60
_MAX_LINES: Final = 2_000
_MAX_VALUE_CHARS: Final = 2_000
_SHOWN: Final = 5


def faults_of_stated_values(submission: Submission, evidence: Evidence, case: Case) -> list[str]:
    """Return the faults of an OK answer that by contract is a path, paths one per line, or a recorded value.

    Returns nothing without a trace, and nothing for values that a script may have computed.
    """
    if submission.outcome != OK or not evidence.has_trace:
        return []
    contract = derive_contract(case.instruction, case.rules)
    kinds = {clause.kind for clause in contract.clauses} if contract.is_enforced else set()
    if kinds & {"path", "paths"}:
        return _faults_of_paths(submission, evidence, case)
    if contract.breach(submission.answer_text):
        return []  # which of its words would be the value is not known
    if kinds & {"value", "token"} and _RECORDED.search(case.instruction):
        return _faults_of_value(submission.answer_text, evidence)
    return []


def _faults_of_value(answer: str, evidence: Evidence) -> list[str]:
    """Demand that a recorded value occurs in a text that was read, or in its path, in any case and number format.
    What a query returned, or the script wrote, does not count.

    A word of absence such as "none" may say that nothing is recorded.
    """
    if len(answer) < _MAX_ABSENT_CHARS and _ABSENT.fullmatch(answer.strip()):
        return []
    touches = evidence.touches.values()
    if len(answer) > _MAX_VALUE_CHARS or not all(seen.is_whole for touch in touches for seen in touch.seen):
        return []
    tokens = terms.reason_tokens(answer)
    forms = [terms.lookup_terms(token) for token in tokens]
    if any(all(touch.proves_any(each) for each in forms) for touch in touches):
        return []
    if not tokens or any(all(token in terms.fold_text(touch.path) for token in tokens) for touch in touches):
        return []
    return [
        f"The answer must be a recorded value, but {quote(answer)} is in nothing that was read: read the record that "
        "holds the value, and give it alone, exactly as it is recorded there; if that record holds none, say that."
    ]


def _faults_of_paths(submission: Submission, evidence: Evidence, case: Case) -> list[str]:
    """Demand that this trial touched or listed every path that the answer states.

    If the instruction asks for the deleted paths, they must be exactly those that the trace shows as deleted, unless a
    tool ran that may have deleted others.
    """
    stated = [line.strip() for line in submission.answer_text.strip().splitlines()[:_MAX_LINES]]
    stated = [line for line in stated if line.startswith("/")]
    unknown = [path for path in stated if not evidence.find(path).is_known]
    faults: list[str] = []
    for path in unknown:
        near = nearest(path, evidence.touches) if len(faults) < MAX_FAULTS else ""
        hint = f" (nearest: {quote(near)})" if near else ""
        faults.append(
            f"The answer names {quote(path)}, which this trial has neither touched nor listed{hint}: list its folder, "
            "and name the path as it stands there."
        )
    ran = [each for each in evidence.executions if each.kind != "reads" and each.exit_code != CALL_FAILED]
    named = {evidence.find(path).path for path in stated}
    if not ran and (_DELETED.search(case.instruction) or _are_deletions(named, evidence)):
        faults += _faults_of_deletions(named, evidence)
    return faults


def _are_deletions(stated: set[str], evidence: Evidence) -> bool:
    """Say whether everything that an answer lists was deleted, and nothing else was changed."""
    deleted = {change.path for change in evidence.changes if change.action == "delete"}
    return len(deleted) == len(evidence.changes) and bool(stated) and stated <= deleted


def _faults_of_deletions(stated: set[str], evidence: Evidence) -> list[str]:
    deleted = {change.path for change in evidence.changes if change.action == "delete"}
    faults: list[str] = []
    if extra := sorted(stated - deleted):
        faults.append(f"The answer lists as deleted what was not: {_listed(extra)}: list what was deleted alone.")
    if missing := sorted(deleted - stated):
        faults.append(f"The answer leaves out what was deleted: {_listed(missing)}: list it.")
    return faults


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(quote(path) for path in paths[:_SHOWN]) + more
