"""Reads a call's result: which text the model has seen, and which files a tool opened.

A result may repeat arguments of its call. Repeated words prove nothing, even in another
form, such as decoded from base64. `text_forms.py` lists the forms, and `own_words.py`
remembers the words of scripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.evidence.text_forms import forms_of
from controlplane.sandbox.interface import (
    Effect,
    FileArguments,
    Operation,
    Plain,
    bounds,
)

_FIELDS_ABOUT_FILES: Final = frozenset(
    {"path", "sha256", "content_type", "name", "truncated", "exit_code", "call_path"}
)
"""Result fields that describe a file or a call, and are not text of the file."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """The part of a result's text that the model was shown."""

    text: str
    is_whole: bool
    """False if the end of the result's text was cut off."""


@dataclass(frozen=True, slots=True)
class ReturnedCall:
    """One call with its declaration, arguments and result.

    Created when a call returns, to read its result. Not kept.
    """

    declared: Operation
    requested_path: str
    """The path argument in canonical form. Empty if the call has no path."""
    arguments: Mapping[str, Plain]
    result: Mapping[str, Plain]
    shown_chars: int | None = None
    """How many characters of the text the model was shown. None for the whole text."""

    @property
    def given_names(self) -> set[str]:
        """The names of all arguments but the path and those with their default
        value."""
        defaults = {
            parameter.name: parameter.default for parameter in self.declared.parameters
        }
        names: set[str] = set()
        for name, value in self.arguments.items():
            if name != self.declared.subject and value != defaults.get(name):
                names.add(name)
        return names

    @property
    def given_arguments(self) -> list[Plain]:
        """All arguments but the path and those with their default value, sorted by
        name."""
        return [self.arguments[name] for name in sorted(self.given_names)]

    @property
    def repeatable_arguments(self) -> list[Plain]:
        """The given arguments that the result may repeat.

        The result of a call for files repeats only texts, such as the pattern of a
        search. It does not repeat numbers: after a read from line 3 on, a 3 in the text
        is from the file.
        """
        if self.declared.effect not in (Effect.READS, Effect.LISTS, Effect.EXECUTES):
            return self.given_arguments
        texts: list[Plain] = []
        for argument in self.given_arguments:
            items = argument if isinstance(argument, list) else [argument]
            texts.extend(item for item in items if isinstance(item, str))
        return texts

    @property
    def repeatable_text(self) -> str:
        """All arguments that the result may repeat, in every form that a tool may give
        them.

        Each form is one line. For the argument `caf\\u00e9`, two of the lines are
        `caf\\u00e9` and `café`.
        """
        forms: list[str] = []
        for text in leaves_of(self.repeatable_arguments):
            forms.extend(forms_of(text))
        distinct_forms = dict.fromkeys(forms)  # in their order, each once
        return "\n".join(distinct_forms)

    @property
    def exit_code(self) -> int:
        """The exit code of a tool; 1 if it is not a number."""
        code = self.result.get(self.declared.exit_field or "exit_code", 0)
        return code if isinstance(code, int) else 1

    @property
    def complaint(self) -> str:
        """The stderr of a tool that failed, or else its stdout; empty if the tool
        succeeded."""
        if self.exit_code == 0:
            return ""
        printed = self.result.get("stderr") or self.result.get("stdout") or ""
        return str(printed).strip()

    def shown_text(self, field_name: str = "") -> ShownText:
        """Return the text of the result that the model was shown.

        The text is in the field `field_name`, or else in the field `content`. If the
        result has neither, all its texts and numbers are joined, one in each line.
        """
        named_text = self.result.get(field_name)
        content = self.result.get("content")
        if isinstance(named_text, str):
            text = named_text
        elif isinstance(content, str):
            text = content
        else:
            text = "\n".join(_texts_in(self.result))
        if self.shown_chars is None:
            return ShownText(text, is_whole=True)
        shown = text[: max(self.shown_chars, 0)]
        return ShownText(shown, is_whole=len(shown) == len(text))

    def written_text(self) -> str:
        """Return the text that a call writes: all its text arguments but the path."""
        texts: list[str] = []
        for name, value in self.arguments.items():
            if name != self.declared.subject and isinstance(value, str):
                texts.append(value)
        return "\n".join(texts)

    def given_texts(self) -> list[str]:
        """Return the texts, numbers and names in the given arguments."""
        return list(leaves_of(self.given_arguments))

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of the shown lines in their file. Empty if the text has no lines
        of it.

        A text may go on after the last number: `(5,)` is a text on the lines 5, 6, 7
        and so on. `(1, 7, 12)` is the heading of a table with its rows on the lines 7
        and 12.
        """
        if self.has_computed_rows:
            return ()

        # 1. The result of a query has the line of each row. The heading is on line 1.
        row_lines = self.result.get("lines")
        if isinstance(row_lines, list):
            numbers = [number for number in row_lines if isinstance(number, int)]
            return (1, *numbers)

        # 2. Any other result is a whole text, or a part that begins on a given line.
        first_line = self.result.get("line") or self.arguments.get("start_line")
        if isinstance(first_line, int) and first_line > 0:
            return (first_line,)
        return (1,)

    @property
    def has_computed_rows(self) -> bool:
        """True for a query whose rows are not lines of the file, such as counts.

        Its result lists no lines: `{"columns": ["count"], "rows": [{"count": 3}],
        "lines": []}`.
        """
        return self.result.get("lines") == []

    @property
    def columns_of_computed_rows(self) -> str:
        """The column names of a query whose rows are computed: `name, fee`. Otherwise
        empty."""
        names = self.result.get("columns")
        if not self.has_computed_rows or not isinstance(names, list):
            return ""
        return ", ".join(str(name) for name in names)

    def shown_lines(self) -> Iterator[ShownLines]:
        """Yield the lines of files in a search's result. Adjacent lines are joined to
        one text."""
        run: list[_Match] = []
        for match in self._matches():
            if run and not match.follows(run[-1]):
                yield _run_of(run)
                run = []
            run.append(match)
        if run:
            yield _run_of(run)

    def _matches(self) -> Iterator[_Match]:
        """Yield the matches in a search's result; none if the model was shown nothing
        of it."""
        if self.shown_chars == 0:
            return
        for value in self.result.values():
            if not isinstance(value, list):
                continue
            for item in value:
                match = _match_of(item)
                if match is not None:
                    yield match


@dataclass(frozen=True, slots=True)
class ShownLines:
    """Adjacent lines of a file in a search's result."""

    path: str
    text: str
    lines: tuple[int, ...]
    """The number of the first line, as `(3,)`. Empty if it is not known."""


@dataclass(frozen=True, slots=True)
class _Match:
    """One item of a search's result: some lines of a file."""

    path: str
    line: int | None
    """The number of the first line, from 1. None if it is not known."""
    text: str

    def follows(self, earlier: _Match) -> bool:
        """Return True if this is the line after `earlier`, in the same file."""
        if self.path != earlier.path or self.line is None or earlier.line is None:
            return False
        return self.line == earlier.line + 1


def _match_of(item: object) -> _Match | None:
    """Return the match in an item of a list; None if the item is not a match.

    A match looks like `{"path": "/a.md", "line": 3, "text": "fee"}`. If the text also
    has the lines before line 3, the field `first` is the number of the first one.
    """
    if not isinstance(item, dict):
        return None
    path = item.get("path")
    text = item.get("text")
    if not isinstance(path, str) or not isinstance(text, str):
        return None
    if not path.startswith("/") or len(path) > bounds.MOST_PATH_CHARS:
        return None
    line = item.get("first", item.get("line"))
    return _Match(path, line if isinstance(line, int) else None, text)


def _run_of(matches: Sequence[_Match]) -> ShownLines:
    """Return adjacent matches, joined to one text."""
    first = matches[0]
    lines: tuple[int, ...] = ()
    if first.line is not None and first.line > 0:
        lines = (first.line,)
    text = "\n".join(match.text for match in matches)
    return ShownLines(first.path, text, lines)


def words_given(arguments: Mapping[str, Plain]) -> tuple[str, ...]:
    """Return the words of a tool's command line: `{"args": ["-n", "/a.md"]}` -> `-n`,
    `/a.md`."""
    words = arguments.get("args")
    if not isinstance(words, list):
        return ()
    return tuple(str(word) for word in words)


def has_words(text: str) -> bool:
    """Return True if a text has a letter or a digit. Other texts show nothing of their
    file."""
    return any(char.isalnum() for char in text)


def _texts_in(value: object) -> list[str]:
    """Return the texts and numbers in a result, without the fields that describe files.

    `{"rows": [{"fee": 7}, "late"], "truncated": false}` -> `7`, `late`
    """
    items: list[object] = []
    if isinstance(value, Mapping):
        items = [
            item for name, item in value.items() if name not in _FIELDS_ABOUT_FILES
        ]
    elif isinstance(value, list):
        items = value
    texts: list[str] = []
    for item in items:
        if isinstance(item, str | int | float):
            texts.append(str(item))
        else:
            texts += _texts_in(item)
    return texts


def leaves_of(value: Plain) -> Iterator[str]:
    """Yield the texts, numbers and names in plain data: `{"fee": [7, "eur"]}` -> `fee`,
    `7`, `eur`.

    For a list of letters, also yield the word that they spell, because a tool may join
    them: `["v", "a", "t"]` -> `vat`, `v`, `a`, `t`.
    """
    if value is None:
        return
    items: list[Plain]
    if isinstance(value, dict):
        items = [
            *value,
            *value.values(),
        ]  # A dictionary is read like a list of names and values.
    elif isinstance(value, list):
        items = value
    else:
        yield str(value)
        return

    if len(items) > 1 and all(_may_be_part_of_word(item) for item in items):
        yield "".join(str(item) for item in items)
    for item in items:
        yield from leaves_of(item)


def _may_be_part_of_word(item: Plain) -> bool:
    """Return True if an item of a list has at most two characters: `v`, `7`, `au`."""
    return isinstance(item, str | int) and len(str(item)) <= 2


# --- Files that a tool opened ---

# jq prints the parts of a JSON file that its filter selects. A filter can also print
# other text. A filter that consists of the following pieces only selects.
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
    """Return True if an argument of a tool is a filter that only selects:
    `.rows[0].name`."""
    if not word.isascii() or len(word) > MOST_FILTER_CHARS:
        return False
    is_selection = _SELECTION.fullmatch(word) is not None
    return is_selection and _PRINTING_FUNCTION.search(word) is None


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The files that a run of a tool opened, if its output consists only of their
    text."""

    paths: Sequence[str] = ()
    """Absolute paths. Empty if the output may have any other text."""
    repeatable_text: str = ""
    """The words that the tool searches for in the files, one in each line. It may print
    them back."""
    is_excerpt: bool = False
    """True if the tool prints only parts of the files."""


def opened_files(
    declared: FileArguments | None, words: Sequence[str], *, may_have_changed: bool
) -> OpenedFiles:
    """Return the files that a run of a tool opened. `words` are its command line.

    `declared` says which words are files. It is None if the tool's declaration has no
    file arguments.

    Returns no files if the output may have text from elsewhere, or text of the script
    itself. `may_have_changed` is true once the trial may have changed a file.
    """
    no_files = OpenedFiles()
    # Before its files, a tool may take a filter, as in `jq .name /a.json`. Behind them,
    # it may take words that it looks up in the files.
    arguments = None if declared is None else declared.split(words)
    if arguments is None:
        return (
            no_files  # The command line has an undeclared option, or no declared files.
        )
    filters = arguments.before
    search_words = arguments.behind

    if "-" in arguments.files:
        return no_files  # The tool reads stdin.
    if may_have_changed and len(arguments.files) > 1:
        return no_files  # One of the files may contain the script's own text.
    for word in filters:
        if not _only_selects(word):
            return no_files  # The tool prints what the filter computes.

    paths: list[str] = []
    for path in arguments.files:
        if path.startswith("/") and len(path) <= bounds.MOST_PATH_CHARS:
            paths.append(path)
    is_excerpt = bool(
        filters or search_words
    )  # With either, the tool prints only a part.
    return OpenedFiles(paths, "\n".join(search_words), is_excerpt)
