"""Splits descriptions of products into codes, catalogue phrases, constraints and claims.

    the tarp from Osier & Oak in the Lea line that has colour sand, without poles

is a description with the brand `Osier & Oak`, the kind `tarp`, the family `Lea`, and
two constraints: `colour sand` and, negated, `poles`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.products.product_properties import Constraint
from controlplane.benchmarks.shop.texts.text import normal_words

# Codes ------------------------------------------------------------------------------------------

_TEN_CHARACTERS_HERE: Final = r"(?=[A-Z0-9-]{10,}(?![\w-]))"
_CODE: Final = re.compile(
    rf"(?<![\w-]){_TEN_CHARACTERS_HERE}[A-Z0-9]+(?:-[A-Z0-9]+)+(?![\w-])"
)
"""Capitals and digits in parts joined by dashes, at least ten characters: `VH-TRP-LEA-3X3-GRN`."""
_MONTH: Final = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"
_DATE_PART: Final = (
    rf"ISO-?8601|MON|MONTH|{_MONTH}|\d{{1,4}}"
    r"|YYYY|YY|M{2,4}|D{2,3}"  # year, month, day
    r"|A{4}|J{2,4}|TT?"  # the same in French and German: AAAA, JJ, TT
    r"|WW?\d*|QQ?\d?|HH|SS"  # week, quarter, hour, second
)
"""A part of a date, or of the form of one."""
_NOT_A_PRODUCT_CODE: Final = re.compile(
    rf"(?:(?:{_DATE_PART})-?)+"  # a date or its form: 12-MAR-2027, YYYY-MM-DD
    r"|(?:OUTCOME|UTF|ISO|DIN|EN|SHA|TLS|RFC|GMT|UTC|EUR|COVID)-.+"  # a standard: DIN-EN-12345
    r"|(?:.+-)?(?:ONLY|NOT|AND|OR|PER)(?:-.+)?"  # an emphasis: NUMBER-ONLY
    r"|[A-Z]{4,}(?:-[A-Z]+)+"  # words without a short prefix or a digit: READ-CAREFULLY
)
"""Texts that look like a code but are something else."""


def product_codes(text: str, codes: Collection[str] = ()) -> list[str]:
    """Return the product codes in a text, in order, each once.

    If `codes` are given, only these count. Otherwise every word with the usual shape of
    a code counts.
    """
    if codes:
        return _known_codes(text, codes)
    found = []
    for code in _CODE.findall(text):
        if not _NOT_A_PRODUCT_CODE.fullmatch(code):
            found.append(code)
    return list(dict.fromkeys(found))


def _known_codes(text: str, codes: Collection[str]) -> list[str]:
    """Return those of the given codes that occur in a text, in the order of the text."""
    positions = []
    for code in codes:
        for match in re.finditer(rf"(?<![\w-]){re.escape(code)}(?![\w-])", text):
            positions.append((match.start(), code))
    positions.sort()
    return list(dict.fromkeys(code for _, code in positions))


# Descriptions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Description:
    """The parts of a product's description. Unknown parts are empty."""

    brand: str
    kind: str
    """What the product is: `tent`."""
    family: str
    """The name of its product line: `Skerry`."""
    constraints: tuple[Constraint, ...]


_CATALOGUE_PHRASE: Final = re.compile(
    r"\bthe (?P<kind>.+?) (?:from|by) (?P<brand>.+?) in the (?P<family>.+?) line\b"
    r"(?:,? (?:that|which|with) (?:has |have )?(?P<constraints>.+))?",
    re.IGNORECASE | re.DOTALL,
)
"""`the KIND from BRAND in the FAMILY line that has CONSTRAINTS`"""


def split_description(text: str, known: Description) -> Description:
    """Return the parts of the catalogue phrase in a text, added to what is `known` already.

    Family and constraints of the phrase replace the known ones. Its brand and kind are
    used only if they are not known. Without a phrase, the result is `known`.
    """
    phrase = _CATALOGUE_PHRASE.search(text)
    if phrase is None:
        return known
    constraints = known.constraints
    if phrase["constraints"]:
        constraints = tuple(split_constraints(phrase["constraints"]))
    return Description(
        brand=known.brand or phrase["brand"],
        kind=known.kind or phrase["kind"],
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
_LEADING_WORD: Final = re.compile(
    r"^(?:with|has|have|that has|in|a|an|the)\s+", re.IGNORECASE
)
_LAST_LABEL_WORDS: Final = frozenset(
    {
        "capacity", "class", "color", "colour", "count", "current", "diameter", "family", "finish",
        "grade", "height", "kind", "length", "material", "pack", "power", "size", "standard",
        "thickness", "type", "voltage", "weight", "width",
    }
)  # fmt: skip
"""Last words of property labels: `frame material` in `frame material steel`."""


def split_constraints(text: str) -> list[Constraint]:
    """Return the constraints in a list such as `voltage 18 V, without battery`."""
    constraints = []
    for part in _SEPARATOR.split(text.strip().rstrip(".?!")):
        if part.strip():
            constraints.append(_constraint(part.strip()))
    return constraints


def _constraint(text: str) -> Constraint:
    """Return the constraint in a text: `voltage 18 V` -> label `voltage`, value `18 V`."""
    is_negated = _NEGATION.match(text) is not None
    affirmative = _LEADING_WORD.sub("", _NEGATION.sub("", text))
    words = affirmative.split()
    label_length = _label_length(words)
    label = ""
    value = ""
    if label_length:
        label = " ".join(words[:label_length])
        value = " ".join(words[label_length:])
    return Constraint(affirmative, label, value, is_negated=is_negated)


def _label_length(words: Sequence[str]) -> int:
    """Return the number of words before the value; 0 if it is unknown where the value begins.

    The value begins at the first number or, if there is none, after the last noun that
    ends a label.
    """
    for index, word in enumerate(words):
        if index > 0 and word[0].isdigit():
            return index
    # The last word belongs to the value.
    for length in range(len(words) - 1, 0, -1):
        last_label_word = words[length - 1].casefold()
        if last_label_word in _LAST_LABEL_WORDS:
            return length
    return 0


# Support notes ----------------------------------------------------------------------------------

_CLAIM: Final = re.compile(
    r"\b(?:and|,)\s+(?:also\s+)?(?:has|have|supports?|is|comes with|offers)\s+(?P<claim>[^.;]+)",
    re.IGNORECASE,
)
_NOTE: Final = re.compile(r"\b(?:note|claim)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NoteClaim:
    """A support note in two parts: the description of a product, and a claim about it.

    The claim may be false, so it must not be used to find the product.
    """

    constraints: tuple[str, ...]
    """The constraints that identify the product."""
    claimed_constraints: tuple[str, ...]
    """The constraints that repeat the claim."""
    claim: str
    """The claim; empty if a constraint repeats it."""
    description: str
    """The description without the claim."""


def note_claim(name: str, description: str, constraints: Sequence[str]) -> NoteClaim:
    """Separate the claim at the end of a support note from the description of the product.

    `the sand tarp, and is waterproof` -> the description `the sand tarp` and the claim
    `waterproof`. Only a support note has a claim. A text is one if its `name`, such as
    `support-note` or `claim_3`, has the word "note" or "claim".
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
        repeats_claim = normal_words(constraint) in claim_words
        if repeats_claim:
            claimed.append(constraint)
        else:
            identifying.append(constraint)
    return NoteClaim(
        constraints=tuple(identifying),
        claimed_constraints=tuple(claimed),
        claim="" if claimed else claim,
        description=description[: last_claim.start()].rstrip(),
    )
