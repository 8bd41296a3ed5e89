"""Calls of an environment of one's own, with what a script is told about each."""

from agent.evidence.evidence_log import EvidenceLog
from sandbox.interface import ToolSchema
from tests.gates.sample_trials import Calls


class NotedCalls(Calls):
    """Calls whose environment is given."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        super().__init__()
        self.evidence_log = EvidenceLog(tool_schema)
