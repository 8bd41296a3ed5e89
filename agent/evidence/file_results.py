"""Adds the calls that read, list, change or search files to the evidence of a trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.evidence_parts import EvidenceParts
from controlplane.agent.evidence.paths import KnownPaths
from controlplane.agent.evidence.texts.call_arguments import (
    ReturnedCall,
    ShownText,
    echoable_words,
)
from controlplane.agent.evidence.texts.words import has_words
from controlplane.agent.failure_codes import failure_of
from controlplane.gates.paths import canonical
from controlplane.gates.trial import Change, SeenText, TextKind
from controlplane.sandbox.interface import (
    Effect,
    Plain,
    bounds,
    error_codes,
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


def learn_reached_tool(known_paths: KnownPaths, call: ReturnedCall) -> str:
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


def shown_lines(
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


def texts_of_read(call: ReturnedCall, shown: ShownText) -> list[SeenText]:
    """Return the texts of a file that a call has read. `shown` is what was shown of its result."""
    kind = TextKind.WHOLE
    if not shown.is_whole or _may_have_left_out_lines(call):
        kind = TextKind.EXCERPT
        if not has_words(shown.text):
            return []

    # The words of the call's arguments. The text may only repeat them, so they prove nothing.
    passed_words = echoable_words(call.arguments)
    # The names of computed columns, such as `count`; empty if the result has lines of the file.
    columns = _columns_of_computed_rows(call.result)
    if not columns:
        lines = shown_lines(call.arguments.values, call.result)
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
    is_cut_off = call.result.get("truncated") is True
    has_further_arguments = bool(call.arguments.inputs)
    return is_cut_off or has_further_arguments


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

    seen_texts = texts_of_read(call, shown)
    if not seen_texts:
        return []
    path = _learn_reached_file(parts.workspace.known_paths, call)
    for seen in seen_texts:
        parts.workspace.texts.add_file_text(path, seen)
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


def found_lines(result: Mapping[str, Plain]) -> Iterator[_FoundLines]:
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
    workspace = parts.workspace
    folder = call.requested_path or "/"
    new_aliases = workspace.known_paths.learn_listing(folder, call.result)
    if call.shown_chars == 0:
        return new_aliases  # The initial prompt shows none of the lines.

    # The lines of a search are excerpts of their files.
    for found in found_lines(call.result):
        if has_words(found.text):
            excerpt = SeenText(found.text, TextKind.EXCERPT, lines=found.line_numbers)
            workspace.texts.add_file_text(canonical(found.path), excerpt)
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
    workspace = parts.workspace
    made = parts.changes.made
    path = _learn_reached_file(workspace.known_paths, call)
    target = call.target_path
    if call.declared.effect is Effect.WRITES:
        workspace.changed_files.write(path, call.arguments.written_text)
        made.append(Change(path, "write"))
    elif call.declared.effect is Effect.MOVES and target:
        workspace.changed_files.move(path, target)
        made.append(Change(path, "delete"))
        made.append(Change(target, "write"))
    else:  # A move without a target is a deletion, too.
        workspace.changed_files.delete(path)
        made.append(Change(path, "delete"))
    return [call.requested_path]


# Adds calls of a server's tools, such as `wiki.search`, to the evidence of a trial.
#
# These calls are not about a file. So each result has a path of its own, in its field `call_path`:
#
#     wiki.search("late fees")  -> {"call_path": "/calls/search/4", "text": "late fees are 7 EUR"}
#
# An answer may cite `/calls/search/4` for the 7 EUR. The words `late` and `fees` are *unproven*,
# because the server may only repeat them. The gates (the rules for answers) take them as no proof.


def add_server_result(parts: EvidenceParts, call: ReturnedCall) -> None:
    """Add a call: its result as a text and, if it is one such as `mail.send`, a change."""
    path = _path_of_result(call.result)
    # A change may have no path. Then the answer has to report it all the same.
    parts.changes.add_action(call.declared, path)
    if not path:
        return  # An answer cannot cite the result.

    workspace = parts.workspace
    text = call.shown_text().text
    # `of_next_call` also counts what was sent, as a later result may return it.
    unproven_words = workspace.words.unproven.of_next_call(call.arguments, text)
    no_lines = ()  # The text is not of a file, so its lines have no numbers.
    seen = SeenText(text, unproven_words=unproven_words, lines=no_lines)
    workspace.texts.add_returned_text(path, "read", seen)
    workspace.known_paths.learn_path(path)


def _path_of_result(result: Mapping[str, Plain]) -> str:
    """Return the path by which a result is cited; empty if it has none, or a very long one."""
    path = result.get("call_path")
    if not isinstance(path, str) or not path.startswith("/"):
        return ""
    return path if len(path) <= bounds.MOST_PATH_CHARS else ""
