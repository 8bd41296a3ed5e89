"""Gate 6: the outcome is one of the five, and the claims agree with the trace."""

from __future__ import annotations

import json
import re
from typing import Final

from gates.checks.posed_instructions import fault_of_posed_instruction
from gates.checks.stated_values import faults_of_stated_values
from gates.claims import (
    fault_of_absence,
    fault_of_changed_records,
    fault_of_enumerated_set,
    fault_of_named_class,
    faults_of_deeds,
    faults_of_refusals,
    faults_of_stated_states,
)
from gates.language.answer_contract import derive_contract
from gates.language.change_phrases import is_bare_value, requested_change
from gates.types.evidence import Change, Evidence
from gates.types.plain_data import describe, quote, surrogate_at
from gates.types.submission import CLARIFICATION, INTERNAL, OK, OUTCOMES, REFUSALS, UNSUPPORTED, Case, Submission
from gates.types.verdict import Verdict, verdict_of

GATE = 6
MAX_ANSWER_CHARS: Final = 1_000_000
ACTIONS: Final = ("write", "delete", "execute")
_LISTED: Final = 4
_MAX_ENTRIES: Final = 40
_MAX_PATH_CHARS: Final = 200
_ONE_WORD: Final = re.compile(r"[!->@-~]+")
"""No question mark, and ASCII alone: some scripts put no spaces between the words of a question."""
_OUTCOME_NAME: Final = re.compile(r"\bOUTCOME_[A-Z_]+\b")


def judge_outcome_class(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject an unknown outcome, an answer that is no text, and a claim that the trace contradicts.

    Guards against misspelt outcomes, an outcome's name in place of an answer, refusals after a change was made, success
    reported for a change that never happened, and `OUTCOME_ERR_INTERNAL` while the tools work. Lets pass a denial that
    names its own outcome, a refusal whose `changes` admits a change made by mistake, an OK that needed no change and
    says so by `changes = []`, and executions of tools of unknown kind, whatever is claimed.
    """
    faults = [
        *_faults_of_form(submission, case),
        *_faults_of_wording(submission, case),
        *_faults_of_internal_error(submission, evidence, case),
        *filter(None, (fault_of_posed_instruction(submission, case),)),
        *_faults_against_trace(submission, evidence),
        *faults_of_deeds(submission, evidence, case),
        *faults_of_stated_states(submission, evidence, case),
        *filter(None, (fault_of_changed_records(submission, evidence, case),)),
        *faults_of_refusals(submission, evidence, case),
        *filter(None, (fault_of_absence(submission, evidence, case),)),
        *filter(None, (fault_of_enumerated_set(submission, evidence, case),)),
        *filter(None, (fault_of_named_class(submission, evidence, case),)),
        *faults_of_stated_values(submission, evidence, case),
    ]
    return verdict_of(GATE, faults)


def hints_of(submission: Submission, evidence: Evidence) -> tuple[str, ...]:
    """Return advice on changes that were not read back; it holds nothing up."""
    return tuple(
        f"{_name(change)} was not read back: read the result to be sure of it."
        for change in evidence.changes
        if not change.is_read_back
    )


def _faults_of_form(submission: Submission, case: Case) -> list[str]:
    faults: list[str] = []
    answer, outcome = submission.answer, submission.outcome
    if outcome not in OUTCOMES:
        given = "missing" if outcome is None else describe(outcome)
        faults.append(f"The outcome is {given}: set `outcome` to one of {', '.join(OUTCOMES)}.")
    if not isinstance(answer, str):
        given = "missing" if answer is None else describe(answer)
        faults.append(f"The answer is {given}: set `answer` to a string.")
        return faults
    if not answer.strip():
        faults.append("The answer is empty: say what was found or why it cannot be done.")
    if len(answer) > MAX_ANSWER_CHARS:
        faults.append(f"The answer has {len(answer)} characters: keep it under {MAX_ANSWER_CHARS}.")
        return faults
    if (place := surrogate_at(answer)) is not None:
        faults.append(f"The answer holds a lone surrogate at character {place}, which cannot be sent: remove it.")
    named = _OUTCOME_NAME.search(answer)
    if named and outcome in (OK, CLARIFICATION) and named[0] not in case.instruction:
        faults.append(
            f"The answer names {quote(named[0])}: the class belongs in `outcome` alone, so say in words what holds, "
            "and set `outcome` to its class."
        )
    return faults


def _faults_of_wording(submission: Submission, case: Case) -> list[str]:
    """Return the faults of an outcome that the answer's own words contradict."""
    answer, outcome = submission.answer_text.strip(), submission.outcome
    if not answer:
        return []
    if outcome == CLARIFICATION and _ONE_WORD.fullmatch(answer) and not _OUTCOME_NAME.search(answer):
        return [
            f"{quote(answer)} asks nothing: a clarification names what is unclear and what there is to choose from; "
            "an answer has the outcome OUTCOME_OK."
        ]
    if outcome == UNSUPPORTED and is_bare_value(answer) and _only_asks(case):
        return [
            f"{quote(answer)} is an answer, which has the outcome OUTCOME_OK; a refusal says in words what is not "
            "supported, and by which rule or state."
        ]
    return []


def _only_asks(case: Case) -> bool:
    """Say whether the instruction asks for a value, by a question or a fixed form, and requests no change."""
    asks = "?" in case.instruction or derive_contract(case.instruction, case.rules).is_enforced
    return asks and not requested_change(case.instruction)


def _faults_of_internal_error(submission: Submission, evidence: Evidence, case: Case) -> list[str]:
    if submission.outcome != INTERNAL:
        return []
    if case.internal_errors_before == 0:
        return [
            f"{quote(INTERNAL)} is for failed tooling alone: call again what failed, then answer from what is found, "
            "refuse, or ask; the outcome holds only if the environment goes on failing."
        ]
    if evidence.has_trace and not evidence.failures:
        return [
            f"{quote(INTERNAL)} was given, but no call of the environment has failed: answer, refuse "
            "(OUTCOME_NONE_UNSUPPORTED) or ask (OUTCOME_NONE_CLARIFICATION)."
        ]
    return []


def _faults_against_trace(submission: Submission, evidence: Evidence) -> list[str]:
    """Return the claims that contradict the changes in the trace; without a trace only malformed claims."""
    changes = submission.changes
    if changes is None:
        return _faults_of_undeclared_changes(submission, evidence)
    if not isinstance(changes, list):
        return [f"`changes` is {describe(changes)}: make it a list of {{path, action}}, one for each change made."]
    faults: list[str] = []
    declared: set[tuple[str, str]] = set()
    for entry in changes:
        path, action = (entry.get("path"), entry.get("action")) if isinstance(entry, dict) else (None, None)
        if not isinstance(path, str) or action not in ACTIONS:
            faults.append(
                f"`changes` holds {describe(entry)}, which is not {{path, action}} with an action of "
                f"{', '.join(ACTIONS)}."
            )
            continue
        declared.add((evidence.find(path).path, str(action)))
    if not evidence.has_trace:
        return faults
    real = {(each.path, each.action): each for each in evidence.changes}
    unclear = {(each.path, "execute") for each in evidence.executions if each.kind == "unknown" and not each.exit_code}
    for path, action in sorted(declared - set(real) - unclear):
        faults.append(
            f"`changes` names {action} of {quote(path)}, which did not happen: list what was done alone; "
            + _what_happened(evidence)
        )
    if missing := [change for key, change in real.items() if key not in declared]:
        faults.append(f"`changes` leaves out {', '.join(map(_name, missing[:_LISTED]))}: add {_entries(missing)}.")
    return faults


def _faults_of_undeclared_changes(submission: Submission, evidence: Evidence) -> list[str]:
    """Return the fault of a refusal without `changes` after a change."""
    real = {(each.path, each.action): each for each in evidence.changes}
    if submission.outcome in REFUSALS and real:
        return [
            f"{quote(str(submission.outcome))} refuses, but {_what_happened(evidence)} What was rightly done is "
            "reported with OUTCOME_OK; what should not have been done is undone if that is possible, and owned up to: "
            f"set `changes` to {_entries(list(real.values()))}."
        ]
    return []


def _what_happened(evidence: Evidence) -> str:
    if not evidence.changes:
        return "the trace shows no change."
    shown = ", ".join(_name(each) for each in evidence.changes[:_LISTED])
    more = f" and {len(evidence.changes) - _LISTED} more" if len(evidence.changes) > _LISTED else ""
    return f"the trace shows {shown}{more}."


def _name(change: Change) -> str:
    return f"{change.action} of {quote(change.path)}"


def _entries(changes: list[Change]) -> str:
    """Return the first 40 `changes` as a scratchpad would list them."""
    more = f" and {len(changes) - _MAX_ENTRIES} more" if len(changes) > _MAX_ENTRIES else ""
    entries = [{"path": each.path[:_MAX_PATH_CHARS], "action": each.action} for each in changes[:_MAX_ENTRIES]]
    return json.dumps(entries, ensure_ascii=not all(each.path.isprintable() for each in changes)) + more
