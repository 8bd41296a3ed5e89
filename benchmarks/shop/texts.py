"""Reads the texts of a shop: words and names, pages, tables, and amounts of money."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

import re2

from controlplane.gates.text_folding import encodable, fold_text
from controlplane.gates.values.normal_text import NumberStyle, with_few_marks
from controlplane.gates.values.numerals import numeral_of_digits
from controlplane.sandbox.functions import CannotRead

# Refuses what is not certain, for all functions of shops.
#
# A function for scripts must not guess: if two branches are called "Graz", it has no result, and
# the model reads why. `CannotRead` carries the reason to the script, and code between them need
# not pass on empty results.

Found = TypeVar("Found")


def require(condition: object, refusal: str) -> None:
    """Raise `CannotRead` with a refusal as its message if a condition is false or empty.

    A function for scripts then has no result, and the script shows the refusal to the model.
    """
    if not condition:
        raise CannotRead(refusal)


def value_or_raise(value: Found | None, refusal: str) -> Found:
    """Return a value. Raise `CannotRead` with a refusal as its message if it is empty or None.

    `branch = value_or_raise(found_branch, "no branch has this name")`
    """
    if not value:
        raise CannotRead(refusal)
    return value


# Compares names as people write them, ignoring accents, titles and the order of words.
#
# "Zoe Mueller" means `Dr. Zoë Müller`. A letter such as `ü` is written `u` by some people and `ue`
# by others, so each word of a name is compared in both spellings.

# Compares words as people write them, ignoring case and separators.
#
# "18V drill" and the product `Drill 18 V` have the same normal words: `18`, `v` and `drill`. People
# also name things by one word that no other thing has: "the Lombok branch" is `Utrecht Lombok`.

Key = TypeVar("Key")


_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}\b)")
"""The comma in `2,5`, but not in `1,200`."""
_BETWEEN_NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d)(?=[^\W\d_])")
"""The place between `18` and `V` in `18V`."""
_NO_WORD: Final = re.compile(
    r"[^\w.]+"  # blanks and signs
    r"|_"
    r"|(?<!\d)\.|\.(?!\d)"  # a point, except between digits: `2.5`
)
"""What separates words."""
_PIECES: Final = frozenset({"pcs", "piece", "pieces", "stk"})
"""Words for pieces, which all become `pc`."""


def normal_words(text: str) -> str:
    """Return a text's words in lower case with single blanks: `18V, 2,5 kg` -> `18 v 2.5 kg`.

    Numbers and units are separated, decimal commas become points, and words for pieces
    become `pc`: `2 pcs` -> `2 pc`.
    """
    lower = unicodedata.normalize("NFKC", with_few_marks(text)).casefold()
    with_points = _DECIMAL_COMMA.sub(".", lower)
    with_units_apart = _BETWEEN_NUMBER_AND_UNIT.sub(" ", with_points)
    words = []
    for word in _NO_WORD.sub(" ", with_units_apart).split():
        if word in _PIECES:
            word = "pc"
        words.append(word)
    return " ".join(words)


def identified_by_words(
    words_by_key: Mapping[Key, Collection[str]], query: Set[str]
) -> list[Key]:
    """Return the keys that the words of a query identify.

    `{"store_1": ["utrecht", "lombok"], "store_2": ["utrecht", "centre"]}`, `{"lombok"}` ->
    `["store_1"]`. A key is identified if it has words that no other key has, and the query
    contains all of these.
    """
    keys_with_word: Counter[str] = Counter()  # the number of keys with each word
    for words in words_by_key.values():
        keys_with_word.update(set(words))
    identified = []
    for key, words in words_by_key.items():
        unique_words = {word for word in words if keys_with_word[word] == 1}
        if unique_words and unique_words <= query:
            identified.append(key)
    return identified


BARE_LETTERS: Final = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "ħ": "h",
        "ı": "i",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
    }
)
"""How letters are written without their accent or stroke: `ø` as `o`.

`fold_text` does this for letters such as `ü`, which Unicode decomposes into `u` and an accent.
"""
TRANSCRIBED_LETTERS: Final = BARE_LETTERS | str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
)
"""How letters are transcribed, some of them by two letters: `ø` as `oe`, and `ü` as `ue`.

A name may be written in either way, so `names_match` tries both.
"""
_TITLES: Final = frozenset(
    {
        "mr",
        "mrs",
        "ms",
        "miss",
        "dr",
        "prof",
        "herr",
        "frau",
        "mme",
        "mag",
        "the",
        "branch",
    }
)
"""Words that may be left out of the name of a person or a branch."""
_APOSTROPHE: Final = re.compile(r"['’]s\b|(?<=\w)['’](?=\w)")
"""The `'s` of `Ada's`, and the apostrophe in `O'Neill`."""


def names_match(candidate: str, query: str) -> bool:
    """Return True if all words of one name occur in the other, in any order.

    Accents may be missing or transcribed: `Zoë Müller` is `Zoe Muller` and `Zoe
    Mueller`. An empty name matches nothing.
    """
    # Each word is the set of its spellings: `{"muller", "mueller"}`.
    candidate_words = _spelt_words(candidate)
    query_words = _spelt_words(query)
    if not candidate_words or not query_words:
        return False
    if _joined(candidate_words) == _joined(query_words):  # `Mary Ann`, `Maryann`
        return True
    shorter, longer = candidate_words, query_words
    if len(shorter) > len(longer):
        shorter, longer = longer, shorter
    return all(_is_among(word, longer) for word in shorter)


def _joined(words: Iterable[Set[str]]) -> str:
    """Return the words of a name as one word: `maryann` for `Mary Ann`.

    Of each word's spellings, the shortest one is used: that without accents.
    """
    return "".join(min(spellings, key=len) for spellings in words)


def _is_among(spellings: Set[str], words: Iterable[Set[str]]) -> bool:
    """Return True if one of the words shares a spelling with this one."""
    return any(not spellings.isdisjoint(word) for word in words)


def _spelt_words(name: str) -> list[set[str]]:
    """Return the spellings of each word of a name: without accents, and transcribed.

    Titles are left out. `Dr. Jörg` -> `[{"jorg", "joerg"}]`
    """
    # The lower case of the Turkish `İ` is two characters, an `i` and a dot.
    plain_name = _APOSTROPHE.sub("", name.replace("İ", "I"))
    words = []
    for word in normal_words(plain_name).split():
        bare = fold_text(word.translate(BARE_LETTERS))
        transcribed = fold_text(word.translate(TRANSCRIBED_LETTERS))
        if bare not in _TITLES and transcribed not in _TITLES:
            words.append({bare, transcribed})
    return words


# Reads a document of a shop: its marked words and the paths that it names.
#
# A marked word is a text in backticks. In "A basket is bought with `/bin/checkout <basket_id>` if
# its `status` is `open`.", a command, the name of a field and a state are marked.

# Divides a document of a shop into paragraphs and list entries, or quotes one of its sentences.
#
# A rule is usually one entry of a list: "- Run `/bin/refund approve <return_id>` if it fits." A
# document may break it into two lines. `entries_of` joins them, so a rule is found on one line.
# `quoted_sentence` finds the sentence that is the reason for citing a document.

_ENTRY_START: Final = re2.compile(
    r"[^\S\n]*(?:"
    r"[-+*•–]\s"  # a bullet
    r"|#{1,6}\s"  # a heading
    r"|\(?(?:\d{1,2}|[a-z])[.)]\s"  # a number or letter: 1. (a)
    r"|\*\*[\pL\pN_]|__[\pL\pN_]"  # a bold name
    r"|\|"  # a table row
    r")"
)
"""The start of a line that begins a new list entry.

A bullet or number needs a blank or line break after it: `-4` and `1.5` begin no entry.
"""


@lru_cache(maxsize=64)
def entries_of(text: str) -> tuple[str, ...]:
    """Return the paragraphs and list entries of a document, each on one line.

    For the document

        # Refunds

        Staff approve a refund.
        - Run `/bin/refund
          approve <return_id>`.
        - Cite the return.

    the entries are

        # Refunds
        Staff approve a refund.
        - Run `/bin/refund approve <return_id>`.
        - Cite the return.
    """
    entries: list[list[str]] = [[]]
    for line in encodable(text).split("\n"):
        is_blank = not line.strip()
        # The line break counts as the blank after a bullet that is alone on its line: `-`.
        line_with_break = f"{line}\n"
        if is_blank or _ENTRY_START.match(line_with_break):
            entries.append([])
        entries[-1] += line.split()
    return tuple(" ".join(words) for words in entries if words)


_MIN_SENTENCE_CHARS: Final = 31
"""Shorter parts of a document are taken for headings."""
_MAX_REASON_CHARS: Final = 160
"""A longer sentence is truncated."""


def quoted_sentence(text: str, words: str) -> str:
    """Return the reason for citing a document: its sentence with the most of these words.

    `words` is a pattern: `contact|e-?mail|phone` -> "it says: Contact details of staff are not
    given out." If several sentences have as many, the first is taken. A document without
    sentences is quoted from its beginning.
    """
    one_line = " ".join(text.split())
    word_pattern = re.compile(words, re.IGNORECASE)
    best_sentence = ""
    best_count = -1
    # A lookbehind, which only `re` has and not `re2`, keeps the mark at the sentence's end.
    for part in re.split(r"(?<=[.!?;])\s", one_line):
        sentence = part.strip(" #-*")
        if len(sentence) < _MIN_SENTENCE_CHARS:
            continue
        count = len(set(word_pattern.findall(sentence.casefold())))
        if count > best_count:
            best_sentence = sentence
            best_count = count
    quoted = best_sentence or one_line
    return f"it says: {quoted[:_MAX_REASON_CHARS]}"


_MARKED_WORD: Final = re2.compile(r"`([^`\n]+)`")
"""A marked word: a text in backticks, such as `status`."""


@lru_cache(maxsize=128)
def marked_words(text: str) -> tuple[str, ...]:
    """Return the texts in backticks, in order, including repetitions.

    "its `status` is `open`" -> `("status", "open")`
    """
    # The lines are joined, because a marked text may go on in the next line.
    lines = [line.strip() for line in text.split("\n")]
    # `encodable` replaces characters that RE2 cannot read.
    return tuple(_MARKED_WORD.findall(encodable(" ".join(lines))))


def most_marked(text: str, among: Collection[str]) -> str:
    """Return the word of `among` that a text marks most often; empty if it marks none.

    If several are equal, the first in the text is returned.
    """
    counts = Counter(word for word in marked_words(text) if word in among)
    best_word = ""
    for word in counts:  # in the order of the text
        if not best_word or counts[word] > counts[best_word]:
            best_word = word
    return best_word


_FEW_WORDS: Final = r"[^`.;]{0,20}"
"""At most 20 characters inside a sentence, enough for a few words such as `is set to`."""


def marked_after(text: str, word: str) -> str:
    """Return the word in backticks that follows another one closely in the same sentence.

    "products whose `fulfillment` is `download`", `fulfillment` -> `download`. The result is empty
    if there is none.
    """
    if f"`{word}`" not in text:
        return ""
    one_line = " ".join(text.split())
    match = re.search(rf"`{re.escape(word)}`{_FEW_WORDS}`([^`\n]+)`", one_line)
    return match[1] if match else ""


_PATH: Final = re.compile(
    r"(?:^|(?<=[\s`(\[\"']))"  # at the start of a line, or after a blank, a quote or a bracket
    r"/[A-Za-z][\w.-]*"  # the first folder: /docs
    r"(?:/[\w.-]+)*",  # folders and the file in it: /security.md
    re.MULTILINE,
)
"""An absolute path: `/docs/security.md`. Matched by `re`, because RE2 cannot look behind."""


@lru_cache(maxsize=128)
def named_paths(text: str) -> tuple[str, ...]:
    """Return the absolute paths in a text, with or without backticks, each once."""
    paths = [path.rstrip(".") for path in _PATH.findall(text)]
    return tuple(dict.fromkeys(paths))


# The words for yes and no in the answers of a shop.
#
# Its rules may require words of its own: "Answer `<YES>` if it is so, `<NO>` if it is not."
# Sometimes it is certain which word means yes (`certain_yes_no_words`). Sometimes it is only
# known that a word is one of the two (`possible_yes_no_words`).

YES_WORDS: Final = frozenset({"yes", "true", "ja", "oui"})
"""The words that are a yes in the languages of answers."""
NO_WORDS: Final = frozenset({"no", "false", "nein", "nee", "non"})
"""The words that are a no in the languages of answers."""


class YesNoWords(NamedTuple):
    """The words that stand for yes and no in answers."""

    yes: str
    no: str


# Certain words ----------------------------------------------------------------------------------

_YES_BEFORE_NO: Final = re2.compile(r"(?i)\byes\b.*\bno\b|\bis so\b.*\bis not\b")
"""Words of a paragraph that gives the word for yes and then that for no.

"`1` for yes, `0` for no", "`1` if it is so, `0` if it is not"
"""


def certain_yes_no_words(rules: str) -> YesNoWords | None:
    """Return the words for yes and no in a rules document; None if they are not certain.

    All paragraphs and list entries on yes and no must give the same two words.
    """
    pairs: set[YesNoWords] = set()
    for paragraph in entries_of(rules):
        pair = _words_given_by(paragraph)
        if pair is not None:
            pairs.add(pair)
    if len(pairs) == 1:
        return pairs.pop()
    return None


def _words_given_by(paragraph: str) -> YesNoWords | None:
    """Return the two words in backticks of a paragraph on yes and then no; None for others."""
    if not _YES_BEFORE_NO.search(paragraph):
        return None
    words: list[str] = []
    for word in _MARKED_WORD.findall(paragraph):
        is_path_or_outcome = word.startswith(("/", "OUTCOME_"))
        if not is_path_or_outcome and word not in words:
            words.append(word)
    if len(words) != 2:
        return None
    return YesNoWords(yes=words[0], no=words[1])


# Possible words ---------------------------------------------------------------------------------

_ABOUT_YES_NO: Final = re2.compile(
    r"(?i)\b(?:yes\s*(?:/|or)\s*no|ja\s*(?:/|oder)\s*nein)\b"
)
"""A line on yes and no: `yes/no`, `yes or no`."""
_WORD_IN_ANGLES: Final = re2.compile("<[A-Z]+>")
"""A word in angle brackets: `<YES>`."""


def possible_yes_no_words(rules: str) -> list[str]:
    """Return all words that may stand for yes or no, in the order of the rules.

    They are the words in lines such as "Yes or no: `1`, `0`": those in backticks, and then
    those in angle brackets. It is not certain which of them means yes.
    """
    lines = [
        line for line in encodable(rules).splitlines() if _ABOUT_YES_NO.search(line)
    ]
    words: list[str] = []
    for pattern in (_MARKED_WORD, _WORD_IN_ANGLES):
        for line in lines:
            words += pattern.findall(line)
    return list(dict.fromkeys(words))


# Reads tables in text files, such as exports: their rows, and the meaning of their columns.
#
# Exports differ in separators and headers. The column with the customer may be called
# `Customer_ID`, `customer ref` or `buyer`, so `columns_called` looks for several headers.

# Reads and writes amounts of money: `€ 1.200,50` and `1200.50 EUR` are 120050 cents.
#
# Cents are whole numbers, so that amounts can be added and compared exactly. With fractions, 0.1
# and 0.2 would not make 0.3.

_NUMBER: Final = r"(?:\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)"
"""`1.200,50`, `1 200`, `12.5`: digits in groups or without, and at most two decimals."""
_CURRENCY: Final = r"(?:EUR(?:OS?)?|€)"
_EUROS: Final = re.compile(
    rf"{_CURRENCY}\s*(?P<after_currency>{_NUMBER})(?!\d)"  # `EUR 12.50`
    rf"|(?<![\w.,-])(?P<before_currency>{_NUMBER})\s*{_CURRENCY}(?!\w)",  # `12,50 €`
    re.IGNORECASE,
)
"""An amount with its currency before or after it."""
_NARROW_BLANK: Final = re.compile(r"[\u00a0\u2009\u202f]")
"""Special blanks between groups of digits, or between a number and its currency."""


def money_in_text(text: str) -> int | None:
    """Return the first amount in euros in a text, in cents; None if there is none.

    `pay € 1.200,50 or EUR 3` -> 120050
    """
    match = _EUROS.search(_NARROW_BLANK.sub(" ", text))
    if match is None:
        return None
    return _cents_of(match["after_currency"] or match["before_currency"])


def _cents_of(amount: str) -> int:
    """Return a written amount in cents: `1.200,50` -> 120050, `1.200` -> 120000, `1.5` -> 150.

    A separator before exactly three digits groups thousands, because an amount never
    has three decimals.
    """
    numeral = numeral_of_digits(amount, NumberStyle())
    return int(Fraction(numeral.amount) * 100)


def amount_text(cents: int) -> str:
    """Return an amount as the shop writes it: `EUR 123.45`."""
    sign = "-" if cents < 0 else ""
    euros, rest = divmod(abs(cents), 100)
    return f"EUR {sign}{euros}.{rest:02d}"


_SEPARATORS: Final = ("\t", ";", ",")
"""The likeliest separator comes first. A comma may also occur inside a cell."""


def table_rows(text: str) -> list[dict[str, str]]:
    """Return the rows of a table: "Lane_ID;Cost" and "l4;12" -> `[{"lane id": "l4", "cost": "12"}]`.

    Headers are in normal words: in lower case, with blanks. Raises `CannotRead` if two headers are
    equal, or if a row does not have as many cells as the header.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    separator = _separator_of(lines[0])
    headers = [normal_words(cell) for cell in lines[0].split(separator)]
    rows_of_cells = []
    for line in lines[1:]:
        rows_of_cells.append([cell.strip() for cell in line.split(separator)])

    has_distinct_headers = len(set(headers)) == len(headers)
    all_rows_fit = all(len(cells) == len(headers) for cells in rows_of_cells)
    require(
        has_distinct_headers and all_rows_fit,
        "the table has headers twice, or a row with other columns than its header",
    )
    return [dict(zip(headers, cells, strict=True)) for cells in rows_of_cells]


def _separator_of(header_line: str) -> str:
    """Return the separator of a table. A header without one is a single column."""
    for separator in _SEPARATORS:
        if separator in header_line:
            return separator
    return "\t"


def columns_called(
    rows: Sequence[Mapping[str, str]],
    wanted: Mapping[str, tuple[str, ...]],
    optional: Collection[str] = (),
) -> dict[str, str]:
    """Return the header of each wanted column.

    `wanted` gives possible headers for each column, best first: `{"due": ("due time", "due")}`
    -> `{"due": "due"}` in a table with this header. If no header is one of them, the only one that
    contains one is taken, such as `due at`. Raises `CannotRead` if a column is not found, unless
    it is `optional`.
    """
    headers = list(rows[0]) if rows else []
    columns: dict[str, str] = {}
    for name, possible_headers in wanted.items():
        header = _header_called(headers, possible_headers)
        if header is not None:
            columns[name] = header
        elif name not in optional:
            existing = ", ".join(headers) or "no rows"
            msg = f"the table has no single column for {name}; it has {existing}"
            raise CannotRead(msg)
    return columns


def _header_called(
    headers: Sequence[str], possible_headers: Sequence[str]
) -> str | None:
    """Return the header that is or contains one of these; None if there is none or several."""
    for possible_header in possible_headers:
        if possible_header in headers:
            return possible_header
    candidates = set()
    for header in headers:
        for possible_header in possible_headers:
            if f" {possible_header} " in f" {header} ":  # whole words
                candidates.add(header)
    if len(candidates) == 1:
        return candidates.pop()
    return None


def whole_number(text: str) -> int:
    """Return the whole number in a cell. Raises `CannotRead` for any other text."""
    try:
        return int(text)
    except ValueError:
        msg = f"{text!r} in the table is no whole number"
        raise CannotRead(msg) from None


# Characters that a scanner confuses: `O` and `0`, `l` and `1`, `S` and `5`.
#
# In a number, letters are read as the digits that they resemble: `7l.3O` is 71.30. Two names are
# compared without the differences that misreading causes: `0sier` and `Osier` are equal.

DIGIT: Final = r"[\dOoIliZSsB]"
"""A digit, or a letter as which a digit may have been read."""
AMOUNT: Final = (
    rf"(?:{DIGIT}{{1,3}}(?:[.,']{DIGIT}{{3}})+|{DIGIT}+)[.,]{DIGIT}{{2}}(?!\w)"
)
"""An amount with two decimals: `1,142.78`."""
_DIGIT_OF_LETTER: Final = str.maketrans("OoIliZSsB", "001112558")
"""For numbers: the digit for each such letter."""


def corrected_number(text: str) -> str:
    """Return a number with digits in place of misread letters: `7l.3O` -> `71.30`."""
    return text.translate(_DIGIT_OF_LETTER)


def corrected_cents(amount: str) -> int:
    """Return a scanned amount in cents: `7l.3O` -> 7130."""
    return _cents_of(corrected_number(amount))


_SIMILAR_CHARACTERS: Final = str.maketrans(
    {"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2"}
)
"""For names, which have letters and digits: one character for those that look alike."""
_BLANKS: Final = re.compile(r"[\s_]+")


def folded_text(text: str) -> str:
    """Return a text without case and blanks, with one character for all that look alike.

    Misread texts can be compared in this form: `Lea TARP S` -> `1eatarp5`.
    """
    return _BLANKS.sub("", text).casefold().translate(_SIMILAR_CHARACTERS)


# Likeness is the similarity of a scanned text and the right one, from 0 to 1. With one
# or two misread characters, a name stays well above the least likeness.
LEAST_LIKENESS: Final = 0.78
"""The least likeness of a scanned name and the name of its product or branch."""
LEAST_LEAD: Final = 0.015
"""The right name must be more like the scanned one than any other name, by at least this much."""


def likeness(left: str, right: str) -> float:
    """Return how similar two folded texts are, from 0 to 1."""
    # Imported here, because the trusted process imports this module but never compares texts.
    from difflib import SequenceMatcher

    return SequenceMatcher(None, left, right, autojunk=False).ratio()


# Templates that requests give for their answers, with `%d` where a number belongs.
#
# "How many lamps are there? Answer `<COUNT:%d>`." has the template `<COUNT:%d>`. Filled with 7, it
# is the answer `<COUNT:7>`.

_TEMPLATE: Final = re.compile(
    r"[\"“'`«](?P<quoted>[^\"”'`»\n]*%d[^\"”'`»\n]*)[\"”'`»]"  # "count: %d"
    r"|(?P<bracketed><[^<>\n]*%d[^<>\n]*>|\[[^\[\]\n]*%d[^\[\]\n]*\])"  # <COUNT:%d> or [%d]
)


def asked_template(request: str) -> str:
    """Return the template that a request gives in quotation marks or brackets.

    The result is empty if there is none.
    """
    match = _TEMPLATE.search(request)
    if match is None:
        return ""
    return match["quoted"] or match["bracketed"]


def filled_template(template: str, number: int) -> str:
    """Return a template with a number at its first place: `count: %d`, 7 -> `count: 7`."""
    return template.replace("%d", str(number), 1)


# Computes the date that a request asks for: "the date in 10 days, as DD-MM-YYYY" -> `11-03-2027`.
#
# The request must name one day relative to today, and one format. Otherwise
# there is no result, because a wrong date is worse than none.

# Finds how many days from today a request means: "in 10 days" -> 10, "a week ago" -> -7.
#
# The request must name one day, by a count or by a name such as "tomorrow". "Two months from
# today" and "a week tomorrow" have no result, because a wrong date is worse than none.

NUMBER_WORDS: Final = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
}

_NAMED_DAYS: Final = {
    "day after tomorrow": 2,
    "day before yesterday": -2,
    "tomorrow": 1,
    "yesterday": -1,
    "today": 0,
}
"""Days from today. Longer names come first, so that the pattern matches them first."""
_NAMED_DAY: Final = re.compile(rf"\b(?:{'|'.join(_NAMED_DAYS)})\b", re.IGNORECASE)

_COUNT: Final = (
    r"(?<![\w-])"  # not inside a longer number or word: not the 10 of `5-10 days`
    rf"(?:\d{{1,4}}|an?|{'|'.join(NUMBER_WORDS)})"
)
"""`10`, `a`, `two`"""
_UNIT: Final = r"days?|weeks?|fortnights?"
_DAYS_PER_UNIT: Final = {"d": 1, "w": 7, "f": 14}
"""The number of days in a unit, by its first letter."""
_COUNTED_DAY: Final = re.compile(
    rf"\b(?:in (?P<in>{_COUNT}) (?P<in_unit>{_UNIT})"
    rf"|(?P<from>{_COUNT}) (?P<from_unit>{_UNIT}) (?:from (?:now|today)|hence|later)"
    rf"|(?P<ago>{_COUNT}) (?P<ago_unit>{_UNIT}) (?:ago|back|earlier|prior))\b",
    re.IGNORECASE,
)
"""`in 10 days`, `a week from now`, `2 weeks ago`."""


_UNCLEAR_DAY: Final = re.compile(
    # `two months from today`, `3 days after tomorrow`, `a week tomorrow`
    r"\b(?:days|weeks?|months?|years?|fortnights?)\W+"
    r"(?:from|ago|hence|later|back|earlier|after|before|today|tomorrow|yesterday)\b"
    # `not tomorrow`, `today week`
    r"|\b(?:not|today|tomorrow|yesterday) (?:today|tomorrow|yesterday|week|fortnight)\b",
    re.IGNORECASE,
)
"""A day that cannot be computed."""


def _distance_in_days(text: str) -> int | None:
    """Return the number of days from today to the day that a text names: `tomorrow` -> 1.

    The result is None if it names none, several, or one that cannot be computed.
    """
    # 1. Counted days: "in 10 days". They are removed from the text, because parts of them look
    #    like unclear days.
    distances = {_counted_days(match) for match in _COUNTED_DAY.finditer(text)}
    remaining_text = _COUNTED_DAY.sub(" ", text)
    if _UNCLEAR_DAY.search(remaining_text):
        return None

    # 2. Named days: "tomorrow".
    for day_name in _NAMED_DAY.findall(remaining_text):
        distances.add(_NAMED_DAYS[day_name.casefold()])

    # 3. "In 10 days, as of today" names two days, 10 and 0. Today is not the one asked for.
    if len(distances) > 1:
        distances.discard(0)
    if len(distances) != 1:
        return None
    return distances.pop()


def _counted_days(match: re.Match[str]) -> int:
    """Return a number of days: `in 10 days` (10), `a week from now` (7), `2 weeks ago` (-14)."""
    if match["in"]:
        return _days_of(match["in"], match["in_unit"])
    if match["from"]:
        return _days_of(match["from"], match["from_unit"])
    return -_days_of(match["ago"], match["ago_unit"])


def _days_of(count_word: str, unit: str) -> int:
    """Return a number of days: `two`, `weeks` -> 14; `a`, `fortnight` -> 14."""
    word = count_word.casefold()
    if word.isdigit():
        count = int(word)
    elif word in ("a", "an"):
        count = 1
    else:
        count = NUMBER_WORDS[word]
    return count * _DAYS_PER_UNIT[unit[0].casefold()]


ISO_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
"""`2027-03-01`"""
_DATE_FORMAT: Final = re.compile(
    r"\b(?=[\w./ -]*YYYY)"  # with a year: not `MM-DD-DD`
    r"(?:YYYY|MM|DD)(?:[./ -](?:YYYY|MM|DD)){2}\b",
    re.IGNORECASE,
)
"""`YYYY-MM-DD`, `DD.MM.YYYY`, `MM/DD/YYYY`."""
_FORMAT_PART: Final = re.compile(r"YYYY|MM|DD", re.IGNORECASE)


def asked_date(text: str, clock: str) -> str | None:
    """Return the date that a request asks for, in the format that it names.

    `clock` is the output of the clock tool. Its first ISO date is today. The result is None
    if the request does not name one day and one format. "As of today" may be added.

    >>> asked_date("the date in a week as DD-MM-YYYY", "2027-03-01T10:00:00Z")
    '08-03-2027'
    """
    today = ISO_DAY.search(clock)
    distance = _distance_in_days(text)
    formats = {match[0] for match in _DATE_FORMAT.finditer(text)}
    if today is None or distance is None or len(formats) != 1:
        return None
    day = date.fromisoformat(today[0]) + timedelta(days=distance)
    return _formatted_date(day, formats.pop())


def _formatted_date(day: date, date_format: str) -> str:
    """Return a date in a format: 1 March 2027, `DD-MM-YYYY` -> `01-03-2027`."""
    parts = {
        "YYYY": f"{day.year:04d}",
        "MM": f"{day.month:02d}",
        "DD": f"{day.day:02d}",
    }
    return _FORMAT_PART.sub(lambda part: parts[part[0].upper()], date_format)
