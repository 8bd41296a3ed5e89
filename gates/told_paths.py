"""Paths that an answer consists of, compared with what the trial has seen and done."""

from __future__ import annotations

import re
from typing import Final

from gates.contract import derive_contract
from gates.evidence import Evidence
from gates.paths import nearest
from gates.plain import show
from gates.submission import OK, Case, Submission

_DELETED: Final = re.compile(
    r"\b(?:deleted|removed)\s+(?:file\s)?paths\b|\bpaths\s+(?:of|that)\b[^.]*\b(?:deleted|removed)\b", re.I
)
_MAX_LINES: Final = 2_000
_SHOWN: Final = 5


def faults_of_told_paths(submission: Submission, evidence: Evidence, case: Case) -> list[str]:
    """Return what is wrong with an answer that by contract is a path, or one path a line, given a trace.

    Every path must have been touched or listed in this trial. Where the deleted paths are asked for, they are exactly
    those that the trace shows deleted; a tool that may have deleted others makes this uncertain, and nothing is said.
    """
    contract = derive_contract(case.instruction, case.rules)
    if submission.outcome != OK or not evidence.has_trace or not contract.is_enforced:
        return []
    kinds = {clause.kind for clause in contract.clauses}
    if not kinds & {"path", "lines"}:
        return []
    told = [line.strip() for line in submission.answer_text.strip().splitlines()[:_MAX_LINES]]
    told = [line for line in told if line.startswith("/")]
    unknown = [path for path in told if not evidence.find(path).is_known]
    faults: list[str] = []
    if unknown and ("path" in kinds or len(told) > 1):
        near = nearest(unknown[0], evidence.touches)
        hint = f" (nearest: {show(near)})" if near else ""
        faults.append(
            f"The answer names {show(unknown[0])}, which this trial has neither touched nor listed{hint}: correct it."
        )
    if _DELETED.search(case.instruction) and not any(each.kind != "reads" for each in evidence.executions):
        faults += _faults_of_deletions({evidence.find(path).path for path in told}, evidence)
    return faults


def _faults_of_deletions(told: set[str], evidence: Evidence) -> list[str]:
    deleted = {change.path for change in evidence.changes if change.action == "delete"}
    faults: list[str] = []
    if extra := sorted(told - deleted):
        faults.append(f"The answer lists as deleted what was not: {_listed(extra)}: delete it, or leave it out.")
    if missing := sorted(deleted - told):
        faults.append(f"The answer leaves out what was deleted: {_listed(missing)}: list it.")
    return faults


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(show(path) for path in paths[:_SHOWN]) + more
