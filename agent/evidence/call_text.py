"""What a returned call shows: the text of its result that counts as seen, and the files it opened.

Words that the script gave to its calls prove nothing, in whatever form a call shows them again: see
`text_forms.py` and `own_words.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.evidence.text_forms import forms_of
from controlplane.sandbox.interface import Effect, FileArguments, Operation, Plain, bounds

_BOOKKEEPING: Final = frozenset(
    {"path", "sha256", "content_type", "name", "truncated", "exit_code", "call_path"}
)
"""Result fields that are not text of the file."""
_WRITTEN: Final = frozenset({str, int, float, bool})
_PATH: Final = r'\.(?:[A-Za-z_][A-Za-z0-9_]*)?(?:\.?\[(?:-?[0-9]*(?::-?[0-9]*)?|"[^"\\]*")\]|\.[A-Za-z_][A-Za-z0-9_]*)*\??'
_STAGE: Final = rf"""(?:{_PATH}|keys|length|select\((?:[^()"#\\]|"(?:[^()"\\]|\\[^()])*")*\))"""
_SELECTION: Final = re2.compile(rf"\s*{_STAGE}(?:\s*[|,]\s*{_STAGE})*\s*")
"""A filter that only selects fields, elements and rows. Other parts of jq's language may print text of their own."""
_PRINTS: Final = re2.compile(r'(?:^|[^\pL\pN_."])(?:debug|stderr)(?:$|[^\pL\pN_])')


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
        """The names of the values that it gives besides its path."""
        defaults = {parameter.name: parameter.default for parameter in self.declared.parameters}
        subject = self.declared.subject
        return {
            name
            for name, value in self.arguments.items()
            if name != subject and value != defaults.get(name)
        }

    @property
    def repeatable_arguments(self) -> list[Plain]:
        """The arguments that the result may repeat: all besides its path; of a call for files only texts, since a line
        number is no word of a file."""
        arguments = [self.arguments[name] for name in sorted(self.given_names)]
        if self.declared.effect not in (Effect.READS, Effect.LISTS, Effect.EXECUTES):
            return arguments
        texts: list[Plain] = []
        for argument in arguments:
            items = argument if isinstance(argument, list) else [argument]
            texts.extend(item for item in items if isinstance(item, str))
        return texts

    @property
    def repeatable_text(self) -> str:
        """What its result may repeat, in every form in which a tool may show it."""
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
        """The output of a tool that failed; else an empty string."""
        said = self.result.get("stderr") or self.result.get("stdout") or ""
        return str(said).strip() if self.exit_code else ""

    def shown_text(self, field_name: str = "") -> tuple[str, bool]:
        """Return the text of its result that reached the model, and whether that is the whole text.

        The text is the content field if there is one, else all strings in the result.
        """
        named = self.result.get(field_name)
        content = self.result.get("content")
        if isinstance(named, str):
            text = named
        elif isinstance(content, str):
            text = content
        else:
            text = "\n".join(_strings(self.result))
        if self.shown_chars is None:
            return text, True
        shown = text[: max(self.shown_chars, 0)]
        return shown, len(shown) == len(text)

    def written_text(self) -> str:
        """Return the text that it writes."""
        written = (value for name, value in self.arguments.items() if name != self.declared.subject)
        return "\n".join(value for value in written if isinstance(value, str))

    def given_texts(self) -> list[str]:
        """Return the texts and numbers that it gives besides its path, and the names in what it gives."""
        return [*leaves_of([self.arguments[name] for name in sorted(self.given_names)])]

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of the file's lines that its text shows, as `SeenText` has them.

        Of a table they are 1, for its head, and those of its rows; of other texts, that of the first
        line.
        """
        rows = self.result.get("lines")
        if isinstance(rows, list):
            if not rows:
                return ()
            numbers = [line for line in rows if isinstance(line, int)]
            return (1, *numbers)
        start = self.result.get("line") or self.arguments.get("start_line")
        if isinstance(start, int) and start > 0:
            return (start,)
        return (1,)

    @property
    def columns(self) -> str:
        """The columns of a query's rows that are not lines of the file, as `name, fee`; else empty."""
        names = self.result.get("columns")
        if self.result.get("lines") != [] or not isinstance(names, list):
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


UNKNOWN_LINE: Final = -2
"""The line of a match without a number. No line follows it, since 0 and -1 are not lines either."""


@dataclass(frozen=True, slots=True)
class _Match:
    """One item of a search's result: some lines of a file."""

    path: str
    line: int
    """The number of the first line, from 1."""
    text: str

    def follows(self, match: _Match) -> bool:
        """Return True if this is the line of the same file after another one."""
        return self.path == match.path and self.line == match.line + 1


def _match_of(item: object) -> _Match | None:
    """Return the match in an item of a list, such as {"path": "/a.md", "line": 3, "text": "fee"}."""
    if not isinstance(item, dict):
        return None
    path = item.get("path")
    text = item.get("text")
    if not isinstance(path, str) or not isinstance(text, str):
        return None
    if not path.startswith("/") or len(path) > bounds.MOST_PATH_CHARS:
        return None
    line = item.get("first", item.get("line"))
    return _Match(path, line if isinstance(line, int) else UNKNOWN_LINE, text)


def _run_of(matches: Sequence[_Match]) -> ShownLines:
    """Return adjacent matches as one text."""
    first = matches[0]
    lines = (first.line,) if first.line > 0 else ()
    return ShownLines(first.path, "\n".join(match.text for match in matches), lines)


def words_given(arguments: Mapping[str, Plain]) -> tuple[str, ...]:
    """Return the arguments that a call gives to a tool."""
    words = arguments.get("args")
    if not isinstance(words, list):
        return ()
    return tuple(str(word) for word in words)


def has_words(text: str) -> bool:
    """Say whether `text` shows anything of its file."""
    return any(map(str.isalnum, text))


def _strings(value: object) -> list[str]:
    """Return the texts and numbers in a result, without the fields that are not text of the file."""
    texts: list[str] = []
    if isinstance(value, Mapping):
        value = [held for name, held in value.items() if name not in _BOOKKEEPING]
    if isinstance(value, list) and _WRITTEN.issuperset(map(type, value)):
        return [*map(str, value)]
    for item in value if isinstance(value, list) else (value,):
        kind = type(item)
        if kind in _WRITTEN:
            texts.append(str(item))
        elif isinstance(item, dict) and _WRITTEN.issuperset(map(type, item.values())):
            texts += [str(held) for name, held in item.items() if name not in _BOOKKEEPING]
        elif kind is list or kind is dict:
            texts += _strings(item)
    return texts


def leaves_of(value: Plain) -> Iterator[str]:
    """Yield the texts, numbers and names in plain data, and the text that a list of single signs spells."""
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
    """Return True for an item of a list that may be a letter or a digit of one word."""
    return isinstance(item, str | int) and len(str(item)) <= 2


def _only_selects(word: str) -> bool:
    """Return True if an argument of a tool is a filter that only selects: `.rows[0].name`."""
    return (
        word.isascii() and _SELECTION.fullmatch(word) is not None and _PRINTS.search(word) is None
    )


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The files that a run of a tool opened, if its output can only be their text."""

    paths: Sequence[str] = ()
    """Absolute paths; none if the output may hold anything else."""
    repeatable_text: str = ""
    """The arguments that the tool may print back."""
    is_excerpt: bool = False
    """True if the tool prints only a part of the files."""


MOST_FILTER_CHARS: Final = 1_000
"""Characters of the longest filter that is examined."""


def opened_files(
    declared: FileArguments | None, words: Sequence[str], *, is_changed: bool
) -> OpenedFiles:
    """Return the files that a run with these arguments opened.

    No file counts beside stdin, under an undeclared option, or after a filter that does more than
    select. Several files do not count once the trial may have changed something (`is_changed`),
    because one of them may then hold the script's own text.
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
        if len(word) > MOST_FILTER_CHARS or not _only_selects(word):
            return nothing
    paths: list[str] = []
    for path in arguments.files:
        if path.startswith("/") and len(path) <= bounds.MOST_PATH_CHARS:
            paths.append(path)
    is_excerpt = bool(arguments.before or arguments.behind)
    return OpenedFiles(paths, "\n".join(arguments.behind), is_excerpt)
