"""Run the tools of a task.toml in the trial's worker process, so a slow tool ends only that."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from controlplane.benchmarks.folder.record_files import (
    fields_of,
    has_fields,
    with_fields,
)
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.files.file_paths import normal_path
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import CallError, Plain, error_codes

PLACEHOLDER: Final = re.compile(r"\{(\d)\}")
"""Where a matched text is inserted in a tool's values: `{1}`."""
MatchedTexts: TypeAlias = list[str]
"""The texts for the placeholders `{0}`, `{1}` ... of a call.

The first is all arguments joined by spaces, the others are what the groups of its
patterns have matched.
"""
CallTable: TypeAlias = Mapping[str, Any]
"""One `[[tool.call]]` of a task.toml as plain data.

The call below applies to the arguments `end 0543` of a tool. It changes a file, but only
if the file says that the loan is open.

    args = 'end ([0-9]+)'              # the group is {1} in the other values
    file = "/loans/*/{1}.json"         # the file that `when` looks at, and that `set` changes
    when = {state = "open"}
    set = {state = "ended"}
    prints = "loan {1} ends"

`row` selects a row if the file is a table. `shows` is the path of a file
that is printed. `append` and `delete` also change the file. All keys are present
(see `task_file.ToolCall`).
"""
MAX_NUMBER_DIGITS: Final = 16
"""Texts with more digits are not made integers. They are ids, such as account numbers."""


class FolderRuntime:
    """The files and tools of one trial. `tools` are the tables of its task.toml as plain data."""

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
        """Run a tool's first call that matches. Raises `CallError` if there is no such tool."""
        tool = self._tools.get(normal_path(path))
        if tool is None:
            msg = f"there is no tool {path}; there are {', '.join(self._tools)}"
            raise CallError(error_codes.NOT_FOUND, msg)
        name = str(tool["path"]).rpartition("/")[2]
        if args == ["--help"]:
            return _output(f"usage: {tool['help'] or name}\n")
        for call in tool["call"]:
            matched = _matched_texts(call["args"], args)
            if matched is not None and self._condition_holds(call, matched):
                return self._run(name, call, matched)
        return _output(
            stderr=f"{name}: it takes no such arguments; see --help\n", exit_code=1
        )

    def _condition_holds(self, call: CallTable, matched: MatchedTexts) -> bool:
        """Return True if the file that the call names has the values of its `when`.

        A file that does not exist or cannot be read does not have them.
        """
        if not call["when"]:
            return True
        try:
            path, text = self._file_of(call["file"], matched)
            fields = fields_of(path, text, _filled_values(call["row"], matched))
        except CallError:
            return False
        return has_fields(path, fields, _filled_values(call["when"], matched))

    def _run(
        self, name: str, call: CallTable, matched: MatchedTexts
    ) -> dict[str, Plain]:
        """Make the change of a call, if any, and return its output. Errors go to stderr.

        `call` is a table of the task file. `matched` has the texts for its placeholders:
        `{1}` is the text that the first group of its patterns has matched.
        """
        shown_text = ""
        try:
            if call["shows"]:
                shown_file = self.tree.read(_filled(call["shows"], matched))
                shown_text = str(shown_file["content"])
            if call["set"] or call["append"] or call["delete"]:
                self._change_file(call, matched)
        except CallError as error:
            return _output(stderr=f"{name}: {error.message}\n", exit_code=1)
        stdout = shown_text + _filled(call["prints"], matched)
        return _output(stdout, _filled(call["error"], matched), call["exit_code"])

    def _change_file(self, call: CallTable, matched: MatchedTexts) -> None:
        """Set fields of the call's file, append to it, or delete it. Raises `CallError`."""
        appended_text = _filled(call["append"], matched)
        may_create_file = bool(call["append"]) and not call["set"]
        if may_create_file and self._is_missing(call["file"], matched):
            self.tree.write(_filled(call["file"], matched), appended_text)
            return

        path, text = self._file_of(call["file"], matched)
        if call["delete"]:
            self.tree.delete(path)
            return
        if call["set"]:
            row = _filled_values(call["row"], matched)
            text = with_fields(path, text, row, _filled_values(call["set"], matched))
        is_table = path.lower().endswith((".csv", ".tsv"))
        if call["append"] and is_table and text and not text.endswith("\n"):
            text += "\n"  # A row starts on its own line.
        self.tree.write(path, text + appended_text)

    def _is_missing(self, pattern: str, matched: MatchedTexts) -> bool:
        """Return True if a pattern is one path, without an asterisk, and has no file yet."""
        return (
            "*" not in pattern and self.tree.resolve(_filled(pattern, matched)) is None
        )

    def _file_of(self, pattern: str, matched: MatchedTexts) -> tuple[str, str]:
        """Return the path and text of the only file that matches `/loans/*/{1}.json`.

        The asterisk stands for any name, but not one that a placeholder inserts. Raises
        `CallError` if no file matches, or several do.
        """
        parts = []
        for part in pattern.split("*"):
            parts.append(re.escape(_filled(part, matched)))
        path_pattern = compiled_pattern("[^/]*".join(parts))
        paths = [path for path in self.tree.paths() if path_pattern.fullmatch(path)]
        if len(paths) != 1:
            msg = f"{len(paths)} files fit {_filled(pattern, matched)}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return paths[0], self.tree.text(paths[0]) or ""


def _output(stdout: str = "", stderr: str = "", exit_code: int = 0) -> dict[str, Plain]:
    return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}


# Placeholders -----------------------------------------------------------------------------------


def _matched_texts(patterns: str | list[str], args: list[str]) -> MatchedTexts | None:
    """Return the texts for the placeholders of a call; None if its patterns do not match.

    If `patterns` is a text, it must match all arguments, joined by spaces. If it is a
    list, it has one pattern for each argument.
    """
    all_arguments = " ".join(args)
    if isinstance(patterns, str):
        patterns = [patterns]
        args = [all_arguments]
    if len(patterns) != len(args):
        return None
    texts = [all_arguments]  # for the placeholder {0}
    for pattern, argument in zip(patterns, args, strict=True):
        match = compiled_pattern(pattern).fullmatch(argument)
        if match is None:
            return None
        for group in match.groups():
            texts.append(group or "")
    return texts


def _filled(text: str, matched: MatchedTexts) -> str:
    """Return a text with its placeholders filled: `loan {1} ends` -> `loan 0543 ends`."""

    def text_at(placeholder: re.Match[str]) -> str:
        return matched[int(placeholder[1])]

    return PLACEHOLDER.sub(text_at, text)


def _filled_values(value: object, matched: MatchedTexts) -> Any:
    """Return a value with the placeholders in all its texts filled, also inside lists and tables.

    `"loan {1}"` becomes `"loan 12"`, but `"{1}"` alone becomes the integer 12.
    """
    if isinstance(value, dict):
        return {name: _filled_values(item, matched) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled_values(item, matched) for item in value]
    if not isinstance(value, str):
        return value
    text = _filled(value, matched)
    if PLACEHOLDER.fullmatch(value) and _is_whole_number(text):
        return int(text)
    return text


def _is_whole_number(text: str) -> bool:
    """Return True if a text is a number and not an id such as `0543`."""
    is_digits = text.isascii() and text.isdecimal()
    if not is_digits or len(text) > MAX_NUMBER_DIGITS:
        return False
    return text == "0" or not text.startswith("0")


def open_tools(
    files: Mapping[str, str], directories: tuple[str, ...], data: Any
) -> FolderRuntime:
    """Return the files and tools of a task, in a worker. `data` has the tables of its tools.

    The sandbox passes these parameters to every benchmark's module. A task does not
    need `directories`.
    """
    return FolderRuntime(files, data)
