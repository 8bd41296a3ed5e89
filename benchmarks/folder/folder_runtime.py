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

from controlplane.benchmarks.folder.task_text import MatchedTexts, match_arguments
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.files.file_paths import normal_path
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import CallError, Plain, error_codes, is_same
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# Finds the file that a call of a tool works on.
#
# A pattern such as `/loans/*/{1}.json` names it: `{1}` is a part of the call's arguments,
# and the asterisk stands for the name of any folder.


@dataclass(frozen=True, slots=True)
class _CallFile:
    """A file as it is before the call."""

    path: str
    text: str

    @property
    def is_table(self) -> bool:
        """True if its lines are rows of a table."""
        return self.path.lower().endswith((".csv", ".tsv"))


def _only_file(tree: FileTree, pattern: str, texts: MatchedTexts) -> _CallFile:
    """Return the only file that a pattern names. Raises `CallError` if none or several match.

    Only an asterisk of the pattern stands for any name. A script that calls the tool with
    the argument `*` does not reach all files.
    """
    parts = []
    for part in pattern.split("*"):
        parts.append(re.escape(texts.fill(part)))
    path_pattern = compiled_pattern("[^/]*".join(parts))
    paths = [path for path in tree.paths() if path_pattern.fullmatch(path)]
    if len(paths) != 1:
        msg = f"{len(paths)} files fit {texts.fill(pattern)}"
        raise CallError(error_codes.NOT_FOUND, msg)
    return _CallFile(paths[0], tree.text(paths[0]) or "")


def is_missing(tree: FileTree, pattern: str, texts: MatchedTexts) -> bool:
    """Return True if a pattern is one path, without an asterisk, and there is no such file.

    A call that appends a text then creates the file.
    """
    if "*" in pattern:
        return False
    return tree.resolve(texts.fill(pattern)) is None


# A record as a JSON object: `{"id": "B-17", "state": "open"}`.
#
# To set `{"address": {"city": "Graz"}}` changes the city and keeps the rest of the address.


def json_object(path: str, text: str) -> dict[str, Any]:
    """Return the object that a text holds. Raises `CallError` if it holds none."""
    try:
        data = read_json(text)
    except Unreadable:  # A script may have written the file.
        data = None
    if not isinstance(data, dict):
        raise CallError(error_codes.FAILED_PRECONDITION, f"{path} holds no JSON object")
    return data


def merged(data: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the fields of another one added. Nested objects are merged, too."""
    result = dict(data)
    for name, new_value in changes.items():
        old_value = result.get(name)
        if isinstance(old_value, dict) and isinstance(new_value, dict):
            result[name] = merged(old_value, new_value)
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
#
# All values are texts.

_KEY_VALUE_LINE: Final = re.compile(
    r"^([^\s:#-][^:\n]*):[ \t]*([^\r\n]*)", re.MULTILINE
)
"""`city: Graz`. Indented lines, list items and comments do not count."""
_FRONT_MATTER: Final = re.compile(r"\A---\r?\n(.*?)^---\r?$", re.DOTALL | re.MULTILINE)
"""The lines between `---` and `---` at the start of a Markdown file."""
_UNQUOTED_TEXT: Final = re.compile(r"[^\W\d][\w ./@()-]*")
"""A text that needs no quotes in YAML, unless it is one of `_YAML_WORDS`."""
_YAML_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null"})


@dataclass(frozen=True, slots=True)
class _KeyValueText:
    """A text in three parts: its `key: value` lines, and the text before and after them.

    In a Markdown file, `before` is the opening `---`, and `after` begins with the closing one.
    """

    before: str
    lines: str
    after: str

    @classmethod
    def read(cls, text: str) -> _KeyValueText:
        """Split a text into its parts. Without front matter, all of it is `lines`."""
        front_matter = _FRONT_MATTER.search(text)
        if front_matter is None:
            return cls("", text, "")
        start, end = front_matter.span(1)
        return cls(text[:start], text[start:end], text[end:])

    @property
    def fields(self) -> dict[str, str]:
        """The values by key, without quotation marks."""
        fields = {}
        for key, value in _KEY_VALUE_LINE.findall(self.lines):
            fields[key.strip()] = _unquoted(value)
        return fields

    def text_after_setting(self, values: Mapping[str, Any], line_end: str) -> str:
        """Return the whole text after setting some fields.

        A new field is added as a line at the end, which gets the file's `line_end`.
        """
        lines = self.lines
        for name, value in values.items():
            lines = _lines_after_setting(lines, name, value, line_end)
        return self.before + lines + self.after


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
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    is_unambiguous = (
        _UNQUOTED_TEXT.fullmatch(value) is not None
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


# Records as the rows of a table of separated values, whose first row names the columns.
#
# For example, `{"id": "B-17"}` selects the second row of
#
#     id,state
#     B-17,open
#     B-18,ended
#
# All values are texts.

_SEPARATORS: Final = {"csv": ",", "tsv": "\t"}
"""By the extension of a file's name."""


@dataclass(slots=True)
class _RecordTable:
    """A file of separated values. Its first row names the columns."""

    path: str
    rows: list[list[str]]
    """The cells of all rows. The first row has the names of the columns."""

    @classmethod
    def read(cls, path: str, text: str) -> _RecordTable:
        """Read a table from a text. Raises `CallError`."""
        separator = separator_of(path)
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
        except csv.Error as error:
            msg = f"{path} cannot be read: {error}"
            raise CallError(error_codes.FAILED_PRECONDITION, msg) from None
        if not rows:
            msg = f"{path} has no line of column names"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        return cls(path, rows)

    @property
    def columns(self) -> list[str]:
        return self.rows[0]

    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of the only row with these values: those of `{"id": "B-17"}`.

        Raises `CallError` if no row has them, or several.
        """
        cells = self.rows[self.index_of(row)]
        return self._fields_of(cells)

    def _fields_of(self, cells: list[str]) -> dict[str, str]:
        """Return the cells of a row by column. A short row leaves out the last columns."""
        return dict(zip(self.columns, cells, strict=False))

    def index_of(self, row: Mapping[str, Any]) -> int:
        """Return the index of the only row with these values. Raises `CallError` like `fields`."""
        wanted_texts = {name: text_of(value) for name, value in row.items()}
        indices = []
        for index, cells in enumerate(self.rows[1:], start=1):
            fields = self._fields_of(cells)
            if all(fields.get(name) == text for name, text in wanted_texts.items()):
                indices.append(index)
        if len(indices) != 1:
            msg = f"{len(indices)} rows of {self.path} fit {wanted_texts}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return indices[0]

    def text_after_setting(
        self, row: Mapping[str, Any], values: Mapping[str, Any], line_end: str
    ) -> str:
        """Set fields of one row, also in this object, and return the text of the whole file.

        `row` selects the row: `{"id": "B-17"}`; `values` are set: `{"state": "ended"}`. Raises
        `CallError` like `fields`, and if there is no such column.
        """
        cells = self.rows[self.index_of(row)]
        missing_cells = len(self.columns) - len(cells)
        cells += [""] * missing_cells  # None if the row is complete, or too long.
        for name, value in values.items():
            if name not in self.columns:
                msg = f"{self.path} has no column {name!r}"
                raise CallError(error_codes.FAILED_PRECONDITION, msg)
            cells[self.columns.index(name)] = text_of(value)

        text = io.StringIO()
        separator = separator_of(self.path)
        csv.writer(text, delimiter=separator, lineterminator=line_end).writerows(
            self.rows
        )
        return text.getvalue()


def text_of(value: Any) -> str:
    """Return a value as the text of a cell: `True` -> `true`, `12` -> `12`."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def separator_of(path: str) -> str:
    """Return what separates the values of a table: `/data/Loans.CSV` -> `,`."""
    return _SEPARATORS[path.rpartition(".")[2].lower()]


# Reads and sets the fields of a file by its kind, as the tools of a task.toml do.
#
# A file may be a JSON object, a table of separated values (CSV, TSV), or `key: value`
# lines: YAML, or the front matter of Markdown. Without front matter, all lines of the
# Markdown file are read. All fields of files other than JSON are texts.
#
# The parameter `row` selects a row of a table: `{"id": "B-17"}`. Other files have no use
# for it.

BYTE_ORDER_MARK: Final = "\ufeff"
_KEY_VALUE_KINDS: Final = ("yaml", "yml", "md")


def fields_of(path: str, text: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a file; of a table, those of the row that `row` selects.

    `{"id": "B-17"}` selects the row with this id. Raises `CallError` if the file cannot
    be read, or if not exactly one row matches.
    """
    kind = _kind_of(path)
    text = text.removeprefix(BYTE_ORDER_MARK)
    if kind in _SEPARATORS:
        return _RecordTable.read(path, text).fields(row)
    if kind in _KEY_VALUE_KINDS:
        return {**_KeyValueText.read(text).fields}
    return json_object(path, text)


def _has_fields(
    path: str, fields: Mapping[str, Any], wanted: Mapping[str, Any]
) -> bool:
    """Return True if the fields of a file have the wanted values.

    In JSON, a nested object may have further fields.
    """
    if _kind_of(path) in (*_SEPARATORS, *_KEY_VALUE_KINDS):
        return all(fields.get(name) == text_of(value) for name, value in wanted.items())
    # The values are there already if setting them changes nothing.
    with_wanted = merged(fields, wanted)
    return is_same(with_wanted, fields)


def _with_fields(
    path: str, text: str, row: Mapping[str, Any], values: Mapping[str, Any]
) -> str:
    """Return a file's text after setting some fields. Raises `CallError` like `fields_of`."""
    if text.startswith(BYTE_ORDER_MARK):
        rest = text.removeprefix(BYTE_ORDER_MARK)
        return BYTE_ORDER_MARK + _with_fields(path, rest, row, values)
    kind = _kind_of(path)
    first_line = text.partition("\n")[0]
    line_end = "\r\n" if first_line.endswith("\r") else "\n"
    if kind in _SEPARATORS:
        return _RecordTable.read(path, text).text_after_setting(row, values, line_end)
    if kind in _KEY_VALUE_KINDS:
        return _KeyValueText.read(text).text_after_setting(values, line_end)
    data = merged(json_object(path, text), values)
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _kind_of(path: str) -> str:
    """Return the extension of a file's name in lower case: `/data/Loans.CSV` -> `csv`."""
    return path.rpartition(".")[2].lower()


# Carries out a call of a tool, as its table in task.toml describes it.
#
# A task in plain files has no code. Its tools only print texts and change files, by tables
# with patterns: the table of `_MatchedCall` ends an open loan.

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
    texts: MatchedTexts
    """The parts of the arguments, for the placeholders such as `{1}`."""

    def applies_to(self, tree: FileTree) -> bool:
        """Return True if the call has no condition, or its file has the values of `when`.

        A file that is missing or cannot be read does not have them.
        """
        if not self.table["when"]:
            return True
        try:
            file = _only_file(tree, self.table["file"], self.texts)
            fields = fields_of(file.path, file.text, self._filled("row"))
        except CallError:
            return False
        return _has_fields(file.path, fields, self._filled("when"))

    def run(self, tree: FileTree) -> str:
        """Make the change of the call, if any, and return what it prints. Raises `CallError`."""
        shown_text = ""
        if self.table["shows"]:
            shown_file = tree.read(self.texts.fill(self.table["shows"]))
            shown_text = str(shown_file["content"])
        if self.table["set"] or self.table["append"] or self.table["delete"]:
            self._change_file(tree)
        return shown_text + self.texts.fill(self.table["prints"])

    @property
    def error_text(self) -> str:
        """What the call prints to stderr."""
        return self.texts.fill(self.table["error"])

    def _change_file(self, tree: FileTree) -> None:
        """Set fields of the call's file, append to it, or delete it. Raises `CallError`."""
        pattern: str = self.table["file"]
        # A call that only appends creates the file if necessary.
        only_appends = bool(self.table["append"]) and not self.table["set"]
        if only_appends and is_missing(tree, pattern, self.texts):
            new_text = self.texts.fill(self.table["append"])
            tree.write(self.texts.fill(pattern), new_text)
            return

        file = _only_file(tree, pattern, self.texts)
        if self.table["delete"]:
            tree.delete(file.path)
        else:
            tree.write(file.path, self._changed_text(file))

    def _changed_text(self, file: _CallFile) -> str:
        """Return a file's text after setting fields and appending. Raises `CallError`."""
        text = file.text
        if self.table["set"]:
            text = _with_fields(
                file.path, text, self._filled("row"), self._filled("set")
            )
        appends_row = bool(self.table["append"]) and file.is_table
        if appends_row and text and not text.endswith("\n"):
            text += "\n"  # A row starts on its own line.
        return text + self.texts.fill(self.table["append"])

    def _filled(self, key: str) -> dict[str, Any]:
        """Return the values of `row`, `when` or `set`, with placeholders filled."""
        values: dict[str, Any] = self.texts.fill_values(self.table[key])
        return values


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

    @property
    def changes(self) -> Mapping[str, str | None]:
        """Files written (path to text) or deleted (path to None) since the start."""
        return self.tree.changes

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run a tool (`exec`) or another file operation. Raises `CallError`."""
        method = self._execute if operation == "exec" else getattr(self.tree, operation)
        result: dict[str, Plain] = method(**arguments)
        return result

    def _execute(self, path: str, args: list[str], stdin: str = "") -> dict[str, Plain]:
        """Run the tool at `path` with these arguments, as a shell runs a program.

        `/bin/loans`, `["end", "0543"]` -> `{"stdout": "loan 0543 ends", "exit_code": 0, ...}`.
        The tools of a task.toml do not read `stdin`. Raises `CallError` if there is no such
        tool; any other fault is in stderr.
        """
        tool = self._tools.get(normal_path(path))
        if tool is None:
            msg = f"there is no tool {path}; there are {', '.join(self._tools)}"
            raise CallError(error_codes.NOT_FOUND, msg)
        name = str(tool["path"]).rpartition("/")[2]
        if args == ["--help"]:
            return _output(f"usage: {tool['help'] or name}\n")
        matched_call = self._first_applicable(tool["call"], args)
        if matched_call is None:
            fault = f"{name}: it takes no such arguments; see --help\n"
            return _output(stderr=fault, exit_code=1)
        try:
            stdout = matched_call.run(self.tree)
        except CallError as error:
            return _output(stderr=f"{name}: {error.message}\n", exit_code=1)
        exit_code = matched_call.table["exit_code"]
        return _output(stdout, matched_call.error_text, exit_code)

    def _first_applicable(
        self, call_tables: Sequence[Mapping[str, Any]], args: list[str]
    ) -> _MatchedCall | None:
        """Return the call of the first table that applies; None if none does.

        A table applies if its patterns match the arguments, and if the file that it names
        has the values of its condition, such as `when = {state = "open"}`.
        """
        for table in call_tables:
            texts = match_arguments(table["args"], args)
            if texts is not None:
                matched_call = _MatchedCall(table, texts)
                if matched_call.applies_to(self.tree):
                    return matched_call
        return None


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
