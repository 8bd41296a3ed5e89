"""What a returned call shows: the text of its result that counts as seen, and the files it opened.

A result may repeat what the script gave to the call. Such words prove nothing, in whatever form the
result has them: see `text_forms.py` and `own_words.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.evidence.text_forms import forms_of
from controlplane.sandbox.interface import Effect, FileArguments, Operation, Plain, bounds

_FIELDS_ABOUT_FILES: Final = frozenset(
    {"path", "sha256", "content_type", "name", "truncated", "exit_code", "call_path"}
)
"""Result fields that say something about a file or a call, and are not text of the file."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """The text of a result that reached the model."""

    text: str
    is_whole: bool
    """False if the end of the result's text was cut off."""


@dataclass(frozen=True, slots=True)
class ReturnedCall:
    """One call with its declaration, arguments and result."""

    declared: Operation
    requested_path: str
    """The path of the call, in canonical form; may be empty."""
    arguments: Mapping[str, Plain]
    result: Mapping[str, Plain]
    shown_chars: int | None = None
    """Characters of its text that reached the model; None if the whole text did."""

    @property
    def given_names(self) -> set[str]:
        """The names of the arguments besides the path, without those that have their default."""
        defaults = {parameter.name: parameter.default for parameter in self.declared.parameters}
        names: set[str] = set()
        for name, value in self.arguments.items():
            if name != self.declared.subject and value != defaults.get(name):
                names.add(name)
        return names

    @property
    def given_arguments(self) -> list[Plain]:
        """The arguments besides the path, without those that have their default."""
        return [self.arguments[name] for name in sorted(self.given_names)]

    @property
    def repeatable_arguments(self) -> list[Plain]:
        """The given arguments that the result may repeat.

        Calls for files repeat only texts, such as the pattern of a search. If they were given the
        number 3 as a line, a 3 in their result is still the file's own.
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
        """What the result may repeat of the arguments, in every form in which a tool may show it.

        One form a line: `caf\\u00e9` and `café`, if the argument was `caf\\u00e9`.
        """
        forms: dict[str, None] = {}
        for text in leaves_of(self.repeatable_arguments):
            forms.update(dict.fromkeys(forms_of(text)))
        return "\n".join(forms)

    @property
    def exit_code(self) -> int:
        """The exit code of a tool; 1 if it is not a number."""
        code = self.result.get(self.declared.exit_field or "exit_code", 0)
        return code if isinstance(code, int) else 1

    @property
    def complaint(self) -> str:
        """What a tool that failed printed, first of all as errors; empty if the tool succeeded."""
        if self.exit_code == 0:
            return ""
        printed = self.result.get("stderr") or self.result.get("stdout") or ""
        return str(printed).strip()

    def shown_text(self, field_name: str = "") -> ShownText:
        """Return the text of the result, as far as it reached the model.

        The text is the result field `field_name`, if there is one, else the field `content`, else
        all texts and numbers in the result.
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
        """Return the text that a call writes: all its text arguments besides the path."""
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
        """The number in the file of each line of the shown text, as `SeenText.lines` has them.

        The last number stands for the lines after it, too: (1,) is a text from the first line on.
        A table's rows have a number each, after that of its head, which is line 1: (1, 7, 12).
        Rows that are not lines of the file have none: ().
        """
        row_numbers = self.result.get("lines")
        if isinstance(row_numbers, list):
            if not row_numbers:
                return ()
            numbers = [number for number in row_numbers if isinstance(number, int)]
            return (1, *numbers)
        first_line = self.result.get("line") or self.arguments.get("start_line")
        if isinstance(first_line, int) and first_line > 0:
            return (first_line,)
        return (1,)

    @property
    def columns(self) -> str:
        """The names of the columns that a query returned, such as `name, fee`.

        Empty if the result is not that of a query, or if its rows are lines of the file. A query with
        computed rows, such as counts, says so by an empty list of `lines`.
        """
        names = self.result.get("columns")
        has_computed_rows = self.result.get("lines") == []
        if not isinstance(names, list) or not has_computed_rows:
            return ""
        return ", ".join(str(name) for name in names)

    def shown_lines(self) -> Iterator[ShownLines]:
        """Yield the lines of files that a search shows, each run of adjacent lines as one text."""
        run: list[_Match] = []
        for match in self._matches():
            if run and not match.follows(run[-1]):
                yield _run_of(run)
                run = []
            run.append(match)
        if run:
            yield _run_of(run)

    def _matches(self) -> Iterator[_Match]:
        """Yield the matches in the lists of a search's result; none if the model saw nothing of it."""
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
    """Adjacent lines of a file that a search shows."""

    path: str
    text: str
    lines: tuple[int, ...]
    """The number of the first line; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class _Match:
    """One item of a search's result: some lines of a file."""

    path: str
    line: int | None
    """The number of the first line, from 1; None if it is not known."""
    text: str

    def follows(self, earlier: _Match) -> bool:
        """Say whether this is the next line of the same file."""
        if self.path != earlier.path or self.line is None or earlier.line is None:
            return False
        return self.line == earlier.line + 1


def _match_of(item: object) -> _Match | None:
    """Return the match in an item of a list; None if it is something else.

    A match looks like `{"path": "/a.md", "line": 3, "text": "fee"}`. If its text has lines before the
    one that matches, `first` has the number of the first one.
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
    """Return adjacent matches as one text."""
    first = matches[0]
    lines: tuple[int, ...] = ()
    if first.line is not None and first.line > 0:
        lines = (first.line,)
    text = "\n".join(match.text for match in matches)
    return ShownLines(first.path, text, lines)


def words_given(arguments: Mapping[str, Plain]) -> tuple[str, ...]:
    """Return the words of a tool's command line: `["-n", "/a.md"]` as the argument `args`."""
    words = arguments.get("args")
    if not isinstance(words, list):
        return ()
    return tuple(str(word) for word in words)


def has_words(text: str) -> bool:
    """Say whether a text has a letter or a digit. Only then it shows something of its file."""
    return any(char.isalnum() for char in text)


def _texts_in(value: object) -> list[str]:
    """Return the texts and numbers in a result, without the fields that are about files.

    `{"rows": [{"fee": 7}, "late"], "truncated": false}` -> `7`, `late`
    """
    items: list[object] = []
    if isinstance(value, Mapping):
        items = [item for name, item in value.items() if name not in _FIELDS_ABOUT_FILES]
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
    """Yield the texts, numbers and names in plain data: `{"fee": [7, "eur"]}` -> `fee`, `7`, `eur`.

    A list of single letters also yields the word that they spell, since a tool may join them:
    `["v", "a", "t"]` -> `vat`, `v`, `a`, `t`.
    """
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        if len(value) > 1 and all(_may_be_letter(item) for item in value):
            yield "".join(str(item) for item in value)
        for item in value:
            yield from leaves_of(item)
    elif value is not None:
        yield str(value)


def _may_be_letter(item: Plain) -> bool:
    """Say whether an item of a list may be a letter or digit of a word, or two of them."""
    return isinstance(item, str | int) and len(str(item)) <= 2


# --- Files that a tool opened ---

# A filter of jq, which prints parts of a JSON file, is taken to be one that only selects if it
# consists of these pieces. Other parts of jq's language may print text of their own.
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_INDEX: Final = r'\[(?:-?[0-9]*(?::-?[0-9]*)?|"[^"\\]*")\]'
"""An element, some elements or a field: `[0]`, `[1:3]`, `[]`, `["name"]`."""
_SELECTED_PATH: Final = rf"\.(?:{_NAME})?(?:\.?{_INDEX}|\.{_NAME})*\??"
"""Where a part is: `.rows[0].name`, `.name?`."""
_SELECT: Final = r'select\((?:[^()"#\\]|"(?:[^()"\\]|\\[^()])*")*\)'
"""A condition without a call in it: `select(.fee > 3 and .name == "late")`."""
_STAGE: Final = rf"(?:{_SELECTED_PATH}|keys|length|{_SELECT})"
_SELECTION: Final = re2.compile(rf"\s*{_STAGE}(?:\s*[|,]\s*{_STAGE})*\s*")
"""A whole filter: `.rows[] | select(.fee > 3) | .name, .id`."""
_PRINTING_FUNCTION: Final = re2.compile(r'(?:^|[^\pL\pN_."])(?:debug|stderr)(?:$|[^\pL\pN_])')
"""A function of jq that prints its input once more: `debug`, but not the field `.debug`."""
MOST_FILTER_CHARS: Final = 1_000
"""Characters of the longest filter that is examined."""


def _only_selects(word: str) -> bool:
    """Say whether an argument of a tool is a filter that only selects: `.rows[0].name`."""
    if not word.isascii() or len(word) > MOST_FILTER_CHARS:
        return False
    is_selection = _SELECTION.fullmatch(word) is not None
    return is_selection and _PRINTING_FUNCTION.search(word) is None


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The files that a run of a tool opened, if its output can only be their text."""

    paths: Sequence[str] = ()
    """Absolute paths; none if the output may hold anything else."""
    repeatable_text: str = ""
    """The words that the tool looks up in the files, and may print back."""
    is_excerpt: bool = False
    """True if the tool prints only a part of the files."""


def opened_files(
    declared: FileArguments | None, words: Sequence[str], *, is_changed: bool
) -> OpenedFiles:
    """Return the files that a run of a tool opened whose command line has these words.

    `declared` says which words are files; None if the tool's declaration does not. No file counts
    if the tool may have printed anything else: what it read from stdin (`-`), what an undeclared
    option or a filter that does more than select brought up. Several files do not count once the
    trial may have changed something (`is_changed`), because one may then hold the script's own text.
    """
    nothing = OpenedFiles()
    if declared is None:
        return nothing
    arguments = declared.split(words)
    if arguments is None or "-" in arguments.files:
        return nothing
    if is_changed and len(arguments.files) > 1:
        return nothing
    for word in arguments.before:
        if not _only_selects(word):
            return nothing
    paths: list[str] = []
    for path in arguments.files:
        if path.startswith("/") and len(path) <= bounds.MOST_PATH_CHARS:
            paths.append(path)
    # The tool prints a part if it is given a filter before the files, or words to look up in them.
    is_excerpt = bool(arguments.before or arguments.behind)
    return OpenedFiles(paths, "\n".join(arguments.behind), is_excerpt)
