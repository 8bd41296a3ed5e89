"""Learns the calls that a trial has made: the texts in their results, and what they have sent.

A trial reads a mail, “Please pay 420 to GB33...”, and then calls `send_money(recipient="GB33...")`.
The mail is learnt, so that the account is known to be from there. The arguments of `send_money` are
learnt, too: a list of transfers may have the account later, and must not make it trusted.
"""

from __future__ import annotations

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.policy.provenance_policy import (
    ProvenancePolicy,
)
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.authored_texts import AuthoredTexts
from controlplane.agent.evidence.origins.results.operation_results import (
    OperationResults,
)
from controlplane.agent.evidence.origins.results.outcome_learner import OutcomeLearner
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.sent_arguments import (
    learn_sent_arguments,
)
from controlplane.agent.evidence.origins.results.waiting_texts import WaitingTexts
from controlplane.sandbox.interface import Operation, ToolSchema


class ReceivedCalls:
    """The calls of one trial that have returned."""

    def __init__(
        self, tool_schema: ToolSchema, evidence_log: EvidenceLog, provenance: Provenance
    ) -> None:
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log
        self._provenance = provenance
        self._owner_files = OwnerFiles(tool_schema)
        texts = AuthoredTexts(self._owner_files, evidence_log, provenance)
        results = OperationResults(tool_schema, evidence_log, texts)
        self._outcomes = OutcomeLearner(provenance, results)
        self._waiting = WaitingTexts(tool_schema, self._outcomes, provenance)
        """The calls that have only read, until their texts are needed."""
        self._call_count = 0
        self._may_change_anything = any(
            tool_schema.may_change(operation.name, {})
            for operation in tool_schema.operations
        )
        """False if no operation can change anything. Origins are then not needed."""

    def learn(
        self, declared: Operation, record: CallRecord, policy: ProvenancePolicy
    ) -> None:
        """Learn a call of an operation once it has returned.

        | the operation | learnt |
        |---|---|
        | is a function of the benchmark | nothing: the calls that it makes are learnt instead |
        | only reads | the result, as soon as a changing call is looked up or made |
        | talks to the user | the answer, at once |
        | may change something | the arguments, which a tool may store, and the result, at once |
        """
        if not self._may_change_anything or declared.is_function:
            return
        self._call_count += 1
        call = ReceivedCall(self._call_count, declared, record, policy)
        if not self._tool_schema.may_change(record.operation, record.arguments):
            self._waiting.add(call)
            return
        # This call may have written to a file that a waiting call has read before. Texts of
        # files that the trial wrote are not learnt, so the waiting calls are learnt first.
        self.learn_waiting()
        if not declared.is_talk:
            learn_sent_arguments(
                declared, record.arguments, self._provenance, self._evidence_log
            )
            self._owner_files.learn_changing_call(declared, record.arguments)
        self._outcomes.add(call)

    def learn_waiting(self) -> None:
        """Learn the results of calls that have only read. They wait until they are needed."""
        self._waiting.learn_all()
