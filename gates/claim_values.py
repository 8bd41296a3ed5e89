"""The values of an answer that a reader can check, and their units: what is stated there, and names.

Numbers have their units here, in many languages; no sentence is parsed for meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from gates.terms import (
    MAX_CHARS,
    MAX_VALUES,
    MONTHS,
    Value,
    amount_of,
    date_key,
    each_value,
    fold_text,
    is_everyday,
    number_key,
    number_of_word,
    with_single_blanks,
    word_set,
)


@lru_cache(maxsize=64)
def claims_in(text: str) -> tuple[Value, ...]:
    """Return what a reader can check in the first 20,000 characters of an answer, by offset; none lies in another.

    Beyond the values: numbers with their units, months of a year, numbers of several dots, and names. Neither a whole
    number up to a dozen without a unit counts, which may be a count of what is listed, nor the number of a line, nor
    what is in a quotation.
    """
    text = text[:MAX_CHARS]
    values = [value for value in each_value(text) if value.kind != "time"]
    values += [*_names(text), *clocks_in(text, is_claimed=True)]
    for month in _MONTH_OF_YEAR.finditer(text):
        day = date_key({**month.groupdict(), "d": "1", "dd": "1"})
        values += [Value("date", day[:7], month[0], month.start())] if day else []
    values = [one for one in values if one.kind != "telephone" or not _MONTH_OF_YEAR.fullmatch(one.text)]
    measured = (
        each.span(group)
        for each in _MEASURED.finditer(text)
        if (_unit_of(each[3]) or each[3] in _SCALES)
        for group in (1, 2)
    )
    values += [Value("number", number_key(text[at:end]), text[at:end], at) for at, end in measured if at >= 0]
    values += [Value("id", fold_text(each[0]), each[0], each.start()) for each in _OTHER_ID.finditer(text)]
    values += [Value("number", each[0], each[0], each.start()) for each in _MYRIADS.finditer(text)]
    values += [Value("telephone", each[0].replace(" ", ""), each[0], each.start()) for each in _GROUPS.finditer(text)]
    values += [
        Value("quotation", with_single_blanks(each[1]), each[1], each.start(1)) for each in _ASIAN_QUOTE.finditer(text)
    ]
    places = {each.end() for each in _PLACE.finditer(text)}
    chosen: list[Value] = []
    for value in sorted(values, key=lambda one: (_CLAIM_ORDER.index(one.kind), one.start, -len(one.text))):
        if value.kind == "quotation" and text[value.start - 1] == "`" and re.search(r"[_=(.\[]", value.text):
            value = replace(value, unit=CODE)
        worded = _WORDED.fullmatch(value.text) if value.kind == "id" else None
        if worded and (not worded[1] or _unit_of(worded[1])):  # `m2`, `80p`
            continue
        if value.kind == "quotation" and re.search(r"\d\"$", text[max(value.start - 2, 0) : value.start]):  # inches
            continue
        if value.kind == "number":
            unit = unit_at(text, value.start, value.end)
            value = replace(value, unit=unit)
            is_small = value.text.lstrip("-").isdecimal() and abs(int(value.text)) <= MOST_COUNTED
            is_part = re.search(r"\d:$", text[max(value.start - 2, 0) : value.start])
            if not unit and (is_part or value.start in places or (is_small and not _factor_at(text, value.end))):
                continue
        is_apart = all(value.end <= other.start or other.end <= value.start for other in chosen)
        if is_apart and any(map(str.isalnum, value.text)):
            chosen.append(value)
    return tuple(sorted(chosen[:MAX_VALUES], key=lambda one: one.start))


_WORDED: Final = re.compile(r"[^\W\d_]{1,2}['’]\d.*|\d+(?:-[^\W\d_]+)+|[\d.,]*([^\W\d_]{1,12}[23]?)")
"""A number that is joined to a word, and no id: `l'8`, `100-Jahr-Feier`, `80p`."""
CODE: Final = "code"
"""The unit of a quotation that is a piece of code."""
_CLAIM_ORDER: Final = ("quotation", "telephone", "date", "time", "id", "number", "name")
_MONTH_OF_YEAR: Final = re.compile(
    r"(?<!\w)(?P<mm>[^\W\d_]{3,12})\.?\s(?:de\s)?(?P<yy>\d{4})(?![\w-])"
    r"|(?<![\w./-])(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:19|20)\d\d)(?![\w/-])"
)
_OTHER_ID: Final = re.compile(
    r"(?<![\w.])[\w.+-]{1,64}@\w[\w-]{0,62}(?:\.\w[\w-]{0,62})+|(?<![\w.])\d{1,4}(?:\.\d{1,4}){2,}(?![\w.]*\d)"
    r"|(?<!\w)[a-z]\w{0,9}://[^\s<>()\[\]\"'`]*[^\s<>()\[\]\"'`.,;:!?]|(?<![\w./-])[A-Za-z]\w*_\w*[A-Za-z]\w*(?![\w.]*/)"
    r"|(?<![\w./-])[A-Z]{1,4}\d{3,}(?![\w-])|(?<![\w./-])[A-Z]{1,5}(?:-?\d+)?(?:/\d+)+(?![\w-])"
    r"|(?<![\w:])[+-]\d\d:\d\d:\d\d(?:\.\d+)?(?![\w:])|(?<![\w.,/+-])\d{4,}-(?!(?:19|20)\d\d(?!\d))\d{3,}(?![\w-])"
    r"|(?<![\w.:/-])\d{1,3}:\d\d(?![\w:])"
)
"""Addresses, versions, names in code, and ids: `a@b.org`, `10.0.4.17`, `s3://x`, `max_rate`, `H4471`, `2026-344`."""
_GROUPS: Final = re.compile(
    r"(?<![\w.,+-])(?<!\d )(?!\d{1,3}(?: \d{3})+(?! ?\d))"
    r"(?:\d{4}(?: \d{4})+|\d{1,3}(?: \d{2,5}){2,})(?![\w.,-]?\d)(?! \d)"
)
_ASIAN_QUOTE: Final = re.compile(r"[「『]([^」』\n]{2,300})[」』]")
_MYRIADS: Final = re.compile(r"(?<![\d.,])(\d[\d,.]*) ?[万만](?: ?(\d)[千천]|(\d[\d,]*))?")


def amount_in(number: str) -> float:
    """Return a number as it is most likely meant, also one that counts in ten thousands: `126万2,800`."""
    if match := _MYRIADS.fullmatch(number.strip()):
        return round(amount_of(match[1]) * 1e4 + int(match[2] or 0) * 1e3 + amount_of(match[3] or "0"), 4)
    return amount_of(number)


_CLOCK: Final = re.compile(
    r"(?:(?P<half>午前|午後|早上|上午|中午|下午|晚上|오전|오후)\s?|(?<![^\W\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3])(?<![.,:/-])|(?<=\d[:.]\d\d-)"
    r"|(?<=\dT))(?P<hour>\d{1,2})"
    r"(?:(?::|\s?h\s?)(?P<m1>[0-5]\d)(?!\s?min)(?::\d\d(?:\.\d+)?)?(?![\d:])|[時时点시]\s?(?:(?P<m2>[0-5]?\d)(?:[分분]|(?!\d))|(?P<m4>[半반]))|\.(?P<m3>[0-5]\d)(?!\d))?"
    r"(?P<mark>\s?(?:[ap]m|[ap]\.m\.?|uhr|uur|h|heures|o['’]clock)(?!\w)|\s?[時时点시](?![間간]))?",
    re.IGNORECASE,
)
_UHR: Final = re.compile(r"\d\s?(?:uhr|uur|heures)\b", re.IGNORECASE)
_MIDDAY: Final = re.compile(r"\b(?:noon|midday|(midnight))\b|正午", re.IGNORECASE)
HALF_DAY: Final = "half"
"""The unit of a time with its half of the day."""


def clocks_in(text: str, *, is_claimed: bool = False) -> Iterator[Value]:
    """Yield the times of a text, as `HH:MM` of 24 hours; the words for noon and midnight only of one that was read."""
    for clock in _CLOCK.finditer(text):
        hour, mark, half = int(clock["hour"]), (clock["mark"] or "").strip().lower(), clock["half"] or ""
        minute = clock["m1"] or clock["m2"] or clock["m3"] or (30 if clock["m4"] else 0)
        is_listed = clock["m3"] and not is_claimed and _UHR.search(text, clock.end())  # `9.00 - 12.30 uur`
        mark = "" if is_claimed and mark[:1] == "h" else mark  # It may be a span.
        if hour > 24 or not (clock["m1"] or clock["m2"] or clock["m4"] or mark or is_listed):
            continue
        is_half = mark[:1] in ("a", "p") or bool(half)
        if is_half:
            hour = hour % 12 + 12 * (mark[:1] == "p" or half in ("午後", "中午", "下午", "晚上", "오후"))
        unit = HALF_DAY if is_half else ""
        yield Value("time", f"{hour % 24:02}:{int(minute):02}", clock[0].strip(), clock.start(), unit)
    for word in () if is_claimed else _MIDDAY.finditer(text):
        yield Value("time", "00:00" if word[1] else "12:00", word[0], word.start())


MOST_COUNTED: Final = 12
_PLACE: Final = re.compile(
    r"[./]\w+:(?=\d)|\b(?:lines?|zeilen?|lignes?|l[ií]neas?|regels?) (?:\d+ ?[-–] ?)?(?=\d)|^\s*(?=\d+[.)]\s)",
    re.IGNORECASE | re.MULTILINE,
)
"""What is before the number of a line, or of an item: `app.py:42`, `lines 17-42`."""
_MEASURED: Final = re.compile(
    r"(?<![^\W\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3])(?<![.,/+-])(?:(\d+(?:[.,]\d+)*)-)?(\d+(?:[.,]\d+)*)"
    r"[ \u00a0]?([^\W\d_\uac00-\ud7a3]{1,12}[²³]?|[°%]|℃)(?![^\W\uac00-\ud7a3]|-)"
)
"""A number or a range before a word that may be a unit: `23kg`, `95-110 cm`."""
_UNIT_TABLE: Final = """
    EUR € euro euros; USD $ dollar dollars; GBP £ pound pounds; CHF fr franken; JPY ¥ yen 円 CNY 元 人民币 yuan
    KRW ₩ 원; PLN zł; % percent prozent pct pour-cent v.h 퍼센트; °c celsius c ℃; °f f ℉; ph; th st nd rd
    ms millisecond milliseconds; s sec second seconds sekunde sekunden secondes segundos 秒 초
    min minute minutes minuten minutos minuti minut 分 분
    h hour hours stunde stunden heures horas uur uren ore godzin 時間 시간
    day days tag tage tagen jour jours día días dias dag dagen giorni dni 日間 天
    week weeks woche wochen semaine semaines
    month months monat monate monaten mois mes meses maand maanden ヶ月 个月 개월; night nights nacht nächte nuits
    year years jahr jahre jahren an ans année années año años jaar anni 年間
    km kilometer kilometern kilometers kilometre kilometres 公里 킬로미터; m 米 meter metern meters metre metres
    cm centimetre centimetres centimeter centimeters zentimeter; mm millimetre millimetres millimeter millimeters
    m² m2 qm sqm square quadratmeter 平方米; m³ m3; l litre litres liter; cl; ml; ha hectare hectares hektar
    kg kilo kilos kilogram kilograms kilogramm 公斤 千克; g gram grams gramm; mg; µg ug; t tonne tonnes
    byte bytes b; kb; mb megabyte megabytes; gb g-byte gigabyte gigabytes; tb terabyte terabytes; kib; mib; gib
    p pence penny; ct cent cents; rpm; bar; hz; khz; mhz; ghz; w; kw; kwh; v
"""
_UNITS: Final = {
    spelling: names.split()[0] for names in re.split(r"[;\n]", _UNIT_TABLE) for spelling in names.casefold().split()
}
"""The name of each unit by its spellings; a unit that is not listed is not compared."""
_UNIT_BEHIND: Final = re.compile(
    r"[ \u00a0\u202f-]?(%|°[CF]?|v\. ?H\.|per cent|[€$£¥₩円元秒分天℃℉]|[^\W\d_\uac00-\ud7a3]{1,12}[²³23]?"
    r"|[\uac00-\ud7a3]{1,12})"
)
_UNIT_BEFORE: Final = re.compile(
    r"([€$£¥]|人民币|\b(?:EUR|USD|GBP|CHF|JPY|CNY|PLN|Fr\.))[ \u00a0\u202f]?-?$", re.IGNORECASE
)


def _unit_of(spelling: str) -> str:
    return _UNITS.get(spelling.casefold().rstrip(".").replace(" ", ""), "")


def unit_at(text: str, start: int, end: int) -> str:
    """Return the name of the unit directly before or behind the number at these offsets; empty if there is none."""
    before = _UNIT_BEFORE.search(text, max(start - 6, 0), start)
    behind = _UNIT_BEHIND.match(text, end) if text[end : end + 3] != " w " else None  # `o 18.30 w szkole`
    words = [behind[1][:size] for size in ((12, 3, 2, 1) if behind[1] > "\u2fff" else (12,))] if behind else []
    return (before and _unit_of(before[1])) or next(filter(None, map(_unit_of, words)), "")


def units_in(text: str) -> set[str]:
    """Return the names of the units that a text mentions anywhere."""
    return {unit for word in _UNIT_WORD.findall(text) if (unit := _unit_of(word))}


_UNIT_WORD: Final = re.compile(r"[%€$£¥円元]|°[CF]?|[^\W\d_]+[²³]?")
_PARTICLE: Final = (
    r"(?:(?:von|van|de)[ \u00a0](?:der|den|la|las|los)"
    r"|von|van|de|da|do|dos|di|du|del|della|la|le|of|el|al|bin|ibn|ter|zu)"
)
_CAPITAL_WORD: Final = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:['’.-]?[^\W\d_]+)*\.?"
_NAME: Final = re.compile(
    rf"(?<![\w/@.°]){_CAPITAL_WORD}(?:[ \u00a0](?:(?:{_PARTICLE}|&)[ \u00a0]){{0,2}}{_CAPITAL_WORD})+(?!\w)"
)
_UNCAPITAL_NAME: Final = re.compile(
    r"(?<![\d\u30a1-\u30fa\u30fc])[\u30a1-\u30fa\u30fc]{3,}(?:・[\u30a1-\u30fa\u30fc]+)*[\u4e00-\u9fff]{0,4}|[\u4e00-\u9fff]{1,4}(?=さん|様|氏|先生|女士)"
    r"|(?<!\w)[\uac00-\ud7a3]{2,4}(?= ?(?:씨|님|교수|박사|선생|간사|대표|과장|팀장|부장))"
    r"|(?<=株式会社)[\w]{2,10}?(?=[はがのをに、。]|$)|[\u4e00-\u9fff]{2,12}(?:有限公司|公司|大学)"
    r"|(?<=\u0627\u0644\u0633\u064a\u062f\u0020)[\u0621-\u064a]+(?: [\u0621-\u064a]+)?"
)
"""Names in scripts without capitals: foreign words in katakana, and what a title or a company's form marks."""
_SENTENCE_END: Final = re.compile(r"(?:^|[.!?:;•*#>\n\u2013\u2014]|\d\.)[\s\"'“”„«»()*_-]*$")
_COUNTED: Final = re.compile(r"\d[ \u00a0]$")
_TITLES: Final = word_set(
    "mr mrs ms dr prof sir coach capt captain "
    "herr herrn frau monsieur madame mme senor senora sr sra signor signora fru hr"
)
_DAYS: Final = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag
    samstag sonntag sonnabend lundi mardi mercredi jeudi vendredi samedi dimanche
    """
) | word_set(" ".join(MONTHS))


def _names(text: str) -> Iterator[Value]:
    """Yield names of two words and more in capitals, without titles, days, and everyday words before them."""
    matches = ((match, parts) for match in _NAME.finditer(text) for parts in _name_parts(match[0]))
    for match, parts in matches:
        is_titled = False
        while parts and (
            is_common(parts[0][0])
            or fold_text(parts[0][0]) in _PARTICLES
            or (len(parts[0][0]) > 2 and _unit_of(parts[0][0].rstrip(".")))
        ):
            is_titled = fold_text(parts[0][0]).rstrip(".") in _TITLES
            parts = parts[1:]
        while parts and _is_day(parts[-1][0]):
            parts = parts[:-1]
        is_counted = parts and _COUNTED.search(text[: match.start() + parts[0].start()][-6:])
        if is_counted or (parts and number_of_word(parts[0][0])):  # `870 Metern Aufstieg`, `Vier Personen`
            parts = parts[1:]
        if len(parts) > 1 or (is_titled and parts):
            start = parts[0].start()
            name = re.sub(r"['’]s$", "", match[0][start : parts[-1].end()].rstrip("."))
            yield Value("name", with_single_blanks(name), name, match.start() + start)
    for match in _UNCAPITAL_NAME.finditer(text):
        yield Value("name", with_single_blanks(match[0]), match[0], match.start())


def _name_parts(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield the words of each name; a currency, and the end of a sentence, separate two names."""
    parts: list[re.Match[str]] = []
    for part in re.finditer(r"[^ \u00a0]+", text):
        word = part[0].rstrip(".")
        is_small = part[0] != "&" and fold_text(word) not in _PARTICLES
        is_small &= not word[:1].isupper() or bool(parts and len(word) > 1 and is_everyday(fold_text(word)))
        is_currency = len(word) > 1 and word.isupper() and bool(_unit_of(word))
        parts += [] if is_currency or is_small else [part]
        is_owner = word.endswith(("'s", "’s"))
        is_short = len(word) < 4 and not (word.isupper() and word[1:]) and not is_everyday(fold_text(word))
        is_short |= fold_text(word) in _TITLES
        if is_currency or is_small or is_owner or (part[0] != word and not is_short):
            yield parts
            parts = []
    yield parts


_PARTICLES: Final = frozenset(re.findall("[a-z]{2,}", _PARTICLE))


def is_common(word: str) -> bool:
    """Say whether a word names nobody: a title, a day, an everyday word."""
    folded = fold_text(word).rstrip(".")
    return folded in _TITLES or _is_day(word) or is_everyday(folded)


def _is_day(word: str) -> bool:
    return fold_text(word).rstrip(".") in _DAYS


def starts_sentence(text: str, at: int) -> bool:
    """Say whether the word at an offset is the first of a sentence, which is written in capitals in any case."""
    return _SENTENCE_END.search(text[max(at - 20, 0) : at]) is not None


_SCALES: Final = {"k": 1e3, "thousand": 1e3, "tausend": 1e3, "tys": 1e3} | dict.fromkeys(
    ("million", "millions", "mio", "millionen", "mln", "M"), 1e6
)
_SCALE: Final = re.compile(r"[ \u00a0]?([^\W\d_]+)")


def _factor_at(text: str, end: int) -> float:
    """Return what a number that ends at an offset is multiplied by, as by `million`; 0 without such a word."""
    scale = _SCALE.match(text, end)
    return (_SCALES.get(scale[1]) or _SCALES.get(scale[1].casefold(), 0.0)) if scale else 0.0


_STEPS: Final = [
    (large, small, int(count))
    for large, small, count in re.findall(
        r"(\S+) (\S+) (\d+)",
        "s ms 1000; min s 60; h min 60; day h 24; week day 7; year month 12; kg g 1000; g mg 1000; t kg 1000; "
        "km m 1000; m cm 100; cm mm 10; l ml 1000; l cl 100; cl ml 10; ha m² 10000; GBP p 100; EUR ct 100; USD ct 100; "
        "tb gb 1000; gb mb 1000; mb kb 1000; gb mb 1024; mb kb 1024; gib byte 1073741824; mib byte 1048576; "
        "kib byte 1024; mb byte 1000000; kw w 1000; h s 3600",
    )
]
"""Pairs of units, and how many of the second make one of the first."""


def scaled_values(value: Value, answer: str) -> Iterator[Value]:
    """Yield a number in the other forms in which a text may state it: without `million`, in another unit."""
    if value.kind == "time" and (clock := re.match(r"(\d{1,2})\s?(?:uur|h)(?!\w)", value.text)):  # or a span
        yield Value("number", "", clock[1], value.start, "h")
    if value.kind != "number":
        return
    parts = re.fullmatch(r"(\d{1,2})\.(\d{1,2})", value.text) if value.unit in ("", "h") else None
    if parts and (len(parts[2]) == 2 or answer[value.end : value.end + 1] == "."):
        yield from clocks_in(value.text.replace(".", ":"))
        day = date_key({"d": parts[1], "m": parts[2], "y": None})
        yield from [Value("date", day, value.text)] if day else []
    amount = abs(amount_in(value.text))
    if factor := _factor_at(answer, value.end):
        yield Value("number", "", f"{round(amount * factor)}", value.start)
    if value.unit == "%":
        yield Value("number", "", f"{amount / 100:.6g}", value.start)
    elif re.fullmatch(r"\d{2,}\.\d\d", value.text):
        yield Value("number", "", f"{amount * 100:.0f}", value.start)
    others = [(amount / factor, name.casefold()) for name, factor in _SCALES.items() if amount >= factor]
    for large, small, count in _STEPS if value.unit else ():
        if value.unit in (large, small):
            made, unit = (amount * count, small) if value.unit == large else (amount / count, large)
            if made >= 0.001:
                yield Value("number", "", f"{made:.6f}".rstrip("0").rstrip("."), value.start, unit)
    if value.unit == "°c":
        yield Value("number", "", f"{amount * 1.8 + 32:.0f}", value.start, "°f")
    elif value.unit == "°f":
        yield Value("number", "", f"{(amount - 32) / 1.8:.1f}", value.start, "°c")
    hours = amount / {"h": 1, "min": 60}.get(value.unit, float("inf"))
    if hours > 1 and hours != int(hours):
        for names in ("h {} min", "hours {} minutes"):
            span = f"{int(hours)} {names.format(round(hours % 1 * 60))}"
            yield Value("id", span, span, value.start)
    for made, name in others:
        for number in {f"{made:.6g}", f"{made:.6g}".replace(".", ",")}:
            yield from (Value("id", f"{number}{blank}{name}", number, value.start) for blank in ("", " "))
