"""Adds the results of calls that read files or use tools to what a trial knows.

A later call, `send_money(recipient="GB33...")`, may have the account from such a result. If it is
only in running text, whose author may want to trick the model, the call may be held. If a field of
data has it, or an earlier call has found a record by it, it is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
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
    """Adds the texts of results."""
    provenance: Provenance
    """What the trial knows."""

    def add(self, call: ReceivedCall) -> None:
        """Add the texts of a call's result.

        Without an origin, a field of data is a record, and any other text is running text.
        """
        # If the user trusts all results of the operation, their form does not matter.
        origin = Origin.RECORD if call.policy.trusts(call.declared) else None
        result = call.returned.result
        match call.declared.effect:
            case Effect.READS if call.returned.requested_path:
                self._add_file(call, origin)
            case Effect.LISTS:
                paths = texts_of_data(text_fields(result))
                self.texts.add(call.place, paths, None, passed_keys=call.passed_keys)
            case Effect.EXECUTES:
                program = self.tool_schema.executable(call.returned.requested_path)
                add_output(call, program, self.texts, origin)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                pass  # The result only says that it was done.
            case _:
                self._add_record(call, origin)

    def _add_file(self, call: ReceivedCall, origin: Origin | None) -> None:
        """Add a file that was read, unless the trial wrote it. Its path is known to exist."""
        path = call.returned.requested_path
        if self.evidence_log.is_own(path):
            return
        place = self.evidence_log.listed_path(path)
        content_field = call.declared.json_field or "content"
        texts = texts_of_read_file(
            place, call.returned.result, content_field=content_field
        )
        self.texts.add(place, texts, origin, passed_keys=call.passed_keys)
        self.provenance.add_record([path], place)

    def _add_record(self, call: ReceivedCall, origin: Origin | None) -> None:
        """Add the result of a tool that works on no file, such as `get_user(id="u7")`.

        Unless it is empty, there is a user u7, even if no field repeats the id. But “done” is
        no record, so after a call that may have changed something, this is not certain.
        """
        texts = texts_of_result(text_fields(call.returned.result))
        self.texts.add(call.place, texts, origin, passed_keys=call.passed_keys)
        arguments = call.record.arguments
        if not texts or self.tool_schema.may_change(call.declared.name, arguments):
            return
        names = call.policy.lookup_arguments_of(call.declared)  # `id`; most have none
        if names:
            found_values = [arguments.get(name) for name in names]
            self.provenance.add_record(found_values, call.place)
