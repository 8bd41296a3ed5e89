"""The results of a trial's calls: kept for the checks of its answer, and as texts for the model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from controlplane.agent.events import ConversationOpened
from controlplane.agent.opening.calls import title_of
from controlplane.agent.opening.sections import (
    READ_ALL,
    CutText,
    compact_lines,
    whole_lines,
)
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Plain,
    ToolSchema,
    Tree,
    bounds,
)

# The initial calls, which code made before the model was asked. The conversation shows them as if
# the model had made them.


@dataclass(frozen=True, slots=True)
class _InitialResult:
    """An initial call that succeeded, with its result as the model sees it."""

    operation: Operation
    arguments: dict[str, Any]
    text: str

    @property
    def subject(self) -> str:
        """Its main argument, such as the path of the file that it has read."""
        return str(self.arguments.get(self.operation.subject))


def initial_results(
    opening: ConversationOpened, tool_schema: ToolSchema
) -> list[_InitialResult]:
    """Return the initial calls that succeeded, in order.

    The *exchange* is the part of the conversation that shows them as calls of the model:

        assistant    tool_calls: opening_1 = read({"path": "/docs/a.md"})
        tool         "A key is lent for a day.", for opening_1
    """
    results: list[_InitialResult] = []
    failed_calls = _failed_calls(opening)
    texts = _texts_by_call_id(opening)
    for message in opening.exchange:
        for call in message.tool_calls:
            operation = tool_schema.operation(call.name)
            has_failed = (call.name, call.arguments) in failed_calls
            if operation is not None and not has_failed:
                arguments = json.loads(call.arguments)
                text = texts.get(call.id, "")
                results.append(_InitialResult(operation, arguments, text))
    return results


def _failed_calls(opening: ConversationOpened) -> set[tuple[str, str]]:
    """Return the initial calls that failed: `{("read", '{"path": "/x.md"}')}`.

    The exchange does not mark them. It has the arguments as the same JSON text.
    """
    failed_calls: set[tuple[str, str]] = set()
    for record in opening.calls:
        if record.error:
            failed_calls.add((record.operation, json.dumps(record.arguments)))
    return failed_calls


def _texts_by_call_id(opening: ConversationOpened) -> dict[str, str]:
    """Return the results in the exchange: `{"opening_1": "A key is lent for a day."}`."""
    texts: dict[str, str] = {}
    for message in opening.exchange:
        if message.role == "tool":
            texts[message.tool_call_id] = message.content
    return texts


# What a function of the benchmark has returned, for the checks of the model's answer.
#
# A function computes a value from files, and names the files that support it. For
# `due_date(loan="l-7")`:
#
#     {"value": "2031-05-02", "refs": [{"path": "/loans/l-7.json", "reason": "the loan"}]}
#         -> FunctionResult("due_date", refs=[{...}], texts={"value": "2031-05-02"})


@dataclass(frozen=True, slots=True)
class _CalledFunction:
    """The result of one call of a function."""

    function: str
    """Its name: `due_date`."""
    refs: Plain
    """The files that support the result, with reasons."""
    texts: dict[str, str]
    """The texts in its value by name. If the value is a text itself, its name is `value`."""

    @classmethod
    def of(cls, function: str, result: Mapping[str, Plain]) -> _CalledFunction:
        """Return the result of a call of this function."""
        value = result.get("value")
        fields = value if isinstance(value, dict) else {"value": value}
        texts = {name: text for name, text in fields.items() if isinstance(text, str)}
        return cls(function, result.get("refs", []), texts)


@dataclass(slots=True)
class Findings:
    """The results of functions, and the texts of files that were read.

    `due_date(loan="l-7")` adds to `results`, and `read("/docs/fees.md")` to `texts`.
    """

    results: list[_CalledFunction] = field(default_factory=list)
    """The results of functions, in order."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of the files, by path, in order."""

    @classmethod
    def of(cls, initial_results: Iterable[_InitialResult]) -> Findings:
        """Return the texts of the files that the start of a conversation shows."""
        texts: dict[str, str] = {}
        for initial in initial_results:
            if initial.operation.effect is Effect.READS and initial.text:
                texts[initial.subject] = initial.text
        return cls(texts=texts)

    def add(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Keep the result of a call, if it is one of a function, or the text of a file.

        due_date(loan="l-7") -> {"value": "2031-05-02", "refs": [...]}    in `results`
        read(path="/docs/fees.md") -> {"content": "A lost book ..."}      in `texts`
        """
        if operation.is_function:
            self.results.append(_CalledFunction.of(operation.name, result))
        elif operation.effect is Effect.READS:
            # The operation declares which argument has the path, and which field the text.
            path = str(result.get("path") or arguments.get(operation.subject))
            self.texts[path] = str(result.get(operation.json_field, ""))

    def as_json(self) -> str:
        """Return a list as JSON: the results of functions, and last the paths of all files.

        [{"function": "due_date", ...}, {"opened": ["/docs/fees.md"]}]
        """
        results = [asdict(result) for result in self.results]
        return json.dumps([*results, {"opened": list(self.texts)}])


# A call that has read a file, or some of its lines, and what it says about the file.
#
# For `read(path="/docs/a.md", start_line=81)` -> `{"content": "A key ...", "truncated": true}`:
#
#     read.text                       -> "A key ..."
#     read.first_line                 -> 81
#     read.takes_lines                -> True: `read` has the parameters for that
#     read.asks_for_lines             -> True: this call has used one of them
#     read.was_cut_by_environment     -> True: it has returned only a part

# The parameters with which a call reads a part of a file.
_FIRST_LINE_PARAMETER: Final = "start_line"
_LAST_LINE_PARAMETER: Final = "end_line"


@dataclass(frozen=True, slots=True)
class _FileRead:
    """A call that has read a file, or a part of it. `has_text` is true of its result."""

    operation: Operation
    """Declares which argument has the path (`subject`), and which field of the result has the
    text (`json_field`)."""
    arguments: Mapping[str, Plain]
    result: Mapping[str, Plain]

    @staticmethod
    def has_text(operation: Operation, result: Mapping[str, Plain]) -> bool:
        """Return True if a call has read a file, and its result has the text."""
        is_read = operation.effect is Effect.READS
        return is_read and isinstance(result.get(operation.json_field), str)

    @property
    def path(self) -> str:
        """The path of the file."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def text(self) -> str:
        """The text that it has read."""
        return str(self.result[self.operation.json_field])

    @property
    def takes_lines(self) -> bool:
        """True if the operation can read some lines of a file, from one number to another."""
        names = {parameter.name for parameter in self.operation.parameters}
        return {_FIRST_LINE_PARAMETER, _LAST_LINE_PARAMETER} <= names

    @property
    def was_cut_by_environment(self) -> bool:
        """True if the environment has returned only a part of what the call asks for."""
        return self.result.get("truncated") is True

    @property
    def asks_for_lines(self) -> bool:
        """True if the call asks for some lines, not for the whole file."""
        return bool(
            self.arguments.get(_FIRST_LINE_PARAMETER)
            or self.arguments.get(_LAST_LINE_PARAMETER)
        )

    @property
    def first_line(self) -> int:
        """The number of the first line that it has read."""
        return max(int(str(self.arguments.get(_FIRST_LINE_PARAMETER) or 0)), 1)


# The fields of a read file, beside its text, that the model is shown.
#
# All others would only take room in the conversation. A flag is shown if it is true. Any other field,
# such as the hash, is only of use to a model that may write the file:
#
#     result of `read(path="/a.json")`    {"content": "...", "truncated": True, "hash": "5d41"}
#     shown, if it may be written         {"truncated": True, "hash": "5d41"}
#     shown otherwise                     {"truncated": True}

_DOCUMENT_EXTENSIONS: Final = (".md", ".txt")
"""Files of these kinds are read in trials, but hardly ever written."""


def _needed_fields(read: _FileRead, *, may_write_files: bool) -> dict[str, Plain]:
    """Return the fields of the result that the model needs, except the text and the path."""
    operation = read.operation
    is_document = read.path.casefold().endswith(_DOCUMENT_EXTENSIONS)
    may_write_this_file = may_write_files and not is_document

    names = {declared.name for declared in operation.fields}
    names -= {operation.json_field, operation.subject}  # the text and the path
    fields: dict[str, Plain] = {}
    for name, value in read.result.items():
        is_flag = isinstance(value, bool)
        is_needed = value if is_flag else may_write_this_file
        if is_needed and name in names:
            fields[name] = value
    return fields


# Writes results of calls as texts for the model, and shortens long ones.
#
# Texts with several lines stand apart, because they are hard to read inside of JSON. For
# `{"exit_code": 0, "output": "two\nlines"}`, the model sees:
#
#     {"exit_code":0}
#     two
#     lines


def shown_result(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a result as text: a line of JSON with the short fields, then each longer text."""
    if operation.drawn_as_tree:
        return cut(str(Tree(result)))
    texts = {}
    short_fields = {}
    for name, value in result.items():
        if isinstance(value, str) and "\n" in value:
            texts[name] = value
        else:
            short_fields[name] = value

    parts = []
    if short_fields:
        parts.append(_compact_json(short_fields))
    for name, text in texts.items():
        parts.append(text if len(texts) == 1 else f"{name}:\n{text}")
    return cut("\n".join(parts))


def _compact_json(value: Mapping[str, Plain]) -> str:
    """Return a value as JSON without blanks."""
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))


def cut(text: str) -> str:
    """Return a text, without its middle if it is too long."""
    if len(text) <= bounds.SHOWN_RESULT_CHARS:
        return text
    half = bounds.SHOWN_RESULT_CHARS // 2
    hidden = len(text) - 2 * half
    notice = f"[... {hidden} characters are left out; ask for less at once ...]"
    return f"{text[:half]}\n{notice}\n{text[-half:]}"


# Shows a file to the model, and no more of it than a conversation has room for.
#
# A file of 20,000 characters, of which 12,000 may be shown, is shown in one of two ways:
#
#     the model can read on at a line    its first lines, and this notice:
#                                        `[... 8012 characters from line 81 on: ...]`
#     it cannot                          its start and its end, and a notice between them


def _shown_file(read: _FileRead, *, is_exact: bool, way_to_read_on: str) -> str:
    """Return the text of a file, or a part of it, and a notice about the rest.

    With `is_exact`, JSON keeps its indentation. Otherwise it is shown without, to save room.
    `way_to_read_on` is for the notice: `start_line`, the parameter for the first line.
    """
    # A call for the lines 40 to 60 gets them as they are.
    keeps_blanks = is_exact or read.asks_for_lines
    if read.takes_lines:
        return _first_lines(read, way_to_read_on, keeps_blanks=keeps_blanks)
    lines = _lines(read.text, bounds.SHOWN_RESULT_CHARS, keeps_blanks=keeps_blanks)
    if lines.hidden_chars:
        return cut(read.text)  # the start and the end of the file
    return lines.text


def _first_lines(read: _FileRead, way_to_read_on: str, *, keeps_blanks: bool) -> str:
    """Return the first lines of a file, and from where the model can read on."""
    max_chars = bounds.SHOWN_READ_CHARS
    if keeps_blanks:  # The model works with this text, so it is shown more.
        max_chars = bounds.SHOWN_RESULT_CHARS
    lines = _lines(read.text, max_chars, keeps_blanks=keeps_blanks)
    is_cut = lines.hidden_chars > 0
    # `source_chars` is the length of the shown lines in `read.text`.
    has_whole_line = lines.source_chars > 0
    if is_cut and has_whole_line:
        next_line = read.first_line + read.text.count("\n", 0, lines.source_chars)
        hidden = f"{lines.hidden_chars} characters"
        return f"{lines.text}\n{_notice(hidden, next_line, way_to_read_on)}"

    shown_text = lines.text
    if is_cut:
        # Not even the first line fits, so its start and the end of the file are shown.
        shown_text = cut(read.text)
    if read.was_cut_by_environment:  # The text ends before the file does.
        next_line = read.first_line + read.text.count("\n")
        shown_text += f"\n{_notice('the rest', next_line, way_to_read_on)}"
    return shown_text


def _lines(text: str, max_chars: int, *, keeps_blanks: bool) -> CutText:
    """Return as many lines of a text as may be shown. A call that reads on begins with a line."""
    if keeps_blanks:
        return whole_lines(text, max_chars)
    return compact_lines(text, max_chars)


def _notice(hidden_part: str, next_line: int, way_to_read_on: str) -> str:
    return f"[... {hidden_part} from line {next_line} on: read by {way_to_read_on} ...]"


# Shows each long text only once in a conversation.
#
# If the model reads a file again, it is told where the text stands already:
#
#     texts.shown("A key is lent for ...", "read /docs/a.md")   -> "A key is lent for ..."
#     texts.shown("A key is lent for ...", "read /docs/a.md")
#         -> "(unchanged: it stands above as the result of read /docs/a.md)"

_MIN_REFERENCE_CHARS: Final = 200
"""A shorter text is shown again: a reference to the earlier result would be as long."""


@dataclass(frozen=True, slots=True)
class _ShownOnce:
    """The texts that one conversation has shown. `shown` adds to them."""

    _title_by_text: dict[str, str] = field(default_factory=dict)
    """The title of the call that returned a text first, such as `read /docs/a.md`."""

    @classmethod
    def after(cls, initial_results: Iterable[_InitialResult]) -> _ShownOnce:
        """Return the texts that the start of a conversation has shown."""
        title_by_text: dict[str, str] = {}
        for initial in initial_results:
            title = title_of(initial.operation, initial.arguments)
            title_by_text.setdefault(initial.text, title)
        return cls(title_by_text)

    def shown(self, text: str, title: str) -> str:
        """Return the text of a call with this title, or a reference if it was shown before."""
        if len(text) < _MIN_REFERENCE_CHARS:
            return text
        earlier = self._title_by_text.get(text)
        if earlier is not None:
            return f"(unchanged: it stands above as the result of {earlier})"
        self._title_by_text[text] = title
        return text


# Shows the results of calls to the model, as texts.
#
# A read of `/docs/a.md` returns `{"content": "A key is lent for ...", "hash": "5d41"}`:
#
#     the first time    the text, below a line `{"hash":"5d41"}` if the trial may write files
#     later             `(unchanged: it stands above as the result of read /docs/a.md)`


@dataclass(frozen=True, slots=True)
class ShownResults:
    """Shows results in one conversation, and each long text only once."""

    may_write_files: bool
    """True if the trial may write files. The model then needs their exact texts, and the
    fields that a write needs, such as the file's hash."""
    way_to_read_on: str = _FIRST_LINE_PARAMETER
    """How the model reads the rest of a long file: by the parameter `start_line`. If the
    environment has a call for whole files: `start_line, or all by read_all(path)`."""
    texts: _ShownOnce = field(default_factory=_ShownOnce)
    """The texts that were shown before."""

    @classmethod
    def after(
        cls,
        initial_results: Iterable[_InitialResult],
        tool_schema: ToolSchema,
        *,
        may_write_files: bool,
    ) -> ShownResults:
        """Return a `ShownResults` that knows the results which the first message has shown."""
        way_to_read_on = _FIRST_LINE_PARAMETER
        if tool_schema.operation(READ_ALL):
            way_to_read_on += f", or all by {READ_ALL}(path)"
        return cls(may_write_files, way_to_read_on, _ShownOnce.after(initial_results))

    def shown(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return the result of a call as the model sees it."""
        title = title_of(operation, arguments)
        is_text_of_file = _FileRead.has_text(operation, result)
        if not is_text_of_file:
            return self.texts.shown(shown_result(operation, result), title)

        read = _FileRead(operation, arguments, result)
        is_exact = self.may_write_files
        text = _shown_file(read, is_exact=is_exact, way_to_read_on=self.way_to_read_on)
        fields = _needed_fields(read, may_write_files=self.may_write_files)
        line_of_fields = f"{_compact_json(fields)}\n" if fields else ""
        return line_of_fields + self.texts.shown(text, title)
