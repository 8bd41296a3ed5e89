"""Adds the second reader's verdict to the judgement of an answer that the gates accepted.

The gates are rules in code. The second reader is a model, which reads an answer that they
accept. If it finds a fault, the answer is rejected after all: `[review; objection 1 of 1] A
second reader asks how the answer fits “closed on Sundays”.`
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.judging.rejection_messages import HOW_TO_INSIST
from controlplane.gates.verdicts import Judgement, Verdict


def with_review(judgement: Judgement, review: Verdict, policy: GatePolicy) -> Judgement:
    """Return an accepting judgement with the second reader's verdict, `review`, added.

    If the second reader rejects the answer, so does the returned judgement, unless the
    policy (how the user changed the enforcement of rules) has turned the second reader off.
    """
    verdicts = (*judgement.verdicts, review)
    is_off = policy.enforcement(review) == "off"
    if review.result != "reject" or is_off:
        return replace(judgement, verdicts=verdicts)

    # Rules may object more than once in a trial. The second reader is asked only once.
    message = f"[{review.name}; objection 1 of 1] {review.reason}\n{HOW_TO_INSIST}"
    return replace(judgement, accepted=False, message=message, verdicts=verdicts)
