"""Carries out a call of a tool, as its table in task.toml describes it.

A task in plain files has no code. Its tools only print texts and change files, by tables
with patterns: the table of `MatchedCall` ends an open loan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from controlplane.benchmarks.folder.call_files import CallFile, is_missing, only_file
from controlplane.benchmarks.folder.placeholders import MatchedTexts
from controlplane.benchmarks.folder.records.record_files import (
    fields_of,
    has_fields,
    with_fields,
)
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import CallError

CallTable: TypeAlias = Mapping[str, Any]
"""One `[[tool.call]]` of a task.toml as plain data: `{"args": "end ([0-9]+)", "shows": "", ...}`."""


@dataclass(frozen=True, slots=True)
class MatchedCall:
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

    table: CallTable
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
            file = only_file(tree, self.table["file"], self.texts)
            fields = fields_of(file.path, file.text, self._filled("row"))
        except CallError:
            return False
        return has_fields(file.path, fields, self._filled("when"))

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

        file = only_file(tree, pattern, self.texts)
        if self.table["delete"]:
            tree.delete(file.path)
        else:
            tree.write(file.path, self._changed_text(file))

    def _changed_text(self, file: CallFile) -> str:
        """Return a file's text after setting fields and appending. Raises `CallError`."""
        text = file.text
        if self.table["set"]:
            text = with_fields(
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
