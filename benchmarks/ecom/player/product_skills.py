"""Products: their SKUs, whether they exist, their prices, fields and stock, and what receipts list of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from benchmarks.ecom.player.basket_skills import basket_id, record_use, refusal
from benchmarks.ecom.player.knowledge import (
    OK,
    UNSUPPORTED,
    Conclusion,
    Knowledge,
    Record,
    ask_which_product,
    cite_records,
    deny,
)
from benchmarks.ecom.player.phrases import (
    branch_named,
    in_format,
    misfits,
    phrase_in,
    products_like,
    products_meant,
    skus_in,
    stems_of,
)

SKU_PHRASES: Final = (
    r"\b(?:of|for)? ?this: ?(.+?)\. ",
    r"^which sku is (.+?)\?",
    r"\b(?:of|for) (?:the |an? )?(.+?)(?:\?| pls\b| please\b|\. |$)",
)
EXISTENCE_PHRASE: Final = (
    r"(?:sell|is there|are there|have|wants?|looking for) (?:the |an? )?"
    r"(.+?)(?:,| whose\b| that\b| in the\b| with `|\?|\. )"
)
PRICE_COUNT_PHRASES: Final = (
    r"\b(?:this|request|for): ?(.+?)\. ",
    r"\b(?:match(?:es)?|fit) '([^']+)'",
    r"how many (?:articles |products )?(?:of the )?(.+?) (?:line|products|articles|cost|are)\b",
)
PROPERTY: Final = re.compile(r"`(\w+)`[^`]*?`([^`]+)`")
EUROS: Final = re.compile(r"EUR ?(\d[\d,]*(?:\.\d+)?)")
PRICE: Final = re.compile(r"price|cents|_ct\b")
QUOTED: Final = re.compile(r"`([\w.]+)`")
ENTRY: Final = re.compile(r"\b(?:record|price|entry|`\w+`) (?:of|for) (?:the |an? )?(.+?)(?:\?|\. |$)", re.IGNORECASE)
LINE: Final = re.compile(r"`([\w ]+\|[\w |]+)`")
OWN: Final = re.compile(r"\bmy (?:own )?(?:staff|employee)\b|\blook me up\b", re.IGNORECASE)
DAYS: Final = re.compile(r"within (?:the next )?(\d+) days?|in the next (\d+) days?", re.IGNORECASE)
UNITS: Final = re.compile(
    r"(?:at least|fewer than|less than|reach|short of|under|below|quantity of) (\d+)|(\d+) or more", re.IGNORECASE
)
NONE_LEFT: Final = re.compile(r"not a single unit|no units?\b|nothing|sold out|zero units", re.IGNORECASE)
ON_HAND: Final = re.compile(r"physically|on hand|on the shelf", re.IGNORECASE)
SHORT: Final = re.compile(r"fewer than|less than|short of|(?:under|below) \d", re.IGNORECASE)
ASKED: Final = re.compile(
    r"(?:have|get|buy|sell|has|are there|got) (?:at least )?(?P<units>\d+|an?|one)? ?(?:units? )?(?:of )?(?:the |an? )?"
    r"(?P<phrase>.+?)(?: available| in stock| on hand| at |\?|$)",
    re.IGNORECASE,
)
UPLOAD: Final = re.compile(r"(?<!\w)/(?:[\w.-]+/)+[\w.-]*\w")


def name_sku(known: Knowledge) -> Conclusion:
    """Answer with the SKU of the described product, or ask if several fit equally well."""
    products = products_meant(known, phrase_in(known.instruction, *SKU_PHRASES))
    if not products:
        return Conclusion("No product fits that.", UNSUPPORTED, known.cite("catalogue"))
    if len(products) > 1:
        return ask_which_product(known, products)
    sku = products[0].text("sku")
    return Conclusion(sku, OK, {**cite_records(*products), **known.cite("catalogue")}, tokens=(sku,))


def tell_existence(known: Knowledge) -> Conclusion:
    """Answer whether a product exists that has every word and every property of the request."""
    phrase, wanted = phrase_in(known.instruction, EXISTENCE_PHRASE), PROPERTY.findall(known.instruction)
    fitting = [
        product
        for product in products_like(known, phrase)
        if not misfits(phrase, product)
        and all(str(product.properties.get(key, "")).lower() == value.lower() for key, value in wanted)
    ]
    word = known.yes_or_no(bool(fitting))
    return Conclusion(word, OK, {**cite_records(*fitting), **known.cite("catalogue", "agents")}, tokens=(word,))


def count_below_price(known: Knowledge) -> Conclusion:
    """Count the products of a line that cost less than a limit."""
    phrase, limit = phrase_in(known.instruction, *PRICE_COUNT_PHRASES), EUROS.search(known.instruction)
    cents = round(float(limit[1].replace(",", "")) * 100) if limit else 0
    fitting = [product for product in products_like(known, phrase) if not misfits(phrase, product)]
    counted = [product for product in fitting if not limit or _price_cents(product) < cents]
    citations = {**cite_records(*counted), **known.cite("catalogue")}
    return Conclusion(in_format(known.instruction, len(counted)), OK, citations)


def _price_cents(product: Record) -> int:
    prices = (value for key, value in product.data.items() if PRICE.search(key) and isinstance(value, int))
    return next(prices, 0)


def recorded(instruction: str, record: Record) -> str:
    """Return the value of the field that the task names, in back quotes or in words, or an empty string."""
    named = QUOTED.search(instruction)
    if not named:
        asked = stems_of(instruction)
        fits = {field: len(stems_of(field)) for field in record.data if stems_of(field) and stems_of(field) <= asked}
        return record.text(max(fits, key=lambda field: fits[field])) if fits else ""
    section, _, name = named[1].rpartition(".")
    part = record.data.get(section)
    holders = [part] if isinstance(part, dict) else [record.data, *filter(_is_mapping, record.data.values())]
    return next((value for holder in holders if (value := Record(record.path, holder).text(name))), "")


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)


def tell_field(known: Knowledge) -> Conclusion:
    """Answer with a field of a basket, of the asker's own staff record, of a product or of a branch."""
    if basket_id(known):
        use, _ = record_use(known, basket_id(known))
        return refusal(known, use) or _field_answer(known, known.records("basket", [basket_id(known)]))
    if OWN.search(known.instruction):
        if known.asker != "staff":
            return deny(known, "Only staff may see staff records.")
        employees, line = known.records("employee", [known.user]), LINE.search(known.instruction)
        if line and employees:
            values = " | ".join(employees[0].text(field.strip()) for field in line[1].split("|"))
            return Conclusion(values, OK, cite_records(*employees), tokens=(values,))
        return _field_answer(known, employees)
    store = branch_named(known, known.instruction)
    if store:
        return _field_answer(known, [store])
    described = ENTRY.search(known.instruction)
    return _field_answer(known, products_meant(known, described[1] if described else QUOTED.sub("", known.instruction)))


def _field_answer(known: Knowledge, records: list[Record]) -> Conclusion:
    if len(records) > 1:
        return ask_which_product(known, records)
    value = recorded(known.instruction, records[0]) if records else ""
    if not value:
        cited = {**cite_records(*records), **known.cite("agents")}
        return Conclusion("Nothing is recorded about that.", UNSUPPORTED, cited)
    return Conclusion(value, OK, cite_records(*records), tokens=(value,))


def _days(text: str) -> int:
    found = DAYS.search(text)
    return int(found[1] or found[2]) if found else 0


def count_stock(known: Knowledge) -> Conclusion:
    """Count the named SKUs that meet a condition at a branch."""
    text = known.instruction
    found, refs = known.needed("stock_at", products=skus_in(text), branch=text, days=_days(text))
    count = sum(map(condition(text), found.values()))
    return Conclusion(in_format(text, count), OK, {**refs, **known.cite("stock")})


def condition(text: str) -> Callable[[Mapping[str, int]], bool]:
    """Return the test of a product's units that a question describes."""
    least = max((int(each or other) for each, other in UNITS.findall(text)), default=1)
    is_short = SHORT.search(text) is not None
    if DAYS.search(text):
        return lambda units: units["within"] >= least and not (is_short and units["available"] >= least)
    if ON_HAND.search(text):
        return lambda units: units["on_hand"] >= least and not (is_short and units["available"] >= least)
    if NONE_LEFT.search(text):
        return lambda units: units["available"] == 0
    return lambda units: (units["available"] < least) is is_short


def answer_stock(known: Knowledge) -> Conclusion:
    """Answer whether a branch has so many units of the described product."""
    text = known.instruction
    asked, ruled_out = ASKED.search(text), re.search(r"\(?but not[^?)]*", text)
    products = products_meant(known, (asked["phrase"] if asked else text) + (f" {ruled_out[0]}" if ruled_out else ""))
    if not products:
        return Conclusion("There is no such product.", UNSUPPORTED, known.cite("stock", "catalogue"))
    if len(products) > 1:
        return ask_which_product(known, products)
    sku = products[0].text("sku")
    found, refs = known.needed("stock_at", products=[sku], branch=text, days=_days(text))
    least = int(asked["units"]) if asked and (asked["units"] or "").isdigit() else 1
    counted = "within" if _days(text) else "on_hand" if ON_HAND.search(text) else "available"
    word = known.yes_or_no(found[sku][counted] >= least)
    return Conclusion(word, OK, {**refs, **known.cite("stock", "agents")}, tokens=(word,))


def rebuy_receipt(known: Knowledge) -> Conclusion:
    """Answer whether everything on a receipt is available today at its branch."""
    return _receipt_answer(known, "can_be_bought")


def compare_subtotal(known: Knowledge) -> Conclusion:
    """Answer whether the same lines cost about the same today, without tax."""
    return _receipt_answer(known, "within")


def _receipt_answer(known: Knowledge, part: str) -> Conclusion:
    path, bound = UPLOAD.search(known.instruction), EUROS.search(known.instruction)
    tolerance = round(float(bound[1].replace(",", "")) * 100) if bound else 0
    found, refs = known.needed("settle_receipt", path=path[0] if path else "", tolerance_cents=tolerance)
    return Conclusion(known.yes_or_no(found[part]), OK, {**refs, **known.cite("uploads", "stock")})
