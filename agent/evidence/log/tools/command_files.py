"""Finds the files that a tool opens, in its command line.

After `cat /docs/fees.md`, an answer may cite this file for what the tool has printed. A script could
cheat: `jq '"fee: 7"' /a.json` prints `fee: 7`, whatever the file says. So a file counts only if the
output can have nothing but text of files:

| command line | files |
|---|---|
| `cat --verbose /a.md` | None: nobody knows what this option prints |
| `cat -` | None: the tool prints what the script passes to it |
| `jq '"fee: 7"' /a.json` | None: the filter has a text of the script |
| `cat /a.md` | `/a.md`, of which the output is the whole text |
| `jq .rows[0].name /a.json` | `/a.json`, of which the output has excerpts |
| `lookup /list.csv late` | `/list.csv`, of which it has excerpts, or `late: not found` |
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.log.tools.jq_filters import only_selects
from controlplane.agent.evidence.log.tools.opened_files import OpenedFiles
from controlplane.gates.trial.text_kind import TextKind
from controlplane.sandbox.interface import FileArguments, bounds


def files_of_command(
    words: Sequence[str], declared: FileArguments | None
) -> OpenedFiles | None:
    """Return the files that a run of a tool opened; None if it may print any other text.

    `words` is its command line: `.name`, `/a.json` for `jq .name /a.json`. `declared` says
    which of the words are files; None if the tool does not declare it.
    """
    if declared is None:
        return None
    arguments = declared.split(words)
    if arguments is None:  # A word is an option that is not declared.
        return None
    files = arguments.files
    filters = arguments.before  # the words before the files: `.name`
    searched_words = arguments.behind  # those behind them: `late`

    reads_stdin = "-" in files
    if reads_stdin or not all(only_selects(word) for word in filters):
        return None
    prints_parts = filters or searched_words
    return OpenedFiles(
        paths=[name for name in files if _is_path(name)],
        other_names=[name for name in files if not _is_path(name)],
        searched_words="\n".join(searched_words),
        kind=TextKind.EXCERPT if prints_parts else TextKind.WHOLE,
    )


def _is_path(name: str) -> bool:
    """Return True for an absolute path, which an answer may cite."""
    return name.startswith("/") and len(name) <= bounds.MOST_PATH_CHARS
