"""Adds to the evidence of a trial what its calls return: of files, and of tools such as `/bin/jq`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.evidence.evidence_parts import EvidenceParts
from controlplane.agent.evidence.paths import (
    KnownPaths,
    PathAliases,
)
from controlplane.agent.evidence.texts.passed_texts import (
    ReturnedCall,
    ShownText,
    echoable_words,
)
from controlplane.agent.evidence.texts.words import has_words
from controlplane.agent.failure_codes import failure_of
from controlplane.gates.paths import canonical
from controlplane.gates.quoting import quote
from controlplane.gates.trial import Change, SeenText, TextKind
from controlplane.sandbox.interface import (
    Effect,
    ExecutableKind,
    FileArguments,
    Plain,
    bounds,
    error_codes,
    is_truncated,
)

# Adds the calls that read files to the evidence of a trial.
#
# An answer may then cite a file for the text that was read in it. A call for `/fees.md` may reach the
# file `/docs/fees.md`, so the text is added there:
#
#     read("/fees.md")   -> {"path": "/docs/fees.md", "content": "Late return: 7 EUR"}
#     is added           at /docs/fees.md: SeenText("Late return: 7 EUR")
#     is returned        ["/fees.md"], for a note to the model: cite it as /docs/fees.md

# The path that a call has reached, which may not be the requested one.
#
# A script reads `/Loans.md`, and the result says that this is the file `/docs/Loans.md`. An answer
# has to cite the file by that path. The requested path is then its *alias*, and is remembered as one:
#
# | requested | path in the result | reached |
# |---|---|---|
# | `/Loans.md` | `/docs/Loans.md` | `/docs/Loans.md`, and `/Loans.md` is an alias |
# | `/fees.md` | none | `/fees.md` |
# | the tool `/BIN/jq` | none, but listings show `/bin/jq` | `/bin/jq` |


def _learn_reached_file(known_paths: KnownPaths, call: ReturnedCall) -> str:
    """Return the path of the file that a call has reached.

    Add the requested path as an alias if the result has another one. If the trial wrote the
    requested file, the reached one counts as written by it, too: its text proves nothing.
    """
    path = _learn_reached_path(known_paths, call)
    if known_paths.is_own(call.requested_path):
        known_paths.own.add(path)
    return path


def _learn_reached_tool(known_paths: KnownPaths, call: ReturnedCall) -> str:
    """Return the path of the tool that a call ran, as listings spell it: `/bin/jq` for `/BIN/jq`.

    Add the requested path as an alias if the result has another one.
    """
    path = _learn_reached_path(known_paths, call)
    return known_paths.spelling_of(path)


def _learn_reached_path(known_paths: KnownPaths, call: ReturnedCall) -> str:
    """Return the path in a call's result; the requested one if there is none, or a very long one."""
    path = call.result.get("path")
    if not isinstance(path, str) or not path.startswith("/"):
        return call.requested_path
    if len(path) > bounds.MOST_PATH_CHARS:
        return call.requested_path
    reached_path = canonical(path)
    # This adds an alias if the two paths are different.
    known_paths.aliases.learn_file(call.requested_path, reached_path)
    return reached_path


# Which lines of a file the result of a read shows.
#
# Citations name them: `/fees.md` line 42. The result of the read tells the numbers:
#
#     {"columns": ["count"], "rows": [{"count": 12}], "lines": []}    -> (), a computed row
#     {"columns": ["fee"], "rows": [...], "lines": [7, 9]}            -> (1, 7, 9), rows of a table
#     {"line": 40, "content": "Fee: 7 EUR"}                           -> (40,), a text from line 40 on
#     {"content": "Fee: 7 EUR"}                                       -> (1,), a whole file


def _shown_lines(
    arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> tuple[int, ...]:
    """Return the numbers that the lines of a result have in the file.

    Of a text, only the first line's number is returned, such as 40: the next line is line 41.
    """
    if _has_computed_rows(result):
        return ()
    row_lines = result.get("lines")
    if isinstance(row_lines, list):
        numbers = [number for number in row_lines if isinstance(number, int)]
        return (1, *numbers)  # The heading, in line 1 of the file, is shown, too.
    # Without a `line` in the result, it is the line from which the call asked to read.
    first_line = result.get("line") or arguments.get("start_line")
    if isinstance(first_line, int) and first_line > 0:
        return (first_line,)
    return (1,)


def _columns_of_computed_rows(result: Mapping[str, Plain]) -> str:
    """Return the column names of a query whose rows are computed: `name, fee`. Otherwise empty."""
    names = result.get("columns")
    if not _has_computed_rows(result) or not isinstance(names, list):
        return ""
    return ", ".join(str(name) for name in names)


def _has_computed_rows(result: Mapping[str, Plain]) -> bool:
    """Return True for the result of a query whose rows are not lines of the file."""
    return result.get("lines") == []


# What a read has shown of a file: the texts for which an answer may cite the file.
#
# | call | shows | texts |
# |---|---|---|
# | `read("/fees.md")` | `Late return: 7 EUR` | this one, the `WHOLE` file |
# | `read("/fees.md", start_line=40)` | `---` | none: an excerpt without a word proves nothing |
# | `read("/fees.md", start_line=42)` | `Damage: 12 EUR` | this one, an `EXCERPT` from line 42 on |
# | a query for `count(*)` of `/fees.csv` | `21` | `count`, a heading; and `21`, which is `COMPUTED` |


def _texts_of_read(call: ReturnedCall, shown: ShownText) -> list[SeenText]:
    """Return the texts of a file that a call has read. `shown` is what was shown of its result."""
    kind = TextKind.WHOLE
    if not shown.is_whole or _may_have_left_out_lines(call):
        kind = TextKind.EXCERPT
        if not has_words(shown.text):
            return []

    # The words of the call's arguments. The text may only echo them, so they prove nothing.
    passed_words = echoable_words(call.arguments)
    # The names of computed columns, such as `count`; empty if the result has lines of the file.
    columns = _columns_of_computed_rows(call.result)
    if not columns:
        lines = _shown_lines(call.arguments.values, call.result)
        return [SeenText(shown.text, kind, passed_words, lines=lines)]

    # A query may compute any value. Only the names of the columns are surely from the file.
    heading = SeenText(columns, kind, passed_words, lines=())
    rows = SeenText(shown.text, TextKind.COMPUTED, passed_words, lines=())
    return [heading, rows]


def _may_have_left_out_lines(call: ReturnedCall) -> bool:
    """Return True if a result may not have all lines of the file.

    It may say so itself (`truncated`). And any argument but the path may ask for a part: for
    example `start_line=40`.
    """
    has_further_arguments = bool(call.arguments.inputs)
    return is_truncated(call.result) or has_further_arguments


def add_read(parts: EvidenceParts, call: ReturnedCall) -> list[str]:
    """Add a call that has read a file. Return the paths that the model has used for the file.

    This is the path by which the call has asked, or no path if the call shows no text.
    """
    text_field = call.declared.json_field  # `content`
    shown = call.shown_text(text_field)
    if call.is_of_initial_prompt:
        # The initial prompt shows the text, as if a script had printed it. An answer may
        # state what was printed.
        parts.scripts.add_printed(shown.text)

    seen_texts = _texts_of_read(call, shown)
    if not seen_texts:
        return []
    path = _learn_reached_file(parts.known_paths, call)
    for seen in seen_texts:
        parts.add_file_text(path, seen)
    return [call.requested_path]


# Adds calls that list folders or search in files to the evidence of a trial.
#
# They show which files there are, and a search also shows lines of them:
#
#     list("/docs")   -> {"entries": [{"path": "/docs/fees.md"}]}
#     search("late")  -> {"matches": [{"path": "/docs/fees.md", "line": 4, "text": "late: 7 EUR"}]}
#
# After the search, an answer may cite `/docs/fees.md` for line 4. After the listing alone, it may not.

# Lines of a file, as the result of a search has them.
#
# An answer may cite a file for the lines that a search has found. A result has a list of matches,
# each with one line or some lines of a file. Items of other forms have nothing that could be cited:
#
#     FoundLines.of({"path": "/a.md", "line": 3, "text": "fee: 7"})
#         -> FoundLines("/a.md", "fee: 7", first_line=3)
#     FoundLines.of({"name": "a.md"})   -> None


@dataclass(frozen=True, slots=True)
class _FoundLines:
    """Adjacent lines of a file."""

    path: str
    text: str
    first_line: int | None
    """The number of the first line, from 1. None if it is not known."""

    @classmethod
    def of(cls, match: object) -> _FoundLines | None:
        """Return the lines in an item of a result's list; None if the item is not a match."""
        if not isinstance(match, dict):
            return None
        path = match.get("path")
        text = match.get("text")
        if not isinstance(path, str) or not isinstance(text, str):
            return None
        if not path.startswith("/") or len(path) > bounds.MOST_PATH_CHARS:
            return None
        # If the text begins before the matching line, the field `first` says where.
        first_line = match.get("first", match.get("line"))
        return cls(path, text, first_line if isinstance(first_line, int) else None)

    @property
    def line_numbers(self) -> tuple[int, ...]:
        """The line numbers as `SeenText` has them: `(3,)` stands for line 3 and those after it.

        Empty if they are not known.
        """
        if self.first_line is None or self.first_line <= 0:
            return ()
        return (self.first_line,)

    def follows(self, earlier: _FoundLines) -> bool:
        """Return True if this text begins on the line after `earlier`, in the same file."""
        if self.path != earlier.path:
            return False
        if self.first_line is None or earlier.first_line is None:
            return False
        # Some servers end each line with its line break, which begins no further line.
        earlier_lines = earlier.text.removesuffix("\n").count("\n") + 1
        return self.first_line == earlier.first_line + earlier_lines


# Reads the lines of files in the result of a search.
#
# Lines that follow each other in a file are joined to one text, because a quotation may run over
# several lines. For a result with the lines 3 (`fee: 7`), 4 (`due: May`) and 9 (`rent: 40`) of `/a.md`:
#
#     FoundLines("/a.md", "fee: 7\ndue: May", first_line=3)
#     FoundLines("/a.md", "rent: 40", first_line=9)


def _found_lines(result: Mapping[str, Plain]) -> Iterator[_FoundLines]:
    """Yield the lines in a result. Adjacent lines are joined to one text."""
    adjacent: list[_FoundLines] = []
    for match in _matches(result):
        if adjacent and not match.follows(adjacent[-1]):
            yield _joined(adjacent)
            adjacent = []
        adjacent.append(match)
    if adjacent:
        yield _joined(adjacent)


def _matches(result: Mapping[str, Plain]) -> Iterator[_FoundLines]:
    """Yield the matches in the lists of a result: `{"matches": [...], "count": 3}`."""
    for items in result.values():
        if not isinstance(items, list):
            continue
        for item in items:
            match = _FoundLines.of(item)
            if match is not None:
                yield match


def _joined(adjacent: Sequence[_FoundLines]) -> _FoundLines:
    """Return adjacent lines as one text."""
    text = "\n".join(match.text for match in adjacent)
    return _FoundLines(adjacent[0].path, text, adjacent[0].first_line)


def add_listing(parts: EvidenceParts, call: ReturnedCall) -> tuple[str, ...]:
    """Add a listing or a search. Return earlier paths that turn out to be aliases.

    `/fees.md`, which was read before, is one if only `/docs/fees.md` is listed.
    """
    folder = call.requested_path or "/"
    new_aliases = parts.known_paths.learn_listing(folder, call.result)
    if call.shown_chars == 0:
        return new_aliases  # The initial prompt shows none of the lines.

    # The lines of a search are excerpts of their files.
    for found in _found_lines(call.result):
        if has_words(found.text):
            excerpt = SeenText(found.text, TextKind.EXCERPT, lines=found.line_numbers)
            parts.add_file_text(canonical(found.path), excerpt)
    return new_aliases


# What is learnt about files from a call that has failed.
#
# A write may time out although the environment has made it. If the script then reads the file, it
# may read its own text, which proves nothing. So the file counts as the trial's *own*:
#
# | failed call | its error | what is learnt |
# |---|---|---|
# | `read("/a.md")` | `not_found` | there is no `/a.md` |
# | `write("/a.md", ...)` | `deadline_exceeded` | `/a.md` may be the trial's own |
# | `move("/a.md", "/b.md")` | `deadline_exceeded` | `/a.md` and `/b.md` may be the trial's own |
# | `exec("/bin/odd")` | `deadline_exceeded` | files may have appeared that were missing |

_EFFECTS_ON_FILES: Final = (Effect.WRITES, Effect.DELETES, Effect.MOVES)


def learn_from_failure(
    known_paths: KnownPaths, call: ReturnedCall, code: str, *, may_change: bool
) -> None:
    """Learn from a call that failed with an error code.

    `may_change` is true if the call would change something, or may do so.
    """
    path = call.requested_path
    if code == error_codes.NOT_FOUND and path:
        known_paths.files.learn_missing(path)

    may_have_changed = may_change and failure_of(code).in_doubt
    if not may_have_changed:
        return
    known_paths.files.forget_missing()
    if call.declared.effect in _EFFECTS_ON_FILES:
        known_paths.own.add(path)
    if call.target_path:
        known_paths.own.add_moved(path, call.target_path)


# Adds calls that write, delete or move files to the evidence of a trial.
#
# The gates compare these changes with the answer, which may say "I have saved the report":
#
#     write("/report.md", ...)   -> Change("/report.md", "write")
#     delete("/old.md")          -> Change("/old.md", "delete")
#     move("/a.md", "/b.md")     -> Change("/a.md", "delete"), Change("/b.md", "write")


def add_change(parts: EvidenceParts, call: ReturnedCall) -> list[str]:
    """Add a call that wrote, deleted or moved a file. Return the path by which it has asked."""
    made = parts.changes.made
    path = _learn_reached_file(parts.known_paths, call)
    target = call.target_path
    if call.declared.effect is Effect.WRITES:
        parts.add_written(path, call.arguments.written_text)
        made.append(Change(path, "write"))
    elif call.declared.effect is Effect.MOVES and target:
        parts.add_moved(path, target)
        made.append(Change(path, "delete"))
        made.append(Change(target, "write"))
    else:  # A move without a target is a deletion, too.
        parts.add_deleted(path)
        made.append(Change(path, "delete"))
    return [call.requested_path]


# Adds calls of a server's tools, such as `wiki.search`, to the evidence of a trial.
#
# These calls are not about a file. So each result has a path of its own, in its field `call_path`:
#
#     wiki.search("late fees")  -> {"call_path": "/calls/search/4", "text": "late fees are 7 EUR"}
#
# An answer may cite `/calls/search/4` for the 7 EUR. The words `late` and `fees` are *unproven*,
# because the server may only echo them. The gates (the rules for answers) take them as no proof.


def add_server_result(parts: EvidenceParts, call: ReturnedCall) -> None:
    """Add a call: its result as a text and, if it is one such as `mail.send`, a change."""
    path = _path_of_result(call.result)
    # A change may have no path. Then the answer has to report it all the same.
    parts.changes.add_action(call.declared, path)
    if not path:
        return  # An answer cannot cite the result.

    text = call.shown_text().text
    # `of_next_call` also counts what was sent, as a later result may return it.
    unproven_words = parts.unproven_words.of_next_call(call.arguments, text)
    no_lines = ()  # The text is not of a file, so its lines have no numbers.
    seen = SeenText(text, unproven_words=unproven_words, lines=no_lines)
    parts.add_returned_text(path, "read", seen)
    parts.known_paths.learn_path(path)


def _path_of_result(result: Mapping[str, Plain]) -> str:
    """Return the path by which a result is cited; empty if it has none, or a very long one."""
    path = result.get("call_path")
    if not isinstance(path, str) or not path.startswith("/"):
        return ""
    return path if len(path) <= bounds.MOST_PATH_CHARS else ""


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
#     -> _ToolRun("/bin/jq", call, output="7"), with the `words` ".fee" and "/a.json"

HELP: Final = ("--help",)
"""The words with which a tool prints its help."""


@dataclass(frozen=True, slots=True)
class _ToolRun:
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


def _failure_notes(run: _ToolRun) -> tuple[str, ...]:
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
    parts: EvidenceParts, run: _ToolRun, declared: FileArguments | None
) -> list[str]:
    """Add the output of a tool as text of the files that it opened, and return their paths.

    Files that are known not to exist are left out. `declared` says which words of the command
    line are files; None if the tool does not declare it.
    """
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
    paths = [path for path in requested_paths if parts.may_be_file(path)]
    for path in paths:
        for seen in seen_texts:
            parts.add_file_text(path, seen)
    return paths


# Adds the outputs of tools to the evidence, each as a text at the path of its tool.
#
# After `exec("/bin/date")` has printed `12 May`, an answer may cite `/bin/date` for this date. But a
# script could run `/bin/echo 7`, and cite the 7. So an output that the script may have chosen counts as
# its own text, which proves nothing:
#
#     /bin/date prints `12 May`   proof
#     /bin/echo 7 prints `7`      the script's own, as for all arguments and input


def _add_output(parts: EvidenceParts, run: _ToolRun) -> None:
    """Add the output of a run at the path of its tool."""
    is_declared = any(tool.path == run.path for tool in parts.tool_schema.executables)
    if run.has_failed and not is_declared:
        return  # There may be no such tool: the script may have misspelt its name.

    kind = TextKind.WHOLE
    has_input = bool(run.call.arguments.inputs)  # arguments, or a text as stdin
    if run.has_failed or has_input or parts.known_paths.is_own(run.path):
        kind = TextKind.OWN  # The script may have chosen what the tool prints.
    seen = SeenText(
        run.output,
        kind,
        # The words that the script passed, which the output may only echo.
        unproven_words=echoable_words(run.call.arguments),
        lines=(),  # The text has no line numbers of a file.
    )
    parts.add_returned_text(run.path, "execute", seen)


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
    known_paths = parts.known_paths
    path = _learn_reached_tool(known_paths, call)
    run = _ToolRun(path, call, call.shown_text().text)
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
