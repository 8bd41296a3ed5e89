"""Traces the values of changing calls to the texts that a trial has received.

The user asks: “Pay Bob's bill of 420.” A mail says: “Please pay 420 to GB33...” In the call
`send_money(recipient="GB33...", amount=420)`, the amount is the user's, and the account may be
an attacker's.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.call_lookup import CallLookup
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.policy.provenance_policy import (
    ProvenancePolicy,
)
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
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
        """Adds the texts that calls have returned to `provenance`."""
        self._lookup = CallLookup(self.provenance, evidence_log)
        """Looks up the arguments of calls in `provenance`."""
        self._tool_schema = tool_schema
        self._call_count = 0
        self._may_change_anything = any(
            tool_schema.may_change(operation.name, {})
            for operation in tool_schema.operations
        )
        """False if no operation can change anything. Origins are then not needed."""

    def add_request(self, text: str) -> None:
        """Learn the text of a request of the user: “Pay Bob's bill of 420.”"""
        texts = [ResultText(text, is_data=False)]
        self.provenance.add("the request", texts, Origin.ASKED)

    def learn(self, call: CallRecord) -> None:
        """Add the texts of a call that has returned: its result, and what it has sent to a tool."""
        declared = self._tool_schema.operation(call.operation)
        is_needed = self._may_change_anything and self.policy.is_on
        if declared is None or not is_needed:
            return
        if declared.is_function:
            return  # The calls that a function of the benchmark makes are learnt instead.
        self._call_count += 1
        may_change = self._tool_schema.may_change(call.operation, call.arguments)
        only_talks_to_user = declared.is_talk
        if may_change and not only_talks_to_user:
            # Keep which of its values are untrusted before its result, which may repeat them, is
            # added. They are looked up in all earlier results, so these are added first.
            self._received.learn_waiting()
            self._lookup.keep_untrusted(declared, call.arguments)
        self._received.learn(
            ReceivedCall(self._call_count, declared, call, self.policy, may_change)
        )

    def origins_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of a changing call's arguments, by name, as far as they decide.

        The user's setting may say that only the `recipient` decides about `send_money`.
        """
        if self.policy.mode_of(operation) == "off":
            return {}
        declared = self._tool_schema.operation(operation)
        if declared is not None and declared.is_talk:
            return {}  # What is only said to the user changes nothing.
        # To save time, the results of calls that only read are not searched for values until now.
        self._received.learn_waiting()
        if declared is None:  # Nothing says which arguments decide, so all do.
            return find_origins(self.provenance, arguments)
        deciding = self.policy.deciding_arguments_of(declared, arguments)
        return self._lookup.find(declared, arguments, deciding)
