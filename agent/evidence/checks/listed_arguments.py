"""Writes the path of a call as listings show it, so that the checks know one file by one path.

A check has stopped `delete("/docs/Loans.md")`. If the model insists, it makes the same call again,
perhaps as `delete("/DOCS/loans.md")`, which an environment may accept, too. To the checks, the two
are the same call only if both have the path in one spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.sandbox.interface import Plain, ToolSchema


@dataclass(frozen=True, slots=True)
class ListedArguments:
    """Writes the arguments of one trial's calls with listed paths."""

    tool_schema: ToolSchema
    """Declares which argument of an operation is its path."""
    evidence_log: EvidenceLog
    """Knows the listings that the trial has seen."""

    def of_call(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments of a call, with its path in the spelling that listings show.

        `{"path": "/DOCS/loans.md"}` -> `{"path": "/docs/Loans.md"}`
        """
        listed = dict(arguments)
        declared = self.tool_schema.operation(operation)
        if declared is None:
            return listed
        path = arguments.get(declared.subject)  # `subject` names the path argument.
        if isinstance(path, str):
            listed[declared.subject] = self.evidence_log.listed_path(path)
        return listed
