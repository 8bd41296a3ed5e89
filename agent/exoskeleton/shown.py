"""The results of a trial's calls: kept for the checks of its answer, and as texts for the model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.events import ConversationOpened
from controlplane.agent.model import ToolCall
from controlplane.agent.opening.calls import title_of
from controlplane.agent.opening.sections import READ_ALL, compact_lines, whole_lines
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Plain,
    ToolSchema,
    Tree,
    bounds,
    is_truncated,
)

# The parameters with which a call reads a part of a file.
_FIRST_LINE_PARAMETER: Final = "start_line"
_LAST_LINE_PARAMETER: Final = "end_line"


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


def _needed_fields(
    operation: Operation, path: str, result: Mapping[str, Plain], may_write_files: bool
) -> dict[str, Plain]:
    """Return the fields of a read's result that the model needs, except the text and the path."""
    is_document = path.casefold().endswith(_DOCUMENT_EXTENSIONS)
    may_write_this_file = may_write_files and not is_document

    names = {declared.name for declared in operation.fields}
    names -= {operation.json_field, operation.subject}  # the text and the path
    fields: dict[str, Plain] = {}
    for name, value in result.items():
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


def _shown_file(
    operation: Operation,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
    *,
    is_exact: bool,
    way_to_read_on: str,
) -> str:
    """Return the text of a file that a call has read, or a part of it, and a notice about the rest.

    With `is_exact`, JSON keeps its indentation. Otherwise it is shown without, to save room.
    `way_to_read_on` is for the notice: `start_line`, the parameter for the first line.
    """
    text = str(result[operation.json_field])
    names = {parameter.name for parameter in operation.parameters}
    can_read_on = {_FIRST_LINE_PARAMETER, _LAST_LINE_PARAMETER} <= names
    asked_line = arguments.get(_FIRST_LINE_PARAMETER)
    first_line = max(int(str(asked_line or 0)), 1)
    asks_for_lines = bool(asked_line or arguments.get(_LAST_LINE_PARAMETER))

    # A call for the lines 40 to 60 gets them as they are, and so does a model that may write the
    # file. It works with this text, so it is shown more.
    keeps_blanks = is_exact or asks_for_lines
    max_chars = bounds.SHOWN_RESULT_CHARS
    if can_read_on and not keeps_blanks:
        max_chars = bounds.SHOWN_READ_CHARS
    if keeps_blanks:
        lines = whole_lines(text, max_chars)
    else:
        lines = compact_lines(text, max_chars)
    is_cut = lines.hidden_chars > 0

    # `source_chars` is the length of the shown lines in `text`.
    if can_read_on and is_cut and lines.source_chars > 0:
        next_line = first_line + text.count("\n", 0, lines.source_chars)
        hidden = f"{lines.hidden_chars} characters"
        return f"{lines.text}\n{_notice(hidden, next_line, way_to_read_on)}"

    # Not even the first line fits, or the call cannot read on at a line: the start and the end of
    # the file are shown.
    shown_text = cut(text) if is_cut else lines.text
    # The environment may have returned only a part: the text ends before the file does.
    if can_read_on and is_truncated(result):
        next_line = first_line + text.count("\n")
        shown_text += f"\n{_notice('the rest', next_line, way_to_read_on)}"
    return shown_text


def _notice(hidden_part: str, next_line: int, way_to_read_on: str) -> str:
    return f"[... {hidden_part} from line {next_line} on: read by {way_to_read_on} ...]"


# The results of one conversation's calls, kept and shown.
#
# A function of the benchmark computes a value from files, and names the files that support it. For
# the checks of the model's answer, `due_date(loan="l-7")` is kept like this:
#
#     {"value": "2031-05-02", "refs": [{"path": "/loans/l-7.json", "reason": "the loan"}]}
#         -> {"function": "due_date", "refs": [{...}], "texts": {"value": "2031-05-02"}}
#
# A read of `/docs/a.md` returns `{"content": "A key is lent for ...", "hash": "5d41"}`. The model sees
#
#     the first time    the text, below a line `{"hash":"5d41"}` if the trial may write files
#     later             `(unchanged: it stands above as the result of read /docs/a.md)`

_MIN_REFERENCE_CHARS: Final = 200
"""A shorter text is shown again: a reference to the earlier result would be as long."""


@dataclass(slots=True)
class CallResults:
    """Keeps the results for the checks of the answer, and shows each long text only once."""

    may_write_files: bool
    """True if the trial may write files. The model then needs their exact texts, and the
    fields that a write needs, such as the file's hash."""
    way_to_read_on: str = _FIRST_LINE_PARAMETER
    """How the model reads the rest of a long file: by the parameter `start_line`. If the
    environment has a call for whole files: `start_line, or all by read_all(path)`."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of the files that were read, by path, in order."""
    _functions: list[Plain] = field(default_factory=list)
    """The results of functions, in order, each with the texts in its value by name. If the value
    is a text itself, its name is `value`."""
    _title_by_text: dict[str, str] = field(default_factory=dict)
    """The texts that were shown before, with the title of the call that returned a text first,
    such as `read /docs/a.md`."""

    @classmethod
    def after(
        cls,
        opening: ConversationOpened,
        tool_schema: ToolSchema,
        *,
        may_write_files: bool,
    ) -> CallResults:
        """Return the results of the initial calls, which code made before the model was asked.

        The start of the conversation shows them already. They are not shown again, but the answer
        may cite them. The *exchange* is the part that shows them as calls of the model:

            assistant    tool_calls: opening_1 = read({"path": "/docs/a.md"})
            tool         "A key is lent for a day.", for opening_1
        """
        results = cls(may_write_files)
        if tool_schema.operation(READ_ALL):
            results.way_to_read_on += f", or all by {READ_ALL}(path)"

        # The exchange does not mark failed calls. It has the arguments as the same JSON text.
        failed_calls: set[tuple[str, str]] = set()
        for record in opening.calls:
            if record.error:
                failed_calls.add((record.operation, json.dumps(record.arguments)))

        calls_by_id: dict[str, ToolCall] = {}
        for message in opening.exchange:
            for call in message.tool_calls:
                calls_by_id[call.id] = call
            if message.role != "tool":
                continue
            call = calls_by_id[message.tool_call_id]
            operation = tool_schema.operation(call.name)
            if operation is None or (call.name, call.arguments) in failed_calls:
                continue
            arguments = json.loads(call.arguments)
            text = message.content
            results._title_by_text.setdefault(text, title_of(operation, arguments))
            if operation.effect is Effect.READS and text:
                results.texts[str(arguments.get(operation.subject))] = text
        return results

    def add(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Keep the result of a call of a function, or of one that reads a file.

        Any result is returned as the model sees it.
        """
        title = title_of(operation, arguments)
        if operation.is_function:
            self._add_function(operation, result)
        elif operation.effect is Effect.READS:
            # The operation declares which argument has the path, and which field the text.
            path = str(result.get("path") or arguments.get(operation.subject))
            self.texts[path] = str(result.get(operation.json_field, ""))
        is_read = operation.effect is Effect.READS
        if not is_read or not isinstance(result.get(operation.json_field), str):
            return self._shown_once(shown_result(operation, result), title)

        text = _shown_file(
            operation,
            arguments,
            result,
            is_exact=self.may_write_files,
            way_to_read_on=self.way_to_read_on,
        )
        path = str(arguments.get(operation.subject))
        fields = _needed_fields(operation, path, result, self.may_write_files)
        line_of_fields = f"{_compact_json(fields)}\n" if fields else ""
        return line_of_fields + self._shown_once(text, title)

    def _add_function(self, operation: Operation, result: Mapping[str, Plain]) -> None:
        """Keep the result of a function: `{"value": "2031-05-02", "refs": [...]}`."""
        value = result.get("value")
        fields = value if isinstance(value, dict) else {"value": value}
        texts: dict[str, Plain] = {
            name: text for name, text in fields.items() if isinstance(text, str)
        }
        refs = result.get("refs", [])
        self._functions.append(
            {"function": operation.name, "refs": refs, "texts": texts}
        )

    def _shown_once(self, text: str, title: str) -> str:
        """Return the text of a call with this title, or a reference if it was shown before."""
        if len(text) < _MIN_REFERENCE_CHARS:
            return text
        earlier = self._title_by_text.get(text)
        if earlier is not None:
            return f"(unchanged: it stands above as the result of {earlier})"
        self._title_by_text[text] = title
        return text

    def as_json(self) -> str:
        """Return a list as JSON: the results of functions, and last the paths of all files.

        [{"function": "due_date", ...}, {"opened": ["/docs/fees.md"]}]
        """
        return json.dumps([*self._functions, {"opened": list(self.texts)}])
