"""Adds the results of calls that read files or use tools to what a trial knows.

A later call, `send_money(recipient="GB33...")`, may have the account from such a result. If it is
only in running text, whose author may want to trick the model, the call may be held. If a field of
data has it, or an earlier call has found a record by it, it is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.authored_texts import AuthoredTexts
from controlplane.agent.evidence.origins.results.file_texts import texts_of_read_file
from controlplane.agent.evidence.origins.results.program_outputs import add_output
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_fields import text_fields
from controlplane.agent.evidence.texts.data_texts import texts_of_data
from controlplane.agent.evidence.texts.result_texts import texts_of_result
from controlplane.sandbox.interface import Effect, ToolSchema


@dataclass(frozen=True, slots=True)
class OperationResults:
    """Adds the results of one trial's calls."""

    tool_schema: ToolSchema
    evidence_log: EvidenceLog
    """Knows which files the trial wrote, and how listings spell a path."""
    texts: AuthoredTexts
    """Adds the texts of results to what the trial knows."""

    def add(self, call: ReceivedCall) -> None:
        """Add the texts of a call's result, as the declaration of its operation says."""
        # If the user trusts all results of the operation, each text counts as a record. Without
        # an origin, this depends on the text: a field of data is a record, a mail is not.
        origin = Origin.RECORD if call.policy.trusts(call.declared) else None
        path = call.returned.requested_path
        match call.declared.effect:
            case Effect.READS if path:
                self._add_file(call, path, origin)
            case Effect.LISTS:
                listing = texts_of_data(text_fields(call.returned.result))
                self.texts.add(call, listing, None)
            case Effect.EXECUTES:
                program = self.tool_schema.executable(path)
                add_output(call, program, self.texts, origin)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                pass  # The result only says that it was done.
            case _:
                self._add_record(call, origin)

    def _add_file(self, call: ReceivedCall, path: str, origin: Origin | None) -> None:
        """Add a file that was read, unless the trial wrote it. Its path is known to exist."""
        if self.evidence_log.is_own(path):
            return
        listed_path = self.evidence_log.listed_path(path)
        content_field = call.declared.json_field or "content"
        texts = texts_of_read_file(
            listed_path, call.returned.result, content_field=content_field
        )
        self.texts.add(call, texts, origin, place=listed_path)
        self.texts.provenance.add_record([path], listed_path)

    def _add_record(self, call: ReceivedCall, origin: Origin | None) -> None:
        """Add the result of a tool that works on no file, such as `get_user(id="u7")`.

        If it has any text, there is a user u7, so a later call with this id has it from a record.
        But a tool that may change something returns “done”, which is no record.
        """
        texts = texts_of_result(text_fields(call.returned.result))
        self.texts.add(call, texts, origin)
        arguments = call.record.arguments
        if not texts or self.tool_schema.may_change(call.declared.name, arguments):
            return
        names = call.policy.lookup_arguments_of(call.declared)  # `id`; most have none
        if names:
            found_values = [arguments.get(name) for name in names]
            self.texts.provenance.add_record(found_values, call.place)
