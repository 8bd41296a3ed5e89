"""Objects to likely mistakes in the outcome of a submission: three rules of gate 6.

- `wording`: an answer that contradicts its outcome;
- `internal-error`: giving up without a failed call;
- `unowned-change`: a refusal after a change that is not declared.

The rules go by the kind of an outcome, which the benchmark declares, and by OUTCOME_ERR_INTERNAL:
the trial gives up.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.checks.outcome_gate import change_entries, change_names
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.quoting import quote
from controlplane.gates.submission import Case, Submission
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.arithmetic import shown_results
from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface.outcomes import INTERNAL, OutcomeKind

# Objects to wrong arithmetic in an answer: the rule `arithmetic` of gate 6.


def ask_arithmetic(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to wrong arithmetic in an answer to the request: `300 + 470 = 780`."""
    if not case.is_done(submission):
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


_OUTCOME_NAME: Final = re2.compile(r"\bOUTCOME_[A-Z_]+\b")
_SINGLE_WORD: Final = re2.compile(r"[!->@-~]+")
"""A single word in ASCII: characters from `!` to `~` except `?`, and no blank.

A text in another script may be a whole question: Chinese has no blanks.
"""


def ask_wording(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an answer that does not fit its outcome.

    - The answer has the name of an outcome (`OUTCOME_OK: 7`), and the request does not.
    - The outcome is of the kind `unclear`, and the answer a single word, which asks nothing.
    """
    # RE2 cannot read lone surrogates, which `encodable` replaces.
    answer = encodable(submission.answer_text).strip()
    kind = case.kind_of(submission)
    outcome_name = _OUTCOME_NAME.search(answer)
    if outcome_name is not None:
        # The name is fine in two cases: if the trial refuses or gives up, when the answer may be
        # the name alone, and if the request itself mentions it.
        may_be_name_alone = kind not in (OutcomeKind.DONE, OutcomeKind.UNCLEAR)
        if may_be_name_alone or outcome_name[0] in case.instruction:
            return None
        return (
            "The answer names an outcome class: the class belongs in `outcome` alone, and the "
            "answer says what holds."
        )
    if kind is OutcomeKind.UNCLEAR and _SINGLE_WORD.fullmatch(answer):
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
    """Object to a refusal if the trial has changed something and does not say so in `changes`.

    An answer refuses if its outcome is of any other kind than `done`.
    """
    changes = evidence.present_changes
    refuses = case.kind_of(submission) not in (None, OutcomeKind.DONE)
    if not refuses or not changes:
        return Inapplicable("the trial does not refuse after a change")
    if submission.changes is not None:
        return None
    return (
        f"The answer refuses, but the trace shows {change_names(changes)}. Check whether that was "
        "asked for and allowed; undo what was not if that is possible, and own up to what still "
        f"holds: `changes` = {change_entries(changes)}."
    )
