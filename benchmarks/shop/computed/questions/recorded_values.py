"""What records, the clock and the tables of documents make of a question for one value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.stated_answers import in_order, is_value, no_question
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.computed.subjects import branch_named, describes_product, products_described, words_of
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import id_of, named_ids, skus_in
from benchmarks.shop.language.shop_evidence import OK
from gates.facts import compound_stem
from gates.reading import DoesNotApply
from toolkit.text import relative_date

_QUOTED: Final = re.compile(r"`([^`\n]{1,60})`")
_FIELD_NAME: Final = re.compile(r"`(\w+(?:\.\w+)?)`")
_COLUMNS: Final = re.compile(r"`(\w+(?: ?\| ?\w+)+)`")
_MY: Final = "my"


def date_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question for a day, such as the day after tomorrow."""
    spelled = relative_date(text, shop.now)
    if spelled is None:
        msg = "the day or the form of the date is not certain"
        raise DoesNotApply(msg)
    return Expectation("The clock and the day that is asked for", OK, states=is_value(spelled))


def field_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question for fields of one record, named as the record names them."""
    columns = _COLUMNS.findall(text)
    asked = re.split(r" ?\| ?", columns[0]) if len(columns) == 1 else _FIELD_NAME.findall(text)
    if not asked or (len(asked) > 1 and not columns):
        no_question()
    record = _record_asked(_QUOTED.sub(" ", text), shop)
    value = " | ".join(_value(record, each) for each in asked)
    basis = f"The fields of {id_of(record.path)}"
    return Expectation(basis, OK, cited=frozenset({record.path}), states=is_value(value))


def _record_asked(text: str, shop: ShopWorkspace) -> Record:
    named = named_ids(text)
    if named:
        record = shop.record(named[0])
        if len(named) > 1 or not (shop.asker.is_staff or shop.owns(record.data)):
            no_question()
        return record
    try:
        return shop.at(branch_named(text, shop.stores).path)
    except DoesNotApply:
        if shop.asker.is_staff and not describes_product(text, shop.products) and _MY in words_of(text):
            return shop.record(shop.asker.id)
        products = products_described(text, shop.products)
    if len(products) != 1:
        no_question()
    return products[0]


def _value(record: Record, field: str) -> str:
    """Return the text of a field, or of one within it (`properties.size`), as JSON writes it."""
    held: Any = record.shown
    for name in field.split("."):
        if not isinstance(held, dict) or name not in held:
            msg = "the field is not certain"
            raise DoesNotApply(msg)
        held = held[name]
    if isinstance(held, dict | list) or held is None:
        msg = "the field holds no single value"
        raise DoesNotApply(msg)
    return str(held).lower() if isinstance(held, bool) else str(held)


def fact_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what the one row of a document's table says whose label fits the question, or the branch it names."""
    if "?" not in text or request_kinds.RECEIPT.find(text) or named_ids(text) or skus_in(text):
        return no_question()
    asked, rows = _words_of_label(text), shop.table_rows()
    fitting = [row for row in rows if _fits(row[1], asked)] or (_dates_alike(rows, asked) if _DATE_FORM in text else [])
    if len(fitting) != 1:
        return no_question()
    path, _, value = fitting[0]
    stores = [each for each in shop.stores if each.data["name"] == value]
    if not stores:
        return Expectation(f"The table of {path}", OK, tolerated=frozenset({path}), states=is_value(value))
    words = words_of(text)
    fields = [each for each in stores[0].shown if in_order(tuple(each.split("_")), words)]
    if len(fields) != 1:
        return no_question()
    return Expectation(
        f"The table of {path} and the record of that branch",
        OK,
        tolerated=frozenset({path, stores[0].path}),
        states=is_value(str(stores[0].shown[fields[0]])),
    )


Row: TypeAlias = tuple[str, str, str]
"""A document, and both cells of a row of its table."""
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d")
_DATE_FORM: Final = "YYYY"
_LEAST_ALIKE: Final = 5
_LABEL_FILLERS: Final = frozenset(("a", "an", "the", "of", "as", "day", "date", "time", "fact"))


def _words_of_label(text: str) -> frozenset[str]:
    return frozenset(word for word in words_of(text) if word not in _LABEL_FILLERS and word.isalpha())


def _fits(label: str, question: frozenset[str]) -> bool:
    """Say whether each word of a label, or another one that begins alike, stands in a question."""
    words = _words_of_label(label)
    return bool(words) and all(any(_begin_alike(each, other) for other in question) for each in words)


def _dates_alike(rows: Sequence[Row], question: frozenset[str]) -> list[Row]:
    """Return the rows with a date whose labels share a word with a question."""
    return [
        row
        for row in rows
        if _ISO.fullmatch(row[2])
        and any(_begin_alike(each, other) for each in _words_of_label(row[1]) for other in question)
    ]


def _begin_alike(one: str, other: str) -> bool:
    return compound_stem(one) == compound_stem(other) or one[:_LEAST_ALIKE] == other[:_LEAST_ALIKE]
