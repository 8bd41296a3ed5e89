"""The words of texts, and the values that they state: dates, times, numbers, ids, quotations and names.

Words are compared regardless of case, accents, inflection and number format.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from datetime import date
from functools import cache, cached_property, lru_cache
from itertools import chain, islice
from typing import Final, Literal, TypeAlias

TOKEN: Final = re.compile(r"[^\W_]+(?:[-_.@:/'][^\W_]+)*")
"""A word, number, id or path: parts joined by single marks."""
PART: Final = re.compile(r"[^\W_]+")
NUMBER: Final = re.compile(r"\d+(?:[.,'\u00a0\u202f]\d+)*")
NO_MARK: Final = dict.fromkeys(map(ord, ".,'\u00a0\u202f"))
_NO_WORD: Final = {code: " " for code in range(128) if not chr(code).isalnum()}
_SURROGATE_PAIR: Final = re.compile("[\U00010000-\U0010ffff]")
_STEM_LETTERS: Final = 5
_LEAST_STEM: Final = 3
_MOST_PLACES: Final = 20
"""Max places of a token in a text that are looked at before the text's words are listed."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that blanks separate."""
    return frozenset(text.split())


BOILERPLATE: Final = word_set(
    """
    a an the this that these those and or of to in on at by for from with as is are was were be been it its
    into has have had do does did not yes no any all each every which what who whose where when why how can may
    must shall should will would because so than then them they their there here we our us my me you your i he
    she his her if but also only just very more most such same other both either about over under per via
    relevant related useful needed necessary required important appropriate correct valid proper document
    documents doc docs file files record records data reference references ref refs citation citations cite
    cited cites source sources evidence proof support supports supporting supported ground grounds grounding
    grounded justify justifies justification based reason reasons information info content contents detail
    details read reads reading used use uses using checked check checks verify verified verifies verification
    confirm confirms confirmed confirming confirmation consulted reviewed review look looked found find finds
    shows show showing shown contains contain containing says say states state stated answer answers answered
    task tasks question request requested result results final see seen here's needs need make makes made get
    gets got give gives given thing things
    """
)
"""English words that fit any reason and identify nothing."""
_FUNCTION_WORDS: Final = word_set(
    """
    der die das den dem des ein eine einer einem einen und oder ist sind war nicht kein keine für mit von vom
    zum zur auf aus bei nach über unter noch nur schon dass auch wird wurde hat haben steht le la les une des
    du au aux et ou est sont était pas pour avec dans sur par ce cette qui que plus déjà ont été el los las un
    una del y es son no para con por se su que ya il lo gli di della dei per non che sono nel è het een van
    voor niet met zijn werd door naar ook bij o os as do da dos das um uma não com em foi são im am beim ihr ihre
    nr sie er wir uns man sein seine ihren seinen seit oui ja nee nein nej nie tak si sim se jej jego leur notre
    votre sua seu deze onze
    """
)
"""Everyday words of German, French, Spanish, Italian, Dutch and Portuguese: signs of a text's language."""
_ENGLISH_TOO: Final = frozenset(("die", "war", "hat", "as", "no", "do", "met", "per", "son", "plus", "non", "un", "es"))


def fold_text(text: str) -> str:
    """Return `text` in lower case and without accents; a raised digit or a fraction joins no number before it."""
    if text.isascii():
        return text.lower()
    text = _set_apart_digits().sub(r"^\g<0>", text)
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    if _SURROGATE_PAIR.search(decomposed) is None:
        return _combining_marks().sub("", decomposed)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@cache
def _set_apart_digits() -> re.Pattern[str]:
    """Characters that decompose to digits and are no digits of a number: raised, lowered, circled, fractions."""
    digits = (chr(code) for code in range(0x80, 0x3400) if unicodedata.category(chr(code)) == "No")
    return re.compile(f"[{re.escape(''.join(digits))}]")


@cache
def _combining_marks() -> re.Pattern[str]:
    """Return a pattern of the combining marks among the first 65,536 characters; a search with it is cheap."""
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x10000))))
    return re.compile(f"[{re.escape(marks)}]+")


def parts_of(folded: str) -> list[str]:
    """Return the runs of letters and digits in a folded text."""
    return folded.translate(_NO_WORD).split() if folded.isascii() else PART.findall(folded)


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the tokens of a text in order, folded, with compounds unsplit."""
    return tuple(TOKEN.findall(fold_text(text)))


def stem(word: str) -> str:
    """Return the beginning that inflected forms of a folded word share."""
    if len(word) > _STEM_LETTERS:
        return word[:_STEM_LETTERS]
    return word[:-1] if word.endswith("s") and len(word) > _LEAST_STEM else word


def number_key(number: str) -> str:
    """Return the digits that all formats of a number share: `1,199.00`, `1199` and `119900` (cents) give `1199`."""
    return number.translate(NO_MARK).strip("0")


class TextIndex:
    """The words and numbers of one text, each set computed when it is first needed."""

    def __init__(self, text: str) -> None:
        self.folded = fold_text(text)

    @cached_property
    def words(self) -> frozenset[str]:
        """The runs of letters and digits."""
        return frozenset(parts_of(self.folded))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The keys of its numbers, see `number_key`."""
        return frozenset(map(number_key, NUMBER.findall(self.folded)))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(map(stem, self.words))

    def holds(self, token: str) -> bool:
        """Say whether the text holds a folded token of a reason: the word or an inflected form, a part of a compound, a
        number in any format."""
        if self.holds_whole(token):
            return True
        parts = [token] if token.isalnum() else PART.findall(token)
        if any(self.holds_whole(part) for part in parts if len(part) > 2 or not part.isalpha()):
            return True
        letters = (part for part in parts if part.isalpha() and (part == token or len(part) > _STEM_LETTERS))
        if any(stem(part) in self._stems for part in letters):
            return True
        numbers = () if token.isalpha() else NUMBER.findall(token)
        return any(number_key(number) in self.numbers for number in numbers if len(number) > 1)

    def holds_whole(self, token: str) -> bool:
        """Say whether the text holds a folded token as a whole, however its parts are joined."""
        folded, size, at = self.folded, len(token), -1
        for _ in range(_MOST_PLACES):
            at = folded.find(token, at + 1)
            if at < 0:
                break
            if not (folded[at - 1 : at].isalnum() or folded[at + size : at + size + 1].isalnum()):
                return True
        if token.isalnum():
            return at >= 0 and token in self.words
        return f" {' '.join(PART.findall(token))} " in self._joined

    def repeats(self, token: str) -> bool:
        """Say whether the text, as the words of a call, gives a folded token: its parts in their order, however they
        are joined."""
        parts = parts_of(token)
        return bool(parts) and (f" {' '.join(parts)} " in self._joined or "".join(parts) in self.words)

    @cached_property
    def _joined(self) -> str:
        return f" {' '.join(parts_of(self.folded))} "


@lru_cache(maxsize=64)
def index_of(text: str) -> TextIndex:
    """Return the index of a seen text. Few are kept: an index may take many times the memory of its text."""
    return TextIndex(text)


def is_boilerplate(token: str) -> bool:
    """Say whether a token identifies nothing: an everyday word or a single letter."""
    return token in BOILERPLATE or (len(token) == 1 and token.isalpha())


def is_everyday(word: str) -> bool:
    """Say whether a folded word is an everyday one of English or of another European language."""
    return word in BOILERPLATE or word in _folded_function_words() or word in _ENGLISH_TOO


def is_foreign(words: Iterable[str], text: TextIndex) -> bool:
    """Say whether folded words hold an everyday word that the text never uses, which shows another language."""
    signs = _folded_function_words()
    return any(word in signs and word not in text.words for word in words)


@cache
def _folded_function_words() -> frozenset[str]:
    return frozenset(map(fold_text, _FUNCTION_WORDS)) - _ENGLISH_TOO


Kind: TypeAlias = Literal["date", "time", "number", "telephone", "id", "quotation", "name"]

MAX_CHARS: Final = 20_000
MAX_VALUES: Final = 200
"""Max values of one answer, and max numbers of one text, that are looked at."""
_MAX_DIGITS: Final = 30
"""Max characters of a number that are read: a float holds no number of 400 digits."""
MONTHS: Final = (
    "january januar januari janvier enero gennaio janeiro stycznia styczen",
    "february februar februari fevrier febrero febbraio fevereiro lutego luty",
    "march marz mars marzo marco maart mrz maerz marca marzec",
    "april avril abril aprile kwietnia kwiecien",
    "may mai mayo maggio maio mei maja maj",
    "june juni juin junio giugno junho czerwca czerwiec",
    "july juli juillet julio luglio julho lipca lipiec",
    "august aout agosto augustus sierpnia sierpien",
    "september septembre septiembre settembre setembro wrzesnia wrzesien",
    "october oktober octobre octubre ottobre outubro pazdziernika pazdziernik",
    "november novembre noviembre novembro listopada listopad",
    "december dezember decembre diciembre dicembre dezembro grudnia grudzien",
)
_MONTH_OF: Final = {
    name[:size]: at
    for at, names in reversed([*enumerate(MONTHS, 1)])
    for name in names.split()
    for size in range(3, len(name) + 1)
}
"""The months by their names and by the beginnings of these, from three letters on."""
_NO_MONTHS: Final = frozenset({"may", "mag", "out", "set", "Out", "Set"})
"""Words that name a month only beside a year: `4 out of 12`, `level 1 may be closed`."""
_NUMBER_WORDS: Final = {
    word: number
    for number, words in enumerate(
        (
            *(
                "one a an ein eine einem einen einer un une",
                "two zwei deux twee dos",
                "three drei trois drie tres tre",
                "four vier quatre cuatro quattro",
            ),
            *(
                "five funf cinq vijf cinco cinque",
                "six sechs zes seis",
                "seven sieben sept zeven siete sette",
                "eight acht huit ocho otto",
                "nine neun neuf negen nueve nove",
                "ten zehn dix tien diez dieci",
            ),
            *(
                "eleven elf onze undici",
                "twelve zwolf douze twaalf doce dodici",
                "",
                "fourteen vierzehn quatorze fortnight quinzaine",
            ),
        ),
        1,
    )
    for word in words.split()
}
_DATE: Final = re.compile(
    r"(?<![\w.-])(?:(?P<iso>\d{4}(?P<joint>[-/])\d\d(?P=joint)\d\d)(?=T\d|\b)|(?P<d>\d{1,2})[./-](?P<m>\d{1,2})[./-](?P<y>\d{4})(?![\w-])"
    r"|(?P<dd>\d{1,2})(?:[.º°]|st|nd|rd|th|er)?\s(?:(?i:of|de)\s)?(?P<mm>[^\W\d_]{3,12})\.?(?:,?\s(?:(?i:de)\s)?(?P<yy>\d{4}))?(?!\w|\s\d\d?,\s\d{4}))"
)
_MONTH_FIRST: Final = re.compile(
    r"(?<!\w)(?P<mm>[^\W\d_]{3,12}+)\.?\s(?P<dd>\d{1,2})(?:st|nd|rd|th)?(?:,?\s(?P<yy>\d{4}))?(?!\w|[.,]\d|\s?%)"
)
_ASIAN_DATE: Final = re.compile(
    r"(?:(?P<y>\d{4})\s?[年년]\s?)?(?P<m>(?<!\d)\d{1,2})\s?[月월]\s?(?P<d>\d{1,2})\s?[日일号]"
)
_TIME: Final = re.compile(
    r"(?:(?<![\w.:-])|(?<=\d:\d\d-))T?(\d{1,2})[:h.](\d\d)(?::\d\d(?:\.\d+)?)?"
    r"(?=Z|[+-]\d\d|\s?(?:uhr|uur|h|am|pm|[ap]\.m\.)(?!\w)|(?![\w:]|\.\w))",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"(?<![\w.,/+-])(?<!\b\d )(?<!\d\d )[-]?(?:\d{1,3}(?:[ '.,\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?)"
    r"(?![\w-])(?![.,]\d)(?! \d)"
)
_WITHOUT_BLANKS: Final = re.compile(r"[\u0e00-\u0eff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
"""Letters of scripts that put no blanks around numbers: Thai, Lao, Japanese, Chinese and Korean."""
_PARTED: Final = re.compile(r"[/:]")
_TELEPHONE: Final = re.compile(r"(?<![\w.,/+-])(?:\+|0)\d{1,5}(?:[ /-]{1,3}\d{2,}){1,5}(?![\w.,-]?\d)")
_QUOTED: Final = re.compile(
    r"\"([^\"\n]{2,300})\"|“([^”\n]{2,300})”|„([^“”\n]{2,300})[“”]|«\s?([^»\n]{2,300}?)\s?»|`([^`\n]{2,300})`"
)
_MEASURE: Final = re.compile(
    r"\d[\d.,:/'-]*(?:[^\W\d_]{2,}|[hmsgltkxeoº]|[cdk]?m[23²³])|\d+-[^\W\d_]+|(?:q|kw|h|w|x|×|eur|usd|chf|gbp)\d[\d.,]*",
    re.IGNORECASE,
)
"""A number with its unit, an ordinal, a quarter: `90min`, `7.5t`, `3rd`, `10-day`, `Q3`, `2x`."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a text."""

    kind: Kind
    key: str
    """The form that all formats of the value share: an ISO date, `HH:MM`, digits, a folded id or quotation."""
    text: str
    """The value as it is written."""
    start: int = field(default=-1, compare=False)
    """The offset of `text` in what was searched."""
    unit: str = field(default="", compare=False)
    """The unit of a number, as `units_at` names it; only `claims_in` looks for it."""

    @property
    def end(self) -> int:
        """The offset behind the value."""
        return self.start + len(self.text)


@lru_cache(maxsize=64)
def values_in(text: str) -> tuple[Value, ...]:
    """Return the values that the first 20,000 characters of a text state, each once, in the order of their kinds."""
    return tuple(dict.fromkeys(islice(each_value(text[:MAX_CHARS]), MAX_VALUES)))


def each_value(text: str) -> Iterator[Value]:
    left = text
    for pattern in (_DATE, _MONTH_FIRST, _ASIAN_DATE):
        for match in pattern.finditer(left):
            if key := date_key(match.groupdict()):
                yield Value("date", key, match[0].strip(), match.start())
                left = _blanked(left, match.start(), match.end())
    left = _WITHOUT_BLANKS.sub(lambda match: "\n" * len(match[0]), left)
    for match in _TIME.finditer(left):
        if (
            int(match[1]) < 25
            and int(match[2]) < 60
            and (":" in match[0] or "h" in match[0] or match.end() < len(left))
        ):
            if "." in match[0] and not re.match(r"\s?(?:uhr|uur|h|am|pm|[ap]\.m\.)(?!\w)", left[match.end() :], re.I):
                continue
            yield Value("time", f"{int(match[1]):02}:{match[2]}", match[0], match.start())
            left = _blanked(left, match.start(), match.end())
    for match in _TELEPHONE.finditer(left):
        yield Value("telephone", "".join(filter(str.isdigit, match[0])), match[0], match.start())
        left = _blanked(left, match.start(), match.end())
    for match in _NUMBER.finditer(left):
        yield Value("number", number_key(match[0].lstrip("+-").replace(" ", "")), match[0], match.start())
    mixed = (match for match in TOKEN.finditer(left) if not match[0].isalpha())
    for token, start in chain.from_iterable(map(_parts_with_starts, mixed)):
        if any(map(str.isdecimal, token)) and any(map(str.isalpha, token)) and not _MEASURE.fullmatch(token):
            yield Value("id", fold_text(token), token, start)
    for match in _QUOTED.finditer(text) if text.lstrip()[:1] not in ("{", "[") else ():
        quoted = next(group for group in match.groups() if group)
        yield Value("quotation", with_single_blanks(quoted), quoted, match.start() + match[0].index(quoted))


def _parts_with_starts(match: re.Match[str]) -> Iterator[tuple[str, int]]:
    """Yield the parts of a token between slashes and colons, each with its offset in the text."""
    start = match.start()
    for part in _PARTED.split(match[0]):
        yield part, start
        start += len(part) + 1


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


def date_key(given: Mapping[str, str | None]) -> str:
    """Return the ISO form of a date, `--MM-DD` without a year, or an empty string if there is no such day."""
    if iso := given.get("iso"):
        year, month, day = map(int, re.split("[-/]", iso))
    elif given.get("m"):
        day, month, year = (int(given[part] or 0) for part in "dmy")
        day, month = (month, day) if month > 12 else (day, month)
    else:
        name, day, year = given["mm"] or "", int(given["dd"] or 0), int(given["yy"] or 0)
        month = _MONTH_OF.get(fold_text(name), 0) if year or name not in _NO_MONTHS else 0
    try:
        iso = date(year or 2000, month, day).isoformat()
    except ValueError:
        return ""
    return iso if year else iso[4:].replace("-", "--", 1)


def other_order(value: Value) -> str:
    """Return a date with day and month in the other order if its format leaves both open, else as it is."""
    year, _, rest = value.key.partition("-")
    month, _, day = rest.partition("-")
    return f"{year}-{day}-{month}" if "/" in value.text and day <= "12" else value.key


def with_single_blanks(text: str) -> str:
    """Return a text folded and with single blanks, the form in which quotations are compared."""
    return " ".join(fold_text(text).split())


@lru_cache(maxsize=4)
def keys_in(texts: tuple[str, ...]) -> Mapping[Kind, Set[str]]:
    """Return the keys of the values in the first 400,000 characters of each text, by kind."""
    keys: dict[Kind, set[str]] = defaultdict(set)
    for text in texts:
        for start in range(0, min(len(text), 400_000), MAX_CHARS):
            for value in each_value(text[max(start - 40, 0) : start + MAX_CHARS]):
                keys[value.kind].add(value.key)
    return keys


@lru_cache(maxsize=4)
def amounts_in(texts: tuple[str, ...]) -> list[float]:
    """Return the first different numbers of texts, each as it is most likely meant."""
    found = (islice(_NUMBER.finditer(with_cells_apart(text)), 10 * MAX_VALUES) for text in texts)
    return list(islice(dict.fromkeys(amount_of(match[0]) for match in chain.from_iterable(found)), MAX_VALUES))


def counted_in(texts: tuple[str, ...]) -> set[int]:
    """Return the whole numbers that texts state, also those that are written as words."""
    words = {_NUMBER_WORDS[word] for text in texts for word in index_of(text).words & _NUMBER_WORDS.keys()}
    return words | {int(number) for number in amounts_in(texts) if 0 < number < 10_000}


def number_of_word(word: str) -> int:
    """Return the number that a word of several languages means, up to fourteen; 0 for any other word."""
    return _NUMBER_WORDS.get(fold_text(word).strip(".,;:()"), 0)


def with_cells_apart(text: str) -> str:
    """Return a text whose comma-separated lines have one cell per line, so that two numbers are never taken for one."""
    lines = text.splitlines()
    counts = {line.count(",") for line in lines if line.strip()}
    is_table = len(lines) > 1 and len(counts) == 1 and ", " not in text
    return "\n".join(
        line.replace(",", "\n") if is_table or (line.count(",") > 1 and ", " not in line) else line for line in lines
    )


def amount_of(number: str) -> float:
    """Return a number as it is most likely meant: `1.199,00` and `1,199.00` are the same. No amount is endless."""
    digits = re.sub(r"[ '\u00a0\u202f]", "", number)[:_MAX_DIGITS]
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return float(digits)
    whole, rest = re.sub(r"[.,]", "", digits[:last]), digits[last + 1 :]
    is_thousands = len(rest) == 3 and re.fullmatch(r"[-+]?\d{1,3}(?:[.,]\d{3})+", digits) is not None
    return float(whole + rest) if is_thousands else float(f"{whole}.{rest}")


def decimals_of(number: str) -> int:
    """Return how many decimals a number is written with; a group of three digits is no decimals."""
    _, mark, rest = number.replace(",", ".").rpartition(".")
    return len(rest) if mark and len(rest) != 3 else 0
