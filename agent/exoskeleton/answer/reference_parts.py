"""How the parts of the solver use the benchmark's check of the cited files.

A part is a piece of the solver that a user may switch off, as by `--parts -references`. Two of
them use the same check:

| parts that are on | the check |
|---|---|
| `evidence-store` | gets what the trial's calls returned, and adds the files that support it |
| `references` | completes and sorts the cited files |
| both | does both |
| none of them | does not run |
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.agent.exoskeleton.answer.reference_check import ReferenceCheck
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.parts import Part
from controlplane.agent.loop.session.trial_session import TrialSession


def reference_check_of(
    session: TrialSession,
    function: str | None,
    parts: Collection[str],
    findings: Findings,
) -> ReferenceCheck | None:
    """Return the check by this function; None if there is no function, or no part uses it.

    `findings` is what the trial's calls returned.
    """
    uses_findings = Part.EVIDENCE_STORE in parts
    completes = Part.REFERENCES in parts
    is_on = uses_findings or completes
    if not function or not is_on:
        return None
    return ReferenceCheck(
        session,
        function,
        findings if uses_findings else None,
        completes=completes,
    )
