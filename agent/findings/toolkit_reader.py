"""The workspace as a function of the toolkit reads it: by declared calls that somebody else makes for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gates.reading import DoesNotApply, ReadCall, Reader, Unread
from toolkit import CannotRead

_EVERY_FILE: Final = "*"
_NOT_FOUND: Final = "not_found"
Outcomes = Mapping[str, Mapping[str, Any] | Unread]


@dataclass(frozen=True, slots=True)
class WorkspaceReader:
    """Reads files, listings and tools. What nobody has answered yet ends the function, which is then called again.

    Every method raises `CannotRead` for what failed or came back cut off.
    """

    reader: Reader
    tools: Mapping[str, str] = field(default_factory=dict)
    """What each tool that the environment declares does, in a few words, by its path."""

    def paths(self, root: str = "/") -> Sequence[str]:
        """Return every file below a folder: as a search by name lists them, or as a tree if that list is cut off."""
        call = ReadCall("find", {"name": _EVERY_FILE, "root": root, "kind": "files", "limit": 0})
        found = self._result(call)
        if not found.get("truncated"):
            return tuple(str(each) for each in found["paths"])
        return tuple(_files(self._result(ReadCall("tree", {"root": root, "level": 0})), root.rstrip("/")))

    def find(self, name: str, root: str = "/") -> Sequence[str]:
        """Return the files below a folder whose names fit a glob."""
        try:
            return self.reader.find(name, root)
        except DoesNotApply as error:
            raise CannotRead(str(error)) from None

    def search(self, pattern: str, root: str = "/") -> Sequence[tuple[str, str]]:
        """Return path and text of each line below a folder that a regular expression matches."""
        try:
            return self.reader.search(pattern, root)
        except DoesNotApply as error:
            raise CannotRead(str(error)) from None

    def read(self, path: str) -> str:
        """Return a file's text. Raises `LookupError` if there is none."""
        return self.read_all([path])[0]

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of several files, which are read side by side; a long one is read on where it was cut off.

        Raises `LookupError` if one is missing.
        """
        texts = ["" for _ in paths]
        cut = list(range(len(paths)))
        while cut:
            calls = [_reading(paths[at], texts[at]) for at in cut]
            try:
                parts = self.reader.call_all(calls)
            except Unread as error:
                if error.code == _NOT_FOUND:
                    raise LookupError(str(error)) from None
                raise CannotRead(str(error)) from None
            for at, part in zip(cut, parts, strict=True):
                texts[at] += str(part["content"])
                if part.get("truncated") and not str(part["content"]).endswith("\n"):
                    msg = f"read {paths[at]}: what came back is cut off"
                    raise CannotRead(msg)
            cut = [at for at, part in zip(cut, parts, strict=True) if part.get("truncated")]
        return texts

    def run(self, tool: str, *words: str, stdin: str = "") -> str:
        """Return what a tool prints that only reads."""
        try:
            return self.reader.run(tool, *words, stdin=stdin)
        except DoesNotApply as error:
            raise CannotRead(str(error)) from None

    def _result(self, call: ReadCall) -> Mapping[str, Any]:
        try:
            return self.reader.call_all([call])[0]
        except DoesNotApply as error:
            raise CannotRead(str(error)) from None


def _reading(path: str, known: str) -> ReadCall:
    """Return the call that reads a file, or what follows its first lines."""
    start = {"start_line": known.count("\n") + 1} if known else {}
    return ReadCall("read", {"path": path, **start})


def _files(node: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the paths of the files below a node of a tree."""
    for child in node.get("children") or ():
        below = f"{path}/{child['name']}"
        if child.get("is_dir"):
            yield from _files(child, below)
        else:
            yield below
