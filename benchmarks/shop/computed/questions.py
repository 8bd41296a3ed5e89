"""What records and documents make of a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.computed.stock import Stock, bounds_in, count_fitting, stock_of
from benchmarks.shop.computed.subjects import branch_named, products_described, words_of
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import Kind, id_of, named_ids, skus_in
from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK
from gates import Case
from gates.facts import compound_stem
from gates.language import normalize_text
from gates.reading import DoesNotApply

_COUNT_TIME: Final = re.compile(r"\bin (\d{1,3}|an?|one|two|three) (day|week)s?\b", re.IGNORECASE)
_AGO: Final = re.compile(r"\b(\d{1,3}|an?|one|two|three) (day|week)s? ago\b", re.IGNORECASE)
_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}
_DAYS: Final = (
    (re.compile(r"\b(?:the )?day after tomorrow\b", re.IGNORECASE), 2),
    (re.compile(r"\b(?:the )?day before yesterday\b", re.IGNORECASE), -2),
    (re.compile(r"\btomorrow\b", re.IGNORECASE), 1),
    (re.compile(r"\byesterday\b", re.IGNORECASE), -1),
    (re.compile(r"\btoday\b", re.IGNORECASE), 0),
)
_ASKS_DATE: Final = re.compile(r"\bwhat(?:'s| is)?(?: the)? date\b", re.IGNORECASE)
_DATE_FORM: Final = re.compile(r"\b(?:YYYY|MM|DD)([-/.])(?:YYYY|MM|DD)\1(?:YYYY|MM|DD)\b")
_QUOTED: Final = re.compile(r"`([^`\n]{1,60})`")
_PROPERTY: Final = re.compile(r"`(\w+)`\s*(?:is|=|must be|of|being|equals)\s*`([^`\n]{1,60})`", re.IGNORECASE)
_UNITS_ASKED: Final = re.compile(r"\bdo you have (\d{1,6}) of\b", re.IGNORECASE)
_ARRIVING: Final = re.compile(r"\b(?:arriv\w*|incoming|due)\b[^.?!]{0,60}?\bwithin (\d{1,3}) days?\b", re.IGNORECASE)
_PRICE: Final = re.compile(r"(?:\bEUR|€) ?(\d{1,3}(?:,\d{3})*|\d+)(?:\.(\d\d))?(?![\d,.]*\d)")
_BELOW: Final = re.compile(r"\b(?:less than|below|under|cheaper than)\b", re.IGNORECASE)
_BOUGHT: Final = re.compile(r"[^\w\n]*(?:\d+[^\w\n]+)?(\d+) x (.+)")
_ASKS_YES_NO: Final = re.compile(
    r"(?:^|[.!?:,] )(?:do|does|did|is|are|have|has|can|could) (?:you|we|there|it|such|the)\b[^?]*\?", re.IGNORECASE
)
_FURTHER_CONDITION: Final = re.compile(
    r"\b(?:not|no|or|both|except|exclud\w*|between|at least|more than|over|above|stock|available|without|but)\b",
    re.IGNORECASE,
)
"""Words of a condition that is not computed."""
_LOOK_ALIKE: Final = str.maketrans("015862i", "olsbgzl")
"""Characters that a scan takes for each other."""
_WORD_PAIR: Final = re.compile(
    r"[`\"']([^`\"'\n]{1,40})[`\"'] (?:for|means|=) yes\b[^.\n]{0,20}?"
    r"[`\"']([^`\"'\n]{1,40})[`\"'] (?:for|means|=) no\b"
)


def expected_of_question(case: Case, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question. Raises `DoesNotApply` for any other request."""
    text = normalize_text(case.instruction)
    asks = request_kinds
    if asks.OTHER_SYSTEM.find(text) or asks.CLEANUP.find(text):
        return _no_question()
    if asks.EXPORT.find(text):
        return _export(text, shop)
    if _ASKS_DATE.search(text):
        return _date(text, shop)
    if asks.STOCK_OF_LISTED.find(text):
        return _stock_count(text, shop)
    if asks.STOCK_OF_ONE.find(text):
        return _stock(text, case.rules, shop)
    if asks.RECEIPT.find(text) and asks.BUY_AGAIN.find(text):
        return _receipt(text, case.rules, shop)
    if asks.STAFF_COUNT.find(text) or asks.STAFF_AT_BRANCH.find(text):
        return _staff(text, shop)
    if _PROPERTY.search(text) and _ASKS_YES_NO.search(text) and not asks.SKU_WANTED.find(text):
        return _existence(text, case.rules, shop)
    if asks.PRICE_COUNT.find(text):
        return _price_count(text, shop)
    if asks.SKU_WANTED.find(text):
        return _sku(text, shop)
    if re.search(r"\bbranches\b[^.?!]*\bopen\b|\bopen\b[^.?!]*\bbranches\b", text, re.IGNORECASE):
        return _branches(text, shop)
    if len(_QUOTED.findall(text)) == 1:
        return _field(text, shop)
    return _fact(text, shop)


def _no_question() -> Expectation:
    msg = "no question that can be computed again"
    raise DoesNotApply(msg)


def _is(value: str) -> Callable[[str], bool]:
    return lambda text: text.strip() == value


def _states_number(number: int) -> Callable[[str], bool]:
    def states(text: str) -> bool:
        return [each.lstrip("0") or "0" for each in re.findall(r"\d+", text)] == [str(number)]

    return states


def _yes_no(answer: bool, rules: str) -> Callable[[str], bool]:
    """Return whether a message is the workspace's word for a yes or a no; any message is, if no two words are laid
    down."""
    found = _WORD_PAIR.search(re.sub(r"\s+", " ", rules))
    if found is None:
        return lambda text: True
    right, wrong = (found[1], found[2]) if answer else (found[2], found[1])
    return lambda text: text.strip() == right or (wrong not in text and right in text)


def _date(text: str, shop: ShopWorkspace) -> Expectation:
    forms = {each[0] for each in _DATE_FORM.finditer(text)}
    left, days = text, list[int]()
    for form, sign in ((_COUNT_TIME, 1), (_AGO, -1)):
        for found in form.finditer(left):
            number = _NUMBERS.get(found[1].lower()) or int(found[1])
            days.append(sign * number * (7 if found[2].lower() == "week" else 1))
    for pattern, shift in _DAYS:
        if pattern.search(left):
            days.append(shift)
            left = pattern.sub("", left)
    if len(days) != 1 or len(forms) != 1:
        msg = "the day or the form of the date is not certain"
        raise DoesNotApply(msg)
    day = date.fromisoformat(shop.now[:10]) + timedelta(days[0])
    spelled = forms.pop().replace("YYYY", f"{day.year:04d}").replace("MM", f"{day.month:02d}")
    spelled = spelled.replace("DD", f"{day.day:02d}")
    return Expectation("The clock and the day that is asked for", OK, states=_is(spelled))


def _stock_count(text: str, shop: ShopWorkspace) -> Expectation:
    bounds, skus = bounds_in(text), skus_in(text)
    store = _whole(branch_named(text, shop.stores), shop)
    number = count_fitting(stock_of(store.data), skus, bounds)
    cited = frozenset((store.path, *shop.product_paths(skus).values()))
    return Expectation(f"The stock rows of {store.data['id']}", OK, cited=cited, states=_states_number(number))


def _whole(found: Record, shop: ShopWorkspace) -> Record:
    return shop.at(found.path)


def _stock(text: str, rules: str, shop: ShopWorkspace) -> Expectation:
    units, arriving = _UNITS_ASKED.search(text), _ARRIVING.search(text)
    if units is None or "`" in text or (arriving is None and "available" not in text):
        return _no_question()
    products = products_described(_UNITS_ASKED.sub(" ", text), shop.products)
    if len(products) != 1:
        msg = "several products fit"
        raise DoesNotApply(msg)
    store = _whole(branch_named(text, shop.stores), shop)
    stock = stock_of(store.data).get(str(products[0].data["sku"]), Stock())
    have = stock.within(int(arriving[1])) if arriving else stock.available
    return Expectation(
        f"The stock rows of {store.data['id']}",
        OK,
        cited=frozenset({store.path, products[0].path}),
        states=_yes_no(have >= int(units[1]), rules),
    )


def _receipt(text: str, rules: str, shop: ShopWorkspace) -> Expectation:
    path = shop.receipt(text)
    receipt = shop.text(path)
    stores = [each for each in shop.stores if re.search(rf"(?m)^{re.escape(each.data['name'])}$", receipt)]
    if len(stores) != 1:
        msg = "the branch on the receipt is not certain"
        raise DoesNotApply(msg)
    store = _whole(stores[0], shop)
    bought = _bought(receipt, shop.products)
    stock = stock_of(store.data)
    is_enough = all(stock.get(str(each.data["sku"]), Stock()).available >= units for each, units in bought)
    return Expectation(
        f"The lines of {path} and the stock rows of {store.data['id']}",
        OK,
        cited=frozenset((path, store.path, *(each.path for each, _ in bought))),
        states=_yes_no(is_enough, rules),
    )


def _bought(receipt: str, products: Iterable[Record]) -> list[tuple[Record, int]]:
    """Return the products of a receipt's lines with their quantities, told by brand and name."""
    names = [(_misread(str(each.data["name"])), each) for each in products]
    lines = re.split(r"(?m)^(?=[^\w\n]*(?:\d+[^\w\n]+)?\d+ x )", receipt)
    found: list[tuple[Record, int]] = []
    for each in lines[1:]:
        head = _BOUGHT.match(each)
        words = _misread(re.split(r"\bEUR\b|€|-----", each[head.start(2) :])[0]) if head else ""
        fitting = [product for name, product in names if name == words]
        if head is None or len(fitting) != 1:
            msg = "a line of the receipt is not certain"
            raise DoesNotApply(msg)
        found.append((fitting[0], int(head[1])))
    if not found or len({each.path for each, _ in found}) < len(found):
        msg = "a receipt without lines, or with two of one product"
        raise DoesNotApply(msg)
    return found


def _misread(name: str) -> str:
    """Return a name in the one spelling that all misreadings of its characters share."""
    return " ".join(words_of(name)).translate(_LOOK_ALIKE)


def _staff(text: str, shop: ShopWorkspace) -> Expectation:
    quoted = _QUOTED.findall(text)
    if len(quoted) != 1 or not re.fullmatch(r"\w+", quoted[0]) or _FURTHER_CONDITION.search(text):
        msg = "the role is not certain"
        raise DoesNotApply(msg)
    people = [path for path, _ in shop.lines(Kind.EMPLOYEE, f'^    "{quoted[0]}",?$')]
    cited = set(people)
    if not re.search(r"\b(?:all|across|every|total|altogether)\b", text, re.IGNORECASE):
        store = branch_named(text, shop.stores)
        there = shop.paths_naming(Kind.EMPLOYEE, [store.data["id"]])[store.data["id"]]
        cited &= set(there)
        number = len(cited)
        cited.add(store.path)
    else:
        number = len(cited)
    return Expectation("The roles in the staff records", OK, cited=frozenset(cited), states=_states_number(number))


def _existence(text: str, rules: str, shop: ShopWorkspace) -> Expectation:
    wanted = _PROPERTY.findall(text)
    fitting = [
        each
        for each in products_described(text, shop.products)
        if all(key in each.data["properties"] for key, _ in wanted)
        and all(_spelled(each.data["properties"][key]) == value.casefold() for key, value in wanted)
    ]
    return Expectation(
        "The properties of the products that fit the request",
        OK,
        cited=frozenset(each.path for each in fitting),
        states=_yes_no(bool(fitting), rules),
    )


def _spelled(value: object) -> str:
    return str(value).casefold()


def _price_count(text: str, shop: ShopWorkspace) -> Expectation:
    prices = set(_PRICE.findall(text))
    if len(prices) != 1 or not _BELOW.search(text) or _FURTHER_CONDITION.search(text):
        msg = "the price is not certain"
        raise DoesNotApply(msg)
    euros, cents = prices.pop()
    limit = int(euros.replace(",", "")) * 100 + int(cents or 0)
    lines = {tuple(words_of(each.data["brand"] + " " + _line_of(each))) for each in shop.products}
    meant = [each for each in lines if _in_order(each, words_of(text))]
    if len(meant) != 1:
        msg = "the line of products is not certain"
        raise DoesNotApply(msg)
    counted = [
        each
        for each in shop.products
        if words_of(each.data["name"])[: len(meant[0])] == meant[0] and int(each.data["price_cents"]) < limit
    ]
    return Expectation(
        "The prices of the products of that line",
        OK,
        cited=frozenset(each.path for each in counted),
        states=_states_number(len(counted)),
    )


def _line_of(product: Record) -> str:
    """Return the word of a product's name that follows its brand."""
    rest = str(product.data["name"]).removeprefix(str(product.data["brand"])).split()
    return rest[0] if rest else ""


def _in_order(words: tuple[str, ...], text: tuple[str, ...]) -> bool:
    return any(text[start : start + len(words)] == words for start in range(len(text) - len(words) + 1))


def _sku(text: str, shop: ShopWorkspace) -> Expectation:
    if named_ids(text) or "`" in text or request_kinds.SEVERAL.find(text):
        return _no_question()
    products = products_described(text, shop.products)
    cited = frozenset(each.path for each in products)
    if len(products) == 1:
        basis = "The words of the request and the products' names"
        return Expectation(basis, OK, cited=cited, states=_is(str(products[0].data["sku"])))
    skus = [str(each.data["sku"]) for each in products]
    return Expectation(
        "The products that fit the request",
        CLARIFICATION,
        cited=cited,
        states=lambda answer: all(each in answer for each in skus),
    )


def _branches(text: str, shop: ShopWorkspace) -> Expectation:
    if re.search(r"\b(?:not|closed|tomorrow|yesterday|how many)\b", text, re.IGNORECASE):
        return _no_question()
    stores = shop.stores
    city = branch_named(text, stores).data["city"]
    there = [each for each in stores if each.data["city"] == city]
    names = sorted(str(each.data["name"]) for each in there if each.data["is_open"])
    return Expectation(
        "The records of the branches in that city",
        OK,
        cited=frozenset(each.path for each in there),
        states=lambda answer: sorted(filter(None, map(str.strip, answer.split("\n")))) == names,
    )


def _field(text: str, shop: ShopWorkspace) -> Expectation:
    field = _QUOTED.findall(text)[0]
    named = named_ids(text)
    if named:
        record = shop.record(named[0])
        if len(named) > 1 or not (shop.asker.is_staff or shop.owns(record.data)):
            return _no_question()
    elif re.search(r"\bmy (?:own )?(?:staff|employee) record\b", text, re.IGNORECASE) and shop.asker.is_staff:
        record = shop.record(shop.asker.id)
    elif re.search(r"\b(?:article|product|catalog(?:ue)?)\b", text, re.IGNORECASE):
        products = products_described(_QUOTED.sub(" ", text), shop.products)
        if len(products) != 1:
            return _no_question()
        record = products[0]
    else:
        record = _whole(branch_named(text, shop.stores), shop)
    if field not in record.shown or isinstance(record.shown[field], (dict, list, bool)):
        msg = "the field is not certain"
        raise DoesNotApply(msg)
    value = str(record.shown[field])
    return Expectation(f"The fields of {id_of(record.path)}", OK, cited=frozenset({record.path}), states=_is(value))


def _fact(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what the one row of a document's table says whose label fits the question, or the branch it names."""
    if "?" not in text or request_kinds.RECEIPT.find(text) or named_ids(text) or skus_in(text):
        return _no_question()
    asked = _stems(text)
    fitting = [row for row in shop.table_rows() if (label := _stems(row[1])) and label <= asked]
    if len(fitting) != 1:
        return _no_question()
    path, _, value = fitting[0]
    stores = [each for each in shop.stores if each.data["name"] == value]
    if not stores:
        return Expectation(f"The table of {path}", OK, tolerated=frozenset({path}), states=_is(value))
    words = words_of(text)
    fields = [each for each in stores[0].shown if _in_order(tuple(each.split("_")), words)]
    if len(fields) != 1:
        return _no_question()
    return Expectation(
        f"The table of {path} and the record of that branch",
        OK,
        tolerated=frozenset({path, stores[0].path}),
        states=_is(str(stores[0].shown[fields[0]])),
    )


_LABEL_FILLERS: Final = frozenset(("a", "an", "the", "of", "as", "day", "date", "time", "fact"))


def _stems(text: str) -> frozenset[str]:
    return frozenset(compound_stem(word) for word in words_of(text) if word not in _LABEL_FILLERS and word != ",")


def _export(text: str, shop: ShopWorkspace) -> Expectation:
    paths = re.findall(r"/exports/[\w./-]*\w", text)
    families = [each for each in _QUOTED.findall(text) if any(p.data["family_id"] == each for p in shop.products)]
    headers = re.findall(r"\bSKU(?:,\d{4}-\d\d-\d\d)+", text)
    if len(paths) != 1 or len(families) != 1 or len(headers) != 1:
        msg = "the export is not certain"
        raise DoesNotApply(msg)
    store = _whole(branch_named(text, shop.stores), shop)
    products = [each for each in shop.products if each.data["family_id"] == families[0]]
    skus = sorted(str(each.data["sku"]) for each in products)
    wanted = export_table(stock_of(store.data), skus, date.fromisoformat(shop.now[:10]), headers[0])
    is_right = shop.text_or_nothing(paths[0]).strip() == wanted.strip()
    return Expectation(
        f"The rows of {paths[0]}, by the stock of {store.data['id']} and the dates of the columns,",
        OK,
        cited=frozenset((store.path, *(each.path for each in products))),
        tolerated=frozenset(paths),
        states=lambda answer: is_right and answer.strip() == paths[0],
    )


def export_table(stock: Mapping[str, Stock], skus: Iterable[str], today: date, header: str) -> str:
    """Return the table of an export: what is available today, and what arrives on each later date."""
    days = [(date.fromisoformat(each) - today).days for each in header.split(",")[1:]]
    rows = [header]
    for sku in skus:
        row = stock.get(sku, Stock())
        cells = [row.available if not day else sum(n for n, due in row.incoming if due == day) for day in days]
        rows.append(",".join([sku, *map(str, cells)]))
    return "\n".join(rows)
