"""Reads a call: which arguments it was given, and which text it returned.

A result may repeat arguments of its call. Repeated words prove nothing, even in another
form, such as decoded from base64. `text_forms.py` lists the forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.found_lines import FoundLines, found_lines
from controlplane.agent.evidence.texts.text_forms import forms_of
from controlplane.sandbox.interface import Effect, Operation, Plain

_EFFECTS_OF_READING_FILES: Final = frozenset(
    {Effect.READS, Effect.LISTS, Effect.EXECUTES}
)
"""What calls do whose results show files. `EXECUTES` runs a program, such as `grep`."""
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
    """How many characters of the text the initial prompt shows.
    None for a call of a script, which gets the whole text."""

    @property
    def is_of_first_message(self) -> bool:
        """True if the initial prompt shows the result. False for a call of a script."""
        return self.shown_chars is not None

    # --- The arguments ---

    @property
    def given_names(self) -> set[str]:
        """The names of all arguments but the path and those with their default value."""
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
        """The arguments with the `given_names`, sorted by name."""
        return [self.arguments[name] for name in sorted(self.given_names)]

    def given_texts(self) -> list[str]:
        """Return the texts, numbers and names in the given arguments."""
        return list(leaves_of(self.given_arguments))

    @property
    def repeatable_arguments(self) -> list[Plain]:
        """Those of the given arguments that may stand in the result because the call has them.

        A result that shows files can repeat only texts, such as the pattern of a search.
        It does not repeat numbers: after a read from line 3 on, a 3 is from the file.
        """
        if self.declared.effect in _EFFECTS_OF_READING_FILES:
            return self._given_strings
        return self.given_arguments

    @property
    def _given_strings(self) -> list[Plain]:
        """The texts among the given arguments, and in those that are lists."""
        texts: list[Plain] = []
        for argument in self.given_arguments:
            items = argument if isinstance(argument, list) else [argument]
            texts.extend(item for item in items if isinstance(item, str))
        return texts

    @property
    def repeatable_text(self) -> str:
        """The `repeatable_arguments` as one text: each in every spelling, one in each line.

        For the argument `caf\\u00e9`, two of the lines are `caf\\u00e9` and `café`.
        """
        forms: list[str] = []
        for text in leaves_of(self.repeatable_arguments):
            forms.extend(forms_of(text))
        distinct_forms = dict.fromkeys(forms)  # in their order, each once
        return "\n".join(distinct_forms)

    def written_text(self) -> str:
        """Return the text that a call writes: all its text arguments but the path."""
        texts: list[str] = []
        for name, value in self.arguments.items():
            if name != self.declared.subject and isinstance(value, str):
                texts.append(value)
        return "\n".join(texts)

    # --- The result ---

    def shown_text(self, field_name: str = "") -> ShownText:
        """Return the text of the result that the model was shown.

        The text is in the field `field_name`, or else in the field `content`. If the
        result has neither, all its texts and numbers are joined, one in each line.
        """
        text = self.result.get(field_name)
        if not isinstance(text, str):
            text = self.result.get("content")
        if not isinstance(text, str):
            text = "\n".join(_texts_in(self.result))
        if self.shown_chars is None:
            return ShownText(text, is_whole=True)
        shown = text[: max(self.shown_chars, 0)]
        return ShownText(shown, is_whole=len(shown) == len(text))

    @property
    def returns_part(self) -> bool:
        """True if the call asked for a part of the file (`start_line`), or got only a part."""
        return self.result.get("truncated") is True or bool(self.given_names)

    @property
    def exit_code(self) -> int:
        """The exit code of a tool; 1 if it is not a number."""
        code = self.result.get(self.declared.exit_field or "exit_code", 0)
        return code if isinstance(code, int) else 1

    def shown_lines(self) -> Iterable[FoundLines]:
        """Return the lines of files in a search's result."""
        if self.shown_chars == 0:
            return ()
        return found_lines(self.result)

    # --- The lines of a result ---

    @property
    def has_computed_rows(self) -> bool:
        """True for a query whose rows are not lines of the file, such as counts.

        Its result lists no lines: `{"columns":
        ["count"], "rows": [{"count": 3}], "lines": []}`.
        """
        return self.result.get("lines") == []

    @property
    def columns_of_computed_rows(self) -> str:
        """The column names of a query whose rows are computed: `name, fee`. Otherwise empty."""
        names = self.result.get("columns")
        if not self.has_computed_rows or not isinstance(names, list):
            return ""
        return ", ".join(str(name) for name in names)

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of the shown lines in their file; empty if they are not lines of it.

        From the last number on, they rise by 1: `(40,)` is the text from line 40 on.
        """
        if self.has_computed_rows:
            return ()
        row_lines = self.result.get("lines")
        if isinstance(row_lines, list):
            # The result of a query has the line of each row. The heading is on line 1.
            numbers = [number for number in row_lines if isinstance(number, int)]
            return (1, *numbers)
        first_line = self.result.get("line") or self.arguments.get("start_line")
        if isinstance(first_line, int) and first_line > 0:
            return (first_line,)
        return (1,)


def words_given(arguments: Mapping[str, Plain]) -> tuple[str, ...]:
    """Return the words of a tool's command line: `{"args": ["-n", "/a.md"]}` -> `-n`, `/a.md`."""
    words = arguments.get("args")
    if not isinstance(words, list):
        return ()
    return tuple(str(word) for word in words)


def has_words(text: str) -> bool:
    """Return True if a text has a letter or a digit. Other texts show nothing of their file."""
    return any(char.isalnum() for char in text)


def _texts_in(value: object) -> list[str]:
    """Return the texts and numbers in a result, without the fields that describe files.

    `{"rows": [{"fee": 7}, "late"], "truncated": false}` -> `7`, `late`
    """
    if isinstance(value, str | int | float):
        return [str(value)]
    texts: list[str] = []
    if isinstance(value, list):
        for item in value:
            texts += _texts_in(item)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name not in _FIELDS_ABOUT_FILES:
                texts += _texts_in(item)
    return texts


def leaves_of(value: Plain) -> Iterator[str]:
    """Yield the texts, numbers and names in plain data: `{"fee": [7, "eur"]}` -> `fee`, `7`, `eur`.

    For a list of letters, also yield the word that they spell, because a tool may join
    them: `["v", "a", "t"]` -> `vat`, `v`, `a`, `t`.
    """
    if value is None:
        return
    items: list[Plain]
    if isinstance(value, dict):
        items = [*value, *value.values()]  # first the names, then the values
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
