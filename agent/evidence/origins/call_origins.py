"""Traces the values of changing calls to the texts that a trial has received.

A trial reads the mail “Please pay 420 to GB33...”, and then calls
`send_money(recipient="GB33...", amount=420)`. `CallOrigins` says whether the account is in the
user's request, in data, or only in the mail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.policy.provenance_policy import (
    ProvenancePolicy,
)
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.declared_texts import declared_keys
from controlplane.agent.evidence.origins.results.file_authors import FileAuthors
from controlplane.agent.evidence.origins.results.outcome_learner import OutcomeLearner
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_reader import ResultReader
from controlplane.agent.evidence.origins.results.waiting_texts import WaitingTexts
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema


class CallOrigins:
    """Learns the texts that one trial receives, and finds the origins of values in them.

        origins.add_request("Pay Bob's bill of 420.")
        origins.learn(call)         # `read("/mail/7.md")`, with its result
        origins.origins_of("send_money", {"recipient": "GB33...", "amount": 420})
        -> {"recipient": PROSE (only in the mail), "amount": ASKED (in the request)}

    Indexing a text is slow, and a trial that changes nothing needs no origins. So the result of
    a call that only reads waits until a changing call is looked up or made.
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self.policy = ProvenancePolicy()
        """The user's setting `--provenance`. The session sets it before the first call. Until
        then, origins are not needed."""
        self.provenance = Provenance()
        """The texts that were learnt so far, and the untrusted values of changing calls."""
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log
        """Knows the spelling in which listings show a path."""
        self._file_authors = FileAuthors(tool_schema, evidence_log)
        """Tells which files the workspace's owner wrote. Their texts are trusted."""
        self._outcomes = OutcomeLearner(
            ResultReader(tool_schema, evidence_log), self._file_authors, self.provenance
        )
        """Adds the results of calls to `provenance`."""
        self._waiting = WaitingTexts(tool_schema, self._outcomes, self.provenance)
        """The texts that will be added to `provenance` once they are needed."""
        self._call_count = 0
        """How many calls were learnt, or wait to be."""
        self._may_change_anything = any(
            tool_schema.may_change(operation.name, {})
            for operation in tool_schema.operations
        )
        """False if no operation can change anything. Origins are then not needed."""

    # --- What the trial receives ---

    def add_request(self, text: str) -> None:
        """Learn the text of a request of the user: “Pay 420 to GB33...”"""
        request = ResultText(text, is_data=False)
        self.provenance.add("the request", [request], Origin.ASKED)

    def learn(self, call: CallRecord) -> None:
        """Learn a call once it has returned."""
        declared = self._tool_schema.operation(call.operation)
        if declared is None or not self._may_change_anything or not self.policy.is_on:
            return
        if declared.is_function:
            return  # The calls that the function makes are learnt instead.
        self._call_count += 1
        received = ReceivedCall(self._call_count, declared, call, self.policy)
        if not self._tool_schema.may_change(call.operation, call.arguments):
            self._waiting.add(received)
            return
        # This call may have written to a file that a waiting call has read before. Texts of
        # files that the trial wrote are not learnt, so the waiting calls are learnt first.
        self._waiting.learn_all()
        if not declared.is_talk:  # Talking to the user stores nothing.
            self._learn_sent_arguments(declared, call.arguments)
        self._outcomes.add(received)

    def _learn_sent_arguments(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Learn the arguments of a changing call, `send_money(recipient="GB33...")`.

        A tool may store them. So an untrusted account stays untrusted, even if
        `list_transfers` returns it later.
        """
        origins = self._origins_of_declared(declared, arguments, names=arguments)
        self.provenance.remember_untrusted(origins.values())
        self._file_authors.learn_changing_call(declared, arguments)

    # --- Where the values of a call come from ---

    def origins_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of a changing call's arguments, by name.

        | the call | its arguments that are looked up |
        |---|---|
        | talks to the user, or has the mode `off` | none: their origins do not matter |
        | `pay(to=..., note=...)`, with the setting `pay=only:to` | `to` |
        | `pay(to=..., note=...)`, if `pay` is declared with `telling=("to",)` | `to` |
        | any other | all |
        """
        if self.policy.mode_of(operation) == "off":
            return {}
        declared = self._tool_schema.operation(operation)
        if declared is not None and declared.is_talk:
            return {}
        self._waiting.learn_all()
        if declared is None:
            return find_origins(self.provenance, arguments)
        names = self.policy.deciding_arguments_of(declared, arguments)
        return self._origins_of_declared(declared, arguments, names=names)

    def _origins_of_declared(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        *,
        names: Iterable[str],
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of the arguments with these names.

        Some values are trusted in this call, like fields of data:

        - A call of `set(mode="START")` may have each value that the declaration lists for
          `mode`.
        - `write("/fees.md", ...)` may have each value that was read in `/fees.md`: an edit of
          one line writes the others again.
        """
        changed_path = None
        if declared.effect in (Effect.WRITES, Effect.MOVES, Effect.DELETES):
            path = str(arguments.get(declared.subject, ""))
            changed_path = self._evidence_log.listed_path(path)
        return find_origins(
            self.provenance,
            {name: arguments.get(name) for name in names},
            changed_path=changed_path,
            declared_keys=declared_keys(declared),
        )

    def with_listed_path(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments of a call, with the path in the spelling that listings show.

        `{"path": "/DOCS/loans.md"}` -> `{"path": "/docs/Loans.md"}`
        """
        listed = dict(arguments)
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return listed
        path = arguments.get(declared.subject)  # `subject` names the path argument.
        if isinstance(path, str):
            listed[declared.subject] = self._evidence_log.listed_path(path)
        return listed
