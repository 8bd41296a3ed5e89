"""Compares what an answer states with what the files that it cites hold: fields, units of stock, sums of rows.

Source: an answer rests on what it cites. Nothing is looked for: the records and tables are those that the trial read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchmarks.shop.computed.record_fields import fields_by_name, renamed
from benchmarks.shop.computed.stock import stock_of, units_and_days
from benchmarks.shop.language import shop_evidence
from benchmarks.shop.language.record_kinds import Kind, id_of, kind_of, skus_in
from benchmarks.shop.language.shop_evidence import OK, cited_records
from gates import Case, Submission
from gates.language import derive_contract
from gates.types import Evidence, quote, split_fragment
from toolkit import CannotRead
from toolkit.fraud import read_payments
from toolkit.stock import StockUnits
from toolkit.text import money_in_text

_FIELD: Final = re.compile(r"`(\w+(?:\.\w+)?)`")
_PLAIN_FORMS: Final = frozenset(("value", "line"))
"""Kinds of contract that ask for a value as it is recorded."""
_MAX_CHARS: Final = 20_000
_MOST_ROWS: Final = 2_000
_ROW: Final = re.compile(r"#row=(.+)")


def fault_of_cited_field(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject the value of a field that is not the one in the record that is cited for it.

    The request marks the field's name as code and wants the value alone; one cited record holds such a field.
    """
    contract = derive_contract(case.instruction, case.rules)
    if submission.outcome != OK or not contract.is_enforced:
        return ""
    asked = list(dict.fromkeys(_FIELD.findall(case.instruction[:_MAX_CHARS])))
    if len(asked) != 1 or not {each.kind for each in contract.clauses} <= _PLAIN_FORMS:
        return ""
    held = [(path, _value(data, asked[0])) for path, data in _cited_data(submission, evidence)]
    found = [(path, value) for path, value in held if value is not None]
    if len(found) != 1 or found[0][1] == submission.answer_text.strip():
        return ""
    path, _ = found[0]
    return (
        f"{quote(asked[0])} in {quote(path)} holds another value than the answer gives: state that as it is recorded."
    )


def _value(data: Mapping[str, Any], field: str) -> str | None:
    """Return the text of a field, or of one within it, as JSON writes it; None if there is no single value."""
    held: Any = data
    for name in field.split("."):
        held = held.get(name) if isinstance(held, dict) else None
    if held is None or isinstance(held, dict | list):
        return None
    return str(held).lower() if isinstance(held, bool) else str(held)


def _cited_data(submission: Submission, evidence: Evidence) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the cited records that were read as a whole, as they are now."""
    for path in dict.fromkeys(split_fragment(each)[0] for each in submission.citations):
        touch = evidence.find(path).touch if kind_of(path) is not None else None
        whole = [each for each in touch.seen if each.is_whole and not each.is_excerpt] if touch else []
        if whole and (data := _parsed(whole[-1].text)) is not None:
            yield path, data


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def fault_of_cited_stock(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a yes or no about enough units that the stock row of the cited product at the cited branch contradicts.

    Does not apply where the request names other figures than units and days, or another measure than what can be sold.
    """
    says_yes = shop_evidence.stated_yes(submission, case.rules)
    if submission.outcome != OK or says_yes is None or cited_records(submission, Kind.UPLOAD):
        return ""
    named = skus_in(case.instruction)
    products = cited_records(submission, Kind.PRODUCT)
    subjects = [each for each in products if id_of(each) not in named] or products
    stores = [(path, data) for path, data in _cited_data(submission, evidence) if kind_of(path) is Kind.STORE]
    asked = units_and_days(case.instruction)
    if len(subjects) != 1 or len(stores) != 1 or asked is None:
        return ""
    store, data = stores[0]
    try:
        rows = stock_of(renamed(Kind.STORE, data, fields_by_name(Kind.STORE, data)))
    except (LookupError, TypeError, ValueError):
        return ""
    units, days = asked
    stock = rows.get(id_of(subjects[0]), StockUnits())
    if ((stock.within(days) if days else stock.available) >= units) is says_yes:
        return ""
    return (
        f"The answer does not agree with the stock of {id_of(subjects[0])} in {quote(store)}: compute again from its "
        "row what can be sold, and when; a product without a row has none."
    )


def fault_of_cited_rows(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an amount that is not the sum of the rows of a table of payments that are cited one by one."""
    stated = money_in_text(submission.answer_text[:_MAX_CHARS])
    rows: dict[str, set[str]] = {}
    for each in submission.citations[:_MOST_ROWS]:
        path, fragment = split_fragment(each)
        if found := _ROW.fullmatch(fragment):
            rows.setdefault(path, set()).add(found[1])
    if submission.outcome != OK or stated is None or len(rows) != 1:
        return ""
    path, cited = next(iter(rows.items()))
    touch = evidence.find(path).touch
    whole = [each for each in touch.seen if each.is_whole and not each.is_excerpt] if touch else []
    try:
        held = {each.id: each.cents for each in read_payments(whole[-1].text)} if whole else {}
    except (CannotRead, LookupError, ValueError):
        return ""
    if not cited <= held.keys() or sum(held[each] for each in cited) == stated:
        return ""
    return (
        f"The answer's amount is not the sum of the {len(cited)} rows of {quote(path)} that are cited: cite every row "
        "that counts and no other, and add up their amounts."
    )
