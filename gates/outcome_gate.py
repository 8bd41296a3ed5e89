"""Judges the outcome and the answer of a submission: gate 6 and its rules.

Gate 6 rejects an unknown outcome, an answer that cannot be sent, and declared changes
that no call made. Four rules object to likely mistakes:

- `wording`: an answer that contradicts its outcome;
- `internal-error`: giving up without a failed call;
- `unowned-change`: a refusal after a change that is not declared;
- `arithmetic`: wrong arithmetic.

An outcome is one of `OUTCOMES`, such as OUTCOME_OK, OUTCOME_DENIED_SECURITY (a refusal)
or OUTCOME_ERR_INTERNAL (the trial gives up).
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.declared_changes import (
    change_entries,
    change_names,
    faults_of_changes,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import (
    CLARIFICATION,
    INTERNAL,
    OK,
    OUTCOMES,
    REFUSALS,
    Case,
    Inapplicable,
    Opinion,
    Submission,
    describe,
    encodable,
    quote,
    surrogate_at,
)
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.arithmetic.answer_arithmetic import shown_results
from controlplane.sandbox.interface import bounds

_OUTCOME_NAME: Final = re2.compile(r"\bOUTCOME_[A-Z_]+\b")
_SINGLE_WORD: Final = re2.compile(r"[!->@-~]+")
"""A single word in ASCII: characters from `!` to `~` except `?`, and no blank.

A text in another script may be a whole question: Chinese has no blanks.
"""


def judge_outcome_class(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject an unknown outcome, an answer that cannot be sent, and wrong `changes`.

    `changes` must name what the calls changed, in any spelling: paths, tools and
    operations. A change that was undone may be left out, and so may a call that may or may
    not have changed something.
    """
    faults: list[str] = []
    if submission.outcome not in OUTCOMES:
        shown = (
            "missing" if submission.outcome is None else describe(submission.outcome)
        )
        faults.append(
            f"The outcome is {shown}: set `outcome` to one of {', '.join(OUTCOMES)}."
        )
    answer_fault = _fault_of_answer(submission, case)
    if answer_fault:
        faults.append(answer_fault)
    return faults + faults_of_changes(submission.changes, evidence)


def _fault_of_answer(submission: Submission, case: Case) -> str:
    """Return why an answer cannot be sent, or an empty string."""
    answer = submission.answer
    if not isinstance(answer, str):
        shown = "missing" if answer is None else describe(answer)
        return f"The answer is {shown}: set `answer` to a string."
    may_be_empty = case.is_uncited
    if not answer.strip() and not may_be_empty:
        return "The answer is empty: say what was found or why it cannot be done."
    if len(answer) > bounds.MOST_ANSWER_CHARS:
        return f"The answer has {len(answer)} characters: keep it under {bounds.MOST_ANSWER_CHARS}."
    place = surrogate_at(answer)
    if place is not None:
        return (
            f"The answer holds a lone surrogate at character {place}, which cannot be sent: "
            "remove it."
        )
    return ""


def ask_wording(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an answer that does not fit its outcome.

    - The answer has the name of an outcome (`OUTCOME_OK: 7`), and the request does not.
    - The outcome is a clarification of a single word (`unclear`), which asks nothing.
    """
    answer = encodable(submission.answer_text).strip()
    outcome = submission.outcome
    outcome_name = _OUTCOME_NAME.search(answer)
    if outcome_name is not None:
        # A refusal may be answered by the name alone, and a request may ask for the name.
        is_refusal = outcome not in (OK, CLARIFICATION)
        if is_refusal or outcome_name[0] in case.instruction:
            return None
        return (
            "The answer names an outcome class: the class belongs in `outcome` alone, and the "
            "answer says what holds."
        )
    if outcome == CLARIFICATION and _SINGLE_WORD.fullmatch(answer):
        return (
            f"{quote(answer)} asks nothing: a clarification names what is unclear and what there "
            "is to choose from."
        )
    return None


def ask_internal_error(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object when a trial gives up with OUTCOME_ERR_INTERNAL, which is for failed tooling.

    The first time, the script is always asked to try again. The second time, the outcome
    passes if a call failed, or if it is unknown whether one did.
    """
    if submission.outcome != INTERNAL:
        return Inapplicable("the trial does not give up")
    is_second_time = case.internal_errors_before > 0
    may_have_failed = evidence.has_failures or not evidence.has_trace
    if is_second_time and may_have_failed:
        return None
    advice = "No call of the environment has failed"
    if evidence.has_failures:
        advice = "Call again what failed"
    return (
        f"{quote(INTERNAL)} is for failed tooling alone. {advice}; then answer from what is found, "
        "refuse, or ask."
    )


def ask_unowned_change(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to a refusal if the trial has changed something and does not say so in `changes`."""
    changes = evidence.present_changes
    if submission.outcome not in REFUSALS or not changes:
        return Inapplicable("the trial does not refuse after a change")
    if submission.changes is not None:
        return None
    return (
        f"The answer refuses, but the trace shows {change_names(changes)}. Check whether that was "
        "asked for and allowed; undo what was not if that is possible, and own up to what still "
        f"holds: `changes` = {change_entries(changes)}."
    )


def ask_arithmetic(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to wrong arithmetic in an OK answer: `300 + 470 = 780`."""
    if submission.outcome != OK:
        return Inapplicable("the trial refuses")
    answer = submission.answer_text
    faults: list[str] = []
    for calculation in shown_results(answer, answer_values(answer)):
        if not calculation.is_right:
            faults.append(
                f"{quote(calculation.text)} does not come out: compute it in a script, and print "
                "it."
            )
    return faults
