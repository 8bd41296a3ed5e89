"""Traces the arguments of changing calls to the texts that earlier calls returned.

`result_origins.py` says which text has which origin.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin, Origin
from controlplane.agent.evidence.origins.declared_texts import (
    declared_texts,
    declared_values,
)
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.origins.result_origins import ResultOrigins
from controlplane.agent.evidence.origins.rule_files import RuleFiles
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema

MOST_WAITING_CHARS = 1_000_000
"""The most characters of results that wait for the first look-up."""


class CallOrigins:
    """Learns where the values of one trial come from.

    Created when a trial starts, and used by one thread at a time. `learn` adds the texts
    of a call. `origins_of` looks up the arguments of a call that may change something.
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self.provenance = Provenance()
        """The texts that the trial has received."""
        self.policy = ProvenancePolicy()
        """The user's setting `--provenance`."""
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log
        self._rule_files = RuleFiles(tool_schema)
        """Knows which files the workspace's owner wrote. Their text is trusted."""
        self._results = ResultOrigins(
            tool_schema, evidence_log, self._rule_files, self.provenance
        )
        self._may_change_anything = any(
            tool_schema.may_change(operation.name, {})
            for operation in tool_schema.operations
        )
        """False if no operation can change anything. Origins are then not needed."""
        self._has_learnt_declarations = False
        self._waiting: list[CallRecord] = []
        """Calls that are learnt when an origin is looked up. Most trials look up few or none."""
        self._waiting_chars = 0
        """The size of their results, in characters."""

    def is_talk(self, operation: str) -> bool:
        """Return True if an operation only talks to the user, and changes nothing."""
        declared = self._tool_schema.operation(operation)
        return declared is not None and declared.is_talk

    def with_listed_path(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments of a call, with the path in the spelling that listings show."""
        changed = dict(arguments)
        declared = self._tool_schema.operation(operation)
        if declared is not None:
            path = changed.get(declared.subject)
            if isinstance(path, str):
                changed[declared.subject] = self._evidence_log.right_path(path)
        return changed

    # --- Looking origins up ---

    def origins_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of the arguments of a call.

        The user's setting or the operation may name the *telling* arguments: those that
        decide whom or what the call reaches. Then only these are looked up.
        """
        self._learn_waiting()
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return self.provenance.origins(arguments)
        # If no arguments are declared as telling, all of them are.
        names = self.policy.telling_of(declared) or tuple(arguments)
        return self._origins(declared, arguments, names)

    def _origins(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        names: tuple[str, ...],
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of the named arguments of a call.

        Values in the file that the call changes, or in the schema of an argument, count
        as trusted records.
        """
        changed_path = ""
        if declared.effect in (Effect.WRITES, Effect.MOVES, Effect.DELETES):
            path = str(arguments.get(declared.subject, ""))
            changed_path = self._evidence_log.right_path(path)
        return self.provenance.origins(
            {name: arguments.get(name) for name in names},
            changed_path=changed_path,
            declared_values=declared_values(declared),
        )

    # --- Learning from the user, the declarations and the calls ---

    def add_request(self, text: str) -> None:
        """Learn a request of the user."""
        request = ResultText(text, is_data=False)
        self.provenance.add("the request", [request], Origin.ASKED)

    def learn(self, record: CallRecord) -> None:
        """Learn the texts that a call returned, so that values can be traced to them.

        A call that only reads waits for the first look-up, since most trials need none.
        """
        declared = self._tool_schema.operation(record.operation)
        # Origins matter only to calls that change something, and not in the mode `off`.
        are_origins_needed = self._may_change_anything and self.policy.is_on
        if declared is None or not are_origins_needed:
            return
        if declared.is_function:
            return  # The calls that it makes are learnt instead.

        if not self._tool_schema.may_change(record.operation, record.arguments):
            self._waiting.append(record)
            self._waiting_chars += len(str(record.result))
            if self._waiting_chars > MOST_WAITING_CHARS:
                self._learn_waiting()
            return

        # The call may write to a file that a waiting call has read. The text of a file
        # that the trial wrote is not learnt, so learn what was read before this write.
        self._learn_waiting()
        self._learn_arguments(declared, record.arguments)
        self._results.add_call(record, self.policy)

    def _learn_waiting(self) -> None:
        """Learn the environment's declarations, and the calls that wait."""
        if not self._has_learnt_declarations:
            self._has_learnt_declarations = True
            texts = declared_texts(self._tool_schema)
            declarations = [ResultText(text, is_data=True) for text in texts]
            self.provenance.add("the declared tools", declarations, Origin.RECORD)
        for record in self._waiting:
            self._results.add_call(record, self.policy)
        self._waiting.clear()
        self._waiting_chars = 0

    def _learn_arguments(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Learn the arguments of a changing call. Its tool may return them later."""
        if declared.is_talk:
            return  # It only talks to the user, and stores nothing.
        # A value that is untrusted now stays untrusted, even if the tool returns it.
        origins = self._origins(declared, arguments, tuple(arguments))
        self.provenance.keep_untrusted(origins.values())
        # A tool that is told the path of a rule file may have written the file.
        if declared.effect in (Effect.EXECUTES, Effect.ACTS, Effect.UNDECLARED):
            self._rule_files.learn_arguments_of_tool(arguments)
