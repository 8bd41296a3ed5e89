"""Decides when the texts of a call are learnt.

Texts are needed when an origin is looked up, and most trials look up few or none. So a
call that only reads waits. A changing call is learnt at once, after all that wait.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_origin import Origin
from controlplane.agent.evidence.origins.origin_lookup import OriginLookup
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.origins.results.call_outcomes import CallOutcomes
from controlplane.agent.evidence.origins.results.declared_texts import declared_texts
from controlplane.agent.evidence.origins.results.result_origins import ResultOrigins
from controlplane.agent.evidence.origins.results.rule_files import RuleFiles
from controlplane.agent.evidence.origins.waiting_calls import WaitingCalls
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema


class LearntCalls:
    """Adds the calls of one trial to its `provenance`."""

    def __init__(
        self, tool_schema: ToolSchema, evidence_log: EvidenceLog, lookup: OriginLookup
    ) -> None:
        self._tool_schema = tool_schema
        self._lookup = lookup
        self._provenance = lookup.provenance
        self._rule_files = RuleFiles(tool_schema)
        """Knows which files the workspace's owner wrote. Their text is trusted."""
        results = ResultOrigins(
            tool_schema, evidence_log, self._rule_files, self._provenance
        )
        self._outcomes = CallOutcomes(self._provenance, results)
        self._has_learnt_declarations = False
        self._waiting = WaitingCalls()

    def add_reading(self, call: CallRecord, policy: ProvenancePolicy) -> None:
        """Add a call that only reads. It waits, unless too many texts do."""
        self._waiting.add(call)
        if self._waiting.is_full:
            self.learn_waiting(policy)

    def add_changing(
        self, declared: Operation, call: CallRecord, policy: ProvenancePolicy
    ) -> None:
        """Add a call that may change something: its arguments, and its result."""
        # The call may write to a file that a waiting call has read. The text of a file
        # that the trial wrote is not learnt, so learn what was read before this write.
        self.learn_waiting(policy)
        self._learn_arguments(declared, call.arguments)
        self._outcomes.add(declared, call, policy)

    def learn_waiting(self, policy: ProvenancePolicy) -> None:
        """Learn the environment's declarations, and the calls that wait."""
        if not self._has_learnt_declarations:
            self._has_learnt_declarations = True
            texts = declared_texts(self._tool_schema)
            declarations = [ResultText(text, is_data=True) for text in texts]
            self._provenance.add("the declared tools", declarations, Origin.RECORD)
        for call in self._waiting.take_all():
            declared = self._tool_schema.operation(call.operation)
            assert declared is not None  # Other calls are not added.
            self._outcomes.add(declared, call, policy)

    def _learn_arguments(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Learn the arguments of a changing call. Its tool may return them later."""
        if declared.is_talk:
            return  # It only talks to the user, and stores nothing.
        # A value that is untrusted now stays untrusted, even if the tool returns it.
        origins = self._lookup.origins(declared, arguments, arguments)
        self._provenance.keep_untrusted(origins.values())
        # A tool that is told the path of a rule file may have written the file.
        if declared.effect in (Effect.EXECUTES, Effect.ACTS, Effect.UNDECLARED):
            self._rule_files.learn_arguments_of_tool(arguments)
