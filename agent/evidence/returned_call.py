"""A call that returned a result: the text that counts as seen, and the files that a tool opened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.evidence.citable_paths import MAX_PATH_CHARS
from agent.evidence.own_words import forms_of
from sandbox.interface import Effect, FileArguments, Operation, Plain

_BOOKKEEPING: Final = frozenset({"path", "sha256", "content_type", "name", "truncated", "exit_code", "call_path"})
"""Result fields that are not text of the file."""
_WRITTEN: Final = frozenset({str, int, float, bool})
_STDIN: Final = "-"
_PATH: Final = r'\.(?:[A-Za-z_]\w*)?(?:\.?\[(?:-?\d*(?::-?\d*)?|"[^"\\]*")\]|\.[A-Za-z_]\w*)*\??'
_PRINTS: Final = r'[^()]*(?<![.\w"])(?:debug|stderr)(?!\w)'
_STAGE: Final = rf"""(?:{_PATH}|keys|length|select\((?!{_PRINTS})(?:[^()"#\\]|"(?:[^()"\\]|\\[^()])*")*\))"""
_SELECTION: Final = re.compile(rf"\s*{_STAGE}(?:\s*[|,]\s*{_STAGE})*\s*")
"""A filter that only selects fields, elements and rows. Other parts of jq's language may print text of their own."""
_MAX_FILTER_CHARS: Final = 10_000


@dataclass(frozen=True, slots=True)
class ReturnedCall:
    """One call with its declaration, arguments and result."""

    declared: Operation
    asked: str
    """The path of the call, in canonical form; may be empty."""
    arguments: Mapping[str, Plain]
    result: Mapping[str, Plain]
    shown_chars: int | None = None
    """Characters of its text that reached the model; None if the whole text did."""
    in_verify: bool = False

    @property
    def given(self) -> set[str]:
        """The names of the values that it gives besides its path."""
        defaults = {parameter.name: parameter.default for parameter in self.declared.parameters}
        subject = self.declared.subject
        return {name for name, value in self.arguments.items() if name != subject and value != defaults.get(name)}

    @property
    def echoes(self) -> str:
        """What it gives besides its path, in every form in which its result may repeat it; of a call for files, only
        texts: line numbers are no words of the file."""
        given = self.given_texts()
        if self.declared.effect in (Effect.READS, Effect.LISTS, Effect.EXECUTES):
            held = [self.arguments[name] for name in sorted(self.given)]
            given = [
                text for one in held for text in (one if isinstance(one, list) else [one]) if isinstance(text, str)
            ]
        return "\n".join(dict.fromkeys(form for text in given for form in forms_of(text)))

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
        """Return the text of its result that reached the model, and whether that is the whole text."""
        text = _text_of(self.result, field_name)
        shown = text if self.shown_chars is None else text[: max(self.shown_chars, 0)]
        return shown, len(shown) == len(text)

    def written_text(self) -> str:
        """Return the text that it writes."""
        written = (value for name, value in self.arguments.items() if name != self.declared.subject)
        return "\n".join(value for value in written if isinstance(value, str))

    def given_texts(self) -> list[str]:
        """Return the texts and numbers that it gives besides its path, and the names in what it gives."""
        return [*_leaves([self.arguments[name] for name in sorted(self.given)])]

    def shown_lines(self) -> Iterator[tuple[str, str]]:
        """Yield the lines of files that a search shows, each run of adjacent lines as one text, with their path."""
        end: tuple[str, int] = "", 0
        run: list[str] = []
        for path, line, text in self._matches():
            if run and (path, line) != end:
                yield end[0], "\n".join(run)
                run = []
            run.append(text)
            end = path, line + 1
        if run:
            yield end[0], "\n".join(run)

    def _matches(self) -> Iterator[tuple[str, int, str]]:
        for value in self.result.values() if self.shown_chars != 0 else ():
            for item in value if isinstance(value, list) else ():
                if isinstance(item, dict) and isinstance(path := item.get("path"), str):
                    text, line = item.get("text"), item.get("line")
                    if isinstance(text, str) and path.startswith("/") and len(path) <= MAX_PATH_CHARS:
                        yield path, line if isinstance(line, int) else -2, text


def words_given(arguments: Mapping[str, Plain]) -> tuple[str, ...]:
    """Return the arguments that a call gives to a tool."""
    words = arguments.get("args")
    return tuple(word if isinstance(word, str) else str(word) for word in words) if isinstance(words, list) else ()


def has_words(text: str) -> bool:
    """Say whether `text` shows anything of its file."""
    return any(map(str.isalnum, text))


def _text_of(value: Mapping[str, Plain], field_name: str) -> str:
    """Return the text of a result: the content field if there is one, else all strings in the result."""
    for name in (field_name, "content"):
        content = value.get(name) if name else None
        if isinstance(content, str):
            return content
    return "\n".join(_strings(value))


def _strings(value: object) -> list[str]:
    found: list[str] = []
    if isinstance(value, Mapping):
        value = [held for name, held in value.items() if name not in _BOOKKEEPING]
    if isinstance(value, list) and _WRITTEN.issuperset(map(type, value)):
        return [*map(str, value)]
    for item in value if isinstance(value, list) else (value,):
        kind = type(item)
        if kind in _WRITTEN:
            found.append(str(item))
        elif isinstance(item, dict) and _WRITTEN.issuperset(map(type, item.values())):
            found += [str(held) for name, held in item.items() if name not in _BOOKKEEPING]
        elif kind is list or kind is dict:
            found += _strings(item)
    return found


def _leaves(value: Plain) -> Iterator[str]:
    """Yield the texts, numbers and names in plain data."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield str(value)


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The files that one run opened and printed from."""

    paths: tuple[str, ...] = ()
    """Absolute paths, as the arguments spell them."""
    echoed: str = ""
    """Arguments that the tool may print back."""
    is_part: bool = False
    """True if the tool prints only a part of the files."""


def opened_files(declared: FileArguments | None, words: Sequence[str], *, is_changed: bool) -> OpenedFiles:
    """Return the files that a run with these arguments opened, if its output can only be their text.

    No file counts beside stdin, under an undeclared option, or after a filter that does more than select; several
    files do not count once the trial may have changed something (`is_changed`), because one of them may then hold the
    script's own text.
    """
    given = declared.split(words) if declared else None
    if given is None or not given.files or _STDIN in given.files or (is_changed and len(given.files) > 1):
        return OpenedFiles()
    if not all(len(word) <= _MAX_FILTER_CHARS and _SELECTION.fullmatch(word) for word in given.before):
        return OpenedFiles()
    paths = tuple(path for path in given.files if path.startswith("/"))
    return OpenedFiles(paths, "\n".join(given.behind), is_part=bool(given.before or given.behind))
