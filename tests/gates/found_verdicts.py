"""Verdicts of gates and rules, found in the judgement of a submission.

A judgement has a verdict of each of eight gates, and of rules such as `6/wording`. After the answer
is left out, `objection_of(judgement, 6)` -> "The answer is empty: …"
"""

from __future__ import annotations

from controlplane.gates.verdicts import Judgement, Verdict


def verdict_of(judgement: Judgement, key: int | str) -> Verdict:
    """Return the verdict of a gate, such as 7, or of a rule, such as `"6/wording"`.

    `verdict_of(judgement, 7).result` -> `"pass"`
    """
    for verdict in judgement.verdicts:
        if verdict.key == str(key):
            return verdict
    raise AssertionError(f"no verdict of {key}")


def objection_of(judgement: Judgement, key: int | str) -> str:
    """Return the reason why a gate or a rule rejects; an empty string if it does not."""
    verdict = verdict_of(judgement, key)
    if verdict.result == "reject":
        return verdict.reason
    return ""


def rejecting_keys(judgement: Judgement) -> list[str]:
    """Return the keys of all gates and rules that reject: `["5", "6/wording"]`."""
    keys: list[str] = []
    for verdict in judgement.verdicts:
        if verdict.result == "reject":
            keys.append(verdict.key)
    return keys


def rejecting_gates(judgement: Judgement) -> list[int]:
    """Return each gate that rejects itself or by one of its rules: `[5, 6]`."""
    gates: list[int] = []
    for verdict in judgement.verdicts:
        if verdict.result == "reject" and verdict.gate not in gates:
            gates.append(verdict.gate)
    return gates
