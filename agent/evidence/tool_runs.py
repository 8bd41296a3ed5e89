"""Adds the calls that run a tool, a program such as `/bin/jq`, to the evidence of a trial."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.evidence.evidence_parts import EvidenceParts
from controlplane.agent.evidence.file_results import (
    learn_reached_tool,
)
from controlplane.agent.evidence.paths import (
    PathAliases,
)
from controlplane.agent.evidence.texts.call_arguments import (
    ReturnedCall,
    echoable_words,
)
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.paths import canonical
from controlplane.gates.quoting import quote
from controlplane.gates.trial import SeenText, TextKind
from controlplane.sandbox.interface import (
    ExecutableKind,
    FileArguments,
    bounds,
)

# Runs of an environment's tools, programs such as `/bin/jq`, and what an answer may cite of them.

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


# The note for the model that a tool has failed.
#
# A script may not look at the exit code of a tool, and take its complaint for an answer. So the model
# is told, with the beginning of what the tool has printed:
#
#     exec("/bin/jq", args=["fee", "/docs/Fees.json"]) -> {"exit_code": 3, "stderr": "compile error"}
#         -> "`/bin/jq` ended with exit code 3: `compile error`"

_MOST_COMPLAINT_CHARS: Final = 300
"""How many characters of a failed tool's output a note quotes."""


def _failure_notes(run: ToolRun) -> tuple[str, ...]:
    """Return the note on a run that has failed.

    There is none if the environment does not declare in which field of a result the exit code
    is: the code is then only a guess.
    """
    if not run.call.declared.exit_field:
        return ()
    note = f"{quote(run.path)} ended with exit code {run.exit_code}"
    result = run.call.result
    complaint = str(result.get("stderr") or result.get("stdout") or "").strip()
    if not complaint:
        return (f"{note} and said nothing.",)
    return (f"{note}: {quote(complaint, _MOST_COMPLAINT_CHARS)}",)


# Adds what tools print of files to the evidence, so that an answer may cite these files.
#
# After `cat /docs/fees.md` has printed `fee: 7`, an answer may cite `/docs/fees.md` for this fee. But
# a script could let a tool print words of its own, and cite the file for them. So an output is added
# only if all of it is text of files:
#
#     cat /docs/fees.md                         is added
#     cat /docs/fees.md, with a text as stdin   is not: the output may be this text
#     cat /docs/fees.md /note.md                is not, if the script may have written `/note.md`


def _add_printed_files(
    parts: EvidenceParts, run: ToolRun, declared: FileArguments | None
) -> list[str]:
    """Add the output of a tool as text of the files that it opened, and return their paths.

    Files that are known not to exist are left out. `declared` says which words of the command
    line are files; None if the tool does not declare it.
    """
    workspace = parts.workspace
    opened = None if run.has_stdin else files_of_command(run.words, declared)
    if opened is None:
        return []
    if parts.changes.has_changing_calls and opened.are_several:
        return []  # A line may be from a file that the script has written.

    seen_texts = opened.seen_texts(run.output)
    # The initial prompt may show the model only the beginning of an output. If this has no
    # word, such as `---`, the model has not read the file.
    is_unread = run.call.is_of_initial_prompt and not has_words(run.output)
    if is_unread or not seen_texts:
        return []

    requested_paths = [canonical(path) for path in opened.paths]
    paths = [path for path in requested_paths if workspace.may_be_file(path)]
    for path in paths:
        for seen in seen_texts:
            workspace.texts.add_file_text(path, seen)
    return paths


# Adds the outputs of tools to the evidence, each as a text at the path of its tool.
#
# After `exec("/bin/date")` has printed `12 May`, an answer may cite `/bin/date` for this date. But a
# script could run `/bin/echo 7`, and cite the 7. So an output that the script may have chosen counts as
# its own text, which proves nothing:
#
#     /bin/date prints `12 May`   proof
#     /bin/echo 7 prints `7`      the script's own, as for all arguments and input


def _add_output(parts: EvidenceParts, run: ToolRun) -> None:
    """Add the output of a run at the path of its tool."""
    workspace = parts.workspace
    is_declared = any(tool.path == run.path for tool in parts.tool_schema.executables)
    if run.has_failed and not is_declared:
        return  # There may be no such tool: the script may have misspelt its name.

    kind = TextKind.WHOLE
    has_input = bool(run.call.arguments.inputs)  # arguments, or a text as stdin
    if run.has_failed or has_input or workspace.known_paths.is_own(run.path):
        kind = TextKind.OWN  # The script may have chosen what the tool prints.
    seen = SeenText(
        run.output,
        kind,
        # The words that the script passed, which the output may only repeat.
        unproven_words=echoable_words(run.call.arguments),
        lines=(),  # The text has no line numbers of a file.
    )
    workspace.texts.add_returned_text(run.path, "execute", seen)


# Tells the model which of the paths that it has used are aliases of a file.
#
# A call for `/Loans.md` may reach the file that listings show as `/docs/Loans.md`. An answer has to
# cite the file by the listed path, so the model is told after the call:
#
#     alias_notes(["/Loans.md", "/docs/fees.md"], aliases)
#         -> ("`/Loans.md` is `/docs/Loans.md`: cite it by that path.",)


def alias_notes(used_paths: Iterable[str], aliases: PathAliases) -> tuple[str, ...]:
    """Return a note for each used path that is an alias: it must be cited by another path."""
    notes: list[str] = []
    for path in used_paths:
        cited_path = aliases.path_to_cite(path)
        if cited_path != path:
            notes.append(f"{quote(path)} is {quote(cited_path)}: cite it by that path.")
    return tuple(notes)


# Adds the calls that run a tool of the environment, a program such as `/bin/jq`, to the evidence.
#
# An answer may then cite the tool's path for its output. What else is added depends on the tool's
# declaration:
#
# | run | is added |
# |---|---|
# | `/bin/jq --help` | nothing: it is not about the workspace |
# | one that failed | the output, but not as proof. The model gets a note |
# | `/bin/jq .fee /a.json`, which only reads | the output, at `/bin/jq` and at `/a.json` |
# | `/bin/set fee 7`, which changes something | the output, at `/bin/set`, and a change |
# | `/bin/odd`, which does not declare what it does | the output, and an *unclear* tool |


def add_tool_run(parts: EvidenceParts, call: ReturnedCall) -> tuple[str, ...]:
    """Add a run of a tool. Return notes for the model: that it has failed, or used aliases."""
    if call.arguments.command_line == HELP:
        return ()
    known_paths = parts.workspace.known_paths
    path = learn_reached_tool(known_paths, call)
    run = ToolRun(path, call, call.shown_text().text)
    if call.is_of_initial_prompt:
        # The initial prompt shows the output, so it counts as printed.
        parts.scripts.add_printed(run.output)
    # The output of a run that failed, or that the script may have chosen, is no proof there.
    _add_output(parts, run)

    tool = parts.tool_schema.executable(path)
    only_reads = tool.kind is ExecutableKind.READS
    if not only_reads:
        # Even a run that failed may have created files that were missing before.
        known_paths.files.forget_missing()
    if run.has_failed:
        return _failure_notes(run)
    if not only_reads:
        # By its kind, the tool counts as one that changes something, or as unclear.
        parts.changes.add_run(path, tool.kind)
        return ()
    opened_paths = _add_printed_files(parts, run, tool.files)
    return alias_notes(opened_paths, known_paths.aliases)
