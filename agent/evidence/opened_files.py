"""Which files a run of a tool opened, by the declaration of its arguments, and where what it printed is their text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.interface import FileArguments

_STDIN: Final = "-"
_PATH: Final = r'\.(?:[A-Za-z_]\w*)?(?:\.?\[(?:-?\d*(?::-?\d*)?|"[^"\\]*")\]|\.[A-Za-z_]\w*)*\??'
_STAGE: Final = rf"(?:{_PATH}|keys|length|select\([^()]*\))"
_SELECTION: Final = re.compile(rf"\s*{_STAGE}(?:\s*[|,]\s*{_STAGE})*\s*")
"""A filter that only chooses: fields, elements and rows. No other part of jq's language is known to print no text of
its own."""
_MAX_FILTER_CHARS: Final = 10_000


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The files that one run opened and printed from."""

    paths: tuple[str, ...] = ()
    """As the arguments spell them; absolute."""
    echoed: str = ""
    """Arguments that the tool may print back."""
    is_part: bool = False
    """The tool prints something from them, not all that they hold."""


def opened_files(declared: FileArguments | None, words: Sequence[str], *, is_changed: bool) -> OpenedFiles:
    """Return the files that a run with these arguments opened, if the text that it prints can only be theirs.

    No file counts beside stdin, under an option that is not declared, or behind a filter that does more than choose;
    several files do not count once the trial may have changed something (`is_changed`), because one of them may then
    hold the script's own text.
    """
    given = declared.split(words) if declared else None
    if given is None or not given.files or _STDIN in given.files or (is_changed and len(given.files) > 1):
        return OpenedFiles()
    if not all(len(each) <= _MAX_FILTER_CHARS and _SELECTION.fullmatch(each) for each in given.before):
        return OpenedFiles()
    paths = tuple(each for each in given.files if each.startswith("/"))
    return OpenedFiles(paths, "\n".join(given.behind), is_part=bool(given.before or given.behind))
