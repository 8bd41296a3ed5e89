"""Learns the texts that the calls of a trial have returned.

A trial reads a mail, “Please pay 420 to GB33...”, and then calls `send_money(recipient="GB33...")`.
Before this call is sent, the mail is learnt, so that the account is known to be from there.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.declared_texts import declared_texts
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.added_outcomes import add_outcome
from controlplane.agent.evidence.origins.results.outcome_reader import OutcomeReader
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.trial_files import TrialFiles
from controlplane.agent.evidence.origins.results.waiting_calls import WaitingCalls
from controlplane.sandbox.interface import ToolSchema


class ReceivedCalls:
    """The calls of one trial that have returned."""

    def __init__(
        self, tool_schema: ToolSchema, evidence_log: EvidenceLog, provenance: Provenance
    ) -> None:
        self._tool_schema = tool_schema
        self._provenance = provenance
        """What the trial knows. The texts are added to it."""
        self._files = TrialFiles(OwnerFiles(tool_schema), evidence_log)
        self._reader = OutcomeReader(tool_schema, self._files)
        self._waiting = WaitingCalls()
        self._declarations_wait = True
        """False once the texts are added that declare the operations."""

    def learn(self, call: ReceivedCall) -> None:
        """Learn a call: at once if it may have changed something, and otherwise once needed."""
        if not call.may_change:
            self._waiting.add(call)
            if self._waiting.is_full:
                self.learn_waiting()
            return
        # This call may have written to a file that a waiting call has read before. Texts of
        # files that the trial wrote are not learnt, so the waiting calls are learnt first.
        self.learn_waiting()
        if not call.declared.is_talk:
            owner_files = self._files.owner_files
            owner_files.learn_changing_call(call.declared, call.record.arguments)
        self._learn_now(call)

    def learn_waiting(self) -> None:
        """Learn what waits: first the declarations of the operations, then the calls."""
        if self._declarations_wait:
            self._declarations_wait = False
            texts = declared_texts(self._tool_schema)
            self._provenance.add("the declared tools", texts, Origin.RECORD)
        for call in self._waiting.take():
            self._learn_now(call)

    def _learn_now(self, call: ReceivedCall) -> None:
        """Add the texts of a call's result or error, if it has any."""
        outcome = self._reader.read(call)
        if outcome is not None:
            add_outcome(outcome, self._files, self._provenance)
