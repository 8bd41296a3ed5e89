"""Adds the calls that read files to the evidence of a trial.

An answer may then cite a file for the text that was read in it. A call for `/fees.md` may reach the
file `/docs/fees.md`, so the text is added there:

    read("/fees.md")   -> {"path": "/docs/fees.md", "content": "Late return: 7 EUR"}
    is added           at /docs/fees.md: SeenText("Late return: 7 EUR")
    is returned        ["/fees.md"], for a note to the model: cite it as /docs/fees.md
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.call_arguments import echoable_words
from controlplane.agent.evidence.texts.returned_call import ReturnedCall, ShownText
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.paths import canonical
from controlplane.gates.trial import ScriptRun, SeenText, TextKind
from controlplane.sandbox.interface import Plain, bounds

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


def learn_reached_file(known_paths: KnownPaths, call: ReturnedCall) -> str:
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


# Keeps the scripts of a trial with their output.
#
# An answer may state a number that no file has, if a script has computed it. So the gates look
# for it here:
#
#     add("print(3 * 7)", "21")
#     runs  -> [ScriptRun("print(3 * 7)", printed="21")]


class ScriptRuns:
    """The scripts that ran in a trial. If they take too much memory, the earliest are dropped.

    The last ones matter most: they have computed the answer.
    """

    def __init__(self) -> None:
        self.runs: list[ScriptRun] = []

    def add(self, code: str, printed: str) -> None:
        """Add a script and its output so far.

        `code` is empty for a step without a script: the output then follows the last one.
        """
        if code:
            self.runs.append(ScriptRun(code))
        self.add_printed(printed)

    def add_printed(self, text: str) -> None:
        """Add a text to the output of the last script.

        The initial prompt counts as the output of an empty script that comes first.
        """
        if not self.runs:
            self.runs.append(ScriptRun(""))
        last_run = self.runs[-1]
        self.runs[-1] = replace(last_run, printed=last_run.printed + text)
        self._drop_earliest()

    def _drop_earliest(self) -> None:
        """Drop the earliest scripts until the others fit in the memory for scripts."""
        kept_chars = sum(_size_of(run) for run in self.runs)
        while kept_chars > bounds.MOST_KEPT_CHARS:
            kept_chars -= _size_of(self.runs.pop(0))


def _size_of(run: ScriptRun) -> int:
    """Return how many characters of memory a script takes with its output."""
    return len(run.code) + len(run.printed)


@dataclass(frozen=True, slots=True)
class FileReads:
    """Adds the calls of one trial that read files."""

    known_paths: KnownPaths
    """Learns which paths lead to the same file."""
    texts: PathTexts
    """Gets the texts, each at the path of its file."""
    scripts: ScriptRuns
    """The scripts of the trial, with what they printed."""

    def add(self, call: ReturnedCall) -> list[str]:
        """Add a read. Return the paths that the model has used for the file.

        This is the path by which the call has asked, or no path if the call shows no text.
        """
        text_field = call.declared.json_field  # `content`
        shown = call.shown_text(text_field)
        if call.is_of_initial_prompt:
            # The initial prompt shows the text, as if a script had printed it. An answer may
            # state what was printed.
            self.scripts.add_printed(shown.text)

        seen_texts = texts_of_read(call, shown)
        if not seen_texts:
            return []
        path = learn_reached_file(self.known_paths, call)
        for seen in seen_texts:
            self.texts.add_file_text(path, seen)
        return [call.requested_path]
