"""Matches people's words about products with the data of records: units, labels of fields, constraints, codes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from benchmarks.shop.text import NUMBER_WORDS, holds_words, normal_words


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, as a multiple of the first unit of its quantity."""

    quantity: str
    factor: Decimal


def _units(quantity: str, **factors: str) -> dict[str, Unit]:
    return {name: Unit(quantity, Decimal(factor)) for name, factor in factors.items()}


UNITS: Final[dict[str, Unit]] = {
    **_units("length", mm="1", cm="10", m="1000", km="1000000"),
    **_units("weight", mg="0.001", g="1", kg="1000", t="1000000"),
    **_units("volume", ml="1", cl="10", l="1000"),
    **_units("voltage", mv="0.001", v="1", kv="1000"),
    **_units("current", ma="0.001", a="1"),
    **_units("power", mw="0.001", w="1", kw="1000"),
    **_units("charge", mah="0.001", ah="1"),
    **_units("energy", wh="1", kwh="1000"),
    **_units("light", lm="1"),
    **_units("temperature", k="1"),
    **_units("torque", nm="1"),
    **_units("speed", rpm="1"),
    **_units("pressure", bar="1"),
    **_units("area", cm2="0.0001", m2="1"),
    **_units("pieces", pc="1"),
    **_units("time", s="1", min="60", h="3600"),
    **_units("storage", mb="0.001", gb="1", tb="1000"),
    **_units("frequency", hz="1", khz="1000"),
}
NAMES_OF_QUANTITIES: Final[dict[str, tuple[str, ...]]] = {
    "light": ("luminous flux",),
    "current": ("amperage",),
    "power": ("wattage",),
    "pieces": ("pieces", "piece count", "pack size"),
}
"""Names of quantities besides the words of a field."""


def same_amount(left: Decimal, left_unit: str, right: Decimal, right_unit: str) -> bool:
    """Say whether amounts are equal, converted if their units measure one quantity; a missing unit is the other's."""
    if left_unit == right_unit or not left_unit or not right_unit:
        return left == right
    units = UNITS.get(left_unit), UNITS.get(right_unit)
    if units[0] is None or units[1] is None or units[0].quantity != units[1].quantity:
        return False
    return left * units[0].factor == right * units[1].factor


_ALIASES: Final = {"color": ("color family",), "colour": ("colour family", "color")}


def unit_of(key: str) -> str:
    """Return the unit with which a field's name ends, or an empty string."""
    words = normal_words(key).split()
    return words[-1] if len(words) > 1 and words[-1] in UNITS else ""


def property_labels(key: str) -> list[str]:
    """Return the labels of a field: its whole name, without its unit, its last word, other names; longest first."""
    whole = normal_words(key).split()
    unit = unit_of(key)
    bare = whole[:-1] if unit else whole
    labels = {" ".join(whole), " ".join(bare)}
    # A shorter last word of a field names too many things.
    if len(bare) > 1 and len(bare[-1]) >= 4:
        labels.add(bare[-1])
    labels.update(_ALIASES.get(bare[-1], ()))
    if unit:
        labels.update(NAMES_OF_QUANTITIES.get(UNITS[unit].quantity, ()))
    return sorted(labels, key=lambda label: (-len(label), label))


_AMOUNT: Final = re.compile(r"(-?\d+(?:\.\d+)?)(?: ([a-z]+\d?))?")
_THOUSANDS: Final = re.compile(r"(?<=\d) (?=\d{3}\b)")
_FILLERS: Final = ("rated ", "of ", "is ")
_TRUTHS: Final = {"true": True, "yes": True, "": True, "false": False, "no": False, "not": False, "without": False}


def property_match(constraint: str, key: str, value: str) -> bool | None:
    """Say whether `disc diameter 180 mm` holds for a field and its value; None if it is about another field.

    Numbers are compared exactly, converted between units of one quantity; texts as normal words.
    """
    wanted = wanted_value(constraint, key)
    return None if wanted is None else values_match(wanted, unit_of(key), value)


def wanted_value(constraint: str, key: str) -> str | None:
    """Return the value that a constraint wants of a field, in normal words; None if it is about another field."""
    said = f"{normal_words(constraint)} "
    for label in property_labels(key):
        for name in (label, label.removeprefix("rated ")):
            if said.startswith(f"{name} "):
                wanted = said[len(name) :].strip()
                for filler in _FILLERS:
                    wanted = wanted.removeprefix(filler)
                return wanted
            if said.endswith(f" {name} "):
                return said[: -len(name) - 1].strip()  # `180 mm disc diameter`
    return None


def values_match(wanted: str, unit: str, value: str) -> bool:
    """Say whether a wanted value, in normal words, is the value of a field that counts in `unit`."""
    held = normal_words(value)
    if wanted and wanted == held:
        return True
    wanted = _THOUSANDS.sub("", " ".join(str(NUMBER_WORDS.get(word, word)) for word in wanted.split()))
    if wanted and wanted.replace(" ", "") == held.replace(" ", ""):
        return True
    if wanted in _TRUTHS and held in _TRUTHS:
        return _TRUTHS[wanted] is _TRUTHS[held]
    needed, have = _AMOUNT.fullmatch(wanted), _AMOUNT.fullmatch(held)
    if needed is None or have is None:
        return False
    try:
        return same_amount(Decimal(needed[1]), needed[2] or "", Decimal(have[1]), have[2] or unit)
    except InvalidOperation:
        return False


@dataclass(frozen=True, slots=True)
class Constraint:
    """One requirement of a description on a product."""

    text: str
    label: str = ""
    value: str = ""
    is_negated: bool = False


def failed_constraints(
    constraints: Sequence[Constraint], name: str, family: str, properties: Mapping[str, str]
) -> list[str]:
    """Return the texts of the constraints that a product does not fulfil, in their order."""
    return [
        constraint.text
        for constraint in constraints
        if _holds(constraint, name, family, properties) is constraint.is_negated
    ]


def _holds(constraint: Constraint, name: str, family: str, properties: Mapping[str, str]) -> bool:
    said = f"{constraint.label} {constraint.value}" if constraint.label else constraint.text
    matches = [property_match(said, key, value) for key, value in properties.items()]
    if any(matches):
        return True
    if constraint.label:
        return _tail_holds(name_tail(name, family), normal_words(constraint.value))
    words = normal_words(constraint.value or constraint.text)
    if any(normal_words(value) == words for value in properties.values()):
        return True
    return _tail_holds(normal_words(name), words)


def _tail_holds(tail: str, words: str) -> bool:
    return holds_words(tail, words) or (bool(words) and set(words.split()) <= set(tail.split()))


def name_tail(name: str, family: str) -> str:
    """Return, in normal words, the part of a product's name after the family at its beginning; else an empty text."""
    whole, start = normal_words(name), normal_words(family)
    return whole[len(start) :].strip() if start and f"{whole} ".startswith(f"{start} ") else ""


_CODE: Final = re.compile(r"(?<![\w-])(?=[A-Z0-9-]{10,}(?![\w-]))[A-Z0-9]+(?:-[A-Z0-9]+)+(?![\w-])")


_MONTH: Final = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"
_OTHER_CODE: Final = re.compile(
    rf"(?:(?:ISO-?8601|YYYY|YY|M{{2,4}}|MON|MONTH|{_MONTH}|D{{2,3}}|WW?\d*|QQ?\d?|HH|SS|TT?|J{{2,4}}|A{{4}}|\d{{1,4}})-?)+"
    r"|(?:OUTCOME|UTF|ISO|DIN|EN|SHA|TLS|RFC|GMT|UTC|EUR|COVID)-.+|(?:.+-)?(?:ONLY|NOT|AND|OR|PER)(?:-.+)?"
    r"|[A-Z]{4,}(?:-[A-Z]+)+"
)
"""A date, the form of one, the name of a standard, a result or a rule, or words without the short prefix of a catalogue
or a digit: they have the shape of a code."""


def product_codes(text: str, codes: Collection[str] = ()) -> list[str]:
    """Return the product codes that a text names, in its order.

    With `codes` only those; else all words in their usual shape: capitals and digits, dashes, ten characters.
    """
    if codes:
        places = [
            (at.start(), code) for code in codes for at in re.finditer(rf"(?<![\w-]){re.escape(code)}(?![\w-])", text)
        ]
        return list(dict.fromkeys(code for _, code in sorted(places)))
    return list(dict.fromkeys(code for code in _CODE.findall(text) if not _OTHER_CODE.fullmatch(code)))


_STOCK_PHRASE: Final = re.compile(
    r"\bthe (?P<kind>.+?) (?:from|by) (?P<brand>.+?) in the (?P<family>.+?) line\b"
    r"(?:,? (?:that|which|with) (?:has |have )?(?P<rest>.+))?",
    re.IGNORECASE | re.DOTALL,
)
_SEPARATOR: Final = re.compile(r"\s*[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but|as well as)\s+", re.IGNORECASE)
_NEGATION: Final = re.compile(
    r"^(?:without|no|not|with no|excluding|except|minus|other than)\s+(?:an?\s+|the\s+)?", re.IGNORECASE
)
_LEADING_WORD: Final = re.compile(r"^(?:with|has|have|that has|in|a|an|the)\s+", re.IGNORECASE)
_HEADS: Final = frozenset(
    {"type", "kind", "size", "color", "colour", "family", "material", "finish", "voltage", "current", "power", "length"}
    | {"width", "height", "diameter", "weight", "capacity", "thickness", "class", "grade", "standard", "pack", "count"}
)
"""Nouns at the end of property names."""


@dataclass(frozen=True, slots=True)
class Description:
    """A description, taken apart."""

    brand: str
    kind: str
    family: str
    constraints: tuple[Constraint, ...]


def split_description(text: str, parsed: Description) -> Description:
    """Return a parse, with line and constraints cut anew where the text follows the catalogue's own phrase."""
    match = _STOCK_PHRASE.search(text)
    if match is None:
        return parsed
    rest = match["rest"] or ""
    return Description(
        parsed.brand or match["brand"],
        parsed.kind or match["kind"],
        match["family"],
        tuple(split_constraints(rest)) if rest else parsed.constraints,
    )


def split_constraints(text: str) -> list[Constraint]:
    """Return the constraints of a list such as `voltage 18 V, without battery`."""
    return [_constraint(part) for part in _SEPARATOR.split(text.strip().rstrip(".?!")) if part.strip()]


def _constraint(part: str) -> Constraint:
    said, negations = _NEGATION.subn("", part.strip())
    said = _LEADING_WORD.sub("", said)
    words = said.split()
    heads = [at for at, word in enumerate(words[:-1]) if word.casefold() in _HEADS]
    numbers = [at for at, word in enumerate(words) if word[0].isdigit() and at]
    end = (numbers[0] if numbers else None) or (heads[-1] + 1 if heads else 0)
    return Constraint(said, " ".join(words[:end]), " ".join(words[end:]) if end else "", bool(negations))


_CLAIM: Final = re.compile(
    r"\b(?:and|,)\s+(?:also\s+)?(?:has|have|supports?|is|comes with|offers)\s+(?P<claim>[^.;]+)", re.IGNORECASE
)
_NOTE: Final = re.compile(r"\b(?:note|claim)\b", re.IGNORECASE)


class NoteClaim(NamedTuple):
    """The constraints that describe the product, and those that the note claims."""

    base: tuple[str, ...]
    extra: tuple[str, ...] = ()
    claim: str = ""
    """The claim, if it is not in any constraint."""
    described: str = ""
    """The description without the claim."""


def note_claim(name: str, description: str, constraints: Sequence[str]) -> NoteClaim:
    """Return the claims of a note. `name` says whether it is a note; without a note all constraints describe."""
    claims = list(_CLAIM.finditer(description))
    if not _NOTE.search(name.replace("-", " ").replace("_", " ")) or not claims:
        return NoteClaim(tuple(constraints), described=description)
    claim = claims[-1]["claim"].strip()
    extra = tuple(text for text in constraints if normal_words(text) in normal_words(claim))
    base = tuple(text for text in constraints if text not in extra)
    return NoteClaim(base, extra, "" if extra else claim, description[: claims[-1].start()].rstrip())
