"""Finds the files that a tool opens, in its command line.

After `cat /docs/fees.md`, an answer may cite this file for what the tool has printed. A script could
cheat: `jq '"fee: 7"' /a.json` prints `fee: 7`, whatever the file says. So a file counts only if the
output can have nothing but text of files:

    cat /a.md                  -> /a.md, printed whole
    jq .rows[0].name /a.json   -> /a.json, of which parts are printed
    jq '"fee: 7"' /a.json      -> None: the tool prints a text of the script
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.log.tools.jq_filters import only_selects
from controlplane.agent.evidence.log.tools.opened_files import OpenedFiles
from controlplane.sandbox.interface import FileArguments, bounds


def files_of_command(
    words: Sequence[str], declared: FileArguments | None
) -> OpenedFiles | None:
    """Return the files that a run of a tool opened; None if it may print any other text.

    `words` is its command line without the tool. For `lookup /list.csv late`, they are `/list.csv`
    and `late`. `declared` says which of them are files; None if the tool does not declare it.
    """
    if declared is None:
        return None
    arguments = declared.split(words)
    if arguments is None:  # A word is an option that is not declared.
        return None
    names = arguments.files
    words_before_files = arguments.before  # `.rows[0].name`
    words_after_files = arguments.behind  # `late`

    if "-" in names:  # The tool reads what the script passes to it.
        return None
    if not all(only_selects(word) for word in words_before_files):
        return None
    return OpenedFiles(
        paths=[name for name in names if _is_path(name)],
        other_names=[name for name in names if not _is_path(name)],
        are_printed_whole=not words_before_files and not words_after_files,
        searched_words="\n".join(words_after_files),
    )


def _is_path(name: str) -> bool:
    """Return True for an absolute path, which an answer may cite."""
    return name.startswith("/") and len(name) <= bounds.MOST_PATH_CHARS
