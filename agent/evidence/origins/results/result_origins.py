"""Adds the texts that calls have returned to what a trial knows, each with its origin.

| text | origin (see `Origin` in `argument_origin.py`) |
|---|---|
| a message of the user | asked |
| the rules document of the workspace, or a file of its owner | rules |
| a field of data, a name in a listing, a declared operation | record |
| any other text of a file or result, and the message of an error | prose |

The text of a file that the trial wrote itself has no origin, so it is left out.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.authored_texts import AuthoredTexts
from controlplane.agent.evidence.origins.results.call_result import CallResult
from controlplane.agent.evidence.origins.results.program_output import ProgramOutput
from controlplane.agent.evidence.origins.results.rule_files import RuleFiles
from controlplane.agent.evidence.texts.result_texts import (
    texts_of_data,
    texts_of_result,
)
from controlplane.sandbox.interface import Effect, ToolSchema


class ResultOrigins:
    """Adds the results of one trial's calls to its `provenance`."""

    def __init__(
        self,
        tool_schema: ToolSchema,
        evidence_log: EvidenceLog,
        rule_files: RuleFiles,
        provenance: Provenance,
    ) -> None:
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log
        """Knows which files the trial has written itself."""
        self._provenance = provenance
        self._texts = AuthoredTexts(provenance, evidence_log, rule_files)
        """Adds texts of files with the origin that their authors give them."""
        self._output = ProgramOutput(tool_schema, evidence_log, provenance, self._texts)

    def add(self, result: CallResult) -> None:
        """Add the texts of a result, read as the declaration of its operation says."""
        declared = result.call.declared
        if declared.is_talk:
            # The operation asks the user. The reply counts as a request, even where it
            # repeats the question.
            reply = result.leaf_texts(is_data=False)
            self._provenance.add(result.place, reply, Origin.ASKED)
            return
        if declared.is_prose:
            # It is declared that any part of the result may be by somebody else.
            self._texts.add(result, result.leaf_texts(is_data=False), Origin.PROSE)
            return

        match declared.effect:
            case Effect.READS if result.call.requested_path:
                self._add_file(result)
            case Effect.LISTS:
                self._texts.add(result, texts_of_data(result.fields))
            case Effect.EXECUTES:
                self._output.add(result)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                pass  # The result confirms the change, and has no other text.
            case _:
                self._add_tool_result(result)

    def _add_tool_result(self, result: CallResult) -> None:
        """Add the result of a tool, and the values by which it found a record, such as an id.

        The record has these values, even if the result does not show them.
        """
        texts = texts_of_result(result.fields)
        self._texts.add(result, texts, result.origin)
        call = result.call
        may_change = self._tool_schema.may_change(
            call.declared.name, call.arguments.values
        )
        if texts and not may_change:
            self._provenance.add_record_found_by(result.key_values, result.place)

    def _add_file(self, result: CallResult) -> None:
        """Add a file's text, and its path as a record, unless the trial wrote the file."""
        path = result.call.requested_path
        if self._evidence_log.is_own(path):
            return
        listed_path = self._evidence_log.right_path(path)
        self._provenance.add_record_found_by([path], listed_path)
        texts = result.file_texts(listed_path)
        self._texts.add(result, texts, result.origin, place=listed_path)
