"""What phrases of a request mean: products by the words of their records, branches, counts in their form."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.knowledge import Knowledge, Record

SKU: Final = re.compile(r"\b[A-Z]{2,}(?:-[A-Z0-9]+){2,}\b")
WORD: Final = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?!\w)|\w+(?:\.\d+)?")
RULED_OUT: Final = re.compile(r"\b(?:but not|not the|except|other than|excluding)\b([^.?!]*)", re.IGNORECASE)
WITHOUT: Final = re.compile(r"\b(?:without|no|lacking)\s+(?:a |an |any )?(\w+)")
TEMPLATE: Final = re.compile(r"""["'`]([^"'`\n]*%d[^"'`\n]*)["'`]|(\S*%d\S*)""")
NUMERALS: Final = {
    word: str(number)
    for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight"), start=1)
}
STOP_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "a an and any at by do does for from have has i in is it me my of on or our please s such that the this to we "
        "what which with you your",
    )
)
"""Words that do not describe a product."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, with numerals as digits and signs kept."""
    return [NUMERALS.get(word, word) for word in WORD.findall(text.casefold())]


def phrase_in(instruction: str, *patterns: str) -> str:
    """Return the group that the first matching pattern captures, or the whole instruction if none matches."""
    found = (re.search(pattern, instruction, re.IGNORECASE) for pattern in patterns)
    return next((match[1] for match in found if match), instruction)


def in_format(instruction: str, count: int) -> str:
    """Return a count in the task's template, or the bare number if it has none."""
    found = TEMPLATE.search(instruction)
    template = (found[1] or found[2].rstrip(".,;")) if found else "%d"
    return template.replace("%d", str(count))


def skus_in(text: str) -> list[str]:
    """Return the SKUs that a text names, in order."""
    return list(dict.fromkeys(SKU.findall(text)))


def branch_named(known: Knowledge, text: str) -> Record | None:
    """Return the branch of whose distinctive words, which no other branch's name has, `text` holds the most."""
    lines = known.matching_lines("branch", '^  "name":')
    names = {path: set(words_of(line)) - {"name"} for path, line in lines}
    said = set(words_of(text))
    own = {
        path: len((name - set().union(*(other for at, other in names.items() if at != path))) & said)
        for path, name in names.items()
    }
    path = max(own, key=lambda place: own[place], default="")
    found = known.records("branch", [path.rsplit("/", 1)[1].removesuffix(".json")]) if own.get(path) else []
    return next(iter(found), None)


def products_meant(known: Knowledge, phrase: str) -> list[Record]:
    """Return the products that fit a phrase best, without those that it rules out."""
    ruled_out = {sku for tail in RULED_OUT.findall(phrase) for sku in skus_in(tail)}
    phrase = RULED_OUT.sub(" ", phrase).replace("()", " ")
    named = [sku for sku in skus_in(phrase) if sku not in ruled_out]
    if named:
        return known.records("product", named)
    found = products_like(known, phrase)
    scores = {product.path: fit_score(phrase, product) for product in found}
    best = max(scores.values(), default=0)
    return [
        product for product in found if best and scores[product.path] == best and product.text("sku") not in ruled_out
    ]


def products_like(known: Knowledge, phrase: str) -> list[Record]:
    """Return the products whose records hold the most of a phrase's longer words."""
    words = [word for word in words_of(phrase) if len(word) > 2 and word not in STOP_WORDS]
    return known.records_like("product", words) if words else []


def fit_score(phrase: str, product: Record) -> int:
    """Return how many words of the phrase are true of the product, those behind "without" included."""
    present, absent = _said(phrase)
    held = vocabulary(product)
    return sum(word in held for word in present) + sum(word not in held for word in absent)


def misfits(phrase: str, product: Record) -> list[str]:
    """Return the words of a phrase that are not true of the product."""
    present, absent = _said(phrase)
    held = vocabulary(product)
    return [word for word in present if word not in held] + [f"without {word}" for word in absent if word in held]


def _said(phrase: str) -> tuple[list[str], list[str]]:
    text = phrase.casefold()
    return [word for word in words_of(WITHOUT.sub(" ", text)) if word not in STOP_WORDS], WITHOUT.findall(text)


def vocabulary(product: Record) -> set[str]:
    """Return every word that describes a product: those of its name, brand, kind and properties."""
    held = {word for value in product.data.values() if isinstance(value, str) for word in words_of(value)}
    for key, value in product.properties.items():
        if value is not False:
            held.update(words_of(f"{key} {'' if value is True else value}".replace("_", " ")))
    return held | {word.removesuffix("s") for word in held}


def stems_of(text: str) -> set[str]:
    """Return the prefixes of the words of a text, which inflected forms share."""
    return {word[:4] for word in re.findall(r"[a-z]+", text.casefold())} - {"the", "of", "as", "a", "is"}
