"""What the calls of a trial teach about origins, and the origins of the arguments of its changing calls.

| text | origin |
|---|---|
| what the user says | asked |
| a file of the workspace's rules or of its owner | rules |
| a field of data, a name in a listing, a declared operation | record |
| the rest of a file or result, and the message of an error | prose |
| a file that the trial wrote, and what a call repeats of its arguments | that of its values |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.call_text import ReturnedCall, leaves_of, opened_files, words_given
from controlplane.agent.evidence.evidence_log import HELP, EvidenceLog
from controlplane.agent.evidence.provenance import (
    ArgumentOrigin,
    Origin,
    OwnArguments,
    Provenance,
    own_arguments,
)
from controlplane.agent.evidence.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.result_texts import (
    ResultText,
    texts_of_data,
    texts_of_file,
    texts_of_result,
)
from controlplane.gates.evidence import canonical
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema

_BOOKKEEPING = ("call_path", "sha256", "truncated", "exit_code", "content_type", "lines")
"""Result fields that hold no text of a file or of a tool."""
MOST_UNREAD_CHARS = 1_000_000
"""Characters of results that are held until an origin is looked up, so that a trial which only reads holds no more."""


class CallOrigins:
    """The origins of one trial's values, learnt call by call. Used by one thread at a time."""

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self.provenance = Provenance()
        self.policy = ProvenancePolicy()
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log
        self._may_change_anything = any(
            tool_schema.may_change(operation.name, {}) for operation in tool_schema.operations
        )
        self._are_rules_reached = False
        """A changing call was given the place of the rules: it may have written there."""
        self._calls = 0
        self._has_declarations = False
        self._unread: list[CallRecord] = []
        """Calls whose texts have not been read: most trials look up the origin of few values, or of none."""
        self._unread_chars = 0

    def _add_declarations(self) -> None:
        """Keep the names, descriptions and schemas of the environment's tools."""
        self._has_declarations = True
        for operation in self._tool_schema.operations:
            self._add_declaration(operation)
        tools = [f"{tool.path}: {tool.summary}" for tool in self._tool_schema.executables]
        self._add_declared_texts(tools)

    def _add_declaration(self, operation: Operation) -> None:
        texts = [operation.name, operation.summary]
        for parameter in operation.parameters:
            texts += [parameter.name, *leaves_of(_plain(parameter.json_schema))]
        self._add_declared_texts(texts)

    def _add_declared_texts(self, texts: Iterable[str]) -> None:
        named = [ResultText(text, is_data=True) for text in texts]
        self.provenance.add("the declared tools", named, Origin.RECORD)

    def add_request(self, text: str) -> None:
        """Keep what the user asks."""
        self.provenance.add("the request", [ResultText(text, is_data=False)], Origin.ASKED)

    def origins_of(
        self, operation: str, arguments: Mapping[str, Plain], *, has_all: bool = False
    ) -> dict[str, ArgumentOrigin]:
        """Return the origin of each argument of a changing call that matters, or of all if `has_all`."""
        self._read_calls()
        declared = self._tool_schema.operation(operation)
        telling: tuple[str, ...] = ()
        own_path = ""
        known: dict[str, OwnArguments] = {}
        if declared is not None:
            if not has_all:
                telling = self.policy.telling.get(operation, ()) or declared.telling
            if declared.effect in (Effect.WRITES, Effect.MOVES, Effect.DELETES):
                own_path = self._evidence_log.right_path(str(arguments.get(declared.subject, "")))
            for parameter in declared.parameters:
                enum = _enum_of(parameter.json_schema)
                if enum:
                    known[parameter.name] = own_arguments(enum)
        return self.provenance.origins(
            arguments, telling=telling, own_path=own_path, declared=known
        )

    def learn(self, record: CallRecord) -> None:
        """Keep what a call returned, to be read when an origin is looked up; of a changing call, read it at once."""
        declared = self._tool_schema.operation(record.operation)
        is_on = self._may_change_anything and self.policy.is_on
        if declared is None or declared.finds or not is_on:
            return
        if self._tool_schema.may_change(record.operation, record.arguments):
            # What came in before is read first: from here on, a file may be the trial's own.
            self._read_calls()
            self._learn_given(declared, record.arguments)
            self._read_call(record)
            return
        self._unread.append(record)
        self._unread_chars += _chars_of(record.result)
        if self._unread_chars > MOST_UNREAD_CHARS:
            self._read_calls()

    def _read_calls(self) -> None:
        """Read what the environment declares and what calls returned, as far as that is not done."""
        if not self._has_declarations:
            self._add_declarations()
        for record in self._unread:
            self._read_call(record)
        self._unread.clear()
        self._unread_chars = 0

    def _read_call(self, record: CallRecord) -> None:
        """Keep the texts that a call returned, with their places."""
        declared = self._tool_schema.operation(record.operation)
        assert declared is not None
        self._calls += 1
        if record.error is not None:
            self._learn_error(declared, record)
        if record.result is not None:
            self._learn_result(declared, record.arguments, record.result)

    def _learn_given(self, declared: Operation, arguments: Mapping[str, Plain]) -> None:
        """Let what a changing call was given keep its origin. A tool that was told the place of the rules may have
        written there."""
        if declared.is_talk:
            return
        origins = self.origins_of(declared.name, arguments, has_all=True)
        self.provenance.fix(origins.values())
        if declared.effect in (Effect.EXECUTES, Effect.ACTS, Effect.UNDECLARED):
            for text in leaves_of(dict(arguments)):
                if any(place.rstrip("/") in text for place in self._rule_places()):
                    self._are_rules_reached = True

    def _learn_error(self, declared: Operation, record: CallRecord) -> None:
        assert record.error is not None
        own = own_arguments(record.arguments.values())
        texts = [ResultText(record.error.message, is_data=False)]
        self.provenance.add(f"the error of {declared.name}", texts, own=own)

    def _learn_result(
        self, declared: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Keep what a call returned, each part with the origin of its place."""
        subject = arguments.get(declared.subject)
        requested_path = canonical(subject) if isinstance(subject, str) and subject else ""
        call = ReturnedCall(declared, requested_path, arguments, result)
        own = own_arguments(call.repeatable_arguments)
        place = str(
            result.get("call_path") or requested_path or f"call {self._calls} of {declared.name}"
        )
        fields = {name: value for name, value in result.items() if name not in _BOOKKEEPING}

        if declared.is_talk:
            texts = [ResultText(text, is_data=False) for text in leaves_of(fields)]
            self.provenance.add(place, texts, Origin.ASKED)
        elif declared.is_prose:
            texts = [ResultText(text, is_data=False) for text in leaves_of(fields)]
            self.provenance.add(place, texts, Origin.PROSE, own=own)
        elif declared.effect is Effect.READS and requested_path:
            self._learn_file(declared, requested_path, fields, own)
        elif declared.effect is Effect.LISTS:
            self._learn_texts(place, texts_of_data(fields), own)
        elif declared.effect is Effect.EXECUTES:
            self._learn_output(call, place, fields, own)
        elif declared.effect not in (Effect.WRITES, Effect.DELETES, Effect.MOVES):
            texts = texts_of_result(fields)
            self._learn_texts(place, texts, own, operation=declared)
            if texts and not self._tool_schema.may_change(declared.name, arguments):
                names = declared.keys or self.policy.keys.get(declared.name, ())
                self.provenance.verify([arguments.get(name) for name in names], place)

    def _learn_file(
        self, declared: Operation, path: str, fields: Mapping[str, Plain], own: OwnArguments
    ) -> None:
        """Keep a file's text, and that there is a file of this name, unless the trial wrote it."""
        if self._evidence_log.is_own(path):
            return
        right_path = self._evidence_log.right_path(path)
        self.provenance.verify([path], right_path)
        text_name = declared.json_field or "content"
        texts: list[ResultText] = []
        for name, value in fields.items():
            if name == text_name and isinstance(value, str):
                texts += texts_of_file(right_path, value)
            elif name != "path":
                texts += texts_of_data({name: value})
        self._learn_texts(right_path, texts, own, operation=declared)

    def _learn_output(
        self, call: ReturnedCall, place: str, fields: Mapping[str, Plain], own: OwnArguments
    ) -> None:
        """Keep what a program printed: the text of the files that it opened, or its own."""
        words = words_given(call.arguments)
        files = self._tool_schema.executable(call.requested_path).files
        paths = opened_files(files, words, is_changed=False).paths
        if words == HELP:
            texts = [ResultText(text, is_data=True) for text in leaves_of(dict(fields))]
            self.provenance.add(place, texts, Origin.RECORD)
        elif paths:
            output = "\n".join(value for value in fields.values() if isinstance(value, str))
            for path in paths:
                if not self._evidence_log.is_own(path):
                    self._learn_texts(path, texts_of_file(canonical(path), output), own)
        else:
            texts = texts_of_result(fields, is_program=True)
            self._learn_texts(place, texts, own, operation=call.declared)

    def _learn_texts(
        self,
        place: str,
        texts: Iterable[ResultText],
        own: OwnArguments,
        *,
        operation: Operation | None = None,
    ) -> None:
        """Keep texts: those of the owner's files as rules, those that are declared trusted as records, others by their
        form. Texts of files that the trial wrote are left out."""
        is_trusted = operation is not None and (
            operation.is_trusted or operation.name in self.policy.trusted
        )
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
        self.provenance.add(place, owner_texts, Origin.RULES, own=own)
        self.provenance.add(place, other_texts, Origin.RECORD if is_trusted else None, own=own)

    def _is_rules(self, path: str) -> bool:
        if self._are_rules_reached:
            return False
        return path == self._tool_schema.rules_document or path.startswith(
            self._tool_schema.trusted_roots
        )

    def _rule_places(self) -> list[str]:
        places = [self._tool_schema.rules_document, *self._tool_schema.trusted_roots]
        return [place for place in places if place.strip("/")]


def _enum_of(schema: Mapping[str, object]) -> list[Plain]:
    """Return the values that the schema of an argument, or of its items, allows; empty if it names none."""
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


def _chars_of(value: Plain) -> int:
    """Return the number of characters of the texts in plain data."""
    chars = 0
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            chars += len(part)
        elif isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
    return chars
