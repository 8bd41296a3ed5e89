"""Functions about products: the catalogue, searched by words, and the product that a description means.

People's words are matched with the data of records: units, labels of fields, constraints, codes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import re2

from controlplane.benchmarks.shop.kinds import Kind
from controlplane.benchmarks.shop.records import Record, RecordGroup, folded_id, id_of
from controlplane.benchmarks.shop.text import (
    ISO_DAY,
    NUMBER_WORDS,
    Data,
    Shape,
    WordSearch,
    field_pattern,
    holds_words,
    marked_behind,
    marked_words,
    normal_words,
    shape_of,
    sure,
)
from controlplane.benchmarks.shop.workspace import (
    ProductFields,
    ShopLayout,
    on_harness,
    product_fields,
)
from controlplane.gates.evidence import record_id
from controlplane.gates.values.locale_names import UNIT_BY_NAME, Unit
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

_SHARED_UNITS: Final = """
    mm cm m km mg g kg t ml cl l mV V kV mA A mW W kW Wh kWh K rpm bar cm2 m2 s min h MB GB TB Hz kHz
"""
"""The units of records and requests that the gates know, too."""
_OWN_UNITS: Final = (
    Unit("mah", "charge", Fraction(1, 1000)),
    Unit("ah", "charge", Fraction(1)),
    Unit("lm", "light", Fraction(1)),
    Unit("nm", "torque", Fraction(1)),
    Unit("pc", "pieces", Fraction(1)),
)


def _units_by_word() -> dict[str, Unit]:
    """Return the units by the words of `normal_words`, which are in lower case."""
    units = {unit.name: unit for unit in _OWN_UNITS}
    for name in _SHARED_UNITS.split():
        units[name.casefold()] = UNIT_BY_NAME[name]
    return units


UNITS: Final = _units_by_word()
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
    left_measure = UNITS.get(left_unit)
    right_measure = UNITS.get(right_unit)
    if left_measure is None or right_measure is None:
        return False
    if left_measure.quantity != right_measure.quantity:
        return False
    return Fraction(left) * left_measure.size == Fraction(right) * right_measure.size


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
_TRUTHS: Final = {
    "true": True,
    "yes": True,
    "": True,
    "false": False,
    "no": False,
    "not": False,
    "without": False,
}


def property_match(constraint: str, key: str, value: str) -> bool | None:
    """Say whether `disc diameter 180 mm` holds for a field and its value; None if it is about another field.

    Numbers are compared exactly, converted between units of one quantity; texts as normal words.
    """
    said, wanted = f"{normal_words(constraint)} ", None
    for name in (
        name for label in property_labels(key) for name in (label, label.removeprefix("rated "))
    ):
        if said.startswith(f"{name} "):
            wanted = said[len(name) :].strip()
            for filler in _FILLERS:
                wanted = wanted.removeprefix(filler)
            break
        if said.endswith(f" {name} "):
            wanted = said[: -len(name) - 1].strip()  # `180 mm disc diameter`
            break
    return None if wanted is None else _is_value(wanted, unit_of(key), normal_words(value))


def _is_value(wanted: str, unit: str, held: str) -> bool:
    """Say whether a wanted value is the value of a field that counts in `unit`; both in normal words."""
    if wanted and wanted == held:
        return True
    wanted = _THOUSANDS.sub(
        "", " ".join(str(NUMBER_WORDS.get(word, word)) for word in wanted.split())
    )
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
            (at.start(), code)
            for code in codes
            for at in re.finditer(rf"(?<![\w-]){re.escape(code)}(?![\w-])", text)
        ]
        return list(dict.fromkeys(code for _, code in sorted(places)))
    return list(
        dict.fromkeys(code for code in _CODE.findall(text) if not _OTHER_CODE.fullmatch(code))
    )


_STOCK_PHRASE: Final = re.compile(
    r"\bthe (?P<kind>.+?) (?:from|by) (?P<brand>.+?) in the (?P<family>.+?) line\b"
    r"(?:,? (?:that|which|with) (?:has |have )?(?P<rest>.+))?",
    re.IGNORECASE | re.DOTALL,
)
_SEPARATOR: Final = re.compile(
    r"\s*[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but|as well as)\s+", re.IGNORECASE
)
_NEGATION: Final = re.compile(
    r"^(?:without|no|not|with no|excluding|except|minus|other than)\s+(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
_LEADING_WORD: Final = re.compile(r"^(?:with|has|have|that has|in|a|an|the)\s+", re.IGNORECASE)
_HEADS: Final = frozenset(
    {
        "type",
        "kind",
        "size",
        "color",
        "colour",
        "family",
        "material",
        "finish",
        "voltage",
        "current",
        "power",
        "length",
    }
    | {
        "width",
        "height",
        "diameter",
        "weight",
        "capacity",
        "thickness",
        "class",
        "grade",
        "standard",
        "pack",
        "count",
    }
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
    return [
        _constraint(part) for part in _SEPARATOR.split(text.strip().rstrip(".?!")) if part.strip()
    ]


def _constraint(part: str) -> Constraint:
    said, negations = _NEGATION.subn("", part.strip())
    said = _LEADING_WORD.sub("", said)
    words = said.split()
    heads = [at for at, word in enumerate(words[:-1]) if word.casefold() in _HEADS]
    numbers = [at for at, word in enumerate(words) if word[0].isdigit() and at]
    end = (numbers[0] if numbers else None) or (heads[-1] + 1 if heads else 0)
    return Constraint(
        said, " ".join(words[:end]), " ".join(words[end:]) if end else "", bool(negations)
    )


_CLAIM: Final = re.compile(
    r"\b(?:and|,)\s+(?:also\s+)?(?:has|have|supports?|is|comes with|offers)\s+(?P<claim>[^.;]+)",
    re.IGNORECASE,
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
    return NoteClaim(
        base, extra, "" if extra else claim, description[: claims[-1].start()].rstrip()
    )


_JOINING = frozenset(
    {"a", "an", "the", "of", "for", "with", "in", "and", "or", "my", "your", "some"}
)
"""Words of a description that say nothing about a product."""
_UNITS = {
    f"{word}{ending}": unit
    for unit, words in {
        "l": "litre liter",
        "m": "metre meter",
        "g": "gram",
        "kg": "kilogram",
        "w": "watt",
        "v": "volt",
    }.items()
    for word in words.split()
    for ending in ("", "s")
}
"""Units as people write them, which records shorten."""
_TEXT_FIELD = re.compile(r'"([^"\\]+)":[ \t]*"([^"\\]*)"')
_OWNER = re.compile(r"(?<=\w)['’]s\b")


@dataclass(frozen=True)
class Product:
    """A product as its record gives it."""

    path: str
    code: str
    name: str
    brand: str
    price_cents: int | None
    properties: Data
    needs_stock: bool = True

    def failed(self, constraints: Sequence[Constraint]) -> list[str]:
        """Return the texts of the constraints that the product does not fulfil."""
        return failed_constraints(constraints, self.name, self.brand, self.texts)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The values of its properties as texts."""
        held = self.properties.items()
        return {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in held
        }

    @property
    def reported(self) -> dict[str, Any]:
        """What function results tell of it."""
        reported = {
            "sku": self.code,
            "name": self.name,
            "path": self.path,
            "price_cents": self.price_cents,
        }
        return {**reported, "properties": dict(self.properties)}

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word in the product's data."""
        said = (self.code, self.name, self.brand, *self.texts.values(), *self.texts)
        return frozenset(
            word for text in said for word in normal_words(text.replace("_", " ")).split()
        )


class Catalogue:
    """The products of a workspace."""

    def __init__(self, layout: ShopLayout) -> None:
        self._layout = layout

    @cached_property
    def group(self) -> RecordGroup:
        """The group of the product records."""
        return self._layout.group(Kind.PRODUCT)

    @cached_property
    def codes(self) -> dict[str, str]:
        """The path of each product, by its code as in the file's name."""
        return {record_id(path): path for path in self.group.paths}

    @cached_property
    def _paths(self) -> dict[str, str]:
        return {folded_id(code): path for code, path in self.codes.items()}

    @cached_property
    def fields(self) -> ProductFields:
        """The names of products' fields. Raises `CannotRead` if those of code, name or price are not certain."""
        fields = product_fields(self._layout.samples(Kind.PRODUCT), self.codes, self._layout.marked)
        is_known = fields.code and fields.name and fields.price
        sure(is_known, "it is not certain which fields of a product are its code, name and price")
        return fields

    @cached_property
    def download(self) -> tuple[str, str]:
        """Field and value of products that do not need stock, as the policy on checkouts marks them, or empty texts."""
        text = self._layout.documents.get(self._layout.policies.get("checkout", ""), "")
        for key in self._layout.samples(Kind.PRODUCT)[0]:
            if value := marked_behind(text, key):
                return key, value
        return "", ""

    def product(self, record: Record) -> Product:
        """Return a record as a product."""
        data, fields = record.data, self.fields
        price = data.get(fields.price)
        key, download = self.download
        properties = data.get(fields.properties)
        return Product(
            record.path,
            str(data.get(fields.code, record.id)),
            str(data.get(fields.name, "")),
            str(data.get(fields.brand, "")),
            price if isinstance(price, int) else None,
            properties if isinstance(properties, dict) else {},
            not key or str(data.get(key)) != download,
        )

    def coming_days(self, products: Iterable[Product]) -> tuple[str, ...]:
        """Return a note on each product with a coming day in a property that the rules mark, such as an embargo."""
        marked = frozenset(marked_words(self._layout.rules)) | self._layout.marked
        days = {
            f"{product.code} has `{key}` {value}": str(value)[:10]
            for product in products
            for key, value in product.properties.items()
            if key in marked and shape_of(value) is Shape.INSTANT
        }
        today = ISO_DAY.search(self._layout.clock) if days else None
        return tuple(
            f"{said}, which is still to come: see the rules on it"
            for said, day in days.items()
            if today and day > today[0]
        )

    def read(self, paths: Iterable[str]) -> list[Product]:
        """Return the products at these paths, in their order."""
        return [self.product(record) for record in self._layout.unnamed.read(paths)]

    def called(self, codes: Iterable[str]) -> list[Product]:
        """Return the products with these codes or paths, in their order. Raises `CannotRead` for any other."""
        wanted = [*dict.fromkeys(map(id_of, codes))]
        missing = [code for code in wanted if folded_id(code) not in self._paths]
        if missing:
            msg = f"no product is called {', '.join(missing)}; closest: {self._layout.closest(missing[0])}"
            raise CannotRead(msg)
        return self.read(self._paths[folded_id(code)] for code in wanted)

    def left_out(self, codes: Sequence[str]) -> list[str]:
        """Return the products that are missing beside these, which are the most of a group, such as a family.

        The group is the narrowest of which all these are: the products with one value of a field.
        """
        data = [
            record.data for record in self._layout.unnamed.read(self.codes[code] for code in codes)
        ]
        texts = set.intersection(
            *({(key, each) for key, each in one.items() if isinstance(each, str)} for one in data)
        )
        holders: dict[tuple[str, str], set[str]] = {pair: set() for pair in texts}
        pattern = "|".join(
            f'"{re2.escape(key)}":[ \t]*"{re2.escape(value)}"' for key, value in sorted(texts)
        )
        for path, line in (
            self._layout.reader.search(pattern, self.group.root) if texts and len(data) > 1 else ()
        ):
            for pair in _TEXT_FIELD.findall(line):
                holders.get(pair, set()).add(record_id(path))
        group = min(holders.values(), key=len, default=set())
        return sorted(group.difference(codes)) if len(group) < 2 * len(data) else []

    @cached_property
    def _paths_by_name(self) -> dict[str, set[str]]:
        paths: dict[str, set[str]] = {}
        for path, line in self._layout.reader.search(
            field_pattern(self.fields.name), self.group.root
        ):
            name = line.partition(":")[2].strip(' ,"')
            paths.setdefault(" ".join(name.casefold().split()), set()).add(path)
        return paths

    def named(self, names: Sequence[str]) -> list[Product]:
        """Return the product of each name, whatever its case. Raises `CannotRead` for a name of none or several."""
        paths: list[str] = []
        for name in names:
            fitting = self._paths_by_name.get(" ".join(name.casefold().split()), set())
            sure(len(fitting) == 1, f"no single product is called {name!r}")
            paths += fitting
        return self.read(paths)

    def holding(self, words: Iterable[str]) -> tuple[list[Product], dict[str, set[str]]]:
        """Return the products that may hold all of some words, and by word the paths of the products that hold it.

        Words that too many products hold are left out. Raises `CannotRead` if the other words leave too many products.
        """
        held: dict[str, set[str]] = {}
        for word in dict.fromkeys(words):
            search = WordSearch([word])
            with suppress(CannotRead):
                lines = self._layout.reader.search(search.pattern, self.group.root)
                held[word] = {path for path, line in lines if search.keeps(line)}
        word_paths = [paths for paths in held.values() if paths]
        left = (
            set.intersection(*word_paths)
            if word_paths
            else set()
            if held
            else set(self.group.paths)
        )
        # Most products to read for one description.
        said = len(left) if word_paths else "too many"
        sure(len(left) <= 120, f"{said} products may be meant: name the brand as well")
        return self.read(path for path in self.group.paths if path in left), held

    def closest(self, held: Mapping[str, set[str]]) -> str:
        """Return the three products that hold the most words of a description, for a message; empty without one."""
        counts = Counter(path for paths in held.values() for path in paths)
        best = sorted(counts, key=lambda path: (-counts[path], path))[:3]
        return (
            f"; closest: {', '.join(f'{product.code} {product.name}' for product in self.read(best))}"
            if best
            else ""
        )


catalogue_of: Final = lru_cache(maxsize=2)(Catalogue)
"""Returns the products of a layout; functions that call others share what they learn."""


@on_harness
def match_products(
    layout: ShopLayout,
    description: str,
    must: list[str] | None = None,
    must_not: list[str] | None = None,
    below_cents: int = 0,
) -> FunctionResult[list[dict[str, Any]]]:
    """Return the products whose records hold every word of the description and every constraint, by SKU.

    `description` is in words of the records (brand, model, kind), `must` and `must_not` name properties with their
    values (`persons 2`, `weight 2.4 kg`) or SKUs. `below_cents` is strict. If no product fits, notes name the closest
    ones and what they fail, or the words that no record holds. A description may be in the catalogue's own phrase
    (`the X from Y in the Z line that has ..`); the claim that a support note adds to one is tested, and notes say
    whether it holds. Raises `CannotRead` for an empty description, or if too many products may be meant.
    """
    claimed = note_claim(description, description, must or ())
    parsed = split_description(claimed.described, Description("", "", "", ()))
    if parsed.family:
        description = f"{parsed.brand} {parsed.kind} {parsed.family}"
    said_words = normal_words(_OWNER.sub("", description)).split()
    words = [_UNITS.get(word, word) for word in said_words if word not in _JOINING]
    sure(words, "the description is empty: name brand, model or kind")
    catalogue = catalogue_of(layout)
    candidates, held = catalogue.holding(words)
    if unknown := [word for word, paths in held.items() if not paths]:
        said = ", ".join(map(repr, unknown))
        closest = catalogue.closest(held)
        return FunctionResult(
            [], (), (f"no product record holds {said}: use words of the records{closest}",)
        )
    described = [product for product in candidates if product.words.issuperset(words)]
    constraints = [*parsed.constraints, *(Constraint(text) for text in claimed.base)]
    constraints += [Constraint(text, is_negated=True) for text in must_not or ()]
    failed = {product.path: _failed(product, constraints, below_cents) for product in described}
    fitting = sorted(
        (product for product in described if not failed[product.path]),
        key=lambda product: product.code,
    )
    notes = [
        f"{product.code} {product.name} fails {', '.join(failed[product.path])}"
        for product in sorted(described, key=lambda product: len(failed[product.path]))[:4]
    ]
    if not described:
        closest = catalogue.closest(held)
        notes = [f"no single record holds all of {', '.join(map(repr, words))}{closest}"]
    if fitting:
        notes = [
            f"of {product.code} it is {'not ' if product.failed([Constraint(claim)]) else ''}true that it has {claim}"
            for product in fitting
            for claim in (*claimed.extra, *filter(None, [claimed.claim]))
        ]
    notes += catalogue.coming_days(fitting)
    return FunctionResult(
        [product.reported for product in fitting],
        tuple(map(product_reference, fitting)),
        tuple(notes),
    )


def _failed(product: Product, constraints: list[Constraint], below_cents: int) -> list[str]:
    """Return the constraints that a product fails; an unlabelled constraint equal to its code is about the code."""
    codes = [
        constraint
        for constraint in constraints
        if normal_words(constraint.text) == normal_words(product.code)
    ]
    failed = product.failed([constraint for constraint in constraints if constraint not in codes])
    failed += [constraint.text for constraint in codes if constraint.is_negated]
    if below_cents and (product.price_cents is None or product.price_cents >= below_cents):
        failed.append(f"a price below {below_cents} cents")
    return failed


def product_reference(product: Product) -> Reference:
    """Return the reference to a product."""
    return Reference(product.path, f"the product {product.code}, {product.name}")
