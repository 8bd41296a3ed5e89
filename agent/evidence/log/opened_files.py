"""Finds out which files a tool opened, if its output consists only of their text.

A tool is a program that a script runs, such as `cat` or `jq`. By its command line:
- `cat /a.md` prints the file `/a.md`.
- `jq .rows[0].name /a.json` prints a part of `/a.json`.
- `jq '"fee: 7"' /a.json` prints a text that the script made up, so it proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.sandbox.interface import FileArguments, bounds
from controlplane.sandbox.interface.executables import GivenArguments

# The filter of jq, its first argument, may select parts of a JSON file, as `.rows[0].name`
# does, or print any text. The following patterns find the filters that only select. Each
# is built from the ones before it.
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_POSITION: Final = r"-?[0-9]*"
"""`0`, `-1`, or nothing"""
_SIMPLE_TEXT: Final = r'"[^"\\]*"'
"""`"name"`, without a quotation mark or an escape in it"""
_INDEX: Final = rf"\[(?:{_POSITION}(?::{_POSITION})?|{_SIMPLE_TEXT})\]"
"""An element, some elements or a field: `[0]`, `[1:3]`, `[]`, `["name"]`."""
_SELECTED_PATH: Final = rf"\.(?:{_NAME})?(?:\.?{_INDEX}|\.{_NAME})*\??"
"""The path of a part: `.rows[0].name`, `.name?`."""
_TEXT_IN_CONDITION: Final = r'"(?:[^()"\\]|\\[^()])*"'
"""`"late"`. A text with brackets could run code, as in `"\\(env)"`."""
_OTHER_SIGN_IN_CONDITION: Final = r'[^()"#\\]'
"""Any other sign, but not a bracket, with which a function would be called."""
_SELECT: Final = rf"select\((?:{_OTHER_SIGN_IN_CONDITION}|{_TEXT_IN_CONDITION})*\)"
"""A condition that calls no function: `select(.fee > 3 and .name == "late")`."""
_STAGE: Final = rf"(?:{_SELECTED_PATH}|keys|length|{_SELECT})"
"""One step of a filter: `.rows[0]`, `keys`, `length`, `select(.fee > 3)`."""
_SELECTION: Final = re2.compile(rf"\s*{_STAGE}(?:\s*[|,]\s*{_STAGE})*\s*")
"""A whole filter: `.rows[] | select(.fee > 3) | .name, .id`."""
_PRINTING_FUNCTION: Final = re2.compile(
    r'(?:^|[^\pL\pN_."])(?:debug|stderr)(?:$|[^\pL\pN_])'
)
"""A function that prints more than is selected: `debug`, but not the field `.debug`.
It could stand in a condition, as in `select(debug)`."""
MOST_FILTER_CHARS: Final = 1_000
"""The longest filter that is examined, in characters."""


def _only_selects(word: str) -> bool:
    """Return True if an argument of a tool is a filter that only selects: `.rows[0].name`.

    In doubt, False: the output of the tool then proves nothing.
    """
    if not word.isascii() or len(word) > MOST_FILTER_CHARS:
        return False
    is_selection = _SELECTION.fullmatch(word) is not None
    return is_selection and _PRINTING_FUNCTION.search(word) is None


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The files that a run of a tool opened, if its output consists only of their text."""

    paths: Sequence[str] = ()
    """Absolute paths. Empty if the output may have any other text."""
    searched_words: str = ""
    """The words that the tool looks up in the files, one in each line. It may print one
    that is not in any file (`late: not found`), so the output does not prove them."""
    is_excerpt: bool = False
    """True if the tool prints only parts of the files, as `jq .name` does."""


def opened_files(
    declared: FileArguments | None, words: Sequence[str], *, may_have_changed: bool
) -> OpenedFiles:
    """Return the files that a run of a tool opened.

    `words` is its command line: `.name`, `/a.json` for `jq .name /a.json`. `declared` says
    which of the words are files; None if the tool does not declare it.
    `may_have_changed` is true once the trial may have changed a file.
    """
    # None also if the command line has an option that is not declared.
    arguments = None if declared is None else declared.split(words)
    if arguments is None or not _prints_only_files(
        arguments, may_have_changed=may_have_changed
    ):
        return OpenedFiles()
    paths: list[str] = []
    for path in arguments.files:
        if path.startswith("/") and len(path) <= bounds.MOST_PATH_CHARS:
            paths.append(path)
    # In `jq .name /a.json`, the filter before the file selects parts of it. In
    # `lookup /list.csv late`, the word behind the file does.
    is_excerpt = bool(arguments.before or arguments.behind)
    return OpenedFiles(paths, "\n".join(arguments.behind), is_excerpt)


def _prints_only_files(arguments: GivenArguments, *, may_have_changed: bool) -> bool:
    """Return True if a tool's output has only text of its files, and no text of the script."""
    reads_stdin = "-" in arguments.files
    # If one of several files is the script's own, its lines cannot be told apart.
    may_mix_own_text = may_have_changed and len(arguments.files) > 1
    if reads_stdin or may_mix_own_text:
        return False
    # The words before the files must be filters, as in `jq .name /a.json`.
    return all(_only_selects(word) for word in arguments.before)
