"""What records make of a question for every branch, person or product that fulfils some conditions, answered anyhow.

The set is certain only where each word of the request is known: it names the kind of record, the place, the product,
the role, the price or a field, or fits any request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.set_members import member_of
from benchmarks.shop.computed.questions.stated_answers import no_question
from benchmarks.shop.computed.shop_workspace import ROLE, Record, ShopWorkspace
from benchmarks.shop.computed.stock import stock_of
from benchmarks.shop.computed.subjects import branch_named, describes_product, products_described, words_of
from benchmarks.shop.language.record_kinds import Kind, kind_of, skus_in
from benchmarks.shop.language.shop_evidence import OK
from gates.claims import names_set
from gates.facts import is_boilerplate
from toolkit.stock import StockUnits

MAX_CHARS: Final = 300
"""A longer request says more than its set."""
_MOST_BRANCHES: Final = 20
_SIGNS: Final = re.compile(r"[\"'%:;€\n]|\bEUR\b")
_DENIED: Final = re.compile(r"\b(?:no|not|never|without|except|but|or|nor|neither|other|only)\b|n't\b", re.IGNORECASE)
_EACH: Final = re.compile(r"\b(?:every|each)\s+(?:\w+\s+)?$", re.IGNORECASE)
_HAVING: Final = frozenset(("stock", "stocked", "stocks", "available", "availability", "inventory", "sell", "sells"))
"""Words with which a branch is said to have a product today."""
_FIRST: Final = frozenset(("which", "what", "who", "where", "list", "name", "tell", "all", "every", "each", "please"))
"""How a request for a set begins; one for a yes or a no begins otherwise."""
_ASKING: Final = frozenset(("list", "name", "names", "tell", "please", "kindly", "today", "now"))
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+")
_OPEN: Final = "open"
_MARKED: Final = re.compile(r"`(\w+)`")


def set_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a request for every record of a kind that fulfils its conditions.

    Raises `DoesNotApply` for any other request.
    """
    kind = _kind_asked(text)
    if kind is Kind.STORE:
        return _branches_asked(text, shop)
    return _people_asked(text, shop) if kind is Kind.EMPLOYEE else no_question()


def _kind_asked(text: str) -> Kind | None:
    """Return the kind of record that a request names in the plural, or each of; None for none or several."""
    first = _WORD.search(text)
    if len(text) > MAX_CHARS or _SIGNS.search(text) or _DENIED.search(text):
        return None
    if first is None or first[0].lower() not in _FIRST:
        return None
    found = {kind for each in _WORD.finditer(text) if (kind := _kind_of_word(text, each))}
    return found.pop() if len(found) == 1 else None


def _kind_of_word(text: str, found: re.Match[str]) -> Kind | None:
    plural = found[0] if _EACH.search(text[: found.start()]) is None else _plural(found[0])
    return _kind_in_folder(plural)


def _plural(word: str) -> str:
    return f"{word}es" if word.endswith(("ch", "sh", "s", "x")) else f"{word}s"


def _kind_in_folder(word: str) -> Kind | None:
    return kind_of(f"/proc/{word.lower()}/1.json")


def _branches_asked(text: str, shop: ShopWorkspace) -> Expectation:
    cities = {str(each.data["city"]) for each in shop.stores}
    asked = words_of(text)
    named = [each for each in cities if _holds(asked, words_of(each))]
    scope = [each for each in shop.stores if not named or each.data["city"] == named[0]]
    known = {word for each in named for word in words_of(each)}
    wants_open = _OPEN in asked
    products = _product_asked(text, shop)
    known.update((_OPEN, *(_HAVING if products else ())))
    left = _left(text, products, known)
    if len(named) > 1 or not (named or products or wants_open) or left or len(scope) > _MOST_BRANCHES:
        return no_question()
    members = [each for each in scope if each.data["is_open"] is True] if wants_open else scope
    if products:
        sku = str(products[0].data["sku"])
        whole = {each.path: each for each in shop.all_at([each.path for each in members])}
        members = [each for each in members if _has(whole[each.path], sku)]
    return _expected("The records of the branches that may be meant", members, scope, products, shop.stores)


def _has(store: Record, sku: str) -> bool:
    return stock_of(store.data).get(sku, StockUnits()).available > 0


def _product_asked(text: str, shop: ShopWorkspace) -> list[Record]:
    """Return the one product that a text names or describes, or nothing if it speaks of none."""
    if not skus_in(text) and not describes_product(text, shop.products):
        return []
    found = products_described(text, shop.products)
    return found if len(found) == 1 else no_question()


def _left(text: str, products: Sequence[Record], known: Iterable[str]) -> list[str]:
    """Return the words that nothing explains."""
    for sku in skus_in(text):
        text = text.replace(sku, " ")
    data = products[0].data if products else {}
    described = {*words_of(str(data.get("name", ""))), *map(str, data.get("properties", {}).values())}
    explained = {*_ASKING, *known, *described}
    words = [each.lower() for each in _WORD.findall(text)]
    return [
        each
        for each in words
        if each not in explained
        and not is_boilerplate(each)
        and _kind_in_folder(each) is None
        and _kind_in_folder(_plural(each)) is None
    ]


def _holds(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return any(words[at : at + len(name)] == name for at in range(len(words)))


def _people_asked(text: str, shop: ShopWorkspace) -> Expectation:
    roles = _MARKED.findall(text)
    if len(roles) != 1 or roles[0] not in shop.roles or not shop.asker.is_staff:
        return no_question()
    place = [branch_named(text, shop.stores)] if _left(_MARKED.sub(" ", text), (), {"role", "roles"}) else []
    known = {"role", "roles", *(word for each in place for word in words_of(str(each.data["name"])))}
    if _left(_MARKED.sub(" ", text), (), known):
        return no_question()
    paths = {path for path, _ in shop.lines(Kind.EMPLOYEE, f'^    "{roles[0]}",?$')}
    if place:
        there = str(place[0].data["id"])
        paths &= set(shop.paths_naming(Kind.EMPLOYEE, [there])[there])
    staff = _staff(shop)
    members = [each for each in staff if each.path in paths]
    return _expected("The roles in the staff records", members, staff, place, staff)


def _staff(shop: ShopWorkspace) -> list[Record]:
    """Return everybody's record with the one text of several words in it: the name."""
    named = shop.lines(Kind.EMPLOYEE, r'^  "\w+": "[^"]+ [^"]+",?$')
    names = {path: line.split('"')[3] for path, line in named}
    paths = dict.fromkeys(path for path, _ in shop.lines(Kind.EMPLOYEE, ROLE))
    return [Record(path, {"name": names.get(path, "")}) for path in paths]


def _expected(
    basis: str, members: Sequence[Record], scope: Sequence[Record], beside: Sequence[Record], known: Sequence[Record]
) -> Expectation:
    paths = {each.path for each in members}
    called = [member_of(each, scope) for each in known]
    inside, outside = ([each for each in called if (each.path in paths) is wanted] for wanted in (True, False))
    return Expectation(
        basis,
        OK,
        cited=frozenset(paths),
        tolerated=frozenset((*(each.path for each in scope), *(each.path for each in beside))),
        states=lambda answer: names_set(answer, inside, outside),
    )
