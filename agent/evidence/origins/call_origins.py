"""Traces the values of changing calls to the texts that a trial has received.

The user asks: “Pay Bob's bill of 420.” A mail says: “Please pay 420 to GB33...” In the call
`send_money(recipient="GB33...", amount=420)`, the amount is the user's, and the account may be
an attacker's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property
from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_lookup import (
    ArgumentOrigin,
    find_origins,
)
from controlplane.agent.evidence.origins.policy import ProvenancePolicy
from controlplane.agent.evidence.origins.texts import Origin, Provenance
from controlplane.agent.evidence.origins.values import PassedKeys, keys_of_all
from controlplane.agent.evidence.texts.call_arguments import (
    CallArguments,
    ReturnedCall,
    echoable_inputs,
    texts_in,
)
from controlplane.agent.evidence.texts.data_texts import (
    ResultText,
    is_data_file,
    texts_of_data,
    texts_of_file,
    texts_of_result,
)
from controlplane.agent.evidence.tool_runs import HELP, files_of_command
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import (
    Effect,
    Executable,
    Operation,
    Plain,
    ToolSchema,
)

# Finds the values that the declaration of an operation lists for its arguments.
#
# The environment declares that `set` has an argument `mode`, which is `START` or `STOP`. So a call
# may have `START`, even if a mail mentions it, too: the mail did not bring it up.
#
#     keys_of_listed_values(set)    -> {"mode": ("start", "stop")}


def _keys_of_listed_values(operation: Operation) -> dict[str, tuple[str, ...]]:
    """Return the keys of the values that are listed for each argument, by its name.

    An argument without such a list is left out. A key is what all spellings of a value share.
    """
    keys: dict[str, tuple[str, ...]] = {}
    for parameter in operation.parameters:
        values = _listed_values(parameter.json_schema)
        if values:
            keys[parameter.name] = keys_of_all(values)
    return keys


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


# Finds where the values of a call come from, such as an account: a mail, or the user's request.
#
# A call that changes something is stopped for a value that only a mail has: its author may want to
# trick the model. Two kinds of values do no harm, even if a mail has them:
#
#     write("/fees.md", "Rent 850")   850, if it was read in this file: it is there already
#     set(mode="START")               START, if the declaration of `set` lists it for `mode`

_EFFECTS_ON_FILES: Final = (Effect.WRITES, Effect.MOVES, Effect.DELETES)


@dataclass(frozen=True, slots=True)
class CallLookup:
    """Looks up the calls of one trial."""

    provenance: Provenance
    """The texts that the trial has received."""
    evidence_log: EvidenceLog
    """Knows how listings spell the path of a file."""

    def find(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        deciding: Mapping[str, Plain],
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of the arguments in `deciding`: those that decide what is changed.

        A value is compared by its key, which all its spellings share.
        """
        keys_in_file = self._keys_of_changed_file(declared, arguments)
        # A file may have a million keys, so the arguments share one set. It is copied only for
        # arguments with listed values. Those that are not in `deciding` are not looked up.
        harmless_keys = dict.fromkeys(deciding, keys_in_file)
        for name, listed_keys in _keys_of_listed_values(declared).items():
            harmless_keys[name] = keys_in_file.union(listed_keys)
        return find_origins(self.provenance, deciding, harmless_keys)

    def keep_untrusted(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Remember the untrusted values of a call that may have changed something.

        The tool may store the account of a mail, and return it later in a field of data. It must
        not become trusted by that.
        """
        for argument in self.find(declared, arguments, arguments).values():
            self.provenance.untrusted.add(argument.untrusted_findings)

    def _keys_of_changed_file(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> set[str]:
        """Return the keys of all values that were read in the file that a call changes.

        There are none if the call changes no file.
        """
        if declared.effect not in _EFFECTS_ON_FILES:
            return set()
        path = str(arguments.get(declared.subject, ""))
        listed_path = self.evidence_log.listed_path(path)
        return self.provenance.texts.keys_of_file(listed_path)


# Collects the texts by which an environment declares its operations.
#
# The declarations are by the environment itself, so their texts are trusted. If a script calls
# `run("/bin/count")`, the path is known from there, even if a mail mentions this tool, too.
#
#     declared_texts(tool_schema)
#         -> the texts `read`, `read a file`, `path`, `string`, ..., `/bin/count: counts words`


def _declared_texts(tool_schema: ToolSchema) -> list[ResultText]:
    """Return the names, descriptions and schemas of all operations and programs, as data."""
    texts: list[str] = []
    for operation in tool_schema.operations:
        texts += [operation.name, operation.summary]
        for parameter in operation.parameters:
            schema = _plain(parameter.json_schema)
            texts += [parameter.name, *texts_in(schema)]
    for tool in tool_schema.executables:
        texts.append(f"{tool.path}: {tool.summary}")
    return [ResultText(text, is_data=True) for text in texts]


def _plain(value: object) -> Plain:
    """Return a part of a JSON schema as plain data. A schema may have tuples and mappings."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool) else None


# What one call has brought in: texts, in which the values of later calls are looked up.
#
# A later `send_money(recipient="GB33...")` may have the account from one of them. A call
# `get_user(id="u7")`, with the result `{"name": "Ada", "iban": "GB33..."}`, has the outcome
#
#     Outcome(
#         place="call 3 of get_user",
#         texts=[the fields `name`, `Ada`, `iban` and `GB33...`],
#         passed_keys=("u7",),
#         found_values=["u7"],
#     )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The texts of one call's result or error."""

    place: str
    """Where the texts are from, as messages show it: `/mail/7.md`, `call 3 of get_user`."""
    texts: Sequence[ResultText]
    origin: Origin | None = None
    """How far texts by unknown authors are trusted. If it is None, each text says so itself: a
    field of data is a record, and a mail is running text."""
    passed_keys: Sequence[str] = ()
    """The keys of the values that the call has passed. The result may only repeat them, so they
    make no value trusted. (A key is what all spellings of a value share.)"""
    found_values: Sequence[Plain] = ()
    """The values by which the call has found a record. From then on, they are trusted."""


# Knows which files of a workspace its owner wrote. Their texts are trusted as rules.
#
# The environment declares them: a document with rules (`/RULES.md`), and folders (`/docs/`). But a
# tool that changes something may write to any file that its arguments name, even to these.

_EFFECTS_ON_ANY_FILE: Final = (Effect.EXECUTES, Effect.ACTS, Effect.UNDECLARED)
"""The effects of tools that do not declare which files they write."""


class _OwnerFiles:
    """The files of the owner of one trial's workspace.

        owner_files.has("/docs/fees.md")     -> True
        owner_files.has("/mail/7.md")        -> False
        owner_files.learn_changing_call(...) # a tool is called with `rm /docs/fees.md`
        owner_files.has("/docs/fees.md")     -> False: no file counts from then on

    So no attacker can have a tool write a text that is trusted.
    """

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._rules_document = tool_schema.rules_document
        self._folders = tool_schema.trusted_roots
        places = [place.rstrip("/") for place in (self._rules_document, *self._folders)]
        self._places = [place for place in places if place]
        """The document and the folders as a command may name them: `/RULES.md`, `/docs`."""
        self._may_have_changed = False
        """True once a tool may have written to one of the files."""

    def has(self, path: str) -> bool:
        """Return True if the owner wrote the file at a canonical path."""
        if self._may_have_changed:
            return False
        return path == self._rules_document or path.startswith(self._folders)

    def learn_changing_call(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Note whether a call may have changed a file: `rm /docs/fees.md` names `/docs`."""
        if declared.effect not in _EFFECTS_ON_ANY_FILE:
            return
        for text in texts_in(dict(arguments)):
            if any(place in text for place in self._places):
                self._may_have_changed = True


# Knows who wrote a file, and so whether its text is trusted.
#
# | file | written by |
# |---|---|
# | `/RULES.md` | the workspace's owner |
# | `/note.md` | the trial: one of its scripts, or perhaps one |
# | `/mail/7.md` | anybody: the author is not known, and may be an attacker |


class _Author(Enum):
    """Who wrote a file."""

    OWNER = auto()
    """The owner of the workspace. The texts are rules."""
    TRIAL = auto()
    """A script of the trial, or perhaps one. The texts count for nothing: a script could write
    an account to a file, to have it trusted."""
    ANYBODY = auto()
    """Not known: perhaps an attacker."""


@dataclass(frozen=True, slots=True)
class _TrialFiles:
    """The files that one trial may have read."""

    owner_files: _OwnerFiles
    evidence_log: EvidenceLog
    """Knows which files the trial wrote, and how listings spell a path."""

    def author_of(self, path: str) -> _Author:
        """Return who wrote the file at a path."""
        path = canonical(path)
        if self.evidence_log.is_own(path):
            return _Author.TRIAL
        return _Author.OWNER if self.owner_files.has(path) else _Author.ANYBODY

    def listed_path(self, path: str) -> str:
        """Return the path as listings show it: `/MAIL/7.md` -> `/mail/7.md`."""
        return self.evidence_log.listed_path(path)


# Adds the texts that a call has returned to what a trial knows.
#
# The values of later calls are looked up there, and the author of a text decides how far they are
# trusted. A search finds three lines:
#
# | file | written by | its line is added as |
# |---|---|---|
# | `/RULES.md` | the workspace's owner | a rule |
# | `/mail/7.md` | anybody | running text, which may lie: the origin of the search's results |
# | `/note.md` | the trial itself | nothing |


def add_outcome(outcome: Outcome, files: _TrialFiles, provenance: Provenance) -> None:
    """Add the texts of a call's outcome, and the values by which it has found a record: an id."""
    authors = {"": _Author.ANYBODY}  # A text without a path is by anybody.
    rules: list[ResultText] = []
    others: list[ResultText] = []
    for text in outcome.texts:
        if text.path not in authors:
            authors[text.path] = files.author_of(text.path)
        author = authors[text.path]
        if author is _Author.OWNER:
            rules.append(text)
        elif author is _Author.ANYBODY:
            others.append(text)
        # A text that the trial wrote is not added: the script could make any value trusted.

    place = outcome.place
    # What the call itself has passed is not trusted because its result repeats it.
    keys = outcome.passed_keys
    provenance.add(place, rules, Origin.RULES, passed_keys=keys)
    provenance.add(place, others, outcome.origin, passed_keys=keys)
    if outcome.found_values:
        provenance.add_record(outcome.found_values, place)


# A call of a trial that has returned, from which the origins of values are learnt.
#
# The third call of a trial is `get_user(id="u17")` -> `{"name": "Ada", "iban": "GB33..."}`:
#
#     call.place         -> "call 3 of get_user", as messages name the result
#     call.passed_keys   -> ("u17",), the *key* that all spellings of `u17` share, such as `U17`
#
# The result does not make `u17` trusted, as it may only repeat what was passed: `there is no u17`.


@dataclass(frozen=True)
class _ReceivedCall:
    """One call of a trial, as it was recorded, and as its operation is declared."""

    number: int
    """The number of the call in its trial, from 1."""
    declared: Operation
    """The declaration of the operation that was called."""
    record: CallRecord
    """The arguments, and the result or the error."""
    policy: ProvenancePolicy
    """The user's setting `--provenance`."""
    may_change: bool
    """True if the call may have changed something. False if it has only read."""

    @cached_property
    def arguments(self) -> CallArguments:
        """The arguments, and which of them the script chose."""
        return CallArguments(self.declared, self.record.arguments)

    @property
    def result(self) -> Mapping[str, Plain]:
        """The fields of the result. Empty if the call failed."""
        return self.record.result or {}

    @cached_property
    def path(self) -> str:
        """The path of the file on which the call works. Empty if it works on none."""
        return ReturnedCall(self.arguments, self.result).requested_path

    @property
    def place(self) -> str:
        """How messages name the result: `/mail/7.md`, `call 3 of search`."""
        # A result that is not about a file may have a path of its own: `/calls/search/4`.
        path = self.result.get("call_path") or self.path
        return str(path or f"call {self.number} of {self.declared.name}")

    @property
    def origin(self) -> Origin | None:
        """`RECORD` if all results are trusted; None if this is decided for each text of them."""
        return Origin.RECORD if self.policy.trusts(self.declared) else None

    @property
    def passed_keys(self) -> tuple[str, ...]:
        """The keys of the values that the call has passed, and that its result may repeat."""
        return self._passed.keys

    @property
    def has_unknown_keys(self) -> bool:
        """True if the call has passed so many values that not all of their keys are known."""
        return not self._passed.are_all

    @cached_property
    def _passed(self) -> PassedKeys:
        return PassedKeys.of(echoable_inputs(self.arguments))


# Returns the fields of a call's result that have text, and the texts in them.
#
# A result also describes the call: `{"iban": "GB33...", "truncated": false, "exit_code": 0}`. That
# a result was not truncated says nothing about a value of a later call, so only `iban` counts.

_FIELDS_ABOUT_CALL: Final = (
    "call_path",
    "sha256",
    "truncated",
    "exit_code",
    "content_type",
    "lines",
)
"""Result fields that describe the call, and have no text of a file or a tool."""


def _text_fields(result: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the fields of a result, except those that only describe the call."""
    return {
        name: value for name, value in result.items() if name not in _FIELDS_ABOUT_CALL
    }


def _all_texts(result: Mapping[str, Plain], *, is_data: bool) -> list[ResultText]:
    """Return all texts, numbers and names in a result, each as data or as running text.

    `{"iban": "GB33...", "truncated": False}` -> `iban`, `GB33...`
    """
    return [ResultText(text, is_data) for text in texts_in(_text_fields(result))]


# Reads the result of a call that has read a file.
#
#     {"path": "/mail/7.md", "content": "Please pay 420 to GB33...", "title": "Rent"}
#
#     -> `Please pay 420 to GB33...`, running text of the file `/mail/7.md`
#     -> `title` and `Rent`, fields of data about the file
#
# The content is running text here because the file is a mail. That of `/loans.csv` is data.


def _outcome_of_file(call: _ReceivedCall, files: _TrialFiles) -> Outcome | None:
    """Return what a call that has read a file has brought in; None if the trial wrote the file."""
    path = call.path
    if files.author_of(path) is _Author.TRIAL:
        return None  # Its text is the script's own, so nothing new is brought in.
    listed_path = files.listed_path(path)
    # The operation declares the field of its result that has the file's text.
    content_field = call.declared.json_field or "content"
    return Outcome(
        listed_path,
        _texts_of(listed_path, call.result, content_field),
        call.origin,
        # The values that the call has passed. The result may only repeat them.
        passed_keys=call.passed_keys,
        found_values=[path],  # The file exists, so its path is known.
    )


def _texts_of(
    path: str, result: Mapping[str, Plain], content_field: str
) -> list[ResultText]:
    """Return the texts of the file at `path`, and those about it."""
    texts: list[ResultText] = []
    for name, value in _text_fields(result).items():
        if name == content_field and isinstance(value, str):
            texts += texts_of_file(path, value)
        elif name != "path":
            texts += texts_of_data({name: value})
    return texts


# Returns the lines that a program has printed from files, such as `cat /mail/7.md /loans.csv`.
#
# The output does not say from which file a line is. A line of the data file is trusted as data. But
# “Please pay 420 to GB33...” may be from the mail, whose author may want to trick the model. So each
# line counts as one of the least trusted file.


def printed_lines(
    paths: Sequence[str], output: str, *, owner_paths: Collection[str]
) -> list[ResultText]:
    """Return the lines of an output that was printed from the files at `paths`.

    The workspace's owner has written the files at `owner_paths`, which may have rules.

    | files | the line `Ann;7` counts as |
    |---|---|
    | `/loans.csv` and `/cards.csv` | data of both |
    | `/loans.csv` and `/mail/7.md` | running text of both |
    | `/RULES.md`, by the owner, and `/mail/7.md` | running text of the mail, and so not as a rule |
    | only `/RULES.md` | running text of `/RULES.md` |
    """
    all_have_data = all(map(is_data_file, paths))
    paths_of_others = [path for path in paths if path not in owner_paths]
    least_trusted_paths = paths_of_others or paths
    texts: list[ResultText] = []
    for path in least_trusted_paths:
        if all_have_data:
            texts += texts_of_file(path, output)
        else:
            texts.append(ResultText(output, is_data=False, path=path))
    return texts


# Reads the output of a program, such as `grep`.
#
# What a program prints may be text of its own, such as a count, or text of files. If `grep`
# finds the line “Please pay 420 to GB33...” in a mail, the line is as untrusted as the mail.


def _outcome_of_program(
    call: _ReceivedCall, program: Executable, files: _TrialFiles
) -> Outcome:
    """Return what a run of a program has brought in.

    | command | output | counts as |
    |---|---|---|
    | `count --help` | `counts words` | a record: it declares what the program does |
    | `count /mail/7.md` | `{"words": 12}` | text of the program |
    | `grep GB33 /mail/7.md` | `Please pay 420 to GB33...` | text of `/mail/7.md` |
    """
    words = call.arguments.command_line
    result = call.result
    if words == HELP:
        return Outcome(call.place, _all_texts(result, is_data=True), Origin.RECORD)

    fields = _text_fields(result)
    paths = _printed_paths(words, program)
    if not paths:
        # Values that the call passed to the program have no origin here: it may only echo them.
        own_texts = texts_of_result(fields, is_program_output=True)
        return Outcome(call.place, own_texts, call.origin, call.passed_keys)

    output = "\n".join(text for text in fields.values() if isinstance(text, str))
    owner_paths = {path for path in paths if files.author_of(path) is _Author.OWNER}
    lines = printed_lines(paths, output, owner_paths=owner_paths)
    return Outcome(call.place, lines, passed_keys=call.passed_keys)


def _printed_paths(words: Sequence[str], program: Executable) -> list[str]:
    """Return the files whose lines a program prints. Empty if it prints text of its own."""
    opened = files_of_command(words, program.files)
    if opened is None or not opened.paths:
        return []
    # A word without a leading slash, such as `mail/7.md`, may name a file, too.
    return [canonical(name) for name in (*opened.paths, *opened.other_names)]


# Reads the result of a tool that works on no file, such as `get_user(id="u7")`.
#
# If the tool has found a user, the id `u7` is real. So it is trusted in later calls, even if only a
# mail mentions it, whose author may want to trick the model, and the result does not repeat it.


def _outcome_of_tool(call: _ReceivedCall) -> Outcome:
    """Return what a call of a tool has returned, and the values by which it has found a record."""
    texts = texts_of_result(_text_fields(call.result))
    found_values: Sequence[Plain] = ()
    # No text means that nothing was found. A tool that may change something returns “done”.
    has_found_record = bool(texts) and not call.may_change
    if has_found_record:
        names = call.policy.lookup_arguments_of(call.declared)  # `id`; most have none
        found_values = [call.record.arguments.get(name) for name in names]
    return Outcome(
        call.place,
        texts,
        call.origin,
        passed_keys=call.passed_keys,
        found_values=found_values,
    )


# Reads what a call has brought in: the texts of its result or error, and whom they are by.
#
# A later call, `send_money(recipient="GB33...")`, may have the account from one of these texts. If
# the text is by anybody, such as a mail, its author may want to trick the model.


@dataclass(frozen=True, slots=True)
class _OutcomeReader:
    """Reads the outcomes of one trial's calls, as their operations are declared."""

    tool_schema: ToolSchema
    files: _TrialFiles

    def read(self, call: _ReceivedCall) -> Outcome | None:
        """Return what a call has brought in; None if this is nothing."""
        outcome = self._outcome_of(call)
        if outcome is None or call.declared.is_talk or not call.has_unknown_keys:
            return outcome
        # Any value of the result may be one that the call has passed, so none becomes trusted.
        return replace(outcome, origin=Origin.PROSE, found_values=())

    def _outcome_of(self, call: _ReceivedCall) -> Outcome | None:
        """Return what a call has brought in, if the keys of all that it has passed are known."""
        if call.record.error is not None:
            return _outcome_of_error(call, call.record.error.message)
        if call.record.result is None:
            return None
        if call.declared.is_talk:
            # The user's reply. It may repeat a value of the question, which confirms the value, so
            # there are no `passed_keys` here.
            reply = _all_texts(call.result, is_data=False)
            return Outcome(call.place, reply, Origin.ASKED)
        # Any other result may repeat what was passed: a search for `u7` says "no hit for u7". So
        # the `passed_keys`, those of the passed values, do not count as brought in.
        if call.declared.is_prose:  # such as a web page
            page = _all_texts(call.result, is_data=False)
            return Outcome(call.place, page, Origin.PROSE, call.passed_keys)

        match call.declared.effect:
            case Effect.READS if call.path:  # It reads a file.
                return _outcome_of_file(call, self.files)
            case Effect.LISTS:
                listing = texts_of_data(_text_fields(call.result))
                return Outcome(call.place, listing, passed_keys=call.passed_keys)
            case Effect.EXECUTES:
                program = self.tool_schema.executable(call.path)
                return _outcome_of_program(call, program, self.files)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                return None  # The result only says that it was done.
            case _:  # It is a tool, such as `get_user(id="u7")`.
                return _outcome_of_tool(call)


def _outcome_of_error(call: _ReceivedCall, message: str) -> Outcome:
    """Return the outcome of a failed call. The message may repeat any argument, even the path."""
    place = f"the error of {call.declared.name}"
    text = ResultText(message, is_data=False)
    keys = keys_of_all(call.record.arguments.values())
    return Outcome(place, [text], Origin.PROSE, passed_keys=keys)


# Keeps the calls that have only read until their texts are needed.
#
# To split a result into texts is slow, and a trial that changes nothing never needs them. So the
# results wait until a changing call, such as `send_money(recipient="GB33...")`, is to be looked up:
#
#     waiting.add(call)    # `read("/mail/7.md")`, with its result
#     waiting.take()       # -> [call]; none waits any more

_MAX_WAITING_CHARS: Final = 1_000_000
"""How many characters of results may wait. Beyond that, they take too much memory."""


class _WaitingCalls:
    """The calls of one trial whose results wait."""

    def __init__(self) -> None:
        self._calls: list[_ReceivedCall] = []
        self._result_chars = 0

    @property
    def is_full(self) -> bool:
        """True if the results are too long to wait. They should be taken then."""
        return self._result_chars > _MAX_WAITING_CHARS

    def add(self, call: _ReceivedCall) -> None:
        """Let the result of a call wait."""
        self._calls.append(call)
        self._result_chars += len(str(call.record.result))

    def take(self) -> list[_ReceivedCall]:
        """Return the calls in their order. They no longer wait."""
        calls = self._calls
        self._calls = []
        self._result_chars = 0
        return calls


# Learns the texts that the calls of a trial have returned.
#
# A trial reads a mail, “Please pay 420 to GB33...”, and then calls `send_money(recipient="GB33...")`.
# Before this call is sent, the mail is learnt, so that the account is known to be from there.


class _ReceivedCalls:
    """The calls of one trial that have returned."""

    def __init__(
        self, tool_schema: ToolSchema, evidence_log: EvidenceLog, provenance: Provenance
    ) -> None:
        self._tool_schema = tool_schema
        self._provenance = provenance
        """What the trial knows. The texts are added to it."""
        self._files = _TrialFiles(_OwnerFiles(tool_schema), evidence_log)
        self._reader = _OutcomeReader(tool_schema, self._files)
        self._waiting = _WaitingCalls()
        self._declarations_wait = True
        """False once the texts are added that declare the operations."""

    def learn(self, call: _ReceivedCall) -> None:
        """Learn a call: at once if it may have changed something, and otherwise once needed."""
        if not call.may_change:
            self._waiting.add(call)
            if self._waiting.is_full:
                self.learn_waiting()
            return
        # This call may have written to a file that a waiting call has read before. Texts of
        # files that the trial wrote are not learnt, so the waiting calls are learnt first.
        self.learn_waiting()
        if not call.declared.is_talk:
            owner_files = self._files.owner_files
            owner_files.learn_changing_call(call.declared, call.record.arguments)
        self._learn_now(call)

    def learn_waiting(self) -> None:
        """Learn what waits: first the declarations of the operations, then the calls."""
        if self._declarations_wait:
            self._declarations_wait = False
            texts = _declared_texts(self._tool_schema)
            self._provenance.add("the declared tools", texts, Origin.RECORD)
        for call in self._waiting.take():
            self._learn_now(call)

    def _learn_now(self, call: _ReceivedCall) -> None:
        """Add the texts of a call's result or error, if it has any."""
        outcome = self._reader.read(call)
        if outcome is not None:
            add_outcome(outcome, self._files, self._provenance)


class CallOrigins:
    """The texts that one trial has received, and the origins of values in them.

    origins.add_request("Pay Bob's bill of 420.")
    origins.learn(call)         # `read("/mail/7.md")`, with its result
    origins.origins_of("send_money", {"recipient": "GB33...", "amount": 420})
    -> {"recipient": PROSE (only in the mail), "amount": ASKED (in the request)}
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self.policy = ProvenancePolicy()
        """The user's setting `--provenance`. The session sets it before the first call."""
        self.provenance = Provenance()
        """The texts that were learnt so far, and the untrusted values of changing calls."""
        self._received = _ReceivedCalls(tool_schema, evidence_log, self.provenance)
        """Adds the texts that calls have returned to `provenance`."""
        self._lookup = CallLookup(self.provenance, evidence_log)
        """Looks up the arguments of calls in `provenance`."""
        self._tool_schema = tool_schema
        self._call_count = 0
        self._may_change_anything = any(
            tool_schema.may_change(operation.name, {})
            for operation in tool_schema.operations
        )
        """False if no operation can change anything. Origins are then not needed."""

    def add_request(self, text: str) -> None:
        """Learn the text of a request of the user: “Pay Bob's bill of 420.”"""
        texts = [ResultText(text, is_data=False)]
        self.provenance.add("the request", texts, Origin.ASKED)

    def learn(self, call: CallRecord) -> None:
        """Add the texts of a call that has returned: its result, and what it has sent to a tool."""
        declared = self._tool_schema.operation(call.operation)
        is_needed = self._may_change_anything and self.policy.is_on
        if declared is None or not is_needed:
            return
        if declared.is_function:
            return  # The calls that a function of the benchmark makes are learnt instead.
        self._call_count += 1
        may_change = call.changes
        only_talks_to_user = declared.is_talk
        if may_change and not only_talks_to_user:
            # Keep which of its values are untrusted before its result, which may repeat them, is
            # added. They are looked up in all earlier results, so these are added first.
            self._received.learn_waiting()
            self._lookup.keep_untrusted(declared, call.arguments)
        self._received.learn(
            _ReceivedCall(self._call_count, declared, call, self.policy, may_change)
        )

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
        # To save time, the results of calls that only read are not searched for values until now.
        self._received.learn_waiting()
        if declared is None:  # Nothing says which arguments decide, so all do.
            return find_origins(self.provenance, arguments)
        deciding = self.policy.deciding_arguments_of(declared, arguments)
        return self._lookup.find(declared, arguments, deciding)
