"""Calls of a trial with their results, recorded in an evidence log.

The gates believe an answer only as far as the results of calls support it.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import Citation
from controlplane.agent.evidence.log.evidence_log import CitedPlace, EvidenceLog
from controlplane.gates.evidence import Evidence
from controlplane.gates.trial import Access
from controlplane.sandbox.interface import CallError, ToolSchema
from tests.gates.library_workspace import TOOL_SCHEMA


class CallRecorder:
    """Records calls of a trial, with results of any kind.

    After `calls.record("read", {"path": "/a.md"}, {"path": "/a.md", "content": "21 days", …})`,
    `calls.access_to("/a.md")` has the text that was seen, and a submission may cite `/a.md`.
    """

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
        self.evidence_log = EvidenceLog(tool_schema)

    def record(
        self,
        operation: str,
        arguments: Mapping[str, object],
        result: Mapping[str, object],
        *,
        shown_chars: int | None = None,
    ) -> tuple[str, ...]:
        """Record a call that succeeds with this result.

        Return the remarks of the log on the call, which a trial shows to its model. `shown_chars`
        is how much of a result the first message to the model shows; None if a script made the call.
        """
        return self.evidence_log.add_call(
            operation, arguments, result, error=None, shown_chars=shown_chars
        )

    def fail(self, operation: str, path: str, code: str = "unavailable") -> None:
        """Record a call that fails. By default the environment is out of order."""
        error = CallError(code, "the desk is closed")
        self.evidence_log.add_call(
            operation, arguments={"path": path}, result=None, error=error
        )

    def cite(self, path: str, reason: str, quotation: str = "") -> CitedPlace:
        """Cite a file, as a script does by its function `cite`; return the cited file and line.

        `calls.cite("/A.md", "has the term", "21 days")` -> `CitedPlace("/a.md", line=1)`
        Raises `ValueError`, with a message for the script, if the citation is refused.
        """
        place = self.evidence_log.citations.check(path, reason, quotation)
        accepted = Citation(
            path=path,
            reason=reason,
            quote=quotation,
            spelling=place.spelling,
            line=place.line,
        )
        self.evidence_log.add_citation(accepted)
        return place

    @property
    def evidence(self) -> Evidence:
        """What the gates may know of the calls so far."""
        return self.evidence_log.view()

    def access_to(self, path: str) -> Access:
        """Return what the calls so far did at a path, and which texts they showed there."""
        return self.evidence.accesses[path]
