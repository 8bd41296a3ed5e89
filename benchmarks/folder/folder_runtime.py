"""The files and tools of one trial, as its aide computes them. The patterns of a task are matched here too."""

from __future__ import annotations

import json
import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from sandbox import FileTree, normal_path
from sandbox.files import AskedFiles
from sandbox.interface import FILE_OPERATIONS, CallError, Plain, bound_arguments, error_codes

PLACEHOLDER: Final = re.compile(r"\{(\d)\}")
OPERATIONS: Final = {each.name: each for each in FILE_OPERATIONS}


class FolderRuntime:
    """Makes the calls of one trial. `tools` are the tables of its task.toml as plain data; `changes` are what earlier
    calls changed, by path."""

    def __init__(
        self,
        files: Mapping[str, str],
        tools: list[dict[str, Any]],
        *,
        changes: Mapping[str, str | None] | None = None,
        on_change: Callable[[str, str | None], None] = lambda path, text: None,
    ) -> None:
        self._tools = {each["path"]: each for each in tools}
        shown = {path: f"#!tool\n{each['summary']}\n" for path, each in self._tools.items()}
        self._tree = FileTree(
            ChainMap(shown, files),  # type: ignore[arg-type] # it only reads the maps, which need not be mutable
            changes=changes or {},
            writable=lambda path: path not in self._tools,
            on_change=on_change,
        )

    @property
    def changes(self) -> Mapping[str, str | None]:
        """What was written (path to text) and deleted (path to None) since the start, by path."""
        return self._tree.changes

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a file operation, a tool, or `fits`, and return its result fields. Raises `CallError`."""
        if operation == "fits":
            return {"fits": re.fullmatch(str(arguments["pattern"]), str(arguments["text"])) is not None}
        declared = OPERATIONS.get(operation)
        if declared is None:
            raise CallError(error_codes.UNIMPLEMENTED, f"there is no operation {operation!r}")
        try:
            given: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
        except TypeError as fault:
            raise CallError(error_codes.INVALID_ARGUMENT, str(fault)) from None
        work = self._execute if operation == "exec" else getattr(self._tree, operation)
        result: dict[str, Plain] = work(**given)
        return result

    def _execute(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        del stdin
        tool = self._tools.get(normal_path(path))
        if tool is None:
            raise CallError(error_codes.NOT_FOUND, f"there is no tool {path}; there are {', '.join(self._tools)}")
        name = str(tool["path"]).rsplit("/", 1)[1]
        if args == ["--help"]:
            return _output(f"usage: {tool['help'] or name}\n")
        for call in tool["call"]:
            found = re.fullmatch(call["args"], " ".join(args))
            if found and self._stands(call, found):
                return self._done(name, call, found)
        return _output(stderr=f"{name}: it takes no such arguments; see --help\n", exit_code=1)

    def _stands(self, call: Mapping[str, Any], found: re.Match[str]) -> bool:
        """Say whether the file of a call holds what the call wants to find there."""
        if not call["when"]:
            return True
        try:
            _, data = self._record(_filled(call["file"], found))
        except CallError:
            return False
        return _merged(data, _values(call["when"], found)) == data

    def _done(self, name: str, call: Mapping[str, Any], found: re.Match[str]) -> dict[str, Plain]:
        """Make the change of a call that fits, if it has one, and return what it prints."""
        try:
            shown = str(self._tree.read(_filled(call["shows"], found))["content"]) if call["shows"] else ""
            if call["set"]:
                path, data = self._record(_filled(call["file"], found))
                merged = _merged(data, _values(call["set"], found))
                self._tree.write(path, json.dumps(merged, indent=2, ensure_ascii=False) + "\n")
        except CallError as error:
            return _output(stderr=f"{name}: {error.message}\n", exit_code=1)
        return _output(shown + _filled(call["prints"], found), _filled(call["error"], found), call["exit_code"])

    def _record(self, pattern: str) -> tuple[str, dict[str, Any]]:
        """Return path and object of the one JSON file that a pattern fits. Raises `CallError`."""
        paths = [path for path in self._tree.paths() if _is_at(path, pattern)]
        if len(paths) != 1:
            raise CallError(error_codes.NOT_FOUND, f"{len(paths)} files fit {pattern}")
        try:
            data = json.loads(self._tree.text(paths[0]) or "")
        except (ValueError, RecursionError):  # A script may have written it.
            data = None
        if not isinstance(data, dict):
            raise CallError(error_codes.FAILED_PRECONDITION, f"{paths[0]} holds no JSON object")
        return paths[0], data


def _output(stdout: str = "", stderr: str = "", exit_code: int = 0) -> dict[str, Plain]:
    return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}


def _is_at(path: str, pattern: str) -> bool:
    """Say whether a path fits a pattern part by part, so that `*` stands for one folder."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _filled(text: str, found: re.Match[str]) -> str:
    return PLACEHOLDER.sub(lambda place: found[int(place[1])] or "", text)


def _values(given: object, found: re.Match[str]) -> Any:
    """Return a value with its placeholders filled; one that is a placeholder alone may become a whole number."""
    if isinstance(given, dict):
        return {name: _values(each, found) for name, each in given.items()}
    if isinstance(given, list):
        return [_values(each, found) for each in given]
    if not isinstance(given, str):
        return given
    text = _filled(given, found)
    is_number = PLACEHOLDER.fullmatch(given) and re.fullmatch(r"0|[1-9][0-9]{0,15}", text)
    return int(text) if is_number else text


def _merged(data: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    merged = dict(data)
    for name, value in given.items():
        held = merged.get(name)
        merged[name] = _merged(held, value) if isinstance(held, dict) and isinstance(value, dict) else value
    return merged


class _Aided:
    """The runtime while this process is an aide, and what its current call has changed."""

    runtime: FolderRuntime
    changed: list[Plain]


def begin(
    paths: list[str], directories: list[str], changes: dict[str, str | None], tools: list[dict[str, Any]]
) -> None:
    """Make the world in a new aide; `sandbox.files.AidedFiles` calls it."""
    del directories
    _Aided.runtime = FolderRuntime(
        AskedFiles(paths), tools, changes=changes, on_change=lambda path, text: _Aided.changed.append([path, text])
    )


def call(operation: str, arguments: dict[str, Plain]) -> list[Plain]:
    """Make one call in an aide, and return its result and the changes that it made."""
    _Aided.changed = []
    return [_Aided.runtime.call(operation, arguments), _Aided.changed]
