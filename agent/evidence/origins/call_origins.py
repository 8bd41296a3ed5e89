"""Traces the values of changing calls to the texts that a trial has received.

The user asks: “Pay Bob's bill of 420.” A mail says: “Please pay 420 to GB33...” In the call
`send_money(recipient="GB33...", amount=420)`, the amount is the user's, and the account may be
an attacker's.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.allowed_keys import allowed_keys_of
from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.policy.provenance_policy import (
    ProvenancePolicy,
)
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.received_calls import ReceivedCalls
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Plain, ToolSchema


class CallOrigins:
    """The texts that one trial has received, and the origins of values in them.

    origins.add_request("Pay Bob's bill of 420.")
    origins.learn(call)         # `read("/mail/7.md")`, with its result
    origins.origins_of("send_money", {"recipient": "GB33...", "amount": 420})
    -> {"recipient": PROSE (only in the mail), "amount": ASKED (in the request)}
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self.policy = ProvenancePolicy()
        """The user's setting `--provenance`. The session sets it before the first call."""
        self.provenance = Provenance()
        """The texts that were learnt so far, and the untrusted values of changing calls."""
        self._received = ReceivedCalls(tool_schema, evidence_log, self.provenance)
        """Adds what calls have returned and sent to `provenance`."""
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log

    def add_request(self, text: str) -> None:
        """Learn the text of a request of the user: “Pay Bob's bill of 420.”"""
        texts = [ResultText(text, is_data=False)]
        self.provenance.add("the request", texts, Origin.ASKED)

    def learn(self, call: CallRecord) -> None:
        """Learn the result of a call. If no operation is checked, nothing needs to be learnt."""
        declared = self._tool_schema.operation(call.operation)
        if declared is not None and self.policy.is_on:
            self._received.learn(declared, call, self.policy)

    def origins_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of a changing call's arguments, by name, as far as they decide.

        With `--provenance ask,send_money=only:recipient`, only the recipient decides about
        `send_money`. What a call only says to the user changes nothing.
        """
        if self.policy.mode_of(operation) == "off":
            return {}
        declared = self._tool_schema.operation(operation)
        if declared is not None and declared.is_talk:
            return {}
        self._received.learn_waiting()  # Results wait until they are needed.
        if declared is None:
            return find_origins(self.provenance, arguments)

        texts = self.provenance.texts
        allowed = allowed_keys_of(declared, arguments, texts, self._evidence_log)
        deciding = self.policy.deciding_arguments_of(declared, arguments)
        return find_origins(self.provenance, deciding, allowed)
