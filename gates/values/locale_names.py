"""Names of months, units, currencies and scales in the languages of `LOCALES`.

Most come from CLDR, Unicode's tables of languages: `cldr_tables.py` makes
`cldr_names.json` of them. What CLDR lacks, such as `k` for a thousand, is listed here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from controlplane.gates.values.units import UNITS

CLDR_NAMES_FILE: Final = Path(__file__).with_name("cldr_names.json")

LOCALES: Final = (
    "en", "en_GB", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "hu", "ro", "bg", "el", "da", "nb", "sv",
    "fi", "tr", "uk", "ru", "ja", "zh", "ko", "he", "ar", "fa",
)  # fmt: skip
"""The languages whose names are known. If two differ about a name, the first one counts."""

_CURRENCY_WORDS: Final[Mapping[str, str]] = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "$": "$", "dollar": "$", "dollars": "$",
    "£": "GBP", "pound": "pound", "pounds": "pound", "quid": "GBP", "¥": "¥", "￥": "¥",
    "円": "JPY", "yen": "JPY", "元": "CNY", "人民币": "CNY", "yuan": "CNY", "₩": "KRW", "원": "KRW",
    "won": "KRW", "zł": "PLN", "zl": "PLN", "kr": "kr", "kr.": "kr", "kronor": "SEK", "kroner": "kr",
    "Kč": "CZK", "kč": "CZK", "Ft": "HUF", "₴": "UAH", "₽": "RUB", "₺": "TRY", "₹": "INR",
    "fr.": "CHF", "franken": "CHF", "sfr": "CHF",
}  # fmt: skip
"""Names and signs of currencies in running text, with the ISO 4217 code that they mean.

A name that several currencies share maps to itself: `$`, `¥`, `kr`, `pound`.
`SHARED_NAMES` lists its possible meanings.
"""

_SCALE_WORDS: Final[Mapping[str, int]] = {
    "k": 3, "tsd": 3, "tys": 3, "thousands": 3, "thsd": 3, "tausend": 3,
    "mio": 6, "mln": 6, "mn": 6, "millions": 6, "bn": 9, "mrd": 9, "billions": 9,
}  # fmt: skip
"""Powers of ten by words that CLDR does not have: `5 mio EUR` is 5,000,000."""

NOT_SCALES: Final = frozenset({"bin", "mie"})
"""Words for a thousand that are not read as scales, because they are common elsewhere.

The Turkish `bin` is in the German `ich bin`, and the Romanian `mie` in the Italian `le mie`.
"""

MYRIADS: Final[Mapping[str, int]] = {
    "千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8, "兆": 12, "조": 12,
}  # fmt: skip
"""Powers of ten by the sign behind a number in Chinese, Japanese and Korean: `6万` is 60,000."""

FUNCTION_WORDS: Final[Mapping[str, str]] = {
    "en": "the of and is are was for with to", "de": "der die das und ist sind für mit nicht ein eine",
    "fr": "le la les des et est sont une dans du", "es": "el los las y es una del por con",
    "it": "il gli è una della di per che", "pt": "o os uma é são do da não em",
    "nl": "het een en van is zijn voor met niet", "pl": "jest są nie w na z do oraz się",
    "cs": "je jsou na se v pro není", "hu": "az egy és nem van", "ro": "și este sunt pentru din",
    "da": "og er det ikke af til", "nb": "og er det ikke av til", "sv": "och är det inte av till för",
    "fi": "ja on ei ovat", "tr": "ve bir için bu", "uk": "та є що не на", "ru": "и не что на по",
    "el": "και το της είναι", "bg": "и на се за от",
}  # fmt: skip
"""Frequent words by which the language of a text is recognized.

If the numbers of a text do not show whether a comma or a point is the decimal mark, its
language decides.
"""

TWELVE_HOUR_MARKS: Final[Mapping[str, bool]] = {
    "午前": False, "上午": False, "오전": False, "凌晨": False, "早上": False,
    "午後": True, "下午": True, "오후": True, "晚上": True,
}  # fmt: skip
"""Words before a time, and whether they mean the time after noon: `午後5時` is 17:00."""

ERA_YEARS: Final[Mapping[str, int]] = {
    "令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867, "民國": 1911, "民国": 1911,
}  # fmt: skip
"""The last year before each era of Japan or Taiwan: `令和8年` is 2018 + 8 = 2026."""

ZONE_OFFSETS: Final[Mapping[str, str]] = {
    "UTC": "+00:00", "GMT": "+00:00", "Z": "+00:00", "BST": "+01:00", "WET": "+00:00",
    "WEST": "+01:00", "CET": "+01:00", "MEZ": "+01:00", "CEST": "+02:00", "MESZ": "+02:00",
    "EET": "+02:00", "EEST": "+03:00", "MSK": "+03:00", "JST": "+09:00", "KST": "+09:00",
    "EST": "-05:00", "EDT": "-04:00", "PST": "-08:00", "PDT": "-07:00",
}  # fmt: skip
"""The offset from UTC of time zones by their names."""


@dataclass(frozen=True, slots=True)
class _LocaleNames:
    """Names of all listed languages. Keys are in lower case unless a field says otherwise."""

    months: Mapping[str, int]
    """Months by their full and short names without a closing point: `{"märz": 3, "mar": 3}`."""
    units: Mapping[str, str]
    """Names of units by a spelling whose case matters: `{"mW": "mW", "MW": "MW"}`."""
    folded_units: Mapping[str, str]
    """Names of units by a spelling in lower case: `{"kilograms": "kg"}`."""
    scales: Mapping[str, int]
    """Powers of ten by words: `{"million": 6}`."""
    decimal_marks: Mapping[str, str]
    """The decimal mark by locale: `{"en": ".", "de": ","}`."""


@cache
def locale_names() -> _LocaleNames:
    """Return the names, which the first call reads from the file.

    If a name is in a table of this module and in CLDR, this module's meaning counts.
    """
    cldr = json.loads(CLDR_NAMES_FILE.read_text(encoding="utf-8"))

    # `setdefault` keeps the first meaning of a name, so CLDR's names come last.
    units: dict[str, str] = {}
    for unit in UNITS:
        for symbol in (unit.name, *unit.symbols):
            units.setdefault(symbol, unit.name)
    for word, currency in _CURRENCY_WORDS.items():
        units.setdefault(word, currency)
    for name, unit_name in cldr["units"].items():
        units.setdefault(name, unit_name)

    # The same names in lower case: `kwh` for `kWh`.
    folded_units: dict[str, str] = {}
    for name, unit_name in units.items():
        folded_units.setdefault(name.casefold(), unit_name)
    return _LocaleNames(
        months=cldr["months"],
        units=units,
        folded_units=folded_units,
        scales=cldr["scales"] | _SCALE_WORDS,
        decimal_marks=cldr["decimal_marks"],
    )
