"""Takes descriptions of products apart: codes, the catalogue's own phrase, lists of constraints, and
what a support note claims.

    the tarp from Osier & Oak in the Lea line that has colour sand, without poles

describes a product of the brand `Osier & Oak`, the kind `tarp` and the family `Lea`, with the
constraints `colour sand` and, negated, `poles`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.product_properties import Constraint
from controlplane.benchmarks.shop.text import normal_words

# Codes ------------------------------------------------------------------------------------------

_CODE: Final = re.compile(r"(?<![\w-])(?=[A-Z0-9-]{10,}(?![\w-]))[A-Z0-9]+(?:-[A-Z0-9]+)+(?![\w-])")
"""Capitals and digits in parts joined by dashes, at least ten characters: `VH-TRP-LEA-3X3-GRN`."""
_MONTH: Final = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"
_DATE_PART: Final = (
    rf"ISO-?8601|YYYY|YY|M{{2,4}}|MON|MONTH|{_MONTH}|D{{2,3}}|WW?\d*|QQ?\d?|HH|SS|TT?|J{{2,4}}"
    r"|A{4}|\d{1,4}"
)
_NOT_A_PRODUCT_CODE: Final = re.compile(
    rf"(?:(?:{_DATE_PART})-?)+"  # a date or its form: 12-MAR-2027, YYYY-MM-DD
    r"|(?:OUTCOME|UTF|ISO|DIN|EN|SHA|TLS|RFC|GMT|UTC|EUR|COVID)-.+"  # a standard: DIN-EN-12345
    r"|(?:.+-)?(?:ONLY|NOT|AND|OR|PER)(?:-.+)?"  # an emphasis: NUMBER-ONLY
    r"|[A-Z]{4,}(?:-[A-Z]+)+"  # words without a short prefix or a digit: READ-CAREFULLY
)
"""What has the shape of a code and is something else."""


def product_codes(text: str, codes: Collection[str] = ()) -> list[str]:
    """Return the product codes in a text, in their order, each once.

    With `codes` only these are looked for; else every word in the usual shape of a code counts.
    """
    if codes:
        return _known_codes(text, codes)
    found = []
    for code in _CODE.findall(text):
        if not _NOT_A_PRODUCT_CODE.fullmatch(code):
            found.append(code)
    return list(dict.fromkeys(found))


def _known_codes(text: str, codes: Collection[str]) -> list[str]:
    """Return those of some codes that a text names, in its order."""
    positions = []
    for code in codes:
        for match in re.finditer(rf"(?<![\w-]){re.escape(code)}(?![\w-])", text):
            positions.append((match.start(), code))
    positions.sort()
    return list(dict.fromkeys(code for _, code in positions))


# Descriptions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Description:
    """A description of a product in its parts; unknown parts are empty."""

    brand: str
    kind: str
    family: str
    constraints: tuple[Constraint, ...]


_CATALOGUE_PHRASE: Final = re.compile(
    r"\bthe (?P<kind>.+?) (?:from|by) (?P<brand>.+?) in the (?P<family>.+?) line\b"
    r"(?:,? (?:that|which|with) (?:has |have )?(?P<constraints>.+))?",
    re.IGNORECASE | re.DOTALL,
)


def split_description(text: str, parsed: Description) -> Description:
    """Return `parsed`, improved by the parts that the catalogue's phrase in `text` names.

    The phrase is `the KIND from BRAND in the FAMILY line that has CONSTRAINTS`. Its family and
    constraints take precedence over those of `parsed`; its brand and kind fill gaps.
    """
    phrase = _CATALOGUE_PHRASE.search(text)
    if phrase is None:
        return parsed
    constraints = parsed.constraints
    if phrase["constraints"]:
        constraints = tuple(split_constraints(phrase["constraints"]))
    return Description(
        brand=parsed.brand or phrase["brand"],
        kind=parsed.kind or phrase["kind"],
        family=phrase["family"],
        constraints=constraints,
    )


_SEPARATOR: Final = re.compile(
    r"\s*[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but|as well as)\s+", re.IGNORECASE
)
_NEGATION: Final = re.compile(
    r"^(?:without|no|not|with no|excluding|except|minus|other than)\s+(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
_LEADING_WORD: Final = re.compile(r"^(?:with|has|have|that has|in|a|an|the)\s+", re.IGNORECASE)
_LAST_LABEL_WORDS: Final = frozenset(
    {
        "capacity", "class", "color", "colour", "count", "current", "diameter", "family", "finish",
        "grade", "height", "kind", "length", "material", "pack", "power", "size", "standard",
        "thickness", "type", "voltage", "weight", "width",
    }
)  # fmt: skip
"""Nouns with which the label of a property ends: `frame material` in `frame material steel`."""


def split_constraints(text: str) -> list[Constraint]:
    """Return the constraints of a list such as `voltage 18 V, without battery`."""
    constraints = []
    for part in _SEPARATOR.split(text.strip().rstrip(".?!")):
        if part.strip():
            constraints.append(_constraint(part.strip()))
    return constraints


def _constraint(text: str) -> Constraint:
    """Return one constraint: `voltage 18 V` -> label `voltage`, value `18 V`."""
    affirmative, negations = _NEGATION.subn("", text)
    affirmative = _LEADING_WORD.sub("", affirmative)
    words = affirmative.split()
    label_length = _label_length(words)
    label = ""
    value = ""
    if label_length:
        label = " ".join(words[:label_length])
        value = " ".join(words[label_length:])
    return Constraint(affirmative, label, value, is_negated=negations > 0)


def _label_length(words: Sequence[str]) -> int:
    """Return how many words come before the value: up to the first number, else through the last
    noun that ends a label; 0 if neither shows where the value begins."""
    for index, word in enumerate(words):
        if index > 0 and word[0].isdigit():
            return index
    for index in range(len(words) - 2, -1, -1):
        if words[index].casefold() in _LAST_LABEL_WORDS:
            return index + 1
    return 0


# Support notes ----------------------------------------------------------------------------------

_CLAIM: Final = re.compile(
    r"\b(?:and|,)\s+(?:also\s+)?(?:has|have|supports?|is|comes with|offers)\s+(?P<claim>[^.;]+)",
    re.IGNORECASE,
)
_NOTE: Final = re.compile(r"\b(?:note|claim)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NoteClaim:
    """A support note in two parts: what identifies the product, and what the note claims of it.

    A claim may be false, so it must not be used to find the product.
    """

    constraints: tuple[str, ...]
    """The constraints that identify the product."""
    claimed_constraints: tuple[str, ...]
    """The constraints that repeat the claim."""
    claim: str
    """The claim if no constraint repeats it, else empty."""
    description: str
    """The description without the claim."""


def note_claim(name: str, description: str, constraints: Sequence[str]) -> NoteClaim:
    """Separate the claim at the end of a support note from the description of the product.

    `name` says whether it is a note: `support-note`, `claim_3`. Other texts claim nothing.
    `the sand tarp, and is waterproof` -> the description `the sand tarp`, the claim `waterproof`.
    """
    is_note = _NOTE.search(name.replace("-", " ").replace("_", " ")) is not None
    claims = list(_CLAIM.finditer(description))
    if not is_note or not claims:
        return NoteClaim(tuple(constraints), (), "", description)
    last_claim = claims[-1]
    claim = last_claim["claim"].strip()
    claim_words = normal_words(claim)
    identifying = []
    claimed = []
    for constraint in constraints:
        if normal_words(constraint) in claim_words:
            claimed.append(constraint)
        else:
            identifying.append(constraint)
    return NoteClaim(
        constraints=tuple(identifying),
        claimed_constraints=tuple(claimed),
        claim="" if claimed else claim,
        description=description[: last_claim.start()].rstrip(),
    )
