"""Products: find a SKU, say whether a product exists, count products below a price."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.answer_formats import in_format
from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion, ask_which_product, cite_records
from benchmarks.ecom.player.customer_phrases import misfits, phrase_in, products_like, products_meant
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.read_policies import yes_or_no

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
LIMIT: Final = re.compile(r"EUR ?(\d[\d,]*(?:\.\d+)?)")


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
    phrase = phrase_in(known.instruction, EXISTENCE_PHRASE)
    wanted = PROPERTY.findall(known.instruction)
    fitting = [each for each in products_like(known, phrase) if not misfits(phrase, each) and _has(each, wanted)]
    word = yes_or_no(known, bool(fitting))
    return Conclusion(word, OK, {**cite_records(*fitting), **known.cite("catalogue", "agents")}, tokens=(word,))


def _has(product: Record, wanted: list[tuple[str, str]]) -> bool:
    properties = product.part("properties")
    return all((properties and properties.text(key)) == value for key, value in wanted)


def count_below_price(known: Knowledge) -> Conclusion:
    """Count the products of a line that cost less than a limit."""
    phrase = phrase_in(known.instruction, *PRICE_COUNT_PHRASES)
    limit = LIMIT.search(known.instruction)
    cents = round(float(limit[1].replace(",", "")) * 100) if limit else 0
    fitting = [each for each in products_like(known, phrase) if not misfits(phrase, each)]
    counted = [each for each in fitting if not limit or each.number("price_cents") < cents]
    citations = {**cite_records(*counted), **known.cite("catalogue")}
    return Conclusion(in_format(known.instruction, len(counted)), OK, citations)
