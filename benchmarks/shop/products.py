"""The products of a shop: their records, their properties, and baskets of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final

from controlplane.benchmarks.shop.branches import branches_named_by, stock_of
from controlplane.benchmarks.shop.texts import (
    ISO_DAY,
    NUMBER_WORDS,
    marked_after,
    marked_words,
    normal_words,
    require,
)
from controlplane.benchmarks.shop.workspace.fields import (
    Data,
    ProductFields,
    Shape,
    line_fields,
    product_fields,
    shape_of,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.reading import (
    field_pattern,
    folded_id,
    id_of,
)
from controlplane.benchmarks.shop.workspace.records import RecordGroup, WorkspaceRecord
from controlplane.benchmarks.shop.workspace.staff import named_record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.gates.paths import record_id
from controlplane.gates.values.notations import UNIT_BY_NAME, Unit
from controlplane.sandbox.functions import CannotRead, Reference

# A product of a shop: its code, name, price and properties, and what it satisfies.
#
# `VH-TRP-3`, "Osier Lea tarp", 19.90 EUR, `{"length_m": 3, "waterproof": true}`


@dataclass(frozen=True)
class Product:
    """A product as its record describes it."""

    path: str
    code: str
    name: str
    brand: str
    price_cents: int | None
    """None if the record has no price in whole cents."""
    properties: Data
    needs_stock: bool = True
    """False for a download, which cannot run out."""

    @cached_property
    def property_texts(self) -> dict[str, str]:
        """The properties as texts. Flags are `true` or `false`."""
        texts = {}
        for name, value in self.properties.items():
            texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
        return texts

    @cached_property
    def words(self) -> frozenset[str]:
        """All words in the product's code, name, brand and properties, in normal form.

        A search compares them with the words of a description.
        """
        words: set[str] = set()
        names_of_properties = self.property_texts.keys()
        values_of_properties = self.property_texts.values()
        texts = (
            self.code,
            self.name,
            self.brand,
            *names_of_properties,
            *values_of_properties,
        )
        for text in texts:
            words.update(normal_words(text.replace("_", " ")).split())
        return frozenset(words)

    @property
    def as_result(self) -> dict[str, Any]:
        """The data about the product in function results."""
        return {
            "sku": self.code,
            "name": self.name,
            "path": self.path,
            "price_cents": self.price_cents,
            "properties": dict(self.properties),
        }

    def unsatisfied(self, constraints: Sequence[Constraint]) -> list[str]:
        """Return the texts of the constraints that the product does not satisfy, in order.

        A tarp of 2 m, `[Constraint("length 3 m")]` -> `["length 3 m"]`.
        """
        unsatisfied = []
        for constraint in constraints:
            has_property = _has_property(constraint, self)
            is_satisfied = not has_property if constraint.is_negated else has_property
            if not is_satisfied:
                unsatisfied.append(constraint.text)
        return unsatisfied


def product_reference(product: Product) -> Reference:
    """Return a reference to a product's record."""
    return Reference(product.path, f"the product {product.code}, {product.name}")


# Notes on products with a date that is still to come, such as the end of an embargo.
#
# `{"sku": "AB-1", "properties": {"sale_from": "2027-06-01"}}` gets a note before June, if the
# shop's documents mention `sale_from`.


def notes_on_coming_days(
    layout: ShopLayout, products: Iterable[Product]
) -> tuple[str, ...]:
    """Return a note for each future date in the products' properties.

    Before the end of an embargo, for example, a product is not sold. A property counts only
    if the rules or a page that they name mention it in backticks (`sale_from`).
    """
    today = ISO_DAY.search(layout.clock)
    if today is None:
        return ()
    marked_in_rules = marked_words(layout.documents.rules)
    marked = layout.documents.marked.union(marked_in_rules)
    notes = []
    for product in products:
        for key, value in product.properties.items():
            is_marked_date = key in marked and shape_of(value) is Shape.INSTANT
            # ISO days compare as texts: the day of `2027-03-01T10:00:00Z` is `2027-03-01`.
            day = str(value)[: len("YYYY-MM-DD")]
            if is_marked_date and day > today[0]:
                notes.append(
                    f"{product.code} has `{key}` {value}, which is still to come: "
                    "see the rules on it"
                )
    return tuple(dict.fromkeys(notes))


# Decides if a product has a property that a request describes (a constraint).
#
# A request says `disc diameter 18 cm`, and a record `"disc_diameter_mm": "180"`. The label "disc
# diameter" names this field, and 18 cm are 180 mm, so the product has the property. All texts
# are compared in one form, `normal_words`: in lower case, with blanks between words and units.

# Units of product properties, and whether two amounts in different units are the same.
#
# A record has `weight_kg: 2.4`, and a request asks for 2400 g. Without units, a search would miss
# the product that the customer means.

_COMMON_UNITS: Final = """
    mm cm m km mg g kg t ml cl l mV V kV mA A mW W kW Wh kWh K rpm bar cm2 m2 s min h MB GB TB Hz kHz
"""
"""Units in records and requests that `gates.values.locale_names` knows.

Names of units are compared in lower case, so `mW` and `MW` would be equal. Products have
`mW`, so only this one is listed.
"""
# A unit has a name, a quantity, and a size compared with other units of this quantity: 1 mAh is
# 1/1000 Ah.
_MORE_UNITS: Final = (
    Unit("mah", "charge", Fraction(1, 1000)),
    Unit("ah", "charge", Fraction(1)),
    Unit("lm", "light", Fraction(1)),
    Unit("nm", "torque", Fraction(1)),
    Unit("pc", "pieces", Fraction(1)),
)
"""Units that occur only in products."""


def _units_by_word() -> dict[str, Unit]:
    """Return the units by their names in lower case, as in `normal_words`."""
    units = {unit.name: unit for unit in _MORE_UNITS}
    for name in _COMMON_UNITS.split():
        units[name.casefold()] = UNIT_BY_NAME[name]
    return units


_UNITS: Final = _units_by_word()

_UNIT_WORDS: Final = {
    "litre": "l",
    "liter": "l",
    "metre": "m",
    "meter": "m",
    "gram": "g",
    "kilogram": "kg",
    "watt": "w",
    "volt": "v",
}
"""Units that people write out and records abbreviate."""


def abbreviated_unit(word: str) -> str:
    """Return the abbreviation of a written-out unit, else the word itself: `litres` -> `l`."""
    return _UNIT_WORDS.get(word) or _UNIT_WORDS.get(word.removesuffix("s")) or word


def _same_amount(
    left: Decimal, left_unit: str, right: Decimal, right_unit: str
) -> bool:
    """Return True if two amounts are equal: 1.5 kg equals 1500 g, but 1.5 W does not equal 1.5 V.

    An amount without a unit (an empty text) has the unit of the other one.
    """
    if left_unit == right_unit or not left_unit or not right_unit:
        return left == right
    left_measure = _UNITS.get(left_unit)
    right_measure = _UNITS.get(right_unit)
    if left_measure is None or right_measure is None:
        return False
    if left_measure.quantity != right_measure.quantity:
        return False
    return Fraction(left) * left_measure.size == Fraction(right) * right_measure.size


# The words by which people may call a field of a product, and the unit in its name.
#
# The field `output_lm` is called `luminous flux` or `output`, and its values are lumens. So "a
# lamp with a luminous flux of 800" asks for `output_lm` 800.

_QUANTITY_LABELS: Final[dict[str, tuple[str, ...]]] = {
    "light": ("luminous flux",),
    "current": ("amperage",),
    "power": ("wattage",),
    "pieces": ("pieces", "piece count", "pack size"),
}
"""Common names for a field whose unit has this quantity: `output_lm` is a luminous flux."""
_WORD_LABELS: Final = {"color": ("color family",), "colour": ("colour family", "color")}
"""More labels for fields whose name ends with this word: people write `color` for `colour`."""
_LEAST_LABEL_LETTERS: Final = 4
"""The fewest letters of a field's last word that make it a label by itself.

`diameter` is one for `disc_diameter`. Shorter words, such as `max` and `no`, end many
fields.
"""


def _unit_of(key: str) -> str:
    """Return the unit at the end of a field's name: `weight_kg` -> `kg`; empty if it has none."""
    words = normal_words(key).split()
    if len(words) > 1 and words[-1] in _UNITS:
        return words[-1]
    return ""


def property_labels(key: str) -> list[str]:
    """Return the labels that people may use for a field, longest first.

    `disc_diameter_mm` -> `disc diameter mm`, `disc diameter`, `diameter`. Further
    labels come from the tables above: by the quantity of the unit, or by the last word.
    """
    words = normal_words(key).split()
    unit = _unit_of(key)
    words_without_unit = words[:-1] if unit else words
    last_word = words_without_unit[-1]
    labels = {" ".join(words), " ".join(words_without_unit)}
    if len(words_without_unit) > 1 and len(last_word) >= _LEAST_LABEL_LETTERS:
        labels.add(last_word)
    labels.update(_WORD_LABELS.get(last_word, ()))
    if unit:
        labels.update(_QUANTITY_LABELS.get(_UNITS[unit].quantity, ()))
    return sorted(labels, key=lambda label: (-len(label), label))


# Compares one constraint of a request with one field of a product.
#
# A request asks for "a disc of 180 mm", and the record has `disc_diameter_mm: 180`. People write
# labels, numbers and units in other ways than records do, so both are compared in normal words,
# and amounts in the same unit: 1500 g is 1.5 kg.

_FILLERS: Final = ("rated ", "of ", "is ")
"""Words between a label and its value: `diameter of 180 mm`."""
_AMOUNT: Final = re.compile(r"(-?\d+(?:\.\d+)?)(?: ([a-z]+\d?))?")
"""A number with or without a unit: `180`, `2.4 kg`, `12 m2`."""
_THOUSANDS_BLANK: Final = re.compile(r"(?<=\d) (?=\d{3}\b)")
"""The blank in `3 000`, which also remains from `3,000`."""
_TRUTH_WORDS: Final = {
    "true": True,
    "yes": True,
    "": True,  # The constraint is only the label: `rechargeable`.
    "false": False,
    "no": False,
    "not": False,
    "without": False,
}


def property_match(constraint: str, key: str, value: str) -> bool | None:
    """Return True if a field has the value that a constraint requires, and False if it has not.

    The result is None if the constraint is about another field.

    >>> property_match("disc diameter 180 mm", "disc_diameter_mm", "180")
    True
    """
    required_value = _required_value(constraint, key)
    if required_value is None:
        return None
    return _is_same_value(required_value, normal_words(value), _unit_of(key))


def _required_value(constraint: str, key: str) -> str | None:
    """Return the value that a constraint requires of a field; None if it does not name the field.

    `disc diameter of 180 mm` and `180 mm disc diameter` -> `180 mm`
    """
    words = normal_words(constraint)
    for label in property_labels(key):
        # People leave out "rated", as in the field `rated_voltage_v`.
        for spelling in (label, label.removeprefix("rated ")):
            if f"{words} ".startswith(f"{spelling} "):
                required_value = words[len(spelling) :].strip()
                for filler in _FILLERS:
                    required_value = required_value.removeprefix(filler)
                return required_value
            if words.endswith(f" {spelling}"):
                return words.removesuffix(f" {spelling}").strip()
    return None


def _is_same_value(required: str, actual: str, field_unit: str) -> bool:
    """Return True if the value that a request requires equals the actual one in a record.

    | required | actual | equal, because |
    |---|---|---|
    | `ip 65` | `ip65` | blanks do not matter |
    | `two` | `2` | requests may have words for numbers |
    | `without` | `false` | both say no |
    | `1500 g` | `1.5 kg`, or `1.5` if `field_unit` is `kg` | they are the same amount |
    """
    if required and required == actual:
        return True

    required_words = [str(NUMBER_WORDS.get(word, word)) for word in required.split()]
    required = _THOUSANDS_BLANK.sub("", " ".join(required_words))
    if required and required.replace(" ", "") == actual.replace(" ", ""):
        return True

    if required in _TRUTH_WORDS and actual in _TRUTH_WORDS:
        return _TRUTH_WORDS[required] is _TRUTH_WORDS[actual]

    return _is_same_amount(required, actual, field_unit)


def _is_same_amount(required: str, actual: str, field_unit: str) -> bool:
    """Return True if two texts are the same amount: `1500 g` and `1.5 kg`.

    An actual number without a unit has the unit of its field, and a required one that of the
    actual one.
    """
    required_amount = _AMOUNT.fullmatch(required)
    actual_amount = _AMOUNT.fullmatch(actual)
    if required_amount is None or actual_amount is None:
        return False
    required_unit = required_amount[2] or ""
    actual_unit = actual_amount[2] or field_unit
    try:
        return _same_amount(
            Decimal(required_amount[1]),
            required_unit,
            Decimal(actual_amount[1]),
            actual_unit,
        )
    except InvalidOperation:
        return False


@dataclass(frozen=True, slots=True)
class Constraint:
    """One requirement on a product, such as `voltage 18 V` or, negated, `without battery`."""

    text: str
    """The requirement as written, without the negation."""
    label: str = ""
    """The name of the property: `voltage`; empty if the requirement does not give it."""
    value: str = ""
    """The value that the property must have: `18 V`."""
    is_negated: bool = False


def _has_property(constraint: Constraint, product: Product) -> bool:
    """Return True if a product has the property that a constraint requires or excludes.

    | constraint | a product that has it |
    |---|---|
    | label `disc diameter`, value `18 cm` | field `disc_diameter_mm` is 180 |
    | label `size`, value `XL` | the name is "Lea tent XL" |
    | text `sand` | any field is `sand`, or the name is "Lea tarp sand" |
    """
    # 1. A field has the label and the value.
    wording = constraint.text
    if constraint.label:
        wording = f"{constraint.label} {constraint.value}"
    for key, value in product.property_texts.items():
        if property_match(wording, key, value):
            return True

    # 2. With a label, the value may also be in the product's name. It is looked for after the
    #    brand, because words of brands are no values.
    if constraint.label:
        tail = name_tail(product.name, product.brand)
        return _name_has(tail, normal_words(constraint.value))

    # 3. Without a label, it may be the value of any field, or in the whole name.
    words = normal_words(constraint.value or constraint.text)
    for value in product.property_texts.values():
        if normal_words(value) == words:
            return True
    return _name_has(normal_words(product.name), words)


def _name_has(name: str, words: str) -> bool:
    """Return True if a name contains all these words, in any order. Both are in normal words.

    A name never contains an empty text.
    """
    return bool(words) and set(words.split()) <= set(name.split())


def name_tail(name: str, brand: str) -> str:
    """Return the normal words of a product's name after its brand; empty if the brand is not first.

    `Osier & Oak Lea XL`, `Osier & Oak` -> `lea xl`
    """
    name_words = normal_words(name)
    brand_words = normal_words(brand)
    if brand_words and f"{name_words} ".startswith(f"{brand_words} "):
        return name_words[len(brand_words) :].strip()
    return ""


# The products of a shop: found by code or name, and read from their records when needed.
#
# A record such as `{"sku": "VH-TRP-3", "title": "Lea tarp", "cents": 1990}` becomes a `Product`,
# whatever its fields are called: their names are learned from samples.

# How a shop's records describe products: in which fields, and how a download is marked.
#
# Shops choose the names of their fields. In `{"sku": "AB-1", "title": "Lea tarp", "cents": 1990,
# "fulfillment": "download"}`, the name is in `title`, and the last field says that this
# product needs no stock, because it is downloaded.


@dataclass(frozen=True, slots=True)
class _StocklessMark:
    """The field and value that mark products without stock, such as downloads."""

    key: str
    value: str

    def is_on(self, data: Data) -> bool:
        """Return True if a product's record has the mark."""
        return str(data.get(self.key)) == self.value


def _stockless_mark_in(policy: str, sample: Data) -> _StocklessMark | None:
    """Return the mark of products that need no stock; None if the policy describes none.

    "Products whose `fulfillment` is `download` need no stock." -> field `fulfillment`, value
    `download`. `sample` is the data of a product, which shows what its fields are called.
    """
    for key in sample:
        # The word in backticks after the field's name.
        value = marked_after(policy, key)
        if value:
            return _StocklessMark(key, value)
    return None


class Catalogue:
    """The products of a shop. All functions that work on one shop share it (`catalogue_of`).

    A product's code is the name of its file: `VH-TRP-3` of `/proc/products/VH-TRP-3.json`.
    """

    def __init__(self, layout: ShopLayout) -> None:
        self._layout = layout

    @cached_property
    def group(self) -> RecordGroup:
        """The group of the product records."""
        return self._layout.kinds.group(Kind.PRODUCT)

    @cached_property
    def codes(self) -> dict[str, str]:
        """The path of each product by its code."""
        return {record_id(path): path for path in self.group.paths}

    @cached_property
    def stockless_mark(self) -> _StocklessMark | None:
        """The mark of products that need no stock; None if no policy describes one."""
        checkout_policy = self._layout.policies.text_of("checkout")
        sample = self._layout.kinds.samples(Kind.PRODUCT)[0]
        return _stockless_mark_in(checkout_policy, sample)

    @cached_property
    def fields(self) -> ProductFields:
        """The names of products' fields, learned from samples of their records.

        Raises `CannotRead` if the field for the code, the name or the price is not certain.
        """
        samples = self._layout.kinds.samples(Kind.PRODUCT)
        fields = product_fields(samples, self.codes, self._layout.documents.marked)
        are_known = bool(fields.code and fields.name and fields.price)
        require(
            are_known,
            "it is not certain which fields of a product are its code, name and price",
        )
        return fields

    def product(self, record: WorkspaceRecord) -> Product:
        """Return the product that a record describes. Raises `CannotRead` as `fields` does."""
        data = record.data
        fields = self.fields
        mark = self.stockless_mark
        price = data.get(fields.price)
        properties = data.get(fields.properties)
        return Product(
            path=record.path,
            code=str(data.get(fields.code, record.id)),
            name=str(data.get(fields.name, "")),
            brand=str(data.get(fields.brand, "")),
            price_cents=price if isinstance(price, int) else None,
            properties=properties if isinstance(properties, dict) else {},
            needs_stock=mark is None or not mark.is_on(data),
        )

    def read(self, paths: Iterable[str]) -> list[Product]:
        """Return the products at these paths, in the same order."""
        return [self.product(record) for record in self._layout.raw_records.read(paths)]

    def data_of(self, codes: Iterable[str]) -> list[Data]:
        """Return the data of the records with these codes, in the same order.

        The codes must be spelled as in `codes`. Raises `KeyError` for any other.
        """
        paths = [self.codes[code] for code in codes]
        return list(self._layout.record_files.data_of(paths).values())

    def lines_with(self, pattern: str) -> Sequence[tuple[str, str]]:
        """Return the path and text of each line that a pattern matches, in records of products.

        The environment searches the files, so no record is read.
        """
        return self._layout.reader.search(pattern, self.group.root)

    def with_codes(self, codes: Iterable[str]) -> list[Product]:
        """Return the products with these codes or paths, each once, in the same order.

        Case and separators do not matter: `vh_trp 3` is `VH-TRP-3`. So codes are compared
        in a folded form, `vhtrp3`. Raises `CannotRead`, with the closest codes, if a
        product does not exist.
        """
        # A path ends with a code: `id_of` takes it out.
        wanted = list(dict.fromkeys(id_of(code) for code in codes))
        path_by_id = self._path_by_folded_id
        missing = [code for code in wanted if folded_id(code) not in path_by_id]
        if missing:
            closest = self._layout.files.closest(missing[0])
            msg = f"no product is called {', '.join(missing)}; closest: {closest}"
            raise CannotRead(msg)
        return self.read(path_by_id[folded_id(code)] for code in wanted)

    @cached_property
    def _path_by_folded_id(self) -> dict[str, str]:
        """The path of each product by its code in folded form."""
        return {folded_id(code): path for code, path in self.codes.items()}


@lru_cache(maxsize=2)
def catalogue_of(layout: ShopLayout) -> Catalogue:
    """Return the catalogue of a shop. It is shared, so that no product is read twice."""
    return Catalogue(layout)


def products_named(catalogue: Catalogue, names: Sequence[str]) -> list[Product]:
    """Return the product with each name. Case does not matter.

    Raises `CannotRead` if a name belongs to no product, or to several.
    """
    paths_by_name = _paths_by_folded_name(catalogue)
    paths: list[str] = []
    for name in names:
        paths_of_name = paths_by_name.get(_folded_name(name), set())
        require(len(paths_of_name) == 1, f"no single product is called {name!r}")
        paths += paths_of_name
    return catalogue.read(paths)


@lru_cache(maxsize=2)
def _paths_by_folded_name(catalogue: Catalogue) -> dict[str, set[str]]:
    """Return the paths of products by their names, in small letters with single blanks.

    One search finds the lines with the names, such as `  "name": "Lea tarp",`.
    """
    paths: dict[str, set[str]] = {}
    name_field = catalogue.fields.name
    for path, line in catalogue.lines_with(field_pattern(name_field)):
        _, _, json_text = line.partition(":")
        name = json_text.strip(' ,"')
        paths.setdefault(_folded_name(name), set()).add(path)
    return paths


def _folded_name(name: str) -> str:
    """Return a name in small letters with single blanks."""
    return " ".join(name.casefold().split())


# Compares the lines of a basket with the stock of its branch, by their records.
#
# The basket `{"lines": [{"sku": "AB-1", "qty": 4}], "store": "store_graz"}` is short of AB-1 if
# the branch in Graz can sell only 3 of it. A script learns that before it buys the basket, and
# the check of a checkout before the tool is run.


@dataclass(frozen=True, slots=True)
class BasketLine:
    """A line of a basket or a receipt, with its product and the units of it that the branch can sell."""

    code: str
    """The product's code as the basket spells it; on a line of a receipt, that of the product."""
    quantity: int
    product: Product
    available: int

    @property
    def total_cents(self) -> int:
        """The price of all units; 0 for a product without a price."""
        return (self.product.price_cents or 0) * self.quantity

    @property
    def is_short(self) -> bool:
        """True if the branch has too few units. A download needs none."""
        return self.product.needs_stock and self.available < self.quantity

    @property
    def as_result(self) -> dict[str, Any]:
        """The line in function results: `{"sku": "AB-1", "quantity": 4, "available": 3, ...}`."""
        return {
            "sku": self.code,
            "quantity": self.quantity,
            "price_cents": self.product.price_cents,
            "available": self.available,
            "needs_stock": self.product.needs_stock,
        }


@dataclass(frozen=True, slots=True)
class CheckedBasket:
    """A basket beside the stock of its branch."""

    record: WorkspaceRecord
    is_open: bool
    branch: WorkspaceRecord
    lines: list[BasketLine]
    notes: tuple[str, ...]
    """What may make a line right or wrong although the records say otherwise."""

    @property
    def subtotal_cents(self) -> int:
        """The price of all lines."""
        return sum(line.total_cents for line in self.lines)

    @property
    def as_result(self) -> dict[str, Any]:
        """The basket in function results: `{"state": "open", ..., "short": ["AB-1"], ...}`."""
        return {
            "state": self.record.state,
            "is_open": self.is_open,
            "branch": self.branch.id,
            "subtotal_cents": self.subtotal_cents,
            "short": [line.code for line in self.lines if line.is_short],
            "lines": [line.as_result for line in self.lines],
        }


def checked_basket(layout: ShopLayout, basket: str) -> CheckedBasket:
    """Return a basket beside the stock of its branch. `basket` is an id or a path.

    Raises `CannotRead` if the asker may not see the basket, or if it is not certain what its
    branch and its lines are.
    """
    record = named_record(layout, basket)
    is_basket = layout.kinds.of(record.path) is Kind.BASKET
    if not is_basket or not layout.asker.may_see(record.owner):
        msg = f"{basket} is no basket that the asker may see"
        raise CannotRead(msg)
    branches = layout.records.read(branches_named_by(layout, record)[:1])
    # Shops choose the names of the fields of lines, so they are learned from several baskets.
    fields = line_fields([record.data, *layout.kinds.samples(Kind.BASKET)])
    if not branches or fields is None:
        msg = f"the lines of {basket}, or its branch, are not certain"
        raise CannotRead(msg)

    branch = branches[0]
    lines = _lines_with_stock(layout, branch, fields.counts_in(record.data))
    notes = _notes_on_lines(layout, lines)
    is_open = record.state == layout.open_state
    return CheckedBasket(record, is_open, branch, lines, notes)


def _lines_with_stock(
    layout: ShopLayout, branch: WorkspaceRecord, counts: Mapping[str, int]
) -> list[BasketLine]:
    """Return the lines of a basket with their stock at a branch. `counts`: `{"AB-1": 4}`.

    Raises `CannotRead` if a product does not exist.
    """
    products = catalogue_of(layout).with_codes(counts)
    # A basket may spell a code in another way than the product's record: `ab-1` for `AB-1`.
    product_by_id = {folded_id(product.code): product for product in products}
    stock = stock_of(layout, branch)
    lines = []
    for code, count in counts.items():
        product = product_by_id[folded_id(code)]
        available = stock.units(product.code).available
        lines.append(BasketLine(code, count, product, available))
    return lines


def _notes_on_lines(layout: ShopLayout, lines: list[BasketLine]) -> tuple[str, ...]:
    """Return notes on what may make a line right or wrong although the records say otherwise.

    For example, a product may not be sold before a day. Notes on pages that correct the stock
    in the records, such as a day book of deliveries, are not among them.
    """
    catalogue = catalogue_of(layout)
    notes = []
    if catalogue.stockless_mark is None:
        # "Products whose `fulfillment` is `download`" would be such a mark.
        notes.append("no policy marks which products need no stock: all were compared")
    for line in lines:
        if line.product.needs_stock:
            notes += _notes_on_units(layout, catalogue, line.product)
    notes += notes_on_coming_days(layout, [line.product for line in lines])
    return tuple(notes)


def _notes_on_units(
    layout: ShopLayout, catalogue: Catalogue, product: Product
) -> list[str]:
    """Return a note for each property of a product that may change how its units count.

    | property | note | because |
    |---|---|---|
    | `"replaced_by": "AB-2"` | "AB-1 has `replaced_by` AB-2" | AB-2 is a product, too |
    | `"pieces": 4` | "AB-1 has `pieces` 4" | a page of the shop mentions `pieces` in backticks |
    """
    notes = []
    for key, value in product.properties.items():
        if str(value) in catalogue.codes or key in layout.documents.marked:
            notes.append(f"{product.code} has `{key}` {value}")
    return notes
