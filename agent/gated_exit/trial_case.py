"""What the gates, the rules for answers, are told about a trial when they judge an answer.

The request and the clock stay the same. The rules of the workspace are known once a call has read
them, and the earlier submissions count, too:

    before any call              Case("Renew my loan l-7", rules="", internal_errors_before=0, ...)
    after `read /docs/rules.md`  Case("Renew my loan l-7", rules="Loans end ...", ...)
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.gated_exit.workspace_rules import WorkspaceRules
from controlplane.gates.submission import Case
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class TrialCase:
    """The case of one trial, which grows with its calls and submissions."""

    instruction: str
    """The user's request."""
    now: str
    """The trial's clock at its start, in ISO 8601; empty without a clock."""
    tool_schema: ToolSchema
    """The environment's declaration: whether answers cite sources, and where the rules are."""
    rules: WorkspaceRules
    """The text of the workspace's rules, which a call may read later."""
    history: SubmissionHistory
    """What was submitted so far."""

    def current(self) -> Case:
        """Return what the gates are told now."""
        return Case(
            self.instruction,
            rules_path=self.tool_schema.rules_document,
            now=self.now,
            is_uncited=not self.tool_schema.is_cited,
            rules=self.rules.text,
            internal_errors_before=self.history.internal_errors,
        )
