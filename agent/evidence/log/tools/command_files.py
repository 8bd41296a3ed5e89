"""Finds the files that a tool opens, in its command line.

An answer may cite a file whose text a tool has printed. But a tool may also print words of the
script, which could then cite them as text of the file. Whether it may do so follows from the
command line, and from the declaration of the tool, which says which of its words are files:

| command line | files |
|---|---|
| `cat --verbose /a.md` | None: nobody knows what this option prints |
| `jq '"fee: 7"' /a.json` | None: the script made up the text |
| `jq .rows[0].name /a.json` | `/a.json` |
| `cat /a.md` | `/a.md` |
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.log.tools.jq_filters import only_selects
from controlplane.agent.evidence.log.tools.opened_files import OpenedFiles
from controlplane.sandbox.interface import FileArguments, bounds
from controlplane.sandbox.interface.executables import GivenArguments


def files_of_command(
    words: Sequence[str], declared: FileArguments | None, *, may_have_changed: bool
) -> OpenedFiles | None:
    """Return the files that a run of a tool opened; None if it may print any other text.

    `words` is its command line: `.name`, `/a.json` for `jq .name /a.json`. `declared` says
    which of the words are files; None if the tool does not declare it.
    `may_have_changed` is true once the trial may have changed a file.
    """
    if declared is None:
        return None
    arguments = declared.split(words)
    if arguments is None:
        return None  # A word is an option that is not declared.
    if not _prints_only_files(arguments, may_have_changed=may_have_changed):
        return None

    paths: list[str] = []
    other_names: list[str] = []
    for name in arguments.files:
        is_path = name.startswith("/") and len(name) <= bounds.MOST_PATH_CHARS
        (paths if is_path else other_names).append(name)
    return OpenedFiles(
        paths,
        other_names,
        # In `lookup /list.csv late`, the word behind the file is looked up in it.
        searched_words="\n".join(arguments.behind),
        # It selects a part of the file, and so does `.name` in `jq .name /a.json`.
        is_excerpt=bool(arguments.before or arguments.behind),
    )


def _prints_only_files(arguments: GivenArguments, *, may_have_changed: bool) -> bool:
    """Return True if a tool's output has only text of its files, and no text of the script."""
    reads_stdin = "-" in arguments.files
    if reads_stdin:
        return False
    # The script may have written one of several files. In the output, the lines of this file
    # cannot be told from those of the others.
    if may_have_changed and len(arguments.files) > 1:
        return False
    # The words before the files must be filters, as in `jq .name /a.json`.
    return all(only_selects(word) for word in arguments.before)
