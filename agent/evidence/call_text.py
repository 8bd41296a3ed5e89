"""What a returned call shows: the text that counts as seen, the files that a tool opened, and the script's tainted
words.

Words that the script gave to its calls prove nothing, in whatever form a call shows them again.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final
from urllib.parse import unquote

import re2

from controlplane.gates.evidence import SeenText
from controlplane.gates.submission import encodable
from controlplane.gates.text_folding import fold_text, number_key, numbers_of, parts_of
from controlplane.sandbox.interface import Effect, FileArguments, Operation, Plain, bounds

_ESCAPES: Final = re2.compile(r"(?:\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[bfnrt]))+")
"""Characters that JSON and most languages write by number or letter; tools print them as themselves."""
_LEAST_LETTERS: Final = 3
"""Single letters or digits in a row, whatever is between them, that may be a word."""
_CODES: Final = re2.compile(r"(?:[0-9]{2,6}[\s,;]{1,3}){2,}[0-9]{2,6}")
"""Three or more numbers in a row, which may be codes of characters."""
_JOINS: Final = ("||", "+", "&")
"""What joins texts and numbers in most query languages."""
_QUERY_WORDS: Final = (
    "select from where and or not in is null like between order group by having limit offset join left inner on as "
    "distinct count sum avg min max case when then else end asc desc union all cast true false with id"
)
_QUERY_SIGNS: Final = frozenset("'\"=,();*.-_:/%<>[]{}?#@!")


def forms_of(text: str) -> list[str]:
    """Return a text that was given to a call in every form in which a tool may show it: as it stands, with escapes
    resolved or made, single letters and operands joined, and base64, hexadecimal or character codes decoded."""
    text = encodable(text)
    forms = [text, *_escaped(text)]
    if "\\" in text or "&" in text or "%" in text:
        forms += [_unescaped(text), html.unescape(text), unquote(text)]
    forms += _spelled_out(text)
    if "_" in text:
        forms.append(text.replace("_", " "))
    if len(text) <= 100_000:
        forms += [_joined(text)] if any(sign in text for sign in _JOINS) else []
        forms += [
            "".join(chr(int(code)) for code in _in_digits(match[0]).split())
            for match in _CODES.finditer(text)
        ]
        for code in text.translate(_CODE_MARKS).split():
            bare = code.rstrip("=")
            if len(bare) >= 6 and "=" not in bare and len(code) - len(bare) < 3:
                forms.append(
                    _decoded(
                        bare.replace("+", "-").replace("/", "_") + "==", base64.urlsafe_b64decode
                    )
                )
            if len(code) >= 6 and len(code) % 2 == 0:
                forms.append(_decoded(code, bytes.fromhex))
    # Escapes and codes of characters may spell half of a surrogate pair.
    encodable_forms = dict.fromkeys(encodable(form) for form in forms)
    return [form for form in encodable_forms if form]


def _spelled_out(text: str) -> list[str]:
    """Return the words that single letters or digits in a row spell, as in `v a u l t` and `['v', 'a']`."""
    words: list[str] = []
    letters, gap = "", 0
    for run in "".join(char if char.isalnum() else " " for char in text).split(" "):
        if not run:
            gap += 1
            continue
        # Characters between two letters of one word.
        if len(run) > 1 or gap >= 8:
            words += [letters] if len(letters) >= _LEAST_LETTERS else []
            letters = ""
        letters, gap = letters + run if len(run) == 1 else "", 0
    return [*words, letters] if len(letters) >= _LEAST_LETTERS else words


def _in_digits(text: str) -> str:
    return "".join(char if char.isdecimal() else " " for char in text)


def _joined(text: str) -> str:
    """Return a text without the operators that join its parts, and without the quotation marks around them."""
    for sign in _JOINS:
        first, *others = text.split(sign)
        parts = [first]
        for part in others:
            before, behind = parts[-1].rstrip(), part.lstrip()
            parts[-1] = before[:-1] if before[-1:] in ("'", '"') else before
            parts.append(behind[1:] if behind[:1] in ("'", '"') else behind)
        text = "".join(parts)
    return text


class _CodeMarks(dict[int, str]):
    """Blanks for `str.translate` in place of what base64 and hexadecimal codes do not hold."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if char.isalnum() or char in "_+/=-" else " "
        return self[code]


_CODE_MARKS: Final = _CodeMarks()


def _unescaped(text: str) -> str:
    def resolve(match: re2._Match) -> str:
        return str(json.loads(f'"{match[0].replace(chr(92) + "x", chr(92) + "u00")}"'))

    return str(_ESCAPES.sub(resolve, encodable(text)))


def _escaped(text: str) -> list[str]:
    """Return a text as a tool writes it as JSON: an escaped line break makes `noon` of `oon`."""
    if text.isascii() and text.isprintable() and "\\" not in text and '"' not in text:
        return []
    return [json.dumps(text, ensure_ascii=is_ascii) for is_ascii in {True, text.isascii()}]


def _decoded(code: str, decode: Callable[[str], bytes]) -> str:
    """Return the text behind a code; empty if there is none."""
    try:
        text = decode(code).decode("utf-8")
    except ValueError:
        return ""
    is_readable = all(char.isprintable() or char.isspace() for char in text)
    return text if is_readable else ""


class Taint:
    """The words that a trial's script gave to calls that may change something, before any call had shown them.

    They are runs of letters and digits, and numbers in any format. A tool may store words that it is given, join them,
    and print them later at any path: they are still the script's own.
    """

    def __init__(self) -> None:
        self._known = {*_QUERY_WORDS.split()}
        """Words of the task, of declarations and of query languages."""
        self._pending: dict[str, int] = {}
        """By server, the letters and digits that scripts gave it and that no result of it was long enough to hide."""
        self._own: set[str] = set()
        self._shown: set[str] = set()
        self._learnt = 0
        self._room = bounds.MOST_EVIDENCE_BYTES
        """Characters of texts whose words may still count as shown."""
        self._end = ""
        """The word with which the latest text ended: a tool may join the next text to it."""

    def learn_texts(self, given: Iterable[str], seen: Sequence[SeenText]) -> None:
        """Learn the texts that a call is given after `seen` was seen."""
        self._learn(seen)
        for stored in given:
            folded = fold_text(_unescaped(stored))
            joined = parts_of(self._end + folded)
            if not self._are_too_many:
                words = {word for form in forms_of(stored) for word in _words_of(fold_text(form))}
                self._own |= {*words, *joined[:1]} - self._shown
            self._end = joined[-1][-100:] if joined and folded[-1:].isalnum() else ""

    def know(self, text: str) -> None:
        """Count the words of a text as words that no script made."""
        self._known |= {*parts_of(fold_text(text))}

    def cover(self, server: str, given: Iterable[str], text: str, seen: Sequence[SeenText]) -> bool:
        """Say whether a server can have made a result of what scripts gave it, in whatever code.

        It can if the words that are new in the result are no longer than those that were given, were not known before,
        and have not come back.
        """
        self._learn(seen)
        folded = [fold_text(one) for one in given]
        words = {word for one in folded for word in parts_of(one)}
        returned = {*parts_of(fold_text(text))}
        familiar = self._known | self._shown
        signs = sum(
            not (sign.isalnum() or sign.isspace() or sign in _QUERY_SIGNS)
            for one in folded
            for sign in one
        )
        # A word of five letters is known without its last one, as the singular of a plural.
        new = (
            word
            for word in words - familiar - returned
            if word[:-1] not in familiar or len(word) < 5
        )
        hidden = signs + sum(map(len, new))
        rest = sum(map(len, returned - familiar - words))
        pending = self._pending.get(server, 0) + hidden
        is_made = rest <= 1.5 * pending  # a letter of a code may stand for more than one
        self._pending[server] = pending if is_made else 0
        return is_made

    def _learn(self, seen: Sequence[SeenText]) -> None:
        for text in seen[self._learnt :]:
            if text.is_proof and self._room > 0:
                self._room -= len(text.text)
                self._shown |= _words_of(fold_text(text.text)) - _words_of(fold_text(text.tainted))
        self._learnt = len(seen)

    def within(self, text: str) -> tuple[str, bool]:
        """Return the tainted words of a text, and whether all of its words are tainted; with too many tainted words all
        are."""
        if not self._own or self._are_too_many:
            return (text, True) if self._own else ("", False)
        folded = fold_text(text)
        words = set(parts_of(folded))
        numbers = (number for number in numbers_of(folded) if _number_key(number) in self._own)
        return "\n".join(sorted({*self._own & words, *numbers})), set() < words <= self._own

    @property
    def _are_too_many(self) -> bool:
        return len(self._own) > bounds.MOST_OWN_WORDS


def _words_of(folded: str) -> set[str]:
    return {*parts_of(folded), *map(_number_key, numbers_of(folded))}


def _number_key(number: str) -> str:
    return f"#{number_key(number)}"


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
    def taints(self) -> str:
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
        texts = (self.result.get(name) for name in (field_name, "content"))
        content = next((text for text in texts if isinstance(text, str)), None)
        text = "\n".join(_strings(self.result)) if content is None else content
        shown = text if self.shown_chars is None else text[: max(self.shown_chars, 0)]
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
        """The lines of the file that those of its text are, as `SeenText` has them; of a table, its head and rows."""
        start = self.result.get("line") or self.arguments.get("start_line")
        rows = self.result.get("lines")
        if isinstance(rows, list):
            return (1, *(line for line in rows if isinstance(line, int))) if rows else ()
        return (start if isinstance(start, int) and start > 0 else 1,)

    @property
    def columns(self) -> str:
        """The columns of a table whose rows are a result of a query, and no lines of the file; else empty."""
        names = self.result.get("columns")
        return (
            ", ".join(map(str, names))
            if self.result.get("lines") == [] and isinstance(names, list)
            else ""
        )

    def shown_lines(self) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """Yield the lines of files that a search shows, each run of adjacent lines as one text, with their path."""
        places = enumerate(self._matches())
        for (path, _), run in groupby(places, lambda place: (place[1][0], place[1][1] - place[0])):
            matches = [match for _, match in run]
            yield (
                path,
                "\n".join(text for _, _, text in matches),
                (matches[0][1],) * (matches[0][1] > 0),
            )

    def _matches(self) -> Iterator[tuple[str, int, str]]:
        for value in self.result.values() if self.shown_chars != 0 else ():
            for item in value if isinstance(value, list) else ():
                if isinstance(item, dict) and isinstance(path := item.get("path"), str):
                    text, line = item.get("text"), item.get("first", item.get("line"))
                    if (
                        isinstance(text, str)
                        and path.startswith("/")
                        and len(path) <= bounds.MOST_PATH_CHARS
                    ):
                        yield path, line if isinstance(line, int) else -2, text


def words_given(arguments: Mapping[str, Plain]) -> tuple[str, ...]:
    """Return the arguments that a call gives to a tool."""
    words = arguments.get("args")
    return (
        tuple(word if isinstance(word, str) else str(word) for word in words)
        if isinstance(words, list)
        else ()
    )


def has_words(text: str) -> bool:
    """Say whether `text` shows anything of its file."""
    return any(map(str.isalnum, text))


def _strings(value: object) -> list[str]:
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
        # Short items may be letters or digits of one word.
        if len(value) > 1 and all(
            isinstance(item, str | int) and len(str(item)) <= 2 for item in value
        ):
            yield "".join(map(str, value))
        for item in value:
            yield from leaves_of(item)
    elif value is not None:
        yield str(value)


def _only_selects(word: str) -> bool:
    return (
        word.isascii() and _SELECTION.fullmatch(word) is not None and _PRINTS.search(word) is None
    )


def opened_files(
    declared: FileArguments | None, words: Sequence[str], *, is_changed: bool
) -> tuple[list[str], str, bool]:
    """Return the absolute paths that a run with these arguments opened, if its output can only be their text; the
    arguments that the tool may print back; and whether it prints only a part of the files.

    No file counts beside stdin, under an undeclared option, or after a filter that does more than select; several
    files do not count once the trial may have changed something (`is_changed`), because one of them may then hold the
    script's own text.
    """
    given = declared.split(words) if declared else None
    if given is None or "-" in given.files or (is_changed and len(given.files) > 1):
        return [], "", False
    if not all(len(word) <= 1_000 and _only_selects(word) for word in given.before):
        return [], "", False
    paths = [
        path for path in given.files if path.startswith("/") and len(path) <= bounds.MOST_PATH_CHARS
    ]
    return paths, "\n".join(given.behind), bool(given.before or given.behind)
