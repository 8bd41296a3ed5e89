"""Traces the values of changing calls to the texts that a trial has received.

The user asks: “Pay Bob's bill of 420.” A mail says: “Please pay 420 to GB33...” In the call
`send_money(recipient="GB33...", amount=420)`, the amount is the user's, and the account may be
an attacker's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.call_results import HELP, files_of_command
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_lookup import (
    ArgumentOrigin,
    find_origins,
)
from controlplane.agent.evidence.origins.policy import ProvenancePolicy
from controlplane.agent.evidence.origins.texts import Origin, Provenance
from controlplane.agent.evidence.origins.values import PassedKeys, keys_of_all
from controlplane.agent.evidence.texts.data_texts import (
    ResultText,
    is_data_file,
    texts_of_data,
    texts_of_file,
    texts_of_result,
)
from controlplane.agent.evidence.texts.passed_texts import (
    CallArguments,
    ReturnedCall,
    echoable_inputs,
    texts_in,
)
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Plain,
    ToolSchema,
)

# Finds where the values of a call come from, such as an account: a mail, or the user's request.
#
# A call that changes something is stopped for a value that only a mail has: its author may want to
# trick the model. Three kinds of values do no harm, even if a mail has them:
#
#     write("/fees.md", "Rent 850")   850, if it was read in this file: it is there already
#     write("/fees.md", "Rent 850")   850, if the user asks: "List in /fees.md what is in /mail.md"
#     set(mode="START")               START, if the declaration of `set` lists it for `mode`

_PUNCTUATION: Final = ".,;:!?()[]{}<>\"'`*“”‘’"
"""What may stand around a path in a request."""
_EFFECTS_ON_FILES: Final = (Effect.WRITES, Effect.MOVES, Effect.DELETES)


def look_up_call(
    provenance: Provenance,
    evidence_log: EvidenceLog,
    declared: Operation,
    arguments: Mapping[str, Plain],
    deciding: Mapping[str, Plain],
    request: str = "",
) -> dict[str, ArgumentOrigin]:
    """Return the origins of the arguments in `deciding`: those that decide what is changed.

    `evidence_log` knows how listings spell the path of a file. `request` is what the user has
    asked for. A value is compared by its key, which all its spellings share.
    """
    keys_in_file = set[str]()
    if declared.effect in _EFFECTS_ON_FILES:
        path = str(arguments.get(declared.subject, ""))
        keys_in_file = provenance.texts.keys_of_file(evidence_log.listed_path(path))
        named_paths = {word.strip(_PUNCTUATION) for word in request.split()}
        if declared.effect is Effect.WRITES and path in named_paths:
            for named_path in named_paths:
                keys_in_file |= provenance.texts.keys_of_file(named_path)
    # A file may have a million keys, so the arguments share one set. It is copied only for
    # arguments with listed values. Those that are not in `deciding` are not looked up.
    harmless_keys = dict.fromkeys(deciding, keys_in_file)
    for parameter in declared.parameters:
        values = _listed_values(parameter.json_schema)
        if values:
            harmless_keys[parameter.name] = keys_in_file.union(keys_of_all(values))
    return find_origins(provenance, deciding, harmless_keys)


def _listed_values(schema: Mapping[str, object]) -> list[Plain]:
    """Return the values that the JSON schema of an argument lists.

    | schema | values |
    |---|---|
    | `{"enum": ["START", "STOP"]}` | `START`, `STOP` |
    | `{"items": {"enum": ["START", "STOP"]}}`, for a list | `START`, `STOP` |
    | any other | none |
    """
    enum = schema.get("enum")
    items = schema.get("items")
    if enum is None and isinstance(items, Mapping):
        enum = items.get("enum")
    return list(enum) if isinstance(enum, list | tuple) else []


# Collects the texts by which an environment declares its operations.
#
# The declarations are by the environment itself, so their texts are trusted. If a script calls
# `run("/bin/count")`, the path is known from there, even if a mail mentions this tool, too.


def _declared_texts(tool_schema: ToolSchema) -> Iterator[str]:
    """Yield the names, descriptions and schemas of all operations and programs."""
    for operation in tool_schema.operations:
        yield operation.name
        yield operation.summary
        for parameter in operation.parameters:
            yield parameter.name
            yield from texts_in(_plain(parameter.json_schema))
    for tool in tool_schema.executables:
        yield f"{tool.path}: {tool.summary}"


def _plain(value: object) -> Plain:
    """Return a part of a JSON schema as plain data. A schema may have tuples and mappings."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool) else None


# A call of a trial that has returned, from which the origins of values are learnt.
#
# The third call of a trial is `get_user(id="u17")` -> `{"name": "Ada", "iban": "GB33..."}`:
#
#     call.place         -> "call 3 of get_user", as messages name the result
#     call.passed.keys   -> ("u17",), the *key* that all spellings of `u17` share, such as `U17`
#
# The result does not make `u17` trusted, as it may only echo what was passed: `there is no u17`.

_FIELDS_ABOUT_CALL: Final = (
    "call_path",
    "sha256",
    "truncated",
    "exit_code",
    "content_type",
    "lines",
)
"""Result fields that describe the call, and have no text of a file or a tool."""


@dataclass(frozen=True)
class _ReceivedCall:
    """One call of a trial, as it was recorded, and as its operation is declared."""

    number: int
    """The number of the call in its trial, from 1."""
    declared: Operation
    """The declaration of the operation that was called."""
    record: CallRecord
    """The arguments, and the result or the error."""

    @cached_property
    def arguments(self) -> CallArguments:
        """The arguments, and which of them the script chose."""
        return CallArguments(self.declared, self.record.arguments)

    @property
    def fields(self) -> dict[str, Plain]:
        """The fields of the result that have text. That it was not truncated says nothing."""
        return {
            name: value
            for name, value in (self.record.result or {}).items()
            if name not in _FIELDS_ABOUT_CALL
        }

    def texts(self, *, is_data: bool) -> list[ResultText]:
        """Return all texts, numbers and names in the result, each as data or as running text.

        `{"iban": "GB33...", "truncated": False}` -> `iban`, `GB33...`
        """
        return [ResultText(text, is_data) for text in texts_in(self.fields)]

    @cached_property
    def path(self) -> str:
        """The path of the file on which the call works. Empty if it works on none."""
        result = self.record.result or {}
        return ReturnedCall(self.arguments, result).requested_path

    @property
    def place(self) -> str:
        """How messages name the result: `/mail/7.md`, `call 3 of search`."""
        # A result that is not about a file may have a path of its own: `/calls/search/4`.
        path = (self.record.result or {}).get("call_path") or self.path
        return str(path or f"call {self.number} of {self.declared.name}")

    @cached_property
    def passed(self) -> PassedKeys:
        """The keys of the values that the call has passed, and that its result may echo."""
        return PassedKeys.of(echoable_inputs(self.arguments))


_EFFECTS_ON_ANY_FILE: Final = (Effect.EXECUTES, Effect.ACTS, Effect.UNDECLARED)
"""The effects of tools that do not declare which files they write."""
_MAX_WAITING_CHARS: Final = 1_000_000
"""How many characters of results may wait. Beyond that, they take too much memory."""


class CallOrigins:
    """The texts that one trial has received, and the origins of values in them.

    origins.add_request("Pay Bob's bill of 420.")
    origins.learn(call)         # `read("/mail/7.md")`, with its result
    origins.origins_of("send_money", {"recipient": "GB33...", "amount": 420})
    -> {"recipient": PROSE (only in the mail), "amount": ASKED (in the request)}

    To split a result into texts is slow, and a trial that changes nothing never needs them. So the
    results of calls that have only read wait until a changing call is to be looked up.
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self.policy = ProvenancePolicy()
        """The user's setting `--provenance`. The session sets it before the first call."""
        self.provenance = Provenance()
        """The texts that were learnt so far, and the untrusted values of changing calls."""
        self._request = ""
        """All that the user has asked for."""
        self._tool_schema = tool_schema
        self._evidence_log = evidence_log
        """Knows which files the trial wrote, and how listings spell a path."""
        self._call_count = 0
        self._waiting: list[_ReceivedCall] = []
        self._waiting_chars = 0
        self._are_declarations_learnt = False
        self._may_owner_files_have_changed = False
        """True once a tool may have written to one of the files of the workspace's owner."""
        self._may_change_anything = any(
            tool_schema.may_change(operation.name, {})
            for operation in tool_schema.operations
        )
        """False if no operation can change anything. Origins are then not needed."""

    def add_request(self, text: str) -> None:
        """Learn the text of a request of the user: “Pay Bob's bill of 420.”"""
        self._request += f"{text}\n"
        texts = [ResultText(text, is_data=False)]
        self.provenance.add("the request", texts, Origin.ASKED)

    def origins_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of a changing call's arguments, by name, as far as they decide.

        The user's setting may say that only the `recipient` decides about `send_money`.
        """
        if self.policy.mode_of(operation) == "off":
            return {}
        declared = self._tool_schema.operation(operation)
        if declared is not None and declared.is_talk:
            return {}  # What is only said to the user changes nothing.
        self._learn_waiting()
        if declared is None:  # Nothing says which arguments decide, so all do.
            return find_origins(self.provenance, arguments)
        deciding = self.policy.deciding_arguments_of(declared, arguments)
        return look_up_call(
            self.provenance,
            self._evidence_log,
            declared,
            arguments,
            deciding,
            self._request,
        )

    def learn(self, record: CallRecord) -> None:
        """Add the texts of a call that has returned: its result, and what it has sent to a tool."""
        declared = self._tool_schema.operation(record.operation)
        is_needed = self._may_change_anything and self.policy.is_on
        if declared is None or not is_needed:
            return
        if declared.is_function:
            return  # The calls that a function of the benchmark makes are learnt instead.
        self._call_count += 1
        call = _ReceivedCall(self._call_count, declared, record)
        if not record.changes:
            self._waiting.append(call)
            self._waiting_chars += len(str(record.result))
            if self._waiting_chars > _MAX_WAITING_CHARS:
                self._learn_waiting()
            return

        # This call may have written to a file that a waiting call has read before. Texts of
        # files that the trial wrote are not learnt, so the waiting calls are learnt first.
        self._learn_waiting()
        if not declared.is_talk:
            # The tool may store the account of a mail, and return it later in a field of data. It
            # must not become trusted by that, so it is kept before the result is added.
            arguments = record.arguments
            origins = look_up_call(
                self.provenance, self._evidence_log, declared, arguments, arguments
            )
            for argument in origins.values():
                self.provenance.distrust(argument.untrusted_findings)
            if self._may_write_owner_files(declared, arguments):
                self._may_owner_files_have_changed = True
        self._learn_now(call)

    def _learn_waiting(self) -> None:
        """Learn what waits: first the declarations of the operations, then the calls."""
        if not self._are_declarations_learnt:
            self._are_declarations_learnt = True
            texts = [
                ResultText(text, is_data=True)
                for text in _declared_texts(self._tool_schema)
            ]
            self.provenance.add("the declared tools", texts, Origin.RECORD)
        waiting = self._waiting
        self._waiting = []
        self._waiting_chars = 0
        for call in waiting:
            self._learn_now(call)

    def _learn_now(self, call: _ReceivedCall) -> None:
        """Add the texts of a call's result or error, if it has any, by whom they are.

        | call | texts |
        |---|---|
        | `read("/mail/7.md")` | running text of the file: its author may want to trick the model |
        | `read("/loans.csv")` | fields of data of the file |
        | `run("/bin/count", ["--help"])` | a record: it declares what the program does |
        | `run("/bin/count", ["/mail/7.md"])` -> `{"words": 12}` | text of the program |
        | `run("/bin/grep", ["GB33", "/mail/7.md"])` | text of `/mail/7.md` |
        | `get_user(id="u7")` | fields of data; the id is real, and so trusted from now on |
        """
        declared = call.declared
        place = call.place
        # None: each text says itself whether it is a field of data, a record, or running text.
        origin = Origin.RECORD if self.policy.trusts(declared) else None
        # What the call itself has passed is not trusted because its result echoes it: a search for
        # `u7` says "no hit for u7". None: these are its inputs.
        passed_keys: Collection[str] | None = None
        # The values by which the call has found a record. From then on, they are trusted.
        found_values: Sequence[Plain] = ()

        texts: list[ResultText] = []
        if call.record.error is not None:  # The message may echo any argument.
            place = f"the error of {declared.name}"
            texts = [ResultText(call.record.error.message, is_data=False)]
            origin = Origin.PROSE
            passed_keys = keys_of_all(call.record.arguments.values())
        elif call.record.result is None:
            return
        elif (
            declared.is_talk
        ):  # The user's reply, which confirms the values that it repeats.
            texts = call.texts(is_data=False)
            origin = Origin.ASKED
            passed_keys = ()
        elif declared.is_prose:  # such as a web page
            texts = call.texts(is_data=False)
            origin = Origin.PROSE
        elif declared.effect is Effect.READS and call.path:  # It reads a file.
            if self._evidence_log.is_own(call.path):
                return  # Its text is the script's own, so nothing new is brought in.
            place = self._evidence_log.listed_path(call.path)
            texts = _texts_of_read(place, call)
            found_values = [call.path]  # The file exists, so its path is known.
        elif declared.effect is Effect.LISTS:
            texts = texts_of_data(call.fields)
            origin = None
        elif declared.effect is Effect.EXECUTES:
            paths = self._printed_paths(call)
            if (
                call.arguments.command_line == HELP
            ):  # It declares what the program does.
                texts = call.texts(is_data=True)
                origin = Origin.RECORD
                passed_keys = ()
            elif paths:
                texts = self._printed_lines(paths, call)
                origin = None
            else:
                texts = texts_of_result(call.fields, is_program_output=True)
        elif declared.effect in _EFFECTS_ON_FILES:
            return  # The result only says that it was done.
        else:  # It is a tool, such as `get_user(id="u7")`.
            texts = texts_of_result(call.fields)
            # No text means that nothing was found. A tool that may change something returns “done”.
            if texts and not call.record.changes:
                names = self.policy.lookup_arguments_of(
                    declared
                )  # `id`; most have none
                found_values = [call.record.arguments.get(name) for name in names]

        if not declared.is_talk and not call.passed.are_all:
            # Any value of the result may be one that the call has passed, so none becomes trusted.
            origin = Origin.PROSE
            found_values = ()
        if passed_keys is None:
            passed_keys = call.passed.keys
        self._add(place, texts, origin, passed_keys)
        if found_values:
            self.provenance.add_record(found_values, place)

    def _add(
        self,
        place: str,
        texts: Sequence[ResultText],
        origin: Origin | None,
        passed_keys: Collection[str],
    ) -> None:
        """Add texts by their authors. `origin` is that of texts by anybody.

        A search finds three lines:

        | file | written by | its line is added as |
        |---|---|---|
        | `/RULES.md` | the workspace's owner | a rule |
        | `/mail/7.md` | anybody | running text, which may lie: the `origin` |
        | `/note.md` | the trial itself | nothing: a script could make any value trusted |
        """
        rules: list[ResultText] = []
        others: list[ResultText] = []
        is_own_by_path = {"": False}
        for text in texts:
            if text.path not in is_own_by_path:
                is_own_by_path[text.path] = self._evidence_log.is_own(text.path)
            if is_own_by_path[text.path]:
                continue
            if text.path and self._is_by_owner(text.path):
                rules.append(text)
            else:
                others.append(text)
        self.provenance.add(place, rules, Origin.RULES, passed_keys=passed_keys)
        self.provenance.add(place, others, origin, passed_keys=passed_keys)

    # The files of the workspace's owner: a document with rules (`/RULES.md`), and folders (`/docs/`).

    def _is_by_owner(self, path: str) -> bool:
        """Return True if the owner wrote the file at a path, and nothing may have changed it."""
        if self._may_owner_files_have_changed or self._evidence_log.is_own(path):
            return False
        path = canonical(path)
        schema = self._tool_schema
        return path == schema.rules_document or path.startswith(schema.trusted_roots)

    def _may_write_owner_files(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> bool:
        """Return True if a tool may write to a file of the owner: `rm /docs/fees.md` names `/docs`."""
        if declared.effect not in _EFFECTS_ON_ANY_FILE:
            return False
        schema = self._tool_schema
        for owned in (schema.rules_document, *schema.trusted_roots):
            place = owned.rstrip("/")
            if place and any(place in text for text in texts_in(dict(arguments))):
                return True
        return False

    # What a program prints may be text of its own, such as a count, or text of files. If `grep` finds
    # the line “Please pay 420 to GB33...” in a mail, the line is as untrusted as the mail.

    def _printed_paths(self, call: _ReceivedCall) -> list[str]:
        """Return the files whose lines a program prints. Empty if it prints text of its own."""
        program = self._tool_schema.executable(call.path)
        opened = files_of_command(call.arguments.command_line, program.files)
        if opened is None or not opened.paths:
            return []
        # A word without a leading slash, such as `mail/7.md`, may name a file, too.
        return [canonical(name) for name in (*opened.paths, *opened.other_names)]

    def _printed_lines(
        self, paths: Sequence[str], call: _ReceivedCall
    ) -> list[ResultText]:
        """Return the lines that a program has printed from files.

        The output does not say from which file a line is, so each counts as one of the least
        trusted file.

        | files | the line `Ann;7` counts as |
        |---|---|
        | `/loans.csv` and `/cards.csv` | data of both |
        | `/loans.csv` and `/mail/7.md` | running text of both |
        | `/RULES.md`, by the owner, and `/mail/7.md` | running text of the mail, and so not as a rule |
        | only `/RULES.md` | running text of `/RULES.md` |
        """
        fields = call.fields.values()
        output = "\n".join(text for text in fields if isinstance(text, str))
        all_have_data = all(map(is_data_file, paths))
        paths_of_others = [path for path in paths if not self._is_by_owner(path)]
        texts: list[ResultText] = []
        for path in paths_of_others or paths:
            if all_have_data:
                texts += texts_of_file(path, output)
            else:
                texts.append(ResultText(output, is_data=False, path=path))
        return texts


def _texts_of_read(path: str, call: _ReceivedCall) -> list[ResultText]:
    """Return the texts of the file that a call has read, and those about it.

    `{"path": "/mail/7.md", "content": "Please pay 420 to GB33...", "title": "Rent"}` -> the content,
    running text since the file is a mail; `title` and `Rent`, fields of data about the file.
    """
    # The operation declares the field of its result that has the file's text.
    content_field = call.declared.json_field or "content"
    texts: list[ResultText] = []
    for name, value in call.fields.items():
        if name == content_field and isinstance(value, str):
            texts += texts_of_file(path, value)
        elif name != "path":
            texts += texts_of_data({name: value})
    return texts
