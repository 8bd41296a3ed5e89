"""Runs of an environment's tools, programs such as `/bin/jq`, and what an answer may cite of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.trial import SeenText, TextKind
from controlplane.sandbox.interface import FileArguments, bounds

# Recognises filters of the tool jq that only select parts of a file.
#
# `jq .rows[0].name /a.json` prints a part of the file, so an answer may cite the file for it. But
# `jq '"fee: 7"' /a.json` prints a text that the script made up. So a filter is trusted only if it
# consists of *stages*, with `|` or `,` between them:
#
#     .rows[] | select(.fee > 3) | .name, .id
#
# | stage | example |
# |---|---|
# | a path | `.`, `.rows[0].name`, `.["name"]`, `.rows[1:3]?` |
# | a condition that calls no function | `select(.fee > 3 and .name == "late")` |
# | a word | `keys`, `length` |

_PATH: Final = (
    r"\.(?:[A-Za-z_]\w*)?"  # `.name`, or only the dot
    r"(?:"
    r"\.[A-Za-z_]\w*"  # a further `.name`
    r"|\.?\[-?[0-9]*(?::-?[0-9]*)?\]"  # `[0]`, `[1:3]`, `[-1]`, `[]`
    r'|\.?\["[^"\\]*"\]'  # `["name"]`
    r")*"
    r"\??"  # `.name?`
)
_CONDITION: Final = (
    r"select\((?:"
    r'[^()"#\\]'  # any sign, but no parenthesis, as of `test("a")`, and no comment (`#`)
    r'|"(?:[^()"\\]|\\[^()])*"'  # a text `"a \"b\""`, but none with code: `"\(env)"`
    r")*\)"
)
_STAGE: Final = rf"(?:{_PATH}|{_CONDITION}|keys|length)"
_FILTER: Final = re2.compile(rf"\s*{_STAGE}(?:\s*[|,]\s*{_STAGE})*\s*")

_PRINTING_FUNCTION: Final = re2.compile(r'(?:^|[^\w."])(?:debug|stderr)\b')
"""A function that prints more than is selected. It needs no parentheses, so it could stand in a
condition: `select(debug)`. The field `.debug` is not meant."""
_MOST_FILTER_CHARS: Final = 1_000
"""The longest filter that is examined, in characters."""


def _only_selects(filter_text: str) -> bool:
    """Return True if a filter only selects parts of its input: `.rows[0].name`.

    `"fee: 7"`, `.fee + 7`, `env` and `[7]` do not: they are not stages. In doubt, return False:
    the output of the tool then proves nothing.
    """
    if not filter_text.isascii() or len(filter_text) > _MOST_FILTER_CHARS:
        return False
    is_selection = _FILTER.fullmatch(filter_text) is not None
    return is_selection and _PRINTING_FUNCTION.search(filter_text) is None


# The files that a run of a tool opened. An answer may cite them for what the tool has printed.
#
# This is only for tools whose output has nothing but text of these files:
#
# | command line | the output is |
# |---|---|
# | `cat /a.md` | the text of `/a.md` |
# | `jq .fee /a.json` | excerpts of `/a.json`, line by line, because the tool prints only parts |
# | `lookup /list.csv late` | excerpts, which do not prove the word `late`: `late: not found` |


@dataclass(frozen=True, slots=True)
class _OpenedFiles:
    """The files that a run of a tool opened. `files_of_command` finds them in a command line."""

    paths: Sequence[str]
    """Absolute paths."""
    other_names: Sequence[str]
    """Files without an absolute path, such as `mail/7.md`. It need not be `/mail/7.md`, so an
    answer may not cite that path for the output."""
    are_printed_whole: bool
    """False if the tool prints parts of the files, as `jq .name` does."""
    searched_words: str
    """The words that the tool looks up in the files, one in each line. It may print one
    that is not in any file (`late: not found`), so the output does not prove them."""

    @property
    def are_several(self) -> bool:
        """True if nobody can tell from which file a line of the output is."""
        return len(self.paths) + len(self.other_names) > 1

    def seen_texts(self, output: str) -> list[SeenText]:
        """Return the tool's output as texts of the files.

        It is one text if the tool prints whole files. If it prints only parts of them, each line
        with a word is an excerpt: `late: 21`, `---`, `fee: 7` -> excerpts `late: 21`, `fee: 7`.
        """
        if self.are_printed_whole:
            return [SeenText(output, unproven_words=self.searched_words)]
        excerpts: list[SeenText] = []
        for line in output.splitlines():
            if has_words(line):
                # `lines=()`: it is not known on which line of the file the excerpt stands.
                excerpts.append(
                    SeenText(line, TextKind.EXCERPT, self.searched_words, lines=())
                )
        return excerpts


# Finds the files that a tool opens, in its command line.
#
# After `cat /docs/fees.md`, an answer may cite this file for what the tool has printed. A script could
# cheat: `jq '"fee: 7"' /a.json` prints `fee: 7`, whatever the file says. So a file counts only if the
# output can have nothing but text of files:
#
#     cat /a.md                  -> /a.md, printed whole
#     jq .rows[0].name /a.json   -> /a.json, of which parts are printed
#     jq '"fee: 7"' /a.json      -> None: the tool prints a text of the script


def files_of_command(
    words: Sequence[str], declared: FileArguments | None
) -> _OpenedFiles | None:
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
    if not all(_only_selects(word) for word in words_before_files):
        return None
    return _OpenedFiles(
        paths=[name for name in names if _is_path(name)],
        other_names=[name for name in names if not _is_path(name)],
        are_printed_whole=not words_before_files and not words_after_files,
        searched_words="\n".join(words_after_files),
    )


def _is_path(name: str) -> bool:
    """Return True for an absolute path, which an answer may cite."""
    return name.startswith("/") and len(name) <= bounds.MOST_PATH_CHARS


# One run of a tool of the environment, a program such as `/bin/jq`.
#
# exec("/bin/jq", args=[".fee", "/a.json"]) -> {"stdout": "7", "stderr": "", "exit_code": 0}
#     -> ToolRun("/bin/jq", call, output="7"), with the `words` ".fee" and "/a.json"

HELP: Final = ("--help",)
"""The words with which a tool prints its help."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a tool."""

    path: str
    """The tool's path, as listings spell it."""
    call: ReturnedCall
    """The call that ran the tool, with its result."""
    output: str
    """The part of the tool's output that the model was shown."""

    @property
    def words(self) -> tuple[str, ...]:
        """The command line without the tool."""
        return self.call.arguments.command_line

    @property
    def has_stdin(self) -> bool:
        """True if the script passes a text to the tool, besides the command line."""
        return any(name != "args" for name in self.call.arguments.inputs)

    @property
    def exit_code(self) -> int:
        """0 if the tool succeeded, or returned no exit code; 1 if the code is not a number."""
        field_name = self.call.declared.exit_field or "exit_code"
        code = self.call.result.get(field_name, 0)
        return code if isinstance(code, int) else 1

    @property
    def has_failed(self) -> bool:
        """True if the tool ended with an exit code that is not 0."""
        return self.exit_code != 0
