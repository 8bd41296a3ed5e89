"""Evidence of trials that have read the rules, or of which nothing is known, as Hypothesis draws it."""

from __future__ import annotations

from hypothesis import strategies as st

from controlplane.gates.evidence import Evidence
from tests.gates.recorded_calls import CallsOfTrial


def evidence_of_read_rules() -> Evidence:
    """Return the evidence of a trial that has read the file `/docs/Loans.md`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    return calls.evidence


ANY_EVIDENCE = st.sampled_from([Evidence(), evidence_of_read_rules()])
"""Half of the trials have read the rules. Of the others, it is unknown what they have read."""
