"""Runs the tools of a task.toml, in the trial's worker process.

    [[tool]]
    path = "/bin/loans"
    [[tool.call]]
    args = 'show ([0-9]+)'
    shows = "/loans/{1}.json"

A script runs this tool by `harness.exec("/bin/loans", ["show", "0543"])`, and the tool
prints a file. A tool has several such tables. The first one that applies is carried out.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.files.file_paths import normal_path
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import CallError, Plain, error_codes, is_same
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# Records in files. A file may hold a JSON object, a table of separated values (CSV, TSV) whose
# first row names the columns, or `key: value` lines: YAML, or the front matter of Markdown.
# Without front matter, all lines of a Markdown file are read. All values are texts, but in JSON.
#
# A table has a record in each row, of which `row` selects one: `{"id": "B-17"}`. Other files
# have no use for it.

_BYTE_ORDER_MARK: Final = "\ufeff"
_SEPARATORS: Final = {"csv": ",", "tsv": "\t"}
"""What separates the values of a table, by the extension of the file's name."""
_KEY_VALUE_KINDS: Final = ("yaml", "yml", "md")


def _kind_of(path: str) -> str:
    """Return the extension of a file's name in lower case: `/data/Loans.CSV` -> `csv`."""
    return path.rpartition(".")[2].lower()


def is_table(path: str) -> bool:
    """Return True if the lines of a file are rows of a table: `/data/Loans.CSV`."""
    return _kind_of(path) in _SEPARATORS


def _fields_of(path: str, text: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a file; of a table, those of the row that `row` selects.

    Raises `CallError` if the file cannot be read, or if not exactly one row matches.
    """
    kind = _kind_of(path)
    text = text.removeprefix(_BYTE_ORDER_MARK)
    if kind in _SEPARATORS:
        rows = _table_rows(path, text)
        return _cells_by_column(rows, rows[_index_of_row(path, rows, row)])
    if kind in _KEY_VALUE_KINDS:
        start, end = _span_of_keys(text)
        fields = {}
        for key, value in _KEY_VALUE_LINE.findall(text[start:end]):
            fields[key.strip()] = _unquoted(value)
        return fields
    return _json_object(path, text)


def _has_fields(
    path: str, fields: Mapping[str, Any], wanted: Mapping[str, Any]
) -> bool:
    """Return True if the fields of a file have the wanted values.

    In JSON, a nested object may have further fields.
    """
    if _kind_of(path) in (*_SEPARATORS, *_KEY_VALUE_KINDS):
        return all(fields.get(name) == _text_of(wanted[name]) for name in wanted)
    # The values are there already if setting them changes nothing.
    return is_same(_merged(fields, wanted), fields)


def _with_fields(
    path: str, text: str, row: Mapping[str, Any], values: Mapping[str, Any]
) -> str:
    """Return a file's text after setting some fields. Raises `CallError` like `_fields_of`."""
    if text.startswith(_BYTE_ORDER_MARK):
        rest = text.removeprefix(_BYTE_ORDER_MARK)
        return _BYTE_ORDER_MARK + _with_fields(path, rest, row, values)
    kind = _kind_of(path)
    first_line = text.partition("\n")[0]
    line_end = "\r\n" if first_line.endswith("\r") else "\n"
    if kind in _SEPARATORS:
        return _table_after_setting(path, text, row, values, line_end)
    if kind in _KEY_VALUE_KINDS:
        start, end = _span_of_keys(text)
        lines = text[start:end]
        for name, value in values.items():
            lines = _lines_after_setting(lines, name, value, line_end)
        return text[:start] + lines + text[end:]
    data = _merged(_json_object(path, text), values)
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


# A record as a JSON object: `{"id": "B-17", "state": "open"}`.
#
# To set `{"address": {"city": "Graz"}}` changes the city and keeps the rest of the address.


def _json_object(path: str, text: str) -> dict[str, Any]:
    """Return the object that a text holds. Raises `CallError` if it holds none."""
    try:
        data = read_json(text)
    except Unreadable:  # A script may have written the file.
        data = None
    if not isinstance(data, dict):
        raise CallError(error_codes.FAILED_PRECONDITION, f"{path} holds no JSON object")
    return data


def _merged(data: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the fields of another one added. Nested objects are merged, too."""
    result = dict(data)
    for name, new_value in changes.items():
        old_value = result.get(name)
        if isinstance(old_value, dict) and isinstance(new_value, dict):
            result[name] = _merged(old_value, new_value)
        else:
            result[name] = new_value
    return result


# A record as lines of keys and values, as in YAML and in the front matter of Markdown.
#
# For example:
#
#     ---
#     city: Graz
#     state: "yes"
#     ---
#     The text of a Markdown file follows.

_KEY_VALUE_LINE: Final = re.compile(
    r"^([^\s:#-][^:\n]*):[ \t]*([^\r\n]*)", re.MULTILINE
)
"""`city: Graz`. Indented lines, list items and comments do not count."""
_FRONT_MATTER: Final = re.compile(r"\A---\r?\n(.*?)^---\r?$", re.DOTALL | re.MULTILINE)
"""The lines between `---` and `---` at the start of a Markdown file."""
_UNQUOTED_TEXT: Final = re.compile(r"[^\W\d][\w ./@()-]*")
"""A text that needs no quotes in YAML, unless it is one of `_YAML_WORDS`."""
_YAML_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null"})


def _span_of_keys(text: str) -> tuple[int, int]:
    """Return where the `key: value` lines of a text begin and end.

    They are those of the front matter. Without it, they are the whole text.
    """
    front_matter = _FRONT_MATTER.search(text)
    if front_matter is None:
        return 0, len(text)
    return front_matter.span(1)


def _lines_after_setting(lines: str, name: str, value: Any, line_end: str) -> str:
    """Return `key: value` lines with a value in the line of this name, or in a new last line."""
    new_line = f"{name}: {_quoted(value)}"
    # The name at the start of a line, perhaps blanks, and the rest of the line.
    old_line = re.search(
        rf"^{re.escape(name)}[^\S\r\n]*:[^\r\n]*", lines, flags=re.MULTILINE
    )
    if old_line is not None:
        return lines[: old_line.start()] + new_line + lines[old_line.end() :]
    if lines and not lines.endswith("\n"):
        lines += line_end
    return f"{lines}{new_line}{line_end}"


def _quoted(value: Any) -> str:
    """Return a value as YAML. A text is quoted if YAML could read it as something else."""
    is_unambiguous = (
        isinstance(value, str)
        and _UNQUOTED_TEXT.fullmatch(value) is not None
        and value.lower() not in _YAML_WORDS
        and value == value.strip()
    )
    return value if is_unambiguous else json.dumps(value, ensure_ascii=False)


def _unquoted(value: str) -> str:
    """Return a value without its quotation marks: `'12 May'` -> `12 May`."""
    value = value.strip()
    if value.startswith('"'):
        with suppress(ValueError):
            return str(json.loads(value))  # `_quoted` writes JSON.
    is_quoted = len(value) > 1 and value[0] in "\"'" and value[0] == value[-1]
    return value[1:-1] if is_quoted else value


# Records as the rows of a table. For example, `{"id": "B-17"}` selects the second row of
#
#     id,state
#     B-17,open
#     B-18,ended


def _table_rows(path: str, text: str) -> list[list[str]]:
    """Return the cells of a table by rows, of which the first names the columns.

    Raises `CallError`.
    """
    separator = _SEPARATORS[_kind_of(path)]
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        msg = f"{path} cannot be read: {error}"
        raise CallError(error_codes.FAILED_PRECONDITION, msg) from None
    if not rows:
        msg = f"{path} has no line of column names"
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    return rows


def _cells_by_column(rows: list[list[str]], cells: list[str]) -> dict[str, str]:
    """Return the cells of a row by column. A short row leaves out the last columns."""
    return dict(zip(rows[0], cells, strict=False))


def _index_of_row(path: str, rows: list[list[str]], row: Mapping[str, Any]) -> int:
    """Return the index of the only row with these values.

    Raises `CallError` if no row has them, or several.
    """
    wanted_texts = {name: _text_of(value) for name, value in row.items()}
    indices = []
    for index, cells in enumerate(rows[1:], start=1):
        fields = _cells_by_column(rows, cells)
        if all(fields.get(name) == text for name, text in wanted_texts.items()):
            indices.append(index)
    if len(indices) != 1:
        msg = f"{len(indices)} rows of {path} fit {wanted_texts}"
        raise CallError(error_codes.NOT_FOUND, msg)
    return indices[0]


def _table_after_setting(
    path: str,
    text: str,
    row: Mapping[str, Any],
    values: Mapping[str, Any],
    line_end: str,
) -> str:
    """Return the text of a table after setting `values` in the row that `row` selects.

    Raises `CallError` if not exactly one row matches, and if there is no such column.
    """
    rows = _table_rows(path, text)
    columns = rows[0]
    cells = rows[_index_of_row(path, rows, row)]
    missing_cells = len(columns) - len(cells)
    cells += [""] * missing_cells  # None if the row is complete, or too long.
    for name, value in values.items():
        if name not in columns:
            msg = f"{path} has no column {name!r}"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        cells[columns.index(name)] = _text_of(value)

    new_text = io.StringIO()
    separator = _SEPARATORS[_kind_of(path)]
    csv.writer(new_text, delimiter=separator, lineterminator=line_end).writerows(rows)
    return new_text.getvalue()


def _text_of(value: Any) -> str:
    """Return a value as the text of a cell: `True` -> `true`, `12` -> `12`."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# Carries out a call of a tool, as its table in task.toml describes it.
#
# A task in plain files has no code. Its tools only print texts and change files, by tables
# with patterns: the table of `_MatchedCall` ends an open loan.

PLACEHOLDER: Final = re.compile(r"\{(\d)\}")
"""Where a text from the arguments of a call is inserted: `{1}`.

The pattern `end ([0-9]+)` matches the arguments `end 0543`. Then `{1}` is `0543`, the text
of the first group, and `loan {1} ends` becomes `loan 0543 ends`.
"""
_MAX_NUMBER_DIGITS: Final = 16
"""Texts with more digits are not made integers. They are ids, such as account numbers."""
_CallTable: TypeAlias = Mapping[str, Any]
"""One `[[tool.call]]` of a task.toml as plain data: `{"args": "end ([0-9]+)", "shows": "", ...}`."""


@dataclass(frozen=True, slots=True)
class _MatchedCall:
    """A call of a tool, with the table in task.toml whose patterns match its arguments.

        [[tool.call]]                # for the arguments `end 0543`
        args = 'end ([0-9]+)'        # the text of the group, 0543, is {1} in the other values
        file = "/loans/*/{1}.json"   # the file that the next two keys are about
        when = {state = "open"}      # the call applies only if the file has these values
        set = {state = "ended"}      # what the call changes in the file
        prints = "loan {1} ends"

    Other keys: `shows` (the path of a file that is printed), `append` (a text to add to the
    file), `delete`, `row` (selects a row if the file is CSV), `error` (a text for stderr).
    """

    table: _CallTable
    """All of these keys are present. Those that task.toml leaves out are empty."""
    texts: tuple[str, ...]
    """The texts for the placeholders: `{0}` is all arguments, the others are of groups."""

    @classmethod
    def of(cls, table: _CallTable, args: list[str]) -> _MatchedCall | None:
        """Return the call with these arguments; None if the table's patterns do not match.

        One pattern must match all arguments, joined by spaces. A list has one pattern for each
        argument.
        """
        patterns = table["args"]
        all_arguments = " ".join(args)
        if isinstance(patterns, str):
            patterns = [patterns]
            args = [all_arguments]
        if len(patterns) != len(args):
            return None
        texts = [all_arguments]
        for pattern, argument in zip(patterns, args, strict=True):
            match = compiled_pattern(pattern).fullmatch(argument)
            if match is None:
                return None
            for group in match.groups():
                texts.append(group or "")
        return cls(table, tuple(texts))

    def filled(self, text: str) -> str:
        """Return a text with its placeholders filled: `loan {1} ends` -> `loan 0543 ends`."""

        def text_at(placeholder: re.Match[str]) -> str:
            return self.texts[int(placeholder[1])]

        return PLACEHOLDER.sub(text_at, text)

    def _filled_value(self, value: object) -> Any:
        """Return a value with the placeholders in all its texts filled, also in lists and tables.

        `"loan {1}"` becomes `"loan 12"`, but `"{1}"` alone becomes the integer 12.
        """
        if isinstance(value, dict):
            return {name: self._filled_value(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._filled_value(item) for item in value]
        if not isinstance(value, str):
            return value
        text = self.filled(value)
        is_only_a_placeholder = PLACEHOLDER.fullmatch(value) is not None
        if is_only_a_placeholder and _is_whole_number(text):
            return int(text)
        return text

    def applies_to(self, tree: FileTree) -> bool:
        """Return True if the call has no condition, or its file has the values of `when`.

        A file that is missing or cannot be read does not have them.
        """
        if not self.table["when"]:
            return True
        try:
            path = self._only_file(tree)
            row = self._filled_value(self.table["row"])
            fields = _fields_of(path, tree.text(path) or "", row)
        except CallError:
            return False
        return _has_fields(path, fields, self._filled_value(self.table["when"]))

    def run(self, tree: FileTree) -> str:
        """Make the change of the call, if any, and return what it prints. Raises `CallError`."""
        shown_text = ""
        if self.table["shows"]:
            shown_file = tree.read(self.filled(self.table["shows"]))
            shown_text = str(shown_file["content"])
        if self.table["set"] or self.table["append"] or self.table["delete"]:
            self._change_file(tree)
        return shown_text + self.filled(self.table["prints"])

    def _change_file(self, tree: FileTree) -> None:
        """Set fields of the call's file, append to it, or delete it. Raises `CallError`."""
        pattern: str = self.table["file"]
        appended: str = self.table["append"]
        # A call that only appends to a certain file creates it if necessary.
        may_create = "*" not in pattern and not self.table["set"]
        if appended and may_create:
            path = self.filled(pattern)
            if tree.resolve(path) is None:
                tree.write(path, self.filled(appended))
                return

        path = self._only_file(tree)
        if self.table["delete"]:
            tree.delete(path)
            return
        text = tree.text(path) or ""
        if self.table["set"]:
            row = self._filled_value(self.table["row"])
            values = self._filled_value(self.table["set"])
            text = _with_fields(path, text, row, values)
        if appended and is_table(path) and text and not text.endswith("\n"):
            text += "\n"  # A row starts on its own line.
        tree.write(path, text + self.filled(appended))

    def _only_file(self, tree: FileTree) -> str:
        """Return the path of the only file that `file` names: `/loans/*/{1}.json`.

        Only an asterisk of the table stands for any name. A script that calls the tool with
        the argument `*` does not reach all files. Raises `CallError` if none or several match.
        """
        pattern: str = self.table["file"]
        parts = []
        for part in pattern.split("*"):
            parts.append(re.escape(self.filled(part)))
        path_pattern = compiled_pattern("[^/]*".join(parts))
        paths = [path for path in tree.paths() if path_pattern.fullmatch(path)]
        if len(paths) != 1:
            msg = f"{len(paths)} files fit {self.filled(pattern)}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return paths[0]


def _is_whole_number(text: str) -> bool:
    """Return True if a text is a number and not an id such as `0543`."""
    is_digits = text.isascii() and text.isdecimal()
    if not is_digits or len(text) > _MAX_NUMBER_DIGITS:
        return False
    return text == "0" or not text.startswith("0")


class FolderRuntime:
    """The files and tools of one trial.

    A tool is a table of task.toml, as data: `{"path": "/bin/loans", "call": [...], ...}`. Each
    of its calls is a table, too, which says for which arguments it applies, and what it
    prints: `{"args": "show ([0-9]+)", "shows": "/loans/{1}.json", ...}`.
    """

    def __init__(
        self, files: Mapping[str, str], tools: Sequence[Mapping[str, Any]]
    ) -> None:
        self._tools = {tool["path"]: tool for tool in tools}
        # Tools are listed as files. A script that reads one gets its summary, like the
        # start of a program's source.
        tool_texts = {}
        for path, tool in self._tools.items():
            tool_texts[path] = f"#!tool\n{tool['summary']}\n"

        def is_writable(path: str) -> bool:
            return path not in tool_texts

        self.tree = FileTree(
            ChainMap(tool_texts, files),  # type: ignore[arg-type] # The maps are only read.
            writable=is_writable,
        )

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run a tool (`exec`) or another file operation. Raises `CallError`."""
        method = self._execute if operation == "exec" else getattr(self.tree, operation)
        result: dict[str, Plain] = method(**arguments)
        return result

    def _execute(self, path: str, args: list[str], stdin: str = "") -> dict[str, Plain]:
        """Run the tool at `path` with these arguments, as a shell runs a program.

        `/bin/loans`, `["end", "0543"]` -> `{"stdout": "loan 0543 ends", "exit_code": 0, ...}`.
        The first table is carried out whose patterns match the arguments, and whose file has the
        values of its condition, such as `when = {state = "open"}`. The tools of a task.toml do not
        read `stdin`. Raises `CallError` if there is no such tool; any other fault is in stderr.
        """
        tool = self._tools.get(normal_path(path))
        if tool is None:
            msg = f"there is no tool {path}; there are {', '.join(self._tools)}"
            raise CallError(error_codes.NOT_FOUND, msg)
        name = str(tool["path"]).rpartition("/")[2]
        if args == ["--help"]:
            return _output(f"usage: {tool['help'] or name}\n")
        for table in tool["call"]:
            call = _MatchedCall.of(table, args)
            if call is not None and call.applies_to(self.tree):
                try:
                    stdout = call.run(self.tree)
                except CallError as error:
                    return _output(stderr=f"{name}: {error.message}\n", exit_code=1)
                stderr = call.filled(table["error"])
                return _output(stdout, stderr, table["exit_code"])
        fault = f"{name}: it takes no such arguments; see --help\n"
        return _output(stderr=fault, exit_code=1)


def _output(stdout: str = "", stderr: str = "", exit_code: int = 0) -> dict[str, Plain]:
    """Return the result of a tool."""
    return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}


def open_tools(
    files: Mapping[str, str], directories: tuple[str, ...], data: Any
) -> FolderRuntime:
    """Return the files and tools of a task, in a worker. `data` has the tables of its tools.

    The sandbox passes these parameters to every benchmark's module. A task does not
    need `directories`.
    """
    return FolderRuntime(files, data)
