"""Finds out which files a tool opened, if its output consists only of their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.sandbox.interface import FileArguments, bounds
from controlplane.sandbox.interface.executables import GivenArguments

# The tool jq prints the parts of a JSON file that its filter selects, and any other text
# that the filter has. The following patterns, each built from the ones before it, find
# the filters that only select.
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
"""A function of jq that also prints its input: `debug`, but not the field `.debug`."""
MOST_FILTER_CHARS: Final = 1_000
"""The longest filter that is examined, in characters."""


def _only_selects(word: str) -> bool:
    """Return True if an argument of a tool is a filter that only selects: `.rows[0].name`."""
    if not word.isascii() or len(word) > MOST_FILTER_CHARS:
        return False
    is_selection = _SELECTION.fullmatch(word) is not None
    return is_selection and _PRINTING_FUNCTION.search(word) is None


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The files that a run of a tool opened, if its output consists only of their text."""

    paths: Sequence[str] = ()
    """Absolute paths. Empty if the output may have any other text."""
    repeatable_text: str = ""
    """The words that the tool searches for in the files, one in each line.
    The output may repeat a word that is not in the files, so it does not prove these."""
    is_excerpt: bool = False
    """True if the tool prints only parts of the files."""


def opened_files(
    declared: FileArguments | None, words: Sequence[str], *, may_have_changed: bool
) -> OpenedFiles:
    """Return the files that a run of a tool opened. `words` are its command line.

    `declared` says which words are files. It is None if the tool's declaration has no
    file arguments. `may_have_changed` is true once the trial may have changed a file.
    """
    # None also if the command line has an option that the declaration does not name.
    arguments = None if declared is None else declared.split(words)
    if arguments is None or not _prints_only_files(
        arguments, may_have_changed=may_have_changed
    ):
        return OpenedFiles()
    paths: list[str] = []
    for path in arguments.files:
        if path.startswith("/") and len(path) <= bounds.MOST_PATH_CHARS:
            paths.append(path)
    # A filter before the files, or words to look up behind them, select parts.
    is_excerpt = bool(arguments.before or arguments.behind)
    return OpenedFiles(paths, "\n".join(arguments.behind), is_excerpt)


def _prints_only_files(arguments: GivenArguments, *, may_have_changed: bool) -> bool:
    """Return True if a tool's output has only text of its files, and none by the script."""
    reads_stdin = "-" in arguments.files
    # If one of several files is the script's own, its lines cannot be told apart.
    may_mix_own_text = may_have_changed and len(arguments.files) > 1
    if reads_stdin or may_mix_own_text:
        return False
    # A tool may take a filter before its files, as in `jq .name /a.json`.
    return all(_only_selects(word) for word in arguments.before)
