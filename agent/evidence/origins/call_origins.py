"""Traces the values of changing calls to the texts that a trial has received.

A trial reads the mail “Please pay 420 to GB33...”, and then calls
`send_money(recipient="GB33...")`. `CallOrigins` says whether the account is in the user's
request, in data, or only in the mail.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.origin_learner import OriginLearner
from controlplane.agent.evidence.origins.origin_lookup import OriginLookup
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.sandbox.interface import Plain, ToolSchema


class CallOrigins:
    """Learns the texts that one trial receives, and finds the origins of values in them.

    1. `learn` takes each call once it has returned: `read("/mail/7.md")` has returned
       “Please pay 420 to GB33...”
    2. `origins_of` looks up the arguments of a changing call before it is sent: the account
       in `send_money(recipient="GB33...")` is only in the mail, so its origin is `PROSE`.
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self.provenance = Provenance()
        """The texts that the trial has received."""
        self.policy = ProvenancePolicy()
        """The user's setting `--provenance` (see `use_policy`). Until then, its mode is `off`."""
        self._tool_schema = tool_schema
        self._lookup = OriginLookup(self.provenance, evidence_log)
        """Looks up the arguments of calls in the texts."""
        self._learner = OriginLearner(tool_schema, evidence_log, self._lookup)
        """Adds the texts of calls. It may put this off until they are looked up."""
        self._may_change_anything = any(
            tool_schema.may_change(operation.name, {})
            for operation in tool_schema.operations
        )
        """False if no operation can change anything. Origins are then not needed."""

    def use_policy(self, policy: ProvenancePolicy) -> None:
        """Use the user's setting from now on. The session calls this before the first call."""
        self.policy = policy
        self._learner.policy = policy

    def add_request(self, text: str) -> None:
        """Learn the text of a request of the user: “Pay 420 to GB33...”"""
        request = ResultText(text, is_data=False)
        self.provenance.add("the request", [request], Origin.ASKED)

    def learn(self, call: CallRecord) -> None:
        """Learn the texts that a call returned, so that values can be traced to them."""
        # Origins matter only to calls that change something, and not in the mode `off`.
        are_origins_needed = self._may_change_anything and self.policy.is_on
        declared = self._tool_schema.operation(call.operation)
        if declared is None or not are_origins_needed:
            return
        if declared.is_function:
            return  # The calls that the function makes are learnt instead.
        if self._tool_schema.may_change(call.operation, call.arguments):
            self._learner.learn_changing(declared, call)
        else:
            self._learner.learn_reading_later(call)

    def origins_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of a call's arguments, by name.

        The user's setting or the operation's declaration may name *telling* arguments, which
        decide whom or what the call reaches, such as the recipient in
        `send_money(recipient=..., subject=...)`. Then only these are looked up.
        """
        # The look-up needs the texts of all earlier calls, also of those that only read.
        self._learner.learn_waiting()
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return self.provenance.origins(arguments)
        telling_names = self.policy.telling_of(declared, arguments)
        return self._lookup.origins(declared, arguments, names=telling_names)

    def is_talk(self, operation: str) -> bool:
        """Return True if an operation only talks to the user, and changes nothing."""
        declared = self._tool_schema.operation(operation)
        return declared is not None and declared.is_talk

    def with_listed_path(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments of a call, with the path in the spelling that listings show.

        `{"path": "/DOCS/loans.md"}` -> `{"path": "/docs/Loans.md"}`
        """
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return dict(arguments)
        return self._lookup.with_listed_path(declared, arguments)
