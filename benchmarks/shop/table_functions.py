"""Functions about tables: fraudulent rows, the plan of a dispatch wave, cross lists of competitors' requests.

Fraudulent are series of payments in several cities, or of several customers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import groupby, pairwise, zip_longest
from typing import Any, Final

from controlplane.benchmarks.shop.amounts import amount_text
from controlplane.benchmarks.shop.branches import branch_called
from controlplane.benchmarks.shop.catalogue import Product, catalogue_of
from controlplane.benchmarks.shop.dispatch import (
    Rates,
    given_rates,
    plan_for_profit,
    read_lanes,
    read_packages,
    read_rates,
)
from controlplane.benchmarks.shop.documents import marked_words, named_paths
from controlplane.benchmarks.shop.field_shapes import Shape, shape_of
from controlplane.benchmarks.shop.kinds import Kind
from controlplane.benchmarks.shop.record_functions import reference_to
from controlplane.benchmarks.shop.records import Record
from controlplane.benchmarks.shop.stock_functions import BranchStock, is_open
from controlplane.benchmarks.shop.table_texts import columns_called, table_rows
from controlplane.benchmarks.shop.text import normal_words, sure
from controlplane.benchmarks.shop.workspace import ShopLayout, on_harness, text_of
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

OWN_CHANNELS: Final = frozenset({"web", "mobile_app", "customer_terminal"})
"""Channels with the customer's own device or presence. A device of any other channel serves many customers."""


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """One payment. An empty device does not identify anybody."""

    id: str
    at: datetime
    customer: str
    city: str
    cents: int
    device: str = ""
    channel: str | None = None
    """None if the table does not give the channel, which then counts as the customer's own."""

    @property
    def is_own(self) -> bool:
        """True if the payment was made at a channel of the customer's own."""
        return self.channel is None or self.channel in OWN_CHANNELS


Rows = tuple[PaymentRow, ...]


def grouped(rows: Iterable[PaymentRow], key: Callable[[PaymentRow], object]) -> Iterator[Rows]:
    """Yield the rows of each key that is not empty, by time."""
    keyed = [row for row in rows if key(row)]
    for _, group in groupby(sorted(keyed, key=lambda row: str(key(row))), key=key):
        yield tuple(sorted(group, key=lambda row: row.at))


def chains(rows: Rows, gap: timedelta) -> Iterator[Rows]:
    """Yield the longest runs of rows, each at most `gap` after the one before. `rows` are sorted by time."""
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at].at - rows[at - 1].at > gap:
            yield rows[start:at]
            start = at


_WANTED: Final = {
    "customer": ("customer ref", "customer id", "customer", "account", "client", "buyer"),
    "city": ("store city", "city", "town"),
    "amount": ("amount cents", "cents", "ct", "amount"),
}
_PERHAPS: Final = {
    "device": ("device fingerprint", "device"),
    "channel": ("archive channel", "channel"),
}


def read_payments(text: str) -> list[PaymentRow]:
    """Return the payments of an export in its order. Raises `CannotRead` for a table of another shape."""
    rows = table_rows(text)
    columns = columns_called(rows, {**_WANTED, **_PERHAPS}, _PERHAPS)
    ids = [column for column in rows[0] if len({row[column] for row in rows}) == len(rows)]
    instants = [
        column for column in rows[0] if all(shape_of(row[column]) is Shape.INSTANT for row in rows)
    ]
    sure(ids and instants, "the table has no column of ids, or none of instants")
    columns |= {"id": ids[0], "at": instants[0]}  # They come first in a table.
    return [_payment(row, columns) for row in rows]


def _payment(row: dict[str, str], columns: dict[str, str]) -> PaymentRow:
    try:
        at, cents = datetime.fromisoformat(row[columns["at"]]), int(row[columns["amount"]])
    except ValueError:
        msg = f"row {row[columns['id']]} holds no amount in cents"
        raise CannotRead(msg) from None
    return PaymentRow(
        id=row[columns["id"]],
        at=at,
        customer=row[columns["customer"]],
        city=row[columns["city"]],
        cents=cents,
        device=row[columns["device"]] if "device" in columns else "",
        channel=row[columns["channel"]] if "channel" in columns else None,
    )


_PAUSE: Final = timedelta(minutes=60)
"""The longest pause within a series: nobody is in another city, or hands a device on, in such a short time."""
_LONG: Final = timedelta(minutes=30)
"""A pause within a series that may also lie between two series, or an honest customer's travel."""


def series(rows: Rows) -> Iterator[tuple[str, Rows]]:
    """Yield each run of payments at channels of the customers' own, of one customer in several cities or of several
    customers with one device, behind the words that say which of both it is."""
    own = [row for row in rows if row.is_own]
    for group in grouped(own, lambda row: row.customer):
        runs = (run for run in chains(group, _PAUSE) if len({row.city for row in run}) > 1)
        yield from (("one customer in several cities", run) for run in runs)
    for group in grouped(own, lambda row: row.device):
        runs = (run for run in chains(group, _PAUSE) if len({row.customer for row in run}) > 1)
        yield from (("several customers with one device", run) for run in runs)


def uncertain_series(rows: Sequence[PaymentRow]) -> list[str]:
    """Return what of an export may be read in another way: refunds, pairs, long pauses, rows of other channels."""
    refunds = [row.id for row in rows if row.cents < 0]
    notes = dict.fromkeys(
        f"{name} takes money back: see what the rules say of it and its payment" for name in refunds
    )
    if all(row.channel is None for row in rows):
        notes["the table gives no channels: what was paid at a shop may be among these rows"] = None
    for _, run in series(tuple(rows)):
        first, last = run[0], run[-1]
        pauses = [
            f"{left.id} and {right.id}"
            for left, right in pairwise(run)
            if right.at - left.at > _LONG
        ]
        beside = [row.id for row in rows if not row.is_own and row.customer == first.customer]
        within = [row.id for row in rows if row.id in beside and first.at <= row.at <= last.at]
        notes |= dict.fromkeys(f"there are more than 30 minutes between {pair}" for pair in pauses)
        notes |= dict.fromkeys(
            f"{name} is left out: it was paid at the shop, amid {first.customer}'s"
            for name in within
        )
        if len(run) == 2:
            notes[f"{first.id} and {last.id} are a pair"] = None
    return list(notes)


_TABLE: Final = re.compile(r"(?<![\w/])/[\w./ -]*?[\w-]+\.(?:tsv|csv)\b", re.IGNORECASE)


@on_harness
def fraud_rows(layout: ShopLayout, path: str) -> FunctionResult[dict[str, Any]]:
    """Return the fraudulent `rows` of an export by id, their `total`, and in words the `rules` that found them.

    Each row is cited as `PATH#row=ID`. Raises `CannotRead` for a table of another shape.
    """
    table = read_payments(text_of(layout, path))
    runs = list(series(tuple(table)))
    ids = {row.id for _, run in runs for row in run}
    rows = [row for row in table if row.id in ids]
    total = sum(row.cents for row in rows)
    value = {
        "rows": [{"id": row.id, "cents": row.cents, "customer": row.customer} for row in rows],
        "total": amount_text(total),
        "total_cents": total,
        "rules": sorted({rule for rule, _ in runs}),
    }
    refs = tuple(
        Reference(f"{path}#row={row.id}", f"row {row.id} of {row.customer} is fraud")
        for row in rows
    )
    return FunctionResult(
        value, refs, tuple(uncertain_series(table)) if refs else ("no row is part of a series",)
    )


@on_harness
def dispatch_plan(
    layout: ShopLayout, path: str, late_cents: int = 0, delays: object = None
) -> FunctionResult[dict[str, Any]]:
    """Return the plan of a wave with the highest expected gain: `answer` is its JSON.

    `expected_cost_cents` is the cost of trips and lateness, `expected_gain_cents` the margins minus that cost.
    `path` is the wave's document, which names its tables of packages and of lanes, and the page that states the rates.
    `late_cents` (by unit of time) and `delays` ({'often': 20, 'short': [1, 2]}: trips in 100, and bounds of delays) are
    rates that no page states. Without rates the plan reckons without delays, and a note says so.
    """
    document = text_of(layout, path)
    named = list(dict.fromkeys(_TABLE.findall(document)))
    pages = [page for page in named_paths(document) if page.casefold().endswith(".md")]
    tables = dict(zip(named, layout.reader.read_all(named), strict=True))
    lanes = [
        table
        for table in named
        if any("capacity" in key for row in table_rows(tables[table])[:1] for key in row)
    ]
    packages = [table for table in named if table not in lanes]
    why = f"{path} names no single table of lanes (with a capacity) and one of packages, but {', '.join(named)}"
    sure(len(lanes) == len(packages) == 1, why)
    rates = (
        given_rates(late_cents, delays or {})
        if late_cents or delays
        else _stated_rates(layout, pages)
    )
    wanted = read_packages(tables[packages[0]], rates.late_cents)
    ways, unknown = read_lanes(tables[lanes[0]], rates)
    why = f"no lane leads any package of {packages[0]} to its destination"
    plan = sure(plan_for_profit(wanted, ways), why)
    ranked = [
        {"package_id": name, "route": [lane.id for lane in route], "priority": rank}
        for rank, (name, route) in enumerate(plan.routes.items(), start=1)
    ]
    rows = sorted(ranked, key=lambda row: str(row["package_id"]))
    left = [package.id for package in wanted if package.id not in plan.routes]
    notes = [f"no route leads to the destination of {', '.join(left)}"] if left else []
    if unknown:
        notes.append(
            f"no page gives the rates of {', '.join(unknown[:_MOST_TOLD])}: planned without these delays"
        )
    if rates.late_cents is None:
        notes.append(
            "no page gives the price of a late unit of time: planned to be on time first, at no price"
        )
    cost = plan.trip_cents + (plan.late_cents if rates.late_cents is not None else 0)
    reasons = {path: "paths of the tables", packages[0]: "due times and margins", lanes[0]: "lanes"}
    refs = tuple(
        Reference(document, f"{why} of the dispatch wave") for document, why in reasons.items()
    )
    value = {
        "answer": json.dumps({"assignments": rows}),
        "expected_cost_cents": round(cost),
        "expected_gain_cents": round(plan.margin_cents - cost),
    }
    return FunctionResult(value, refs, tuple(notes))


def _stated_rates(layout: ShopLayout, pages: Sequence[str]) -> Rates:
    """Return the rates on the first page that states some; no rates if a page is missing or none does."""
    try:
        stated = [read_rates(text) for text in layout.reader.read_all(pages)]
    except LookupError:
        return Rates()
    return next((rates for rates in stated if rates != Rates()), Rates())


COLUMNS: Final = (
    "line_no competitor_code requested_description requested_qty branch_id branch_open match_status matched_sku "
    "matched_product_name available_today fulfillable_qty short_qty reason"
)
"""The columns of a cross list, as its page lists them."""
_ITEM: Final = re.compile(r"^ *\d{1,3} +(?P<count>\d{1,5}) +(?P<code>[A-Z]+-\w+) +(?P<text>\S.*)$")
_CONTINUED: Final = re.compile(r"^ {6,}(?!note:)(\S.*)$", re.IGNORECASE)
_SPECS: Final = re.compile(r"\bspecs:", re.IGNORECASE)
_BRANCH: Final = re.compile(r"\bbranch: *(\S.*)$", re.IGNORECASE | re.MULTILINE)
_WORDS: Final = {
    "exact": r"^exact$",
    "mismatch": r"^\w*mismatch$",
    "differs": r"\bnot\b.* match",
    "closed": r"\w .*\bclosed\b",
    "enough": r" .*\bquantity available\b",
    "short": r"\binsufficient\b",
}
"""Patterns of the words that the page on cross lists marks."""


@dataclass(frozen=True, slots=True)
class RequestedItem:
    """One line of a scanned request: the competitor's code, the described product, its specs by property, the units."""

    code: str
    description: str
    specs: Mapping[str, str]
    count: int

    def fits(self, product: Product) -> bool:
        """Say whether a product has every spec."""
        held = {
            normal_words(key): normal_words(value) for key, value in product.property_texts.items()
        }
        return self.specs.items() <= held.items()


@lru_cache(maxsize=2)
def requested_items(text: str) -> list[RequestedItem]:
    """Return the items of a scanned request."""
    begun: list[tuple[re.Match[str], list[str]]] = []
    for line in text.splitlines():
        if item := _ITEM.match(line):
            begun.append((item, [item["text"]]))
        elif begun and (more := _CONTINUED.match(line)):
            begun[-1][1].append(more[1])
    items = []
    for item, parts in begun:
        description, *specs = _SPECS.split(" ".join(parts))
        pairs = (pair.partition("=") for pair in " ".join(specs).split(";") if "=" in pair)
        wanted = {normal_words(key): normal_words(value) for key, _, value in pairs}
        items.append(RequestedItem(item["code"], description.strip(), wanted, int(item["count"])))
    return items


def _page_words(page: str) -> dict[str, str]:
    """Return the words of a page on cross lists: two states of a match and four reasons. Raises `CannotRead`."""
    marks = [mark for mark in marked_words(page) if mark != COLUMNS]
    words_by_name = {
        name: {mark for mark in marks if re.search(pattern, mark)}
        for name, pattern in _WORDS.items()
    }
    is_clear = all(len(words) == 1 for words in words_by_name.values())
    sure(is_clear, "the page on cross lists does not name each state and each reason once")
    return {name: words.pop() for name, words in words_by_name.items()}


def cross_list(layout: ShopLayout, upload: str) -> FunctionResult[str]:
    """Return the cross list of an uploaded request as the page on cross lists wants it; page and upload are cited.

    Raises `CannotRead` if the page, the branch or the product of a description is not certain.
    """
    texts = {
        path: " ".join(page.split())
        for path, page in layout.documents.items()
        if COLUMNS[:7] in page
    }
    pages = [path for path, page in texts.items() if COLUMNS in marked_words(page)]
    request = text_of(layout, upload)
    items, named = requested_items(request), _BRANCH.findall(request)
    why = f"there is no single page on cross lists, or {upload} has no items for a single branch"
    sure(len(pages) == len(named) == 1 and items, why)
    products = catalogue_of(layout).named([item.description for item in items])
    words = _page_words(texts[pages[0]])
    branch = branch_called(layout, named[0])
    stock, is_trading = BranchStock(layout, branch), is_open(layout, branch)
    rows: list[Sequence[object]] = [COLUMNS.split()]
    for item, product in zip(items, products, strict=True):
        fits = item.fits(product)
        free = stock.units(product.code)["available"] if fits else 0
        served = min(item.count, free) if is_trading else 0
        stocked = "enough" if free >= item.count else "short"
        reason = words[(stocked if is_trading else "closed") if fits else "differs"]
        match = (
            (words["exact"], product.code, product.name) if fits else (words["mismatch"], "", "")
        )
        head = (len(rows), item.code, product.name, item.count, branch.id, str(is_trading).lower())
        rows.append((*head, *match, free, served, item.count - served, reason))
    table = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    reasons = {
        upload: f"the request for {branch.name}",
        pages[0]: f"the columns and reasons, such as {words['closed']}",
    }
    return FunctionResult(table, tuple(Reference(path, reason) for path, reason in reasons.items()))


_MOST_TOLD: Final = 3
"""Most cells of a table that a function result names."""


def judge_table(layout: ShopLayout, text: str) -> tuple[tuple[Reference, ...], list[str]]:
    """Return the files behind a cross list or an export of stock by day, and the cells that differ from what they give.

    Raises `CannotRead` if the uploaded request, or the branch, is not certain.
    """
    separator = "\t" if text.startswith(COLUMNS[:7]) else ","
    rows = [line.split(separator) for line in text.splitlines() if line.strip()]
    codes = [row[1] for row in rows[1:] if separator == "\t" and len(row) > 1 and row[1]]
    if layout.documents and separator == ",":
        return _judge_export(layout, rows)
    paths = {path for path, _ in layout.reader.search(re.escape(codes[0]), "/")} if codes else set()
    uploads = [
        path for path in paths if not path.casefold().endswith((".json", ".md", ".tsv", ".csv"))
    ]
    sure(len(uploads) == 1, "no single upload holds the first code of the table")
    wanted = cross_list(layout, uploads[0])
    return wanted.refs, _differences(rows, [line.split("\t") for line in wanted.value.splitlines()])


def _judge_export(
    layout: ShopLayout, rows: list[list[str]]
) -> tuple[tuple[Reference, ...], list[str]]:
    """Compare an export of stock by day with the branch that has most of its rows."""
    header, *lines = rows
    catalogue, paths = catalogue_of(layout), layout.group(Kind.BRANCH).paths
    if unknown := [row[0] for row in lines if row[0] not in catalogue.codes]:
        return (), [f"no product is called {', '.join(unknown[:_MOST_TOLD])}"]
    try:
        today = datetime.fromisoformat(layout.clock[:10])
        days = [(datetime.fromisoformat(day) - today).days for day in header[1:]]
    except ValueError as error:
        raise CannotRead(str(error)) from None
    left, branches = (
        catalogue.missing_siblings([row[0] for row in lines]),
        layout.unnamed.read(paths),
    )
    fields = BranchStock(layout, branches[0]).fields
    stocks = {branch.path: BranchStock(layout, branch, fields) for branch in branches}

    def equal(branch: Record, days: list[int]) -> int:
        return sum(_due(stocks[branch.path], row[0], days) == row[: len(days) + 1] for row in lines)

    first = [equal(branch, days[:1]) for branch in branches]
    likely = [branch for branch, count in zip(branches, first, strict=True) if count == max(first)]
    best = max(likely, key=lambda branch: equal(branch, days))
    sure(2 * equal(best, days) >= len(lines), "no branch has half of the rows")
    table = [_due(stocks[best.path], row[0], days) for row in lines]
    return (reference_to(best, Kind.BRANCH),), _differences(
        rows, [header, *table, *([code] for code in left)]
    )


def _due(stock: BranchStock, code: str, days: list[int]) -> list[str]:
    """Return a row: a product, and by day the units that a branch can sell today, or that arrive then."""
    before = [stock.units(code, day - 1)["within"] if day else 0 for day in days]
    return [
        code,
        *(
            str(stock.units(code, day)["within"] - earlier)
            for day, earlier in zip(days, before, strict=True)
        ),
    ]


def _differences(rows: list[list[str]], wanted: list[list[str]]) -> list[str]:
    """Return the first cells of a table that differ from the wanted ones, or the rows that it lacks or has beside."""
    if len(rows) != len(wanted):
        at = int(wanted[0][0] == "line_no")
        lacking = [
            row[at]
            for row in wanted
            if row[at] not in {cell for written in rows for cell in written}
        ]
        what = f"; no row is about {', '.join(lacking[:_MOST_TOLD])}" if lacking else ""
        return [f"the table has {len(rows) - 1} rows, and {len(wanted) - 1} are due{what}"]
    cells = [
        f"line {at}: `{name}` is {cell!r}, and the records give {due!r}"
        for at, (row, right) in enumerate(zip(rows[1:], wanted[1:], strict=True), 1)
        for name, cell, due in zip_longest(wanted[0], row, right, fillvalue="")
        if cell != due
    ]
    more = [f"{len(cells) - _MOST_TOLD} more cells differ"] if len(cells) > _MOST_TOLD else []
    return cells[:_MOST_TOLD] + more
