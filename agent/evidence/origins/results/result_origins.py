"""Adds the texts that calls have returned to what a trial knows, each with its origin.

A later call, `send_money(recipient="GB33...")`, may have the account from any of these texts.
If it is only in running text, whose author may want to trick the model, the call may be held.

| text | origin (see `Origin` in `origin.py`) |
|---|---|
| a message of the user | asked |
| the rules document of the workspace, or a file of its owner | rules |
| a field of data, a name in a listing | record |
| any other text of a file or result | prose (running text) |

The text of a file that the trial wrote itself is left out: it supplies no new values.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import ORIGIN_BY_FORM, Origin
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
    """Adds the results of one trial's calls to its `provenance`, each text with its origin.

    The origin says how far the text is trusted: `search("GB33")` may return lines of the
    file `/mail/7.md` (prose, by anybody) and of `/RULES.md` (rules, by the owner).
    """

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
        self._authored_texts = AuthoredTexts(provenance, evidence_log, rule_files)
        """Adds texts by the authors of their files: only the owner's have the origin rules."""
        self._program_output = ProgramOutput(
            tool_schema, evidence_log, provenance, self._authored_texts
        )
        """Adds the output of programs, such as `grep`."""

    def add(self, result: CallResult) -> None:
        """Add the texts of a result, read as the declaration of its operation says."""
        declared = result.call.declared
        if declared.is_talk:
            # The result is the user's reply. If the user repeats a value of the question,
            # the value is confirmed. So values that the call passed count here.
            reply = result.leaf_texts(is_data=False)
            self._provenance.add(result.place, reply, Origin.ASKED)
            return
        if declared.is_prose:
            # It is declared that any part of the result may be by a stranger.
            texts = result.leaf_texts(is_data=False)
            self._authored_texts.add(result, texts, origin=Origin.PROSE)
            return

        match declared.effect:
            case Effect.READS if result.call.requested_path:
                self._add_file(result)
            case Effect.LISTS:
                texts = texts_of_data(result.fields)
                self._authored_texts.add(result, texts, origin=ORIGIN_BY_FORM)
            case Effect.EXECUTES:
                self._program_output.add(result)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                pass  # The result confirms the change, and has no other text.
            case _:  # A tool that works on no path, or that reads without a path
                self._add_tool_result(result)

    def _add_file(self, result: CallResult) -> None:
        """Add a file's text, and its path as a record, unless the trial wrote the file."""
        path = result.call.requested_path
        if self._evidence_log.is_own(path):
            return
        # The file exists, so its path is trusted, too.
        listed_path = self._evidence_log.listed_path(path)
        self._provenance.add_record([path], listed_path)
        texts = result.file_texts(listed_path)
        self._authored_texts.add(result, texts, origin=result.origin, place=listed_path)

    def _add_tool_result(self, result: CallResult) -> None:
        """Add the result of a tool, and the values by which it found a record, such as an id.

        `get_user(id="u7")` has found the user u7, even if the result does not show the id.
        """
        texts = texts_of_result(result.fields)
        self._authored_texts.add(result, texts, origin=result.origin)
        call = result.call
        may_change = self._tool_schema.may_change(
            call.declared.name, call.arguments.values
        )
        has_found_record = bool(texts) and not may_change
        if has_found_record:
            self._provenance.add_record(result.lookup_values, result.place)
