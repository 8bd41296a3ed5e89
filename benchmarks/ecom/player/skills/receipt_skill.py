"""Receipts: what a scanned slip lists, whether it can be bought again, and what it would cost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from benchmarks.ecom.player.conclusions import OK, Conclusion, cite_records
from benchmarks.ecom.player.customer_phrases import branch_named, branch_names, words_of
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.read_policies import yes_or_no
from benchmarks.ecom.player.skills.basket_skill import is_download
from benchmarks.ecom.player.skills.stock_skill import available, stock_by_sku

PATH: Final = re.compile(r"(?<!\w)/(?:[\w.-]+/)+[\w.-]*\w")
ITEM: Final = re.compile(r"^\W*(?:[\dOSIlB]+\W+)??([\dOSIlB]+) *(?:[x*] |  )\s*(\S.*?)(?:\s{2,}[\dOSIlB.,]+)*\s*$")
CLERK: Final = re.compile(r"^.*\bSKU\b.*: *(\S+)\s*$")
STORE_LINE: Final = re.compile(r"^\W*(?:Store|.*\btarget branch) *: *(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
SUBTOTAL: Final = re.compile(r"^.*subtotal.*?([\dOSIlB]+[.,][\dOSIlB]{2})\s*$", re.IGNORECASE | re.MULTILINE)
WITHIN: Final = re.compile(r"EUR ?(\d+(?:\.\d+)?)")
MISREAD: Final = str.maketrans("015", "ols")
DIGITS: Final = str.maketrans("OoSIlB", "005118")


@dataclass(frozen=True, slots=True)
class Slip:
    """A scanned slip, with the products of its lines and its branch as far as they could be made out."""

    path: str
    text: str
    wanted: dict[str, int]
    store: Record | None
    products: dict[str, Record | None]


def read_slip(known: Knowledge) -> Slip:
    """Return the slip that the task names, or the one among the uploads."""
    path, names = known.look_up_both(lambda: _path(known), lambda: (names_of_products(known), branch_names(known))[0])
    text = (known.text(path) or "") if path else ""
    wanted: dict[str, int] = {}
    for quantity, name, sku in bought(text) if names else ():
        best = names[nearest((name, sku), {each: (each, code) for each, code in names.items()})]
        wanted[best] = wanted.get(best, 0) + quantity
    store, products = known.look_up_both(lambda: branch_on_slip(known, text), lambda: known.records("products", wanted))
    return Slip(path, text, wanted, store, products)


def branch_on_slip(known: Knowledge, text: str) -> Record | None:
    """Return the branch whose name is most like that on the slip's line for it."""
    written = STORE_LINE.search(text)
    if written is None:
        return branch_named(known, text)
    lines = known.matching_lines("branches", '^  "name":')
    codes = {line.split('"')[3]: path.rsplit("/", 1)[1].removesuffix(".json") for path, line in lines}
    return known.record("branches", codes[nearest_name(written[1], codes)]) if codes else None


def rebuy_receipt(known: Knowledge) -> Conclusion:
    """Answer whether everything on a receipt is available today at its branch."""
    slip = read_slip(known)
    if slip.store is None:
        return _answer(known, slip, False)
    here = stock_by_sku(slip.store)
    enough = all(
        is_download(each) or available(here.get(sku)) >= slip.wanted[sku] for sku, each in slip.products.items()
    )
    return _answer(known, slip, enough)


def compare_subtotal(known: Knowledge) -> Conclusion:
    """Answer whether the same lines cost about the same today, without tax."""
    slip = read_slip(known)
    then, bound = SUBTOTAL.search(slip.text), WITHIN.search(known.instruction)
    if slip.store is None or then is None or bound is None:
        return _answer(known, slip, False)
    now = sum(each.number("price_cents") * slip.wanted[sku] for sku, each in slip.products.items() if each)
    before = int(re.sub(r"\D", "", then[1].translate(DIGITS)))
    return _answer(known, slip, abs(now - before) <= round(float(bound[1]) * 100))


def _answer(known: Knowledge, slip: Slip, is_yes: bool) -> Conclusion:
    reason = f"receipt of {slip.store.text('name') if slip.store else 'a branch'} with its lines"
    citations = {**({slip.path: reason} if slip.path else {}), **cite_records(slip.store, *slip.products.values())}
    return Conclusion(yes_or_no(known, is_yes), OK, {**citations, **known.cite("uploads", "stock")})


def names_of_products(known: Knowledge) -> dict[str, str]:
    """Return every product's SKU by its name."""
    named = known.matching_lines("products", '^  "name":')
    return {line.split('"')[3]: path.rsplit("/", 1)[1].removesuffix(".json") for path, line in named}


def _path(known: Knowledge) -> str:
    named = next(iter(PATH.findall(known.instruction)), "")
    return named or next((each for each in sorted(known.files("/")) if "receipt" in each), "")


def bought(receipt: str) -> Iterator[tuple[int, str, str]]:
    """Yield quantity, name and SKU of every item; a name may go on below it, up to the line with its SKU."""
    quantity, name = 0, ""
    for line in receipt.splitlines():
        clerk, item = CLERK.match(line), ITEM.match(line)
        if clerk and quantity:
            yield quantity, name, clerk[1]
            quantity, name = 0, ""
        elif item and not quantity:
            quantity, name = int(item[1].translate(DIGITS)), item[2]
        elif quantity and re.search(r"\w", line):
            name += line.strip()


def nearest(scanned: Sequence[str], texts_by_name: Mapping[str, Sequence[str]]) -> str:
    """Return the name whose texts are most like the scanned ones, in sum.

    Digits count as the letters that scans misread as them. Texts are compared in full only where their letters alone,
    which cost a tenth, leave the name a chance.
    """
    matchers = [SequenceMatcher(None, "", _folded(each), autojunk=False) for each in scanned]

    def alike(name: str, ratio: Callable[[SequenceMatcher[str]], float]) -> float:
        for matcher, text in zip(matchers, texts_by_name[name], strict=True):
            matcher.set_seq1(_folded(text))
        return sum(map(ratio, matchers))

    bounds = {name: alike(name, SequenceMatcher.quick_ratio) for name in texts_by_name}
    best, best_sum = "", -1.0
    for name in sorted(bounds, key=bounds.__getitem__, reverse=True):
        if bounds[name] <= best_sum:
            break
        if (likeness := alike(name, SequenceMatcher.ratio)) > best_sum:
            best, best_sum = name, likeness
    return best


def nearest_name(scanned: str, names: Iterable[str]) -> str:
    """Return the name that is most like a scanned one."""
    return nearest((scanned,), {each: (each,) for each in names})


@lru_cache(1000)
def _folded(name: str) -> str:
    return " ".join(words_of(name)).translate(MISREAD)
