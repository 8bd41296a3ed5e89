"""Gate 5: the reason for a citation must not be empty, and a value that it names must be there.

A script cites a file with a reason: `cite("/orders/17.json", "order 17 is paid")`. The
gate objects only to what it knows:

- The reason says nothing: it has no words but the file's name and everyday words.
- The reason has ids, numbers, dates or quotations, and the file contains none of them.
- The reason quotes what neither the file nor the request says.

Words alone are no ground to object: they may paraphrase the file, or translate it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final

import re2

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.paths import base_name
from controlplane.gates.quoting import quote, quote_some
from controlplane.gates.records import parse
from controlplane.gates.submission import Case, Submission
from controlplane.gates.support.answer_values import states_value
from controlplane.gates.support.sources import LineNumbers, Source
from controlplane.gates.text_folding import (
    encodable,
    fold_text,
    index_of,
    is_boilerplate,
    parts_of,
    tokens_of,
)
from controlplane.gates.trial import Access, SeenText
from controlplane.gates.values.identifiers import UNIT_OF_CODE
from controlplane.gates.values.notations import NEGATIONS
from controlplane.gates.values.spans import (
    LAST_BEFORE_CJK,
    ValueKind,
    WrittenValue,
    is_word_character,
)
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

# What a cited file contains: values, and counts of lines and rows.

_EMPTY_RESULTS: Final[tuple[list[str], ...]] = ([], ["null"], ["none"])
"""The words of a text that states nothing: of `[]`, `{}` and blanks there are none."""
_SIGNS_OF_ITEMS: Final = ("- ", "* ", "+ ", "• ")
"""What an item of a list begins with."""
_MOST_EMPTY_CHARS: Final = 100
"""A longer text states something, be it a drawing of lines."""


@dataclass(frozen=True)
class _CitedFile:
    """A file that an answer cites, with what was seen of it."""

    path: str
    access: Access
    """What the trial's calls did with the file.

    Its `given_texts` are those that the environment gave, without those that the script wrote.
    """
    accesses: Mapping[str, Access]
    """The accesses to all files, some of which may be parts of this one: `/m.eml/rates.csv`."""

    @property
    def may_have_any_reason(self) -> bool:
        """True if the trial changed or ran the file, or if the file states nothing.

        The citation is then a record of that. It supports no value and no quotation. A whole text
        such as the result `[]` of a search states nothing.
        """
        if self.access.actions != {"read"}:
            return True
        for seen in self.access.given_texts:
            text = fold_text(seen.text[:_MOST_EMPTY_CHARS])
            if not seen.is_cut and parts_of(text) in _EMPTY_RESULTS:
                return len(seen.text.strip()) < _MOST_EMPTY_CHARS
        return False

    @property
    def is_unknown(self) -> bool:
        """True if no text of the file was seen."""
        return not self.access.seen

    @property
    def _texts(self) -> Iterator[SeenText]:
        """The texts of the file, and then those of its parts.

        A mail or a workbook is also cited for what was read of its parts.
        """
        yield from self.access.given_texts
        for path, access in self.accesses.items():
            if path.startswith(f"{self.path}/"):
                yield from access.given_texts

    def states(self, value: WrittenValue, reason: _CitationReason) -> bool:
        """Return True if the file states a value of the reason, or has as many lines or rows."""
        if value.canonical.isdigit() and value.canonical in self._counts:
            return True
        code = reason.code_of(value)
        for seen in self._texts:
            # A search for `36` may print `36: not found`, which echoes a word of the call.
            if not _may_echo(seen, value) and states_value(seen.text, value):
                return True
            is_word = code != "" and code in index_of(seen.text).words
            if is_word and code not in parts_of(fold_text(seen.unproven_words)):
                return True
        return False

    def has_line(self, number: int) -> bool:
        """Return True if the file may have a line with this number."""
        for seen in self.access.given_texts:
            line_count = seen.text.count("\n") + 1
            if seen.is_cut or not seen.shows_whole_file or number <= line_count:
                return True
        return False

    @cached_property
    def _counts(self) -> set[str]:
        """Return how many lines, items and rows each text of the file has, as digits: {"41", "40"}."""
        counts: set[str] = set()
        for seen in self.access.given_texts:
            lines = [line.strip() for line in seen.text.split("\n")]
            items = [line for line in lines if line.startswith(_SIGNS_OF_ITEMS)]
            counts |= {
                str(len(lines)),
                str(len(lines) - lines.count("")),
                str(len(items)),
            }
            # How many values each column has, or each key of JSON records. Of 40 records, all
            # have an `id` but only 12 a `note`, so the largest number is that of the records.
            columns = Counter(name for name, _ in parse(seen.text, self.path))
            if columns:
                counts.add(str(max(columns.values())))
        return counts


def _may_echo(seen: SeenText, value: WrittenValue) -> bool:
    """Return True if a text may have a value only because the call has passed it.

    Of a quotation, all words may stand apart among those that the call has passed.
    """
    if not seen.unproven_words:
        return False
    if value.kind is ValueKind.QUOTATION:
        passed_words = parts_of(fold_text(seen.unproven_words))
        return set(passed_words).issuperset(parts_of(fold_text(value.text)))
    return states_value(seen.unproven_words, value)


# Finds the lines of a cited file that share most words with the reason for the citation.
#
# If a reason names nothing that is in the file, the message shows these lines, from which the script
# may take a better reason.

_MOST_SHOWN_LINES: Final = 3
"""A message shows at most this many lines that are similar to the reason."""
_SHOWN_LINE_CHARS: Final = 100
"""A message shows at most this many characters of each line."""


def _closest_lines(reason: str, texts: Iterable[SeenText]) -> str:
    """Return a sentence with the lines that share most words with a reason, or "".

    " Closest: line 3 `order 17 paid`; line 9 `order 18 open`." If no line shares a word, the
    first lines show at least what the file is about.
    """
    words = {word for word in parts_of(fold_text(reason)) if not is_boilerplate(word)}
    # Each line that is not blank, behind what ranks it: first those that share most words.
    lines: list[tuple[int, int, str]] = []
    for seen in texts:
        # The text may be a part of the file, so its lines have other numbers there.
        text = seen.text[: bounds.MOST_RECORD_CHARS]
        source = Source("", text, LineNumbers(seen.lines))
        for index, line in enumerate(source.lines):
            if line.strip():
                shared_words = len(words.intersection(parts_of(fold_text(line))))
                number = source.place(index).line  # 0 if it is unknown
                lines.append((-shared_words, number, line.strip()))
    if not lines:
        return ""
    shown: list[str] = []
    for _, number, line in sorted(lines)[:_MOST_SHOWN_LINES]:
        place = f"line {number} " if number else ""
        shown.append(place + quote(line, _SHOWN_LINE_CHARS))
    return f" Closest: {'; '.join(shown)}."


# The reason that a script gives for a citation: "order 17 is paid".
#
# Its values are looked up in the cited file; its words only show that it says something. A denial
# ("no order 17") cannot be looked up, because it names what is not in the file. The words for that
# are known in some languages.

_NAMING_KINDS: Final = frozenset(ValueKind) - {ValueKind.URL}
"""The kinds of values by which a reason may name what a file contains, such as ids and dates.

A web address is not one of them: it names another place.
"""
_LINES: Final = re2.compile(
    r"(?i)\b(?:lines?|rows?|zeilen?|lignes?|l[ií]neas?|righe|riga|linhas?) "
    r"(?:no\.? ?)?(\d{1,9})(?: ?(?:-|–|to|and|bis|und|à|et|y|e|a) ?(\d{1,9}))?\b"
    r"|第 ?(\d{1,9}) ?行|(\d{1,9}) ?行目"
    r"|\b(\d{1,9})(?:st|nd|rd|th|\.) (?:line|row|zeile)\b|(?-i:\bL(\d{1,9})\b)"
)
"""The numbers of lines of the file: `line 2`, `rows 2 to 5`, `第2行`, `2nd line`, `L2`."""
_NEGATIONS: Final = frozenset(
    fold_text(" ".join(words for words in NEGATIONS.values())).split()
)
"""Words that say that something is missing: "no order 17 in the list".

With one of them, the reason may be right although the file does not contain its id.
"""
_NEGATIONS_IN_WORDS: Final = tuple(
    word for word in _NEGATIONS if max(word) > LAST_BEFORE_CJK
)
"""Those in signs without blanks, which touch other words: 没有订单17."""


@dataclass(frozen=True)
class _CitationReason:
    """The reason that a script gives for citing a file: "order 17 is paid".

    Its values (17) are looked up in the file.
    """

    text: str
    path: str
    """The path of the file. Its words say nothing: one knows them without reading the file."""

    @cached_property
    def tokens(self) -> list[str]:
        """The words, numbers and ids, in lower case and without accents."""
        return list(tokens_of(self.text))

    def says_something(self, file: _CitedFile) -> bool:
        """Return True if a word or value may come from the file, and is no everyday word.

        For `/docs/returns.md`, true for "the returns file limits refunds", and false for "see
        the file returns.md". A part of the path counts if the file has it, too, as it may be an id:
        "17" for `/orders/17.json`.
        """
        if self.values:
            return True
        path_words = {*tokens_of(self.path), *tokens_of(base_name(self.path))}
        for word in self.tokens:
            if is_boilerplate(word) or word in path_words:
                continue
            is_of_path = all(
                is_boilerplate(part) or _without_zeros(part) in self._path_parts
                for part in parts_of(word)
            )
            if not is_of_path or file.access.holds(word):
                return True
        return False

    @cached_property
    def _path_parts(self) -> frozenset[str]:
        """The words and numbers of the path, without leading zeros: `week`, `7`, `csv`."""
        return frozenset(map(_without_zeros, parts_of(fold_text(self.path))))

    @cached_property
    def values(self) -> list[WrittenValue]:
        """The ids, numbers, dates and quotations, except those in the path."""
        values: list[WrittenValue] = []
        for value in written_values(self.text, kinds=_NAMING_KINDS):
            parts = parts_of(fold_text(value.text))
            is_of_path = self._path_parts.issuperset(map(_without_zeros, parts))
            if value.kind in (ValueKind.DATE, ValueKind.MONTH):  # `/2026-05-14.md`
                is_of_path = is_of_path or states_value(self.path, value)
            if not is_of_path and self.code_of(value) not in self._path_parts:
                values.append(value)
        return values

    def code_of(self, value: WrittenValue) -> str:
        """Return the letters and digits of which a number is a part, in lower case: `2b` for `2B`.

        The `B` is read as a unit, but `2B` may as well be the code of a room. Returns an empty
        string if no letter touches the value.
        """
        before = self.text[: value.start]
        behind = self.text[value.end :]
        letters_before = _length_of_word(reversed(before))
        letters_behind = _length_of_word(behind)
        if value.kind is not ValueKind.NUMBER or not letters_before + letters_behind:
            return ""
        code = self.text[value.start - letters_before : value.end + letters_behind]
        return fold_text(code) if code.isalnum() else ""

    def line_number_of(self, value: WrittenValue) -> int | None:
        """Return the number of a line as which a value stands: 2 for "line 2"; else None."""
        for start, number in self._line_numbers.items():
            if value.start <= start < value.end:
                return number
        return None

    @cached_property
    def _line_numbers(self) -> dict[int, int]:
        """The numbers of lines, by where each starts in the text: {5: 2} for "line 2"."""
        numbers: dict[int, int] = {}
        for match in _LINES.finditer(encodable(self.text)):
            for group in range(1, match.re.groups + 1):
                if match[group] is not None:
                    numbers[match.start(group)] = int(match[group])
        return numbers

    @cached_property
    def is_denial(self) -> bool:
        """True if it says that something is missing: "no order 17 in the list".

        A word within a quotation denies nothing.
        """
        text = self.text
        for value in self.values:
            if value.kind is ValueKind.QUOTATION:
                text = text.replace(value.text, " ")
        words = parts_of(fold_text(text)) + list(tokens_of(text))
        if not _NEGATIONS.isdisjoint(words):
            return True
        return any(word in text for word in _NEGATIONS_IN_WORDS)


def _length_of_word(characters: Iterable[str]) -> int:
    """Return how many letters and digits come first."""
    return sum(1 for _ in takewhile(is_word_character, characters))


def _without_zeros(part: str) -> str:
    """Return a number without leading zeros, and a word as it is: `07` -> `7`."""
    return part.lstrip("0") if part.isdecimal() else part


_MOST_REASON_CHARS: Final = 300
"""Characters of a reason that are judged. A reason is a sentence; more would only take time."""


def ask_justification(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to each reason that says nothing, or names only values that its file does not contain.

    | reason                | fault                                              |
    | --------------------- | -------------------------------------------------- |
    | "relevant file"       | always: it is true of any file                     |
    | "order 17 is paid"    | if there is no 17, in any spelling, in the file    |
    | "lists 40 orders"     | if the file has neither a 40, nor 40 lines or rows |
    | "no order 17"         | never: a denial names what is missing              |
    | "the opening hours"   | never: the file may say it in other words          |

    A file that the trial changed, a program that it ran, and an empty result may be cited for any
    reason.
    """
    reasons = submission.refs_why
    if not isinstance(reasons, dict):
        return Inapplicable("the citations carry no reasons")
    if not evidence.has_trace:
        return Inapplicable("there is no trace of what was read")
    if not reasons:
        return Inapplicable("nothing is cited")
    faults: list[str] = []
    for reference, reason in reasons.items():
        target = evidence.find(reference)
        # Gate 3 rejects a reason that is not a text, gate 4 a file that was not read.
        if not isinstance(reason, str) or target.access is None:
            continue
        if has_quotation(target.path, evidence):
            continue
        file = _CitedFile(target.path, target.access, evidence.accesses)
        citation_reason = _CitationReason(reason[:_MOST_REASON_CHARS], target.path)
        fault = _fault_of(citation_reason, file, case)
        if fault:
            faults.append(
                f"The reason for {quote(reference)}, {quote(reason)}, {fault}"
            )
        if len(faults) == bounds.SHOWN_FAULTS:  # further faults would not be shown
            break
    return faults


_ADVICE: Final = (
    "name an id, a number or words of the page, or quote it: "
    "`scratchpad.cite(path, reason, quote)`"
)


def _fault_of(reason: _CitationReason, file: _CitedFile, case: Case) -> str:
    """Return what is known to be wrong with a reason, or an empty string.

    "relevant file"        "names nothing that was found there: name an id, …"
    "order 99"             "names nothing that was found there: looked for `order 99`. … Closest: …"
    '"all paid", 3 rows'   "quotes what is not there: `all paid`. … Closest: …"
    """
    if file.may_have_any_reason:
        return ""
    if not reason.says_something(file):  # only boilerplate
        return f"names nothing that was found there: {_ADVICE}."
    # Numbers of lines that the file may have cannot be refuted.
    values: list[WrittenValue] = []
    for value in reason.values:
        line_number = reason.line_number_of(value)
        if line_number is None or not file.has_line(line_number):
            values.append(value)
    if not values or reason.is_denial or file.is_unknown:
        return ""
    missing = [value for value in values if not file.states(value, reason)]
    quoted = [
        value
        for value in missing
        if _quotes_page(value) and not states_value(case.instruction, value)
    ]
    if len(missing) == len(values):
        sought = quote_some([value.text for value in reason.values])
        fault = f"names nothing that was found there: looked for {sought}."
    elif quoted:
        fault = (
            f"quotes what is not there: {quote_some([value.text for value in quoted])}."
        )
    else:
        return ""
    closest = _closest_lines(reason.text, file.access.given_texts)
    return f"{fault} {_ADVICE.capitalize()}.{closest}"


def _quotes_page(value: WrittenValue) -> bool:
    """Return True for what stands in quotation marks. Code in back quotes may be the script's."""
    return value.kind is ValueKind.QUOTATION and value.unit != UNIT_OF_CODE


def has_quotation(path: str, evidence: Evidence) -> bool:
    """Return True if `path` was cited with a quotation that was found in the file.

    A quotation of boilerplate alone, which is in almost any file, does not count.
    """
    for quotation in evidence.quotations.get(path, ()):
        is_only_boilerplate = all(is_boilerplate(word) for word in tokens_of(quotation))
        if not is_only_boilerplate:
            return True
    return False
