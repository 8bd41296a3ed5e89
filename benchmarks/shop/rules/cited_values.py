"""Compares what an answer states with what the files that it cites hold: fields, units of stock, sums of rows.

Source: an answer rests on what it cites. Nothing is looked for: the records and tables are those that the trial read.
"""

from __future__ import annotations

import json
import re
from typing import Final

from benchmarks.shop.computed.record_fields import fields_by_name, renamed
from benchmarks.shop.computed.stock import stock_of, units_and_days
from benchmarks.shop.language import shop_evidence
from benchmarks.shop.language.record_kinds import Kind, id_of, skus_in
from benchmarks.shop.language.shop_evidence import OK, cited_records
from gates import Case, Submission
from gates.facts import facts_of
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
_MOST: Final = 20
"""Citations among which a field's record is looked for."""
_MOST_ROWS: Final = 2_000
_ROW: Final = re.compile(r"#row=(.+)")


def fault_of_cited_field(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject the value of a field that is not the one in the record that is cited for it.

    The request marks the field's name as code and wants the value alone; one cited record holds such a field.
    """
    if submission.outcome != OK or not evidence.has_trace:
        return ""
    contract = derive_contract(case.instruction, case.rules)
    if not contract.is_enforced:
        return ""
    asked = list(dict.fromkeys(_FIELD.findall(case.instruction[:_MAX_CHARS])))
    if len(asked) != 1 or not {each.kind for each in contract.clauses} <= _PLAIN_FORMS:
        return ""
    records = (facts_of(evidence).records.get(evidence.find(each).path) for each in submission.citations[:_MOST])
    held = [(each.path, each.last.fields.get(asked[0], ())) for each in records if each is not None]
    found = [(path, values[0]) for path, values in held if len(values) == 1]
    answer = submission.answer_text.strip()
    if len(found) != 1 or found[0][1] == answer or answer.startswith("["):
        return ""
    path, _ = found[0]
    return (
        f"{quote(asked[0])} in {quote(path)} holds another value than the answer gives: state that as it is recorded."
    )


def fault_of_cited_stock(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a yes or no about enough units that the stock row of the cited product at the cited branch contradicts.

    Does not apply where the request names other figures than units and days, or another measure than what can be sold.
    """
    if submission.outcome != OK or not evidence.has_trace:
        return ""
    says_yes = shop_evidence.stated_yes(submission, case.rules)
    if says_yes is None or cited_records(submission, Kind.UPLOAD):
        return ""
    named = skus_in(case.instruction)
    products = cited_records(submission, Kind.PRODUCT)
    subjects = [each for each in products if id_of(each) not in named] or products
    stores, asked = cited_records(submission, Kind.STORE), units_and_days(case.instruction)
    if len(subjects) != 1 or len(stores) != 1 or asked is None:
        return ""
    store = stores[0]
    try:
        data = json.loads(_whole_text(evidence, store))
        rows = stock_of(renamed(Kind.STORE, data, fields_by_name(Kind.STORE, data)))
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
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
    rows: dict[str, set[str]] = {}
    for each in submission.citations[:_MOST_ROWS]:
        path, fragment = split_fragment(each)
        if found := _ROW.fullmatch(fragment):
            rows.setdefault(path, set()).add(found[1])
    if submission.outcome != OK or len(rows) != 1:
        return ""
    if (stated := money_in_text(submission.answer_text[:_MAX_CHARS])) is None:
        return ""
    path, cited = next(iter(rows.items()))
    try:
        held = {each.id: each.cents for each in read_payments(_whole_text(evidence, path))}
    except (CannotRead, LookupError, ValueError):
        return ""
    if not cited <= held.keys() or sum(held[each] for each in cited) == stated:
        return ""
    return (
        f"The answer's amount is not the sum of the {len(cited)} rows of {quote(path)} that are cited: cite every row "
        "that counts and no other, and add up their amounts."
    )


def _whole_text(evidence: Evidence, path: str) -> str:
    """Return what was last seen at a path as a whole, or an empty string."""
    touch = evidence.find(path).touch
    seen = reversed(touch.seen) if touch else ()
    return next((each.text for each in seen if each.is_whole and not each.is_excerpt), "")
