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

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.log.opened_files import opened_files
from controlplane.agent.evidence.log.tool_run import HELP
from controlplane.agent.evidence.origins.argument_origin import Origin
from controlplane.agent.evidence.origins.argument_values import (
    ValueKeys,
    keys_of_arguments,
)
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.origins.rule_files import RuleFiles
from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.agent.evidence.texts.result_texts import (
    ResultText,
    texts_of_data,
    texts_of_file,
    texts_of_result,
)
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema

_FIELDS_ABOUT_CALL = (
    "call_path",
    "sha256",
    "truncated",
    "exit_code",
    "content_type",
    "lines",
)
"""Result fields that describe the call. They have no text of a file or a tool."""


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of a call, while its texts are added."""

    call: ReturnedCall
    place: str
    """Where its texts come from, as messages show it: `/m.md`, `call 3 of search`."""
    fields: Mapping[str, Plain]
    """The fields that have text of a file or a tool."""
    origin: Origin | None
    """The origin of all its texts. None if it depends on the form of each text."""
    repeatable: ValueKeys
    """Values in the arguments of the call. The result may only repeat them."""

    def running_texts(self) -> list[ResultText]:
        """Return all texts, as running text."""
        texts = leaves_of(dict(self.fields))
        return [ResultText(text, is_data=False) for text in texts]


class ResultOrigins:
    """Adds the results of one trial's calls to `provenance`, with their origins.

    An origin says how far a text is trusted: the user's (`ASKED`), the workspace owner's
    (`RULES`), data (`RECORD`), or running text (`PROSE`).
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
        self._rule_files = rule_files
        """Knows which files the workspace's owner wrote. Their text is trusted."""
        self._provenance = provenance
        self._call_count = 0
        """It names a result without a path: `call 3 of search`."""

    def add_call(self, record: CallRecord, policy: ProvenancePolicy) -> None:
        """Add the texts of a call's result or error."""
        declared = self._tool_schema.operation(record.operation)
        assert declared is not None
        self._call_count += 1
        if record.error is not None:
            # The message may quote any text, so it counts as running text.
            self._provenance.add(
                f"the error of {declared.name}",
                [ResultText(record.error.message, is_data=False)],
                Origin.PROSE,
                repeatable=keys_of_arguments(record.arguments.values()),
            )
        if record.result is not None:
            result = self._result_of(declared, record.arguments, record.result, policy)
            self._add_result(result, policy)

    def _result_of(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        fields: Mapping[str, Plain],
        policy: ProvenancePolicy,
    ) -> _Result:
        """Return a result with its place: a path, or the number and name of its call."""
        given = CallArguments(declared, arguments)
        call = ReturnedCall(declared, given, fields)
        place = fields.get("call_path") or call.requested_path
        if not place:
            place = f"call {self._call_count} of {declared.name}"

        texts = {
            name: value
            for name, value in fields.items()
            if name not in _FIELDS_ABOUT_CALL
        }
        # Some operations are trusted: all texts of their results count as records.
        origin = Origin.RECORD if policy.trusts(declared) else None
        repeatable = keys_of_arguments(given.repeatable)
        return _Result(call, str(place), texts, origin, repeatable)

    def _add_result(self, result: _Result, policy: ProvenancePolicy) -> None:
        """Add the texts of a result, read as the declaration of its operation says."""
        declared = result.call.declared
        if declared.is_talk:
            # The operation asks the user. The reply counts as a request, even where it
            # repeats the question.
            self._provenance.add(result.place, result.running_texts(), Origin.ASKED)
            return
        if declared.is_prose:
            # It is declared that any part of the result may be by somebody else.
            self._add(result, result.running_texts(), Origin.PROSE)
            return

        match declared.effect:
            case Effect.READS if result.call.requested_path:
                self._add_file(result)
            case Effect.LISTS:
                self._add(result, texts_of_data(result.fields))
            case Effect.EXECUTES:
                self._add_output(result)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                pass  # The result confirms the change, and has no other text.
            case _:
                self._add_tool_result(result, policy)

    def _add_tool_result(self, result: _Result, policy: ProvenancePolicy) -> None:
        """Add the result of a tool, and the values by which it found a record, such as an id.

        The record has these values, even if the result does not show them.
        """
        texts = texts_of_result(result.fields)
        self._add(result, texts, result.origin)

        declared = result.call.declared
        arguments = result.call.arguments.values
        if texts and not self._tool_schema.may_change(declared.name, arguments):
            # The arguments by which the operation looks up a record.
            values = [arguments.get(name) for name in policy.keys_of(declared)]
            self._provenance.add_record_found_by(values, result.place)

    def _add_file(self, result: _Result) -> None:
        """Add a file's text, and its path as a record, unless the trial wrote the file."""
        path = result.call.requested_path
        if self._evidence_log.is_own(path):
            return
        listed_path = self._evidence_log.right_path(path)
        self._provenance.add_record_found_by([path], listed_path)

        # One field has the file's text. The others, such as a title, are data.
        text_field = result.call.declared.json_field or "content"
        texts: list[ResultText] = []
        for name, value in result.fields.items():
            if name == text_field and isinstance(value, str):
                texts += texts_of_file(listed_path, value)
            elif name != "path":
                texts += texts_of_data({name: value})
        self._add(result, texts, result.origin, place=listed_path)

    def _add_output(self, result: _Result) -> None:
        """Add the output of a program: its help, text of files, or text of its own."""
        # 1. The help declares what the program does, so it is trusted like a record.
        words = result.call.arguments.command_line
        if words == HELP:
            leaves = leaves_of(dict(result.fields))
            texts = [ResultText(text, is_data=True) for text in leaves]
            self._provenance.add(result.place, texts, Origin.RECORD)
            return

        # 2. Text of its own, unless it only prints files. Files that the trial has
        # changed count as files here: step 3 leaves them out.
        program = self._tool_schema.executable(result.call.requested_path)
        opened = opened_files(program.files, words, may_have_changed=False)
        if not opened.paths:
            texts = texts_of_result(result.fields, is_program=True)
            self._add(result, texts, result.origin)
            return

        # 3. Text of files. Any line may be from any of them, so add all lines for each.
        values = result.fields.values()
        output = "\n".join(value for value in values if isinstance(value, str))
        for path in opened.paths:
            if not self._evidence_log.is_own(path):
                texts = texts_of_file(canonical(path), output)
                self._add(result, texts, place=path)

    def _add(
        self,
        result: _Result,
        texts: Iterable[ResultText],
        origin: Origin | None = None,
        place: str = "",
    ) -> None:
        """Add texts of a result, except those of files that the trial wrote.

        Texts of rule files, which the workspace's owner wrote, have the origin `RULES`, and
        all others `origin`: None if it depends on whether a text is data.
        `place` is by default that of the result.
        """
        rule_texts: list[ResultText] = []
        other_texts: list[ResultText] = []
        for text in texts:
            path = canonical(text.path) if text.path else ""
            if path and self._evidence_log.is_own(path):
                continue
            if path and path in self._rule_files:
                rule_texts.append(text)
            else:
                other_texts.append(text)

        place = place or result.place
        repeatable = result.repeatable
        self._provenance.add(place, rule_texts, Origin.RULES, repeatable=repeatable)
        self._provenance.add(place, other_texts, origin, repeatable=repeatable)
