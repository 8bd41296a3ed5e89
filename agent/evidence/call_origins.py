"""Traces the arguments of changing calls to the texts that earlier calls returned.

| text | origin (see `Origin` in `provenance.py`) |
|---|---|
| a message of the user | asked |
| the rules document of the workspace, or a file of its owner | rules |
| a field of data, a name in a listing, a declared operation | record |
| any other text of a file or result, and the message of an error | prose |

Two kinds of texts are not learnt, because a script supplied them: the text of a file
that the trial wrote, and arguments that a result may repeat from its own call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.argument_origin import ArgumentOrigin, Origin
from controlplane.agent.evidence.argument_values import ValueKeys, keys_of_arguments
from controlplane.agent.evidence.call_text import (
    ReturnedCall,
    leaves_of,
    words_given,
)
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.opened_files import opened_files
from controlplane.agent.evidence.provenance import Provenance
from controlplane.agent.evidence.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.result_texts import (
    ResultText,
    texts_of_data,
    texts_of_file,
    texts_of_result,
)
from controlplane.agent.evidence.tool_runs import HELP
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
MOST_WAITING_CHARS = 1_000_000
"""The most characters of results that wait for the first look-up. With more, all are
learnt."""


@dataclass(frozen=True, slots=True)
class _NewResult:
    """The result of a call, while its texts are learnt."""

    call: ReturnedCall
    place: str
    """Where its texts come from, as messages show it: `/m.md`, `call 3 of search`."""
    fields: Mapping[str, Plain]
    """The fields of the result that have text of a file or a tool."""
    repeatable: ValueKeys
    """The arguments of the call, which the result may only repeat."""


class CallOrigins:
    """Learns where the values of one trial come from.

    Created when a trial starts, and used by one thread at a time. `learn` is told of
    every call, and `origins_of` looks up the arguments of a changing call.
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self.provenance = Provenance()
        """The texts that the trial has received, with an index of their values."""
        self.policy = ProvenancePolicy()
        """The user's setting `--provenance`."""
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log
        """Knows which files the trial has written itself."""
        self._may_change_anything = any(
            tool_schema.may_change(operation.name, {})
            for operation in tool_schema.operations
        )
        """False if no operation can change anything. Then no origins are needed or
        learnt."""
        self._may_have_changed_rules = False
        """True once a tool had the path of the rules as an argument. It may have
        written there, so these files no longer count as rules."""
        self._learnt_count = 0
        """How many calls were learnt. It names a result without a path: `call 3 of
        search`."""
        self._has_learnt_declarations = False
        """True once the declared operations and tools are learnt, which is before any
        call."""
        self._waiting: list[CallRecord] = []
        """Calls that are learnt only when an origin is looked up. Most trials look up
        few or none."""
        self._waiting_chars = 0
        """The size of the waiting results, in characters."""

    # --- Looking origins up ---

    def origins_of(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        all_arguments: bool = False,
    ) -> dict[str, ArgumentOrigin]:
        """Return where the arguments of a changing call come from.

        An argument has no origin if no value in it identifies anything, such as the
        word `restart`. The setting or the operation may declare its *telling*
        arguments, the only ones that matter, such as the recipient of a message. Then
        only these are looked up, unless `all_arguments` is set.
        """
        self._learn_waiting_calls()
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return self.provenance.origins(arguments)

        # 1. The arguments to look up; empty for all.
        names: tuple[str, ...] = ()
        if not all_arguments:
            names = self.policy.telling.get(operation, ()) or declared.telling

        # 2. What counts as a record in this call: the text of the file that it changes, and the
        # values that its schema lists.
        changed_path = ""
        if declared.effect in (Effect.WRITES, Effect.MOVES, Effect.DELETES):
            changed_path = self._evidence_log.right_path(
                str(arguments.get(declared.subject, ""))
            )
        values_of_schema: dict[str, ValueKeys] = {}
        for parameter in declared.parameters:
            enum = _enum_of(parameter.json_schema)
            if enum:
                values_of_schema[parameter.name] = keys_of_arguments(enum)
        if names:
            arguments = {name: arguments.get(name) for name in names}
        return self.provenance.origins(
            arguments,
            changed_path=changed_path,
            declared_values=values_of_schema,
        )

    # --- Learning from the user, the declarations and the calls ---

    def add_request(self, text: str) -> None:
        """Learn a request of the user."""
        self.provenance.add(
            "the request", [ResultText(text, is_data=False)], Origin.ASKED
        )

    def learn(self, record: CallRecord) -> None:
        """Learn the texts that a call returned. A call that only reads waits for a
        look-up."""
        declared = self._tool_schema.operation(record.operation)
        are_origins_needed = self._may_change_anything and self.policy.is_on
        if declared is None or not are_origins_needed:
            return
        is_function = bool(
            declared.finds
        )  # code of the benchmark that makes further calls
        if is_function:
            return  # The calls that it makes are learnt instead.

        if not self._tool_schema.may_change(record.operation, record.arguments):
            self._waiting.append(record)
            self._waiting_chars += len(str(record.result))
            if self._waiting_chars > MOST_WAITING_CHARS:
                self._learn_waiting_calls()
            return

        # Learn the earlier calls first: this call may write to a file that they read,
        # and the texts of written files are not learnt.
        self._learn_waiting_calls()
        self._learn_arguments(declared, record.arguments)
        self._learn_call(record)

    def _learn_waiting_calls(self) -> None:
        """Learn the calls that wait, after the environment's declarations."""
        if not self._has_learnt_declarations:
            self._has_learnt_declarations = True
            self._learn_declarations()
        for record in self._waiting:
            self._learn_call(record)
        self._waiting.clear()
        self._waiting_chars = 0

    def _learn_declarations(self) -> None:
        """Learn the names, descriptions and schemas of the environment's operations and
        tools."""
        for operation in self._tool_schema.operations:
            self._add_declaration(operation)
        tools = [
            f"{tool.path}: {tool.summary}" for tool in self._tool_schema.executables
        ]
        self._add_declared_texts(tools)

    def _add_declaration(self, operation: Operation) -> None:
        """Add the name and summary of an operation, and the names and schemas of its
        arguments."""
        texts = [operation.name, operation.summary]
        for parameter in operation.parameters:
            texts += [parameter.name, *leaves_of(_plain(parameter.json_schema))]
        self._add_declared_texts(texts)

    def _add_declared_texts(self, texts: Iterable[str]) -> None:
        """Add texts of declarations as records, because the environment's author wrote
        them."""
        named = [ResultText(text, is_data=True) for text in texts]
        self.provenance.add("the declared tools", named, Origin.RECORD)

    def _learn_call(self, record: CallRecord) -> None:
        """Learn the result or the error of a call."""
        declared = self._tool_schema.operation(record.operation)
        assert declared is not None
        self._learnt_count += 1
        if record.error is not None:
            self._learn_error(declared, record, record.error)
        if record.result is not None:
            self._learn_result(declared, record.arguments, record.result)

    def _learn_arguments(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Learn the arguments of a changing call.

        Its untrusted values keep their origins, even if a later result contains them.
        If a tool has the path of the rules as an argument, it may have changed the
        rules.
        """
        if declared.is_talk:
            return  # It only talks to the user, and stores nothing.
        origins = self.origins_of(declared.name, arguments, all_arguments=True)
        self.provenance.keep_untrusted(origins.values())

        is_tool = declared.effect in (Effect.EXECUTES, Effect.ACTS, Effect.UNDECLARED)
        if is_tool and self._mentions_place_of_rules(arguments):
            self._may_have_changed_rules = True

    def _mentions_place_of_rules(self, arguments: Mapping[str, Plain]) -> bool:
        """Return True if an argument mentions the rules document or a folder of the
        owner."""
        places = [self._tool_schema.rules_document, *self._tool_schema.trusted_roots]
        paths = [place.rstrip("/") for place in places if place.strip("/")]
        for text in leaves_of(dict(arguments)):
            if any(path in text for path in paths):
                return True
        return False

    def _learn_error(
        self, declared: Operation, record: CallRecord, error: CallFailure
    ) -> None:
        """Learn the error message of a failed call as prose, because it may quote any
        text."""
        repeatable = keys_of_arguments(record.arguments.values())
        texts = [ResultText(error.message, is_data=False)]
        self.provenance.add(
            f"the error of {declared.name}", texts, repeatable=repeatable
        )

    def _learn_result(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Learn the texts of a result. How they are read depends on the operation's
        effect."""
        new = self._new_result(declared, arguments, result)

        # 1. The operation declares who writes its results: the user (`is_talk`), or anybody
        # (`is_prose`).
        running_texts = [
            ResultText(text, is_data=False) for text in leaves_of(dict(new.fields))
        ]
        if declared.is_talk:
            # The user's reply. It counts as a request, even where it repeats the
            # question's words.
            self.provenance.add(new.place, running_texts, Origin.ASKED)
            return
        if declared.is_prose:
            self.provenance.add(
                new.place, running_texts, Origin.PROSE, repeatable=new.repeatable
            )
            return

        # 2. The effect says what the result is: a file, a listing, the output of a program, ...
        match declared.effect:
            case Effect.READS if new.call.requested_path:
                self._learn_file(new)
            case Effect.LISTS:
                self._add_texts(new, new.place, texts_of_data(new.fields))
            case Effect.EXECUTES:
                self._learn_output(new)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                pass  # The result confirms the change, and has no other text.
            case _:
                self._learn_result_of_tool(new)

    def _new_result(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> _NewResult:
        """Return a result with its place: a path, or else the number and name of its
        call."""
        path = arguments.get(declared.subject)
        requested_path = canonical(path) if isinstance(path, str) and path else ""
        call = ReturnedCall(declared, requested_path, arguments, result)
        unnamed_place = f"call {self._learnt_count} of {declared.name}"
        place = str(result.get("call_path") or requested_path or unnamed_place)
        fields = {
            name: value
            for name, value in result.items()
            if name not in _FIELDS_ABOUT_CALL
        }
        return _NewResult(
            call, place, fields, keys_of_arguments(call.repeatable_arguments)
        )

    def _learn_result_of_tool(self, new: _NewResult) -> None:
        """Learn the result of a tool.

        A tool may declare the arguments by which it looks up a record (`keys`), such as
        an id. If it found a record, the record has these values, even if the result
        does not show them.
        """
        declared = new.call.declared
        arguments = new.call.arguments
        texts = texts_of_result(new.fields)
        self._add_texts(new, new.place, texts, is_trusted=self._is_trusted(declared))
        if texts and not self._tool_schema.may_change(declared.name, arguments):
            key_names = declared.keys or self.policy.keys.get(declared.name, ())
            keys = [arguments.get(name) for name in key_names]
            self.provenance.add_record_found_by(keys, new.place)

    def _learn_file(self, new: _NewResult) -> None:
        """Learn a file's text, and its path as a record, unless the trial wrote the
        file."""
        declared = new.call.declared
        requested_path = new.call.requested_path
        if self._evidence_log.is_own(requested_path):
            return
        listed_path = self._evidence_log.right_path(requested_path)
        self.provenance.add_record_found_by([requested_path], listed_path)
        # One field has the file's text. The others, such as a title, are data.
        text_field = declared.json_field or "content"
        texts: list[ResultText] = []
        for name, value in new.fields.items():
            if name == text_field and isinstance(value, str):
                texts += texts_of_file(listed_path, value)
            elif name != "path":
                texts += texts_of_data({name: value})
        self._add_texts(new, listed_path, texts, is_trusted=self._is_trusted(declared))

    def _learn_output(self, new: _NewResult) -> None:
        """Learn the output of a program: its help, the text of files, or text of its
        own."""
        # 1. The help declares what the program does, so it is a record like other declarations.
        call = new.call
        words = words_given(call.arguments)
        if words == HELP:
            texts = [
                ResultText(text, is_data=True) for text in leaves_of(dict(new.fields))
            ]
            self.provenance.add(new.place, texts, Origin.RECORD)
            return

        # 2. If the program opened no files, the output is its own.
        file_arguments = self._tool_schema.executable(call.requested_path).files
        # `may_have_changed=False` asks for all files. Step 3 leaves out those that the
        # trial wrote.
        opened_paths = opened_files(file_arguments, words, may_have_changed=False).paths
        if not opened_paths:
            texts = texts_of_result(new.fields, is_program=True)
            self._add_texts(
                new, new.place, texts, is_trusted=self._is_trusted(call.declared)
            )
            return

        # 3. Otherwise it is text of these files. It is not known of which, so add it for each.
        output = "\n".join(
            value for value in new.fields.values() if isinstance(value, str)
        )
        for path in opened_paths:
            if not self._evidence_log.is_own(path):
                self._add_texts(new, path, texts_of_file(canonical(path), output))

    def _is_trusted(self, declared: Operation) -> bool:
        """Return True if the results of an operation count as records, whatever their
        form."""
        return declared.is_trusted or declared.name in self.policy.trusted

    def _add_texts(
        self,
        new: _NewResult,
        place: str,
        texts: Iterable[ResultText],
        *,
        is_trusted: bool = False,
    ) -> None:
        """Add texts of a result, each with its origin. Leave out files that the trial
        wrote.

        - The rules document and the files of the workspace's owner: `RULES`.
        - Any other text, if the result `is_trusted`: `RECORD`.
        - Otherwise: `RECORD` for a field of data, and `PROSE` for running text.
        """
        owner_texts: list[ResultText] = []
        other_texts: list[ResultText] = []
        for text in texts:
            path = canonical(text.path) if text.path else ""
            if path and self._evidence_log.is_own(path):
                continue
            if path and self._is_rules(path):
                owner_texts.append(text)
            else:
                other_texts.append(text)

        self.provenance.add(place, owner_texts, Origin.RULES, repeatable=new.repeatable)
        if is_trusted:
            self.provenance.add(
                place, other_texts, Origin.RECORD, repeatable=new.repeatable
            )
        else:
            # Without an origin, `add` decides by the form of each text.
            self.provenance.add(place, other_texts, repeatable=new.repeatable)

    def _is_rules(self, path: str) -> bool:
        """Return True for the rules document and the files of the workspace's owner.

        Once the trial may have changed any of them, no file counts as rules.
        """
        if self._may_have_changed_rules:
            return False
        return path == self._tool_schema.rules_document or path.startswith(
            self._tool_schema.trusted_roots
        )


def _enum_of(schema: Mapping[str, object]) -> list[Plain]:
    """Return the enum in the schema of an argument, or of its items; empty if there is
    none."""
    enum = schema.get("enum")
    items = schema.get("items")
    if enum is None and isinstance(items, Mapping):
        enum = items.get("enum")
    return list(enum) if isinstance(enum, list | tuple) else []


def _plain(value: object) -> Plain:
    """Return a part of a JSON schema as plain data."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool) else None
