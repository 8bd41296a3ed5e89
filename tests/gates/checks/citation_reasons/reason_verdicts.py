"""What gate 5 says of the reason that a script gives for a citation."""

from __future__ import annotations

from controlplane.gates.verdicts import Verdict
from tests.gates.found_verdicts import verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


def verdict_on_reason(calls: CallsOfTrial, path: str, reason: str) -> Verdict:
    """Return gate 5's verdict on an answer that cites `path` for this reason after these calls.

    After `calls.read("/docs/Loans.md")`, which says "A loan runs 21 days.",
    `verdict_on_reason(calls, "/docs/Loans.md", "a loan runs 21 days").result` -> `"pass"`, and
    `"reject"` for the reason "relevant document".
    """
    scratchpad = valid_scratchpad(refs_why={path: reason})
    return verdict_of(judge_scratchpad(scratchpad, calls), 5)
