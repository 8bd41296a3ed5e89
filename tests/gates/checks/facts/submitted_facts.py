"""Facts that a script submits, and gate 2's verdict on them.

A fact says how it is known: a verified one names the file that states it, a derived one what it was
computed from, and a pending one has no value yet.
"""

from __future__ import annotations

from controlplane.gates.verdicts import Verdict
from tests.gates.found_verdicts import verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


def verdict_on_facts(facts: object) -> Verdict:
    """Return the verdict on facts of a trial that read `/docs/Loans.md` and ran `/bin/query`.

    `verdict_on_facts({"days": fact(source="/docs/Fees.md")}).result` -> `"reject"`, since the trial
    has not read this file. It has written `/tmp/own.txt`, so that reading this file proves nothing.
    """
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.write("/tmp/own.txt", "21 days")
    calls.read("/tmp/own.txt")
    calls.run("/bin/query", "select 1", stdout="3 rows")
    judgement = judge_scratchpad(valid_scratchpad(facts=facts), calls)
    return verdict_of(judgement, 2)


def fact(
    *,
    value: object = 21,
    source: object = "/docs/Loans.md",
    confidence: object = "verified",
) -> dict[str, object]:
    """Return a fact, by default the verified one that a loan runs 21 days.

    `{"value": 21, "description": "days of a loan", "source": "/docs/Loans.md", "confidence":
    "verified"}`
    """
    return {
        "value": value,
        "description": "days of a loan",
        "source": source,
        "confidence": confidence,
    }


def fact_derived_from(source: object) -> dict[str, object]:
    """Return a fact that was computed from `source`, such as the fact `days`.

    `fact_derived_from("days / 7")` -> `{..., "source": "days / 7", "confidence": "derived"}`
    """
    return fact(source=source, confidence="derived")


def pending_fact(*, source: object) -> dict[str, object]:
    """Return a fact whose value the script does not know yet, and expects in `source`.

    `pending_fact(source="task")` -> `{"value": None, "source": "task", "confidence": "pending", ...}`
    """
    return fact(value=None, source=source, confidence="pending")
