"""The initial calls of a trial, which are made before its model is asked.

An environment declares some of them, such as `tree /` and `exec /bin/date`; others read files
that fit the request. Each is sent once, those that only read side by side:

    calls.send("read", {"path": "/docs/a.md"})    sends the call, which may still run
    calls.send("read", {"path": "/docs/a.md"})    -> the same call; nothing is sent
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls import CallUnderWay
from controlplane.agent.evidence.recorder import Recorder
from controlplane.sandbox.interface import (
    Effect,
    InitialCall,
    Operation,
    Plain,
    ToolSchema,
    Tree,
)

# The calls that an environment declares for the first message of a trial.
#
#     InitialCall("exec", {"path": "/bin/date"}, most_chars=200)
#         -> `exec /bin/date`, which RUNS_TOOL
#     InitialCall("read", each_of=EachOf("find", {"root": "/docs"}, "paths"))
#         -> `read`, which gives a call `for_value` of each path, once the paths are known


class CallKind(Enum):
    """What a declared call does. It decides when the call is sent, and what is learned from it."""

    READS_RULES = auto()
    """It reads the workspace's rules, by which answers are checked: `read /RULES.md`."""
    READS_FILE = auto()
    """It reads another file: `read /docs/fees.md`."""
    RUNS_TOOL = auto()
    """It runs a tool for its output, or to test if it works: `exec /bin/date`."""
    ASKS_FOR_HELP = auto()
    """It asks a tool how to use it: `exec /bin/renew --help`."""
    OTHER = auto()
    """It does something else: `tree /`."""


def asks_for_help(arguments: Mapping[str, Plain]) -> bool:
    """Return True if a call asks a tool for its help text, as in `/bin/date --help`."""
    return arguments.get("args") == ["--help"]


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """A call that is made before the model is asked, or for each value of a listing."""

    declaration: InitialCall
    """Says how much of the result is shown, and which listing has the values (`each_of`)."""
    operation: Operation
    arguments: Mapping[str, Plain]
    """Those of one call. If there is a listing, they lack the value."""
    rules_path: str
    """The document with the workspace's rules."""

    @property
    def kind(self) -> CallKind:
        """What the call does."""
        if asks_for_help(self.arguments):
            return CallKind.ASKS_FOR_HELP
        if self.operation.effect is Effect.EXECUTES:
            return CallKind.RUNS_TOOL
        if self.operation.effect is not Effect.READS:
            return CallKind.OTHER
        reads_rules = self.arguments.get(self.operation.subject) == self.rules_path
        return CallKind.READS_RULES if reads_rules else CallKind.READS_FILE

    @property
    def subject(self) -> str:
        """The main argument: usually the path of a file or a tool; "None" if it is missing."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def only_tests_tool(self) -> bool:
        """True if it only finds out whether a tool works. Its result is not shown."""
        return self.declaration.most_chars == 0

    def for_value(self, value: Plain) -> DeclaredCall:
        """Return the call for one value of the listing, such as one file's path."""
        arguments = {**self.arguments, self.operation.subject: value}
        return replace(self, arguments=arguments)


def _declared_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the calls that an environment declares for the first message, in order.

    If it declares a call of an operation that it does not have, the call is left out.
    """
    calls: list[DeclaredCall] = []
    rules_path = tool_schema.rules_document
    for declared in tool_schema.initial_calls:
        operation = tool_schema.operation(declared.operation)
        if operation is not None:
            calls.append(
                DeclaredCall(declared, operation, declared.arguments, rules_path)
            )
    return calls


def single_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return those calls that are made once, and not for each value of a listing."""
    calls = _declared_calls(tool_schema)
    return [call for call in calls if call.declaration.each_of is None]


@dataclass(frozen=True, slots=True)
class _CallBatches:
    """The declared calls of an environment, each in one batch, in the order of declaration."""

    first: list[DeclaredCall] = field(default_factory=list)
    """Calls that need no other results: `tree /`, `read /RULES.md`, `exec /bin/date`."""
    reads: list[DeclaredCall] = field(default_factory=list)
    """Calls that read files, when it is known which files there are: `read` each of `/docs`."""
    helps: list[DeclaredCall] = field(default_factory=list)
    """Calls that ask tools for their help texts, if the request needs the tool."""


def call_batches(tool_schema: ToolSchema) -> _CallBatches:
    """Return the batches of an environment's declared calls."""
    # A tree is listed first, and then searched for files that fit the request. To save time, the
    # declared files are read during this search. Without a tree, they are read at once.
    lists_tree = any(
        call.operation.drawn_as_tree and call.kind is not CallKind.ASKS_FOR_HELP
        for call in single_calls(tool_schema)
    )
    batches = _CallBatches()
    for declared in _declared_calls(tool_schema):
        needs_listing = declared.declaration.each_of is not None
        if needs_listing or (declared.kind is CallKind.READS_FILE and lists_tree):
            batches.reads.append(declared)
        elif declared.kind is CallKind.ASKS_FOR_HELP:
            batches.helps.append(declared)
        else:
            # Reads of the workspace's rules are among these: they are never put off.
            batches.first.append(declared)
    return batches


# Calls and their results as texts.


def title_of(operation: Operation, arguments: Mapping[str, Plain]) -> str:
    """Return a call in words: `read /docs/a.md`, `exec /bin/date --help`.

    It has the operation's name and its `subject`, the argument with the path on which it works.
    """
    words = [operation.name, str(arguments.get(operation.subject) or "")]
    # `exec(path, args=["--help"])` runs a program, whose own arguments are in `args`.
    command_arguments = arguments.get("args")
    if isinstance(command_arguments, list):
        words += [str(argument) for argument in command_arguments]
    return " ".join(word for word in words if word)


def outcome_text(operation: Operation, outcome: CallRecord) -> str:
    """Return the result of a call as text, or its error."""
    if outcome.error:
        return f"(failed: {outcome.error.code}: {outcome.error.message})"
    return result_text(operation, outcome.result or {})


def result_text(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a call's result as text. Its form depends on what the operation declares.

    | operation | result | text |
    |---|---|---|
    | with `drawn_as_tree` | `{"name": "docs", "children": [...]}` | an indented tree |
    | with a `json_field`, `content` | `{"path": "/a.md", "content": "Hi"}` | `Hi` |
    | any other, and one text is left | `{"path": "/a.md", "stdout": "Hi", "stderr": ""}` | `Hi` |
    | any other | `{"path": "/a.md", "size": 12}` | the result as JSON |
    """
    if operation.drawn_as_tree:
        return str(Tree(result))
    if operation.json_field:  # This field has the content, so only it is shown.
        return str(result.get(operation.json_field, ""))

    # Leave out texts that are empty, and the path, which many results repeat. If one text
    # is left, show only that.
    path = result.get(operation.subject)
    texts = []
    for declared in operation.fields:
        value = result.get(declared.name)
        if isinstance(value, str) and value and value != path:
            texts.append(value)
    if len(texts) == 1:
        return texts[0]
    return json.dumps(dict(result), ensure_ascii=False)


def has_error_code(operation: Operation, result: Mapping[str, Plain]) -> bool:
    """Return True if a result is that of a program whose exit code is not 0."""
    return bool(operation.exit_field and result.get(operation.exit_field))


# Sends the calls, each once. A call that may change something runs alone, so that the others read
# either before or after it:
#
#     read /a.md         sent
#     read /b.md         sent beside it
#     exec /bin/init     waits for both, is sent, and ends
#     read /c.md         sent

_MAX_INITIAL_CALLS: Final = 24
"""With this many calls, no further files are looked for. Declared calls are made even then."""


def _key_of(operation: str, arguments: Mapping[str, Plain]) -> str:
    """Return a key that equal calls share, whatever the order of their arguments."""
    if len(arguments) == 1:  # Most calls have one argument, and need no sorting.
        return f"{operation}{arguments}"
    return f"{operation}{sorted(arguments.items())}"


@dataclass(frozen=True, slots=True)
class SentCall:
    """A declared call that was sent. It may still run, beside others."""

    declared: DeclaredCall
    call: CallUnderWay


class InitialCalls:
    """The initial calls of a trial."""

    def __init__(self, recorder: Recorder) -> None:
        self.tool_schema = recorder.tool_schema
        self.all_calls: list[CallUnderWay] = []
        """The calls in the order in which they were sent. They may still run."""
        self._trial_calls = recorder.calls
        self._call_by_key: dict[str, CallUnderWay] = {}

    @property
    def remaining_calls(self) -> int:
        """How many more calls may read files that fit the request."""
        return max(_MAX_INITIAL_CALLS - len(self.all_calls), 0)

    def send(
        self, operation: str, arguments: Mapping[str, Plain], *, again: bool = False
    ) -> CallUnderWay:
        """Return the call with these arguments. It is sent now, unless it was sent before.

        With `again`, it is the second try of a call that has failed. There is no third one.
        """
        key = _key_of(operation, arguments)
        if again:
            key += " again"
        call = self._call_by_key.get(key)
        if call is not None:
            return call

        planned = CallRecord.planned(self.tool_schema, operation, arguments)
        if planned.may_change:
            for earlier in self.all_calls:
                earlier.outcome()  # waits
        call = self._trial_calls.send(
            planned, runs_beside_others=not planned.may_change
        )
        self.all_calls.append(call)
        self._call_by_key[key] = call
        if planned.may_change or not self.tool_schema.reads_side_by_side:
            call.outcome()  # The next call is sent after this one has ended.
        return call

    def sent_call(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | None:
        """Return the first try of the call with these arguments; None if none was sent."""
        return self._call_by_key.get(_key_of(operation, arguments))

    def send_declared(self, declared: DeclaredCall, *, again: bool = False) -> SentCall:
        """Send a declared call, and return it."""
        name = declared.operation.name
        return SentCall(declared, self.send(name, declared.arguments, again=again))


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads files with one operation, for example `read(path="/docs/a.md")`."""

    calls: InitialCalls
    operation: Operation | None
    """Its `subject` is the parameter that has the path. None if the environment has no operation
    for these files. Then none is read."""

    def send(self, paths: Iterable[str], max_files: int | None = None) -> None:
        """Send calls that read the first `max_files` of these files, or all of them.

        Files that were read before are passed over. If fewer calls are left for the trial,
        fewer files are read.
        """
        if self.operation is None:
            return
        file_count = self.calls.remaining_calls
        if max_files is not None:
            file_count = max(min(max_files, file_count), 0)
        unread = [path for path in paths if self.call_for(path) is None]
        for path in unread[:file_count]:
            self.calls.send(self.operation.name, {self.operation.subject: path})

    def call_for(self, path: str) -> CallUnderWay | None:
        """Return the call that reads a file; None if none was sent."""
        if self.operation is None:
            return None
        return self.calls.sent_call(self.operation.name, {self.operation.subject: path})

    def text(self, path: str) -> str | None:
        """Wait for the text of a file; None if it was not read, or its call failed."""
        call = self.call_for(path)
        result = call.result() if call is not None else None
        if self.operation is None or not result:
            return None
        return result_text(self.operation, result)

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """Wait for the texts of files, by path. Files that were not read are left out."""
        texts = {path: self.text(path) for path in paths}
        return {path: text for path, text in texts.items() if text is not None}


def without_failed_tools(
    tool_schema: ToolSchema, calls: Iterable[CallRecord]
) -> ToolSchema:
    """Return an environment's declaration without the tools that do not work.

    `calls` are the initial calls that were made. Some only test a tool: `exec /bin/renew --help`,
    of which nothing is shown. If such a call failed, or its exit code is not 0, the model is not
    told of the tool.
    """
    results: dict[str, Mapping[str, Plain]] = {}  # by the key of the call
    for record in calls:
        results[_key_of(record.operation, record.arguments)] = record.result or {}

    failed_tools: set[str] = set()  # their paths
    for declared in single_calls(tool_schema):
        result = results.get(_key_of(declared.operation.name, declared.arguments))
        if result is not None and declared.only_tests_tool:
            if not result or has_error_code(declared.operation, result):
                failed_tools.add(declared.subject)
    working_tools = [
        tool for tool in tool_schema.executables if tool.path not in failed_tools
    ]
    return replace(tool_schema, executables=tuple(working_tools))
