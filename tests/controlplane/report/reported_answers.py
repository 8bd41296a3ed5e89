"""Submitted answers, with the verdicts of the checks on them.

A gate is a check of a submitted answer. A rule is one that the benchmark adds; it is recorded as gate
0. Each of them gives a verdict, and one that rejects the answer sends it back to the model.
"""

from controlplane.agent.events import Judged, VerdictRecord

RULE_DOES_NOT_APPLY = VerdictRecord(
    gate=0, name="ecom/return", result="not_applicable", reason="no policy"
)

GATE_ACCEPTS = VerdictRecord(
    gate=4, name="citations were read", result="pass", reason=""
)

GATE_REJECTS = VerdictRecord(
    gate=4, name="citations were read", result="reject", reason="read /a first"
)


def accepted_answer(text: str) -> Judged:
    """Return the record of a submitted answer that is accepted."""
    return Judged(
        accepted=True,
        answer=text,
        outcome="OUTCOME_OK",
        refs=("/a",),
        message="",
        verdicts=(GATE_ACCEPTS, RULE_DOES_NOT_APPLY),
    )


def rejected_answer(text: str) -> Judged:
    """Return the record of a submitted answer that is sent back to the model."""
    return Judged(
        accepted=False,
        answer=text,
        outcome="OUTCOME_OK",
        refs=("/a",),
        message="the gates said no",
        verdicts=(GATE_REJECTS, RULE_DOES_NOT_APPLY),
    )
