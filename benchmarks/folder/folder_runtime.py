"""Runs the tools that a task.toml describes, in the trial's worker: what takes too long ends only the worker.

A tool reads and sets fields of files by their kind: a JSON object, a row of separated values, or `key: value` lines
(YAML, and Markdown, in its front matter if it has one).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.files.file_tree import FileTree, normal_path
from controlplane.sandbox.interface import CallError, Plain, error_codes, is_same

PLACEHOLDER: Final = re.compile(r"\{(\d)\}")
Groups: TypeAlias = list[str]
"""All arguments of a call, and the text that each group of its patterns matched."""


class FolderRuntime:
    """The files and tools of one trial, and what drives them. `tools` are the tables of its task.toml as plain data."""

    def __init__(self, files: Mapping[str, str], tools: Sequence[Mapping[str, Any]]) -> None:
        self._tools = {tool["path"]: tool for tool in tools}
        shown = {path: f"#!tool\n{tool['summary']}\n" for path, tool in self._tools.items()}
        self.tree = FileTree(
            ChainMap(shown, files),  # type: ignore[arg-type] # it only reads the maps, which need not be mutable
            writable=lambda path: path not in shown,
        )

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the start."""
        return self.tree.changes

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run a tool (`exec`), or make another call of files, and return its result fields. Raises `CallError`."""
        made = self._execute if operation == "exec" else getattr(self.tree, operation)
        result: dict[str, Plain] = made(**arguments)
        return result

    def _execute(self, path: str, args: list[str], stdin: str = "") -> dict[str, Plain]:
        tool = self._tools.get(normal_path(path))
        if tool is None:
            raise CallError(
                error_codes.NOT_FOUND,
                f"there is no tool {path}; there are {', '.join(self._tools)}",
            )
        name = str(tool["path"]).rsplit("/", 1)[1]
        if args == ["--help"]:
            return _output(f"usage: {tool['help'] or name}\n")
        for call in tool["call"]:
            groups = _matched(call["args"], args)
            if groups is not None and self._stands(call, groups):
                return self._done(name, call, groups)
        return _output(stderr=f"{name}: it takes no such arguments; see --help\n", exit_code=1)

    def _stands(self, call: Mapping[str, Any], groups: Groups) -> bool:
        """Say whether the file of a call holds the values that the call requires."""
        if not call["when"]:
            return True
        try:
            path, text = self._file(call["file"], groups)
            return holds(
                path,
                fields_of(path, text, _values(call["row"], groups)),
                _values(call["when"], groups),
            )
        except CallError:
            return False

    def _done(self, name: str, call: Mapping[str, Any], groups: Groups) -> dict[str, Plain]:
        """Make the change of a call that fits, if it has one, and return its output."""
        try:
            shown = (
                str(self.tree.read(_filled(call["shows"], groups))["content"])
                if call["shows"]
                else ""
            )
            if call["set"] or call["append"] or call["delete"]:
                self._change(call, groups)
        except CallError as error:
            return _output(stderr=f"{name}: {error.message}\n", exit_code=1)
        return _output(
            shown + _filled(call["prints"], groups),
            _filled(call["error"], groups),
            call["exit_code"],
        )

    def _change(self, call: Mapping[str, Any], groups: Groups) -> None:
        wanted = _filled(call["file"], groups)
        if (
            call["append"]
            and not call["set"]
            and "*" not in call["file"]
            and self.tree.resolve(wanted) is None
        ):
            self.tree.write(wanted, _filled(call["append"], groups))
            return
        path, text = self._file(call["file"], groups)
        if call["delete"]:
            self.tree.delete(path)
            return
        if call["set"]:
            text = with_fields(
                path, text, _values(call["row"], groups), _values(call["set"], groups)
            )
        if (
            call["append"]
            and text
            and not text.endswith("\n")
            and path.lower().endswith((".csv", ".tsv"))
        ):
            text += "\n"  # A row begins a line of its own.
        self.tree.write(path, text + _filled(call["append"], groups))

    def _file(self, pattern: str, groups: Groups) -> tuple[str, str]:
        """Return path and text of the one file that a call's pattern fits. Raises `CallError`."""
        parts = (
            re.escape(_filled(part, groups)) for part in pattern.split("*")
        )  # An argument holds no wildcard.
        wanted = compiled_pattern("[^/]*".join(parts))
        paths = [path for path in self.tree.paths() if wanted.fullmatch(path)]
        if len(paths) != 1:
            raise CallError(
                error_codes.NOT_FOUND, f"{len(paths)} files fit {_filled(pattern, groups)}"
            )
        return paths[0], self.tree.text(paths[0]) or ""


def _matched(patterns: str | list[str], args: list[str]) -> Groups | None:
    """Return the texts that the groups of a call's patterns matched, None if the arguments do not fit."""
    if isinstance(patterns, str):
        patterns, args = [patterns], [" ".join(args)]
    matches = [
        compiled_pattern(pattern).fullmatch(arg)
        for pattern, arg in zip(patterns, args, strict=False)
    ]
    if len(patterns) != len(args) or None in matches:
        return None
    return [
        " ".join(args),
        *(group or "" for match in matches if match for group in match.groups()),
    ]


def _output(stdout: str = "", stderr: str = "", exit_code: int = 0) -> dict[str, Plain]:
    return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}


def _filled(text: str, groups: Groups) -> str:
    return PLACEHOLDER.sub(lambda place: groups[int(place[1])], text)


def _values(given: object, groups: Groups) -> Any:
    """Return a value with its placeholders filled; a value that is only a placeholder may become a whole number."""
    if isinstance(given, dict):
        return {name: _values(value, groups) for name, value in given.items()}
    if isinstance(given, list):
        return [_values(value, groups) for value in given]
    if not isinstance(given, str):
        return given
    text = _filled(given, groups)
    is_number = (
        text.isascii() and text.isdecimal() and len(text) <= 16 and (text == "0" or text[0] != "0")
    )
    return int(text) if is_number and PLACEHOLDER.fullmatch(given) else text


def open_tools(files: Mapping[str, str], directories: tuple[str, ...], data: Any) -> FolderRuntime:
    """Return the tools over a task's files, in a worker. `data` holds the tables of its tools."""
    return FolderRuntime(files, data)


BOM: Final = "\ufeff"
SEPARATORS: Final = {"csv": ",", "tsv": "\t"}
LINED: Final = ("yaml", "yml", "md")
LINE: Final = re.compile(r"^([^\s:#-][^:\n]*):[ \t]*([^\r\n]*)", re.MULTILINE)
FRONT: Final = re.compile(r"\A---\r?\n(.*?)^---\r?$", re.DOTALL | re.MULTILINE)
PLAIN: Final = re.compile(r"[^\W\d][\w ./@()-]*")
"""A text that YAML reads as itself, unless it is a word for yes, no or nothing."""
RESERVED: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null"})


def fields_of(path: str, text: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a file; for separated values, those of the row that `row` selects. Raises `CallError`."""
    kind, text = path.rpartition(".")[2].lower(), text.removeprefix(BOM)
    if kind in SEPARATORS:
        rows, at = _rows(path, text, row)
        return dict(zip(rows[0], rows[at], strict=False))
    if kind in LINED:
        return {key.strip(): _unquoted(value) for key, value in LINE.findall(_lines(text)[1])}
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):  # A script may have written it.
        data = None
    if not isinstance(data, dict):
        raise CallError(error_codes.FAILED_PRECONDITION, f"{path} holds no JSON object")
    return data


def holds(path: str, fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Say whether fields hold the wanted values; files other than JSON objects hold texts."""
    if path.rpartition(".")[2].lower() not in (*SEPARATORS, *LINED):
        return is_same(merged(fields, wanted), fields)
    return all(fields.get(name) == _text(value) for name, value in wanted.items())


def with_fields(path: str, text: str, row: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Return the text of a file with some fields set. Raises `CallError`."""
    if text.startswith(BOM):
        return BOM + with_fields(path, text.removeprefix(BOM), row, values)
    kind = path.rpartition(".")[2].lower()
    ending = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    if kind in SEPARATORS:
        rows, at = _rows(path, text, row)
        columns = rows[0]
        for name, value in values.items():
            if name not in columns:
                raise CallError(error_codes.FAILED_PRECONDITION, f"{path} has no column {name!r}")
            rows[at] += [""] * (len(columns) - len(rows[at]))
            rows[at][columns.index(name)] = _text(value)
        written = io.StringIO()
        csv.writer(written, delimiter=SEPARATORS[kind], lineterminator=ending).writerows(rows)
        return written.getvalue()
    if kind in LINED:
        before, lines, after = _lines(text)
        for name, value in values.items():
            line = f"{name}: {_quoted(value)}"
            own = rf"^{re.escape(name)}[^\S\r\n]*:[^\r\n]*"
            lines, count = re.subn(
                own, line.replace("\\", r"\\"), lines, count=1, flags=re.MULTILINE
            )
            if not count:
                lines += (
                    f"{ending}{line}{ending}"
                    if lines and not lines.endswith("\n")
                    else f"{line}{ending}"
                )
        return before + lines + after
    return (
        json.dumps(merged(fields_of(path, text, row), values), indent=2, ensure_ascii=False) + "\n"
    )


def merged(data: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the fields of another object set; tables are merged."""
    result = dict(data)
    for name, value in given.items():
        held = result.get(name)
        result[name] = (
            merged(held, value) if isinstance(held, dict) and isinstance(value, dict) else value
        )
    return result


def _rows(path: str, text: str, wanted: Mapping[str, Any]) -> tuple[list[list[str]], int]:
    """Return the rows of separated values, the names of columns first, and the place of the one row that is wanted."""
    separator = SEPARATORS[path.rpartition(".")[2].lower()]
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise CallError(
            error_codes.FAILED_PRECONDITION, f"{path} cannot be read: {error}"
        ) from None
    if not rows:
        raise CallError(error_codes.FAILED_PRECONDITION, f"{path} has no line of column names")
    texts = {name: _text(value) for name, value in wanted.items()}
    fitting = [
        at
        for at, cells in enumerate(rows[1:], 1)
        if texts.items() <= dict(zip(rows[0], cells, strict=False)).items()
    ]
    if len(fitting) != 1:
        raise CallError(error_codes.NOT_FOUND, f"{len(fitting)} rows of {path} fit {texts}")
    return rows, fitting[0]


def _lines(text: str) -> tuple[str, str, str]:
    """Return the text before the `key: value` lines, those lines, and the text after them."""
    front = FRONT.search(text)
    return (text[: front.start(1)], front[1], text[front.end(1) :]) if front else ("", text, "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _unquoted(value: str) -> str:
    value = value.strip()
    if value.startswith('"'):
        with suppress(ValueError):
            return str(json.loads(value))  # as `_quoted` wrote it
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _quoted(value: Any) -> str:
    is_plain = (
        isinstance(value, str)
        and PLAIN.fullmatch(value)
        and value.lower() not in RESERVED
        and value == value.strip()
    )
    return value if is_plain else json.dumps(value, ensure_ascii=False)
