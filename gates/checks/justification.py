"""Gate 5: the reason for a citation must name something that the cited file contains.

A script cites a file with a reason: `cite("/orders/17.json", "order 17 is paid")`. The
gate accepts the reason if one of the following is true:

- The citation came with a quotation that was found in the file.
- The reason has an id, number, date or quotation, and the file contains one of them.
- The reason has no such value, but shares enough words with the file.
- The reason says that the script changed the file, and the trace shows that it did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from controlplane.gates.boilerplate import is_boilerplate
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.paths import base_name
from controlplane.gates.quoting import quote, quote_some
from controlplane.gates.records import parse
from controlplane.gates.submission import Case, Submission
from controlplane.gates.support.answer_values import states_value
from controlplane.gates.support.sources import LineNumbers, Source
from controlplane.gates.text_folding import bare_text, fold_text, parts_of, tokens_of
from controlplane.gates.text_index import index_of
from controlplane.gates.trial import Access, SeenText
from controlplane.gates.values.spans import LAST_BEFORE_CJK, ValueKind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

# What a cited file contains: values, and counts of lines and rows.


@dataclass(frozen=True, slots=True)
class _CitedFile:
    """A file that an answer cites, with what was seen of it."""

    path: str
    access: Access
    """What the trial's calls did with the file.

    Its `given_texts` are those that the environment gave, without those that the script wrote.
    """

    @property
    def is_unknown_or_empty(self) -> bool:
        """True if no text of the file was seen, or one of the texts is whole and empty."""
        if not self.access.seen:
            return True
        given = self.access.given_texts
        return any(not seen.is_cut and not seen.text.strip() for seen in given)

    def states_any(self, values: Iterable[WrittenValue]) -> bool:
        """Return True if the file states one of the values, or has as many lines or rows."""
        return any(self._has_count(value) or self._states(value) for value in values)

    def _has_count(self, value: WrittenValue) -> bool:
        """Return True if a value is how many lines or rows the file has: "lists 40 orders"."""
        count = value.canonical
        return count.isdigit() and count in self._counts()

    def _counts(self) -> set[str]:
        """Return how many lines and rows each text of the file has, as digits: {"41", "40"}."""
        counts: set[str] = set()
        for seen in self.access.given_texts:
            counts.add(str(seen.text.count("\n") + 1))
            # How many values each column has, or each key of JSON records. Of 40 records, all
            # have an `id` but only 12 a `note`, so the largest number is that of the records.
            columns = Counter(name for name, _ in parse(seen.text, self.path))
            if columns:
                counts.add(str(max(columns.values())))
        return counts

    def _states(self, value: WrittenValue) -> bool:
        """Return True if a text states a value that it does not only repeat.

        A search for `36` may print `36: not found`, which repeats a word of the call.
        """
        for seen in self.access.given_texts:
            unproven_words = seen.unproven_words
            is_repeated = unproven_words != "" and states_value(unproven_words, value)
            if not is_repeated and states_value(seen.text, value):
                return True
        return False


# Compares reasons in Chinese or Japanese with texts.
#
# These languages are written without spaces, so pieces of text are compared, not words.

_LEAST_CJK_CHARS: Final = 4
"""How many characters in a row a reason must share with the file, or all if it has fewer."""


def _shares_cjk_text(reason: str, texts: Iterable[str]) -> bool:
    """Return True if a reason shares four Chinese or Japanese characters in a row with a text.

    `貸出記録を確認` shares `貸出記録` with `貸出記録: 3 冊`.
    """
    pieces = _cjk_pieces(bare_text(reason))  # without blanks and accents
    if not pieces:
        return False
    for text in texts:
        bare = bare_text(text)
        if any(piece in bare for piece in pieces):
            return True
    return False


def _cjk_pieces(reason: str) -> set[str]:
    """Return the pieces of a reason in Chinese or Japanese, four characters from each place on.

    `貸出記録を確認` -> `貸出記録`, `出記録を`, `記録を確`, `録を確認`. A shorter reason is one piece.
    """
    if reason.isascii():
        return set()
    last_start = max(len(reason) - _LEAST_CJK_CHARS, 0)
    pieces = {
        reason[start : start + _LEAST_CJK_CHARS] for start in range(last_start + 1)
    }
    # A piece counts if its first character is Chinese or Japanese (by its code point).
    return {piece for piece in pieces if piece[0] > LAST_BEFORE_CJK}


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
    lines: list[_ScoredLine] = []
    for seen in texts:
        lines += _scored_lines(seen, words)
    if not lines:
        return ""
    lines.sort(key=lambda line: (-line.shared_words, line.number, line.text))
    shown = "; ".join(line.quoted for line in lines[:_MOST_SHOWN_LINES])
    return f" Closest: {shown}."


@dataclass(frozen=True, slots=True)
class _ScoredLine:
    """A line of a file, with the number of words that it shares with a reason."""

    shared_words: int
    number: int
    """Its line number in the file; 0 if the number is unknown."""
    text: str

    @property
    def quoted(self) -> str:
        """The line as a message shows it: "line 3 `order 17; paid`"."""
        text = quote(self.text, _SHOWN_LINE_CHARS)
        return f"line {self.number} {text}" if self.number else text


def _scored_lines(seen: SeenText, words: set[str]) -> list[_ScoredLine]:
    """Return every line of a text that is not blank, with how many of the words it has."""
    text = seen.text[: bounds.MOST_RECORD_CHARS]
    # The text may be a part of the file, so its lines have other numbers there.
    source = Source("", text, LineNumbers(seen.lines))
    lines: list[_ScoredLine] = []
    for index, line in enumerate(source.lines):
        if line.strip():
            shared_words = len(words.intersection(parts_of(fold_text(line))))
            number = source.place(index).line  # in the file
            lines.append(_ScoredLine(shared_words, number, line.strip()))
    return lines


# The reason that a script gives for a citation: "order 17 is paid".
#
# The values and words of a reason are looked up in the cited file. Some reasons cannot be looked
# up: a denial ("no order 17") names what is not in the file, and "marked as paid" names what the
# script did to it. The words for that are known in English, German and French.

_NAMING_KINDS: Final = frozenset(ValueKind) - {ValueKind.URL}
"""The kinds of values by which a reason may name what a file contains, such as ids and dates.

A web address is not one of them: it names another place.
"""
_MOST_WORDS: Final = 100
"""At most this many words of a reason are looked up in the file."""
_NEGATIONS: Final = frozenset(
    {"no", "not", "none", "never", "nothing", "without"}
    | {"kein", "keine", "nicht", "aucun"}
)
"""Words that say that something is missing: "no order 17 in the list".

With one of them, the reason may be right although the file does not contain its id.
"""
_CHANGING_WORDS: Final = """
    written write updated changed edited added created saved stored modified appended exported set replaced filled
    renamed moved marked entered new now deleted removed cleared executed execute ran run called applied performed
    geschrieben geandert erganzt angelegt neu jetzt geloscht ausgefuhrt modifie ecrit ajoute nouveau cree supprime
"""
CHANGING_WORDS: Final = frozenset(_CHANGING_WORDS.split())
"""Words that say that a file was written, deleted or run: "marked as returned".

With one of them, the reason need not name what the file contains, if the trial did more with the
file than read it. The words are in lower case and without accents.
"""


@dataclass(frozen=True)
class _CitationReason:
    """The reason that a script gives for citing a file: "order 17 is paid".

    Its values (17) and words (`order`, `paid`) are looked up in the file.
    """

    text: str
    path: str
    """The path of the file. Its words support nothing: one knows them without reading the file."""

    @cached_property
    def tokens(self) -> list[str]:
        """The words, numbers and ids, in lower case and without accents."""
        return list(tokens_of(self.text))

    @cached_property
    def words(self) -> list[str]:
        """The distinctive words, each once: no very common words, single letters or path words.

        For `/docs/returns.md`, "the returns file limits refunds" -> ["limits", "refunds"].
        """
        path_words = {*tokens_of(self.path), *tokens_of(base_name(self.path))}
        words = [
            word
            for word in dict.fromkeys(self.tokens)
            if len(word) > 1 and not is_boilerplate(word) and word not in path_words
        ]
        return words[:_MOST_WORDS]

    @cached_property
    def values(self) -> list[WrittenValue]:
        """The ids, numbers, dates and quotations, except those in the path."""
        path_parts = set(parts_of(fold_text(self.path)))
        return [
            value
            for value in written_values(self.text, kinds=_NAMING_KINDS)
            if not path_parts.issuperset(parts_of(fold_text(value.text)))
        ]

    @property
    def says_changed(self) -> bool:
        """True if it says that the file was written, deleted or run: "marked as returned"."""
        return not CHANGING_WORDS.isdisjoint(self.tokens)

    @property
    def is_denial(self) -> bool:
        """True if it says that something is missing: "no order 17 in the list"."""
        return not _NEGATIONS.isdisjoint(self.tokens)


# Compares the words of a reason with those of the cited file.

_LEAST_WORDS: Final = 2
"""A reason must share this many different words with the file, or all if it has fewer.

A single shared word may be a coincidence.
"""


def _shares_words(words: Sequence[str], access: Access) -> bool:
    """Return True if a file contains enough of the words of a reason.

    Enough are `_LEAST_WORDS`, or all if there are fewer, or a single one in a heading. `access` is
    what the trial's calls did with the file, and the texts that they saw there.
    """
    texts = _comparable_texts(access)
    shared = [word for word in words if any(seen.holds(word) for seen in texts)]
    if not shared:
        return False
    if len(shared) >= _LEAST_WORDS or len(shared) == len(words):
        return True
    headings = [_headings_of(seen.text, access.path) for seen in texts]
    index = index_of("\n".join(headings))
    return any(index.holds(word) for word in shared)


def _comparable_texts(access: Access) -> tuple[SeenText, ...]:
    """Return the texts of a file with which words are compared.

    Text that the script wrote counts only if the file existed before: the reason
    may then describe the change. In a new file, all words are the script's own.
    """
    if access.had_text_before_writing:
        return access.seen
    return access.given_texts


def _headings_of(text: str, path: str) -> str:
    """Return the headings of a text, one per line.

    These are its first line, its Markdown headings, and its names of fields or columns.
    """
    first_line, *lines = text.split("\n")
    markdown = [line for line in lines if line.startswith("#")]
    names = [name for name, _ in parse(text, path)]
    return "\n".join([first_line, *markdown, *names])


_MOST_REASON_CHARS: Final = 300
"""Characters of a reason that are judged. A reason is a sentence; more would only take time."""


def ask_justification(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to each reason that names nothing that its file contains.

    | reason                | fault                                              |
    | --------------------- | -------------------------------------------------- |
    | "relevant file"       | always: it is true of any file                     |
    | "order 17 is paid"    | if there is no 17, in any spelling, in the file    |
    | "lists 40 orders"     | if the file has neither a 40, nor 40 lines or rows |
    | "no order 17"         | never: a denial names what is missing              |
    | "marked as returned"  | if the trial only read the file                    |
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
        file = _CitedFile(target.path, target.access)
        fault = _fault_of(
            _CitationReason(reason[:_MOST_REASON_CHARS], target.path), file
        )
        if fault:
            faults.append(
                f"The reason for {quote(reference)}, {quote(reason)}, {fault}"
            )
        if len(faults) == bounds.SHOWN_FAULTS:  # further faults would not be shown
            break
    return faults


_ADVICE: Final = (
    "name an id, a number or words of the page in its own language, or quote it: "
    "`scratchpad.cite(path, reason, quote)`"
)


def _fault_of(reason: _CitationReason, file: _CitedFile) -> str:
    """Return what is wrong with a reason, or an empty string if the file supports it.

    "relevant file"    "names nothing that was found there: name an id, …"
    "order 99"         "names nothing that was found there: looked for `order 99`. … Closest: …"
    """
    if not reason.words and not reason.values:  # only boilerplate
        return f"names nothing that was found there: {_ADVICE}."
    if _cannot_be_refuted(reason, file) or _is_supported(reason, file):
        return ""
    sought = [value.text for value in reason.values] or reason.words
    return (
        f"names nothing that was found there: looked for {quote_some(sought)}. "
        f"{_ADVICE.capitalize()}.{_closest_lines(reason.text, file.access.given_texts)}"
    )


def _cannot_be_refuted(reason: _CitationReason, file: _CitedFile) -> bool:
    """Return True if a reason may be right although the file does not contain what it names.

    The reason says that the file was changed, or that something is missing in it; or too
    little of the file is known.
    """
    was_only_read = file.access.actions == {"read"}
    if reason.says_changed and not was_only_read:  # "marked as returned"
        return True
    if reason.is_denial and reason.values:  # "no order 17 in the list"
        return True
    return file.is_unknown_or_empty


def _is_supported(reason: _CitationReason, file: _CitedFile) -> bool:
    """Return True if the file supports a reason, by a value or by words.

    Only texts that the environment gave are searched, not what the script wrote into the file:

    | reason              | these texts       | script wrote the file | is supported        |
    | ------------------- | ----------------- | --------------------- | ------------------- |
    | "order 17 is paid"  | contain 17        | yes or no             | yes                 |
    | "order 17 is paid"  | do not contain 17 | no                    | no                  |
    | "order 17 is paid"  | do not contain 17 | yes                   | if they share words |
    | "the opening hours" | any               | yes or no             | if they share words |
    """
    if file.states_any(reason.values):
        return True
    if reason.values:
        # The value may be in what the script wrote, so that the search has missed it.
        was_written = "write" in file.access.actions
        return was_written and _shares_words(reason.words, file.access)
    if _shares_words(reason.words, file.access):
        return True
    # Chinese, Japanese and Korean have no blanks between words, so they are compared
    # by the characters in a row that reason and file share.
    texts = [seen.text for seen in file.access.given_texts]
    return _shares_cjk_text(reason.text, texts)


def has_quotation(path: str, evidence: Evidence) -> bool:
    """Return True if `path` was cited with a quotation that was found in the file.

    A quotation of boilerplate alone, which is in almost any file, does not count.
    """
    for quotation in evidence.quotations.get(path, ()):
        is_only_boilerplate = all(is_boilerplate(word) for word in tokens_of(quotation))
        if not is_only_boilerplate:
            return True
    return False
