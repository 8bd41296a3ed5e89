"""Adds the texts of calls to what a trial knows of origins, as late as possible.

Texts are needed once a changing call is about to be sent, `send_money(recipient="GB33...")`,
to find the account in them. Many trials only read, and need none. So the text of a mail that
was read waits for the first look-up or the first change.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.origin_lookup import OriginLookup
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.origins.results.call_outcomes import CallOutcomes
from controlplane.agent.evidence.origins.results.declared_texts import declared_texts
from controlplane.agent.evidence.origins.results.result_origins import ResultOrigins
from controlplane.agent.evidence.origins.results.rule_files import RuleFiles
from controlplane.agent.evidence.origins.waiting_calls import WaitingCalls
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema


class OriginLearner:
    """Adds the texts of one trial's calls to its `provenance`.

    A call that only reads waits, because indexing its result is slow, and only trials that
    change something need it. `learn_waiting` is called before each look-up.
    """

    def __init__(
        self, tool_schema: ToolSchema, evidence_log: EvidenceLog, lookup: OriginLookup
    ) -> None:
        self.policy = ProvenancePolicy()
        """The user's setting `--provenance`, which may declare results as trusted. Set by
        `CallOrigins`."""
        self._tool_schema = tool_schema
        self._lookup = lookup
        self._provenance = lookup.provenance
        self._rule_files = RuleFiles(tool_schema)
        """Knows which files the workspace's owner wrote. Their text is trusted."""
        results = ResultOrigins(
            tool_schema, evidence_log, self._rule_files, self._provenance
        )
        self._outcomes = CallOutcomes(self._provenance, results)
        """Adds the results and errors of calls."""
        self._has_learnt_declarations = False
        self._waiting = WaitingCalls()

    def learn_reading_later(self, call: CallRecord) -> None:
        """Let a call that only reads wait until `learn_waiting` is called.

        Waiting calls keep their results in memory. If these become too long, learn all now.
        """
        self._waiting.add(call)
        if self._waiting.is_full:
            self.learn_waiting()

    def learn_changing(self, declared: Operation, call: CallRecord) -> None:
        """Learn the arguments and the result of a call that may change something."""
        # The call may write to a file that a waiting call has read. Texts of files that the
        # trial wrote are not learnt, so learn first what was read before this write.
        self.learn_waiting()
        self._learn_arguments(declared, call.arguments)
        self._outcomes.add(declared, call, self.policy)

    def learn_waiting(self) -> None:
        """Learn the calls that wait, and before the first ones, the environment's declarations."""
        if not self._has_learnt_declarations:
            self._has_learnt_declarations = True
            texts = declared_texts(self._tool_schema)
            declarations = [ResultText(text, is_data=True) for text in texts]
            self._provenance.add("the declared tools", declarations, Origin.RECORD)
        for call in self._waiting.take_all():
            declared = self._tool_schema.operation(call.operation)
            assert declared is not None  # Undeclared calls are never added.
            self._outcomes.add(declared, call, self.policy)

    def _learn_arguments(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Learn the untrusted values in the arguments of a changing call.

        They stay untrusted, even if the tool stores them, and `list_transfers` returns them.
        """
        if declared.is_talk:
            return  # It only talks to the user, and stores nothing.
        all_names = arguments.keys()
        origins = self._lookup.origins(declared, arguments, names=all_names)
        self._provenance.remember_untrusted(origins.values())
        # The declaration does not say which files such an operation writes. It may be any that
        # the arguments name.
        if declared.effect in (Effect.EXECUTES, Effect.ACTS, Effect.UNDECLARED):
            self._rule_files.learn_arguments_of_tool(arguments)
