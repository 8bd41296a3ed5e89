"""Tasks about products, prices and stock, and about scanned papers: receipts, and requests with a competitor's codes.

A scan misreads letters, drops some, changes case, and puts rubbish between the lines. A scan never turns one digit
into another, so that it keeps a single reading.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random
from textwrap import wrap
from typing import Final

from controlplane.benchmarks.ecom.tasks.grader import Truth, exact
from controlplane.benchmarks.ecom.tasks.orders import which_product
from controlplane.benchmarks.ecom.world.company import Product, Stock, Store, read_data
from controlplane.benchmarks.ecom.world.generator import CROSSLIST, World, euros

FORMATS: Final = ('"%d" (without the quotes)', "<COUNT:%d>", "[QTY:%d]", "count=%d")
CONDITIONS: Final[Mapping[str, Callable[[Stock, int, int], bool]]] = {
    "available": lambda row, units, days: row.available >= units,
    "held": lambda row, units, days: row.on_hand >= units > row.available,
    "soon": lambda row, units, days: row.available < units <= row.within(days),
    "none": lambda row, units, days: row.available == 0,
}
"""Tests of a stock row, each of which takes a number of units and of days."""


def inventory_export(world: World, variant: int) -> Truth:
    """Request a CSV export of one product family's stock at one branch, today and on later dates."""
    rng = world.rng
    world.sign_in_employee()
    store = world.some_store()
    line = world.catalogue.family(world.some_products(1)[0].family_id)
    offsets = [0, *sorted(rng.sample(range(1, 9), 3))]
    for product in line[:-1]:
        incoming = [(rng.randint(1, 9), day) for day in rng.sample(offsets[1:], 2)]
        store.inventory[product.sku] = Stock(rng.randint(0, 9), rng.randint(0, 4), incoming)
    path = f"/exports/stock-{rng.getrandbits(24):06x}.csv"
    world.directories.append("/exports")
    days = [world.clock.date() + timedelta(offset) for offset in offsets]
    header, branch = ",".join(["SKU", *(day.isoformat() for day in days)]), world.nickname(store)
    rows = [header]
    for product in line:
        stock = store.inventory.get(product.sku, Stock(0, 0))
        later = (
            sum(count for count, due in stock.incoming if due == offset) for offset in offsets[1:]
        )
        rows.append(",".join([product.sku, str(stock.available), *map(str, later)]))
    return exact(
        world.say(
            "inventory-export", path=path, branch=branch, family=line[0].family_id, header=header
        ),
        path,
        records=world.paths(store, *line),
        tolerated=(path,),
        changes={path: "\n".join(rows) + "\n"},
        exact_ends=True,
        inputs={"store": world.path(store), "path": path},
    )


def price_count(world: World, variant: int) -> Truth:
    """Ask how many products that fit a description cost less than a limit, which often equals one product's price."""
    rng = world.rng
    world.sign_in_anyone(or_guest=True)
    wish = world.catalogue.loose(rng)
    prices = sorted(product.price_cents for product in wish.products)
    limit = (
        rng.choice(prices)
        if rng.random() < 0.4
        else rng.randint(prices[0], prices[-1] * 115 // 100)
    )
    if rng.random() < 0.9:  # Mostly some product costs less.
        limit = max(limit, prices[0] + 1)
    counted = [product for product in wish.products if product.price_cents < limit]
    return exact(
        world.say("price-count", asked=wish.text, limit=euros(limit)),
        str(len(counted)),
        records=world.paths(*counted),
        inputs={"paths": "\n".join(map(world.path, wish.products)), "limit": str(limit)},
    )


def product_existence(world: World, variant: int) -> Truth:
    """Ask for a product by a description that one product fits (1) or none (2)."""
    rng, policy = world.rng, world.policy
    world.sign_in_anyone(or_guest=True)
    wish = world.catalogue.confirmed(rng) if variant == 1 else world.catalogue.contradicted(rng)
    family = world.catalogue.family(wish.products[0].family_id)
    return exact(
        world.say("product-existence", asked=wish.text),
        policy.word(variant == 1),
        records=world.paths(*wish.products) if variant == 1 else (),
        inputs={
            "paths": "\n".join(map(world.path, family)),
            "fitting": wish.products[0].sku if variant == 1 else "",
        },
    )


def product_property(world: World, variant: int) -> Truth:
    """Ask for one nested property of a product, exactly as its file shows it."""
    rng = world.rng
    world.sign_in_anyone(or_guest=True)
    product = rng.choice(list(world.catalogue.products.values()))
    key, value = rng.choice(sorted(product.properties.items()))
    return exact(
        world.say(
            "product-property", sku=product.sku, field=world.names.field("properties"), key=key
        ),
        value if isinstance(value, str) else json.dumps(value),
        records=world.paths(product),
        inputs={"path": world.path(product), "key": key},
    )


def sku_lookup(world: World, variant: int) -> Truth:
    """Ask for the SKU of a product by a description that settles it (1) or leaves it open between several (2)."""
    rng, catalogue = world.rng, world.catalogue
    world.sign_in_anyone(or_guest=True)
    if variant == 2:
        vague = catalogue.vague(rng)
        return which_product(world, world.say("sku-lookup", asked=vague.text), vague.products)
    product = rng.choice(list(catalogue.products.values()))
    question = world.say("sku-lookup", asked=catalogue.describe(rng, product))
    return exact(question, product.sku, records=world.paths(product), inputs={"skus": product.sku})


def _subject(world: World, *, is_open: bool) -> tuple[str, list[Product], list[Product]]:
    """Return a description, the products that it fits, and that which it rules out; if not `is_open`, one fits."""
    rng = world.rng
    if rng.random() < 0.35:
        if is_open:
            open_between = world.catalogue.vague(rng, is_on_shelf=True)
            return f"'{open_between.text}'", [*open_between.products], []
        product = world.some_products(1)[0]
        return f"'{world.catalogue.describe(rng, product)}'", [product], []
    open_between = world.catalogue.vague(rng, most=3 if is_open else 2, is_on_shelf=True)
    while len(open_between.products) < 2 + is_open:
        open_between = world.catalogue.vague(rng, is_on_shelf=True)
    ruled_out, *fitting = rng.sample(open_between.products, len(open_between.products))
    return world.say("excluded", asked=open_between.text, sku=ruled_out.sku), fitting, [ruled_out]


def stock_answer(world: World, variant: int) -> Truth:
    """Ask whether a branch has at least N units today (1), or with incoming stock counted (2), or of what (3).

    In some worlds a page says that ruled-out products are cited, too.
    """
    rng = world.rng
    world.sign_in_anyone(or_guest=True)
    store = world.some_store()
    phrase, fitting, ruled_out = _subject(world, is_open=variant == 3)
    cited, tolerated = (
        ([*fitting, *ruled_out], []) if world.policy.cites_mentioned else (fitting, ruled_out)
    )
    sku = fitting[0].sku
    units, days = rng.randint(2, 7), rng.randint(2, 6)
    is_enough = rng.random() < 0.5
    name = "stock-answer-soon" if variant == 2 else "stock-answer"
    question = world.say(name, units=units, phrase=phrase, branch=world.nickname(store), days=days)
    if variant == 3:
        asked_back = which_product(world, question, fitting)
        return replace(
            asked_back, records=world.paths(*cited), tolerated=world.paths(store, *tolerated)
        )
    soon = rng.randint(1, units - 1) if variant == 2 else 0
    free = (units if is_enough else units - 1) - soon + (rng.randint(0, 2) if is_enough else 0)
    late = (rng.randint(2, 6), days + rng.randint(1, 5))
    world.set_available(
        store, sku, free, incoming=[(soon, rng.randint(1, days)), late] if soon else [late]
    )
    return exact(
        question,
        world.policy.word(is_enough),
        records=world.paths(store, *cited),
        tolerated=world.paths(*tolerated),
        inputs={
            "store": world.path(store),
            "sku": sku,
            "units": str(units),
            "days": str(days) if variant == 2 else "",
        },
    )


def _row(world: World, wish: bool, condition: str, units: int, days: int) -> Stock:
    """Return a row that meets the condition, or misses it in a way that invites a miscount."""
    rng = world.rng
    reserved = rng.randint(1, 4)
    match condition:
        case "available":
            free = units + rng.randint(0, 4) if wish else units - 1
            return Stock(free + reserved, reserved, [] if wish else [(5, rng.randint(1, 5))])
        case "held":
            free = units - 1 if wish else units
            return (
                Stock(free + reserved, reserved)
                if wish or rng.random() < 0.5
                else Stock(units - 1, 0)
            )
        case "soon":
            due = rng.randint(1, days) if wish else days + rng.randint(1, 4)
            return Stock(units - 1 + reserved, reserved, [(rng.randint(1, 4), due)])
        case _:
            return (
                Stock(reserved, reserved + rng.choice((0, 1)))
                if wish
                else Stock(reserved + 1, reserved)
            )


def stock_count(world: World, variant: int) -> Truth:
    """Ask how many of six named products meet a stock condition at one branch, in a given format."""
    rng = world.rng
    condition = ("available", "held", "soon")[variant - 1]
    if variant == 1 and rng.random() < 0.4:
        condition = "none"
    world.sign_in_anyone(or_guest=True)
    store = world.some_store()
    products = world.some_products(6)
    units, days = rng.randint(2, 5), rng.randint(2, 6)
    for product in products:
        store.inventory[product.sku] = _row(world, rng.random() < 0.45, condition, units, days)
    if variant == 1 and rng.random() < 0.5:
        store.inventory.pop(products[0].sku)
    rows = [store.inventory.get(product.sku, Stock(0, 0)) for product in products]
    count = sum(CONDITIONS[condition](row, units, days) for row in rows)
    template = rng.choice(FORMATS)
    pattern = template.split('"')[1] if '"' in template else template
    skus = ", ".join(product.sku for product in products)
    phrase = world.say(f"condition-{condition}", units=units, days=days)
    return exact(
        world.say(
            "stock-count",
            condition=phrase,
            branch=world.nickname(store),
            skus=skus,
            template=template,
        ),
        pattern % count,
        records=world.paths(store, *products),
        inputs={
            "store": world.path(store),
            "skus": " ".join(product.sku for product in products),
            "pattern": pattern,
            "case": condition,
            "units": str(units),
            "days": str(days),
        },
    )


SCANS: Final = read_data("scans.json")
"""The texts of scans and crosslists, and the characters that scans misread."""
LINE_WIDTH: Final = 60


def _replaced(rng: Random, text: str, misread: Mapping[str, str]) -> str:
    """Return the text with one character misread, if it has a character that can be misread."""
    places = [at for at, character in enumerate(text) if character in misread]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + misread[text[at]] + text[at + 1 :]


def _dropped(rng: Random, text: str) -> str:
    """Return the text without one letter from inside a word of at least six letters."""
    words = text.split(" ")
    long = [at for at, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    if not long:
        return text
    at = rng.choice(long)
    cut = rng.randrange(2, len(words[at]) - 1)
    words[at] = words[at][:cut] + words[at][cut + 1 :]
    return " ".join(words)


def _worn(rng: Random, text: str, level: float) -> str:
    if rng.random() < level:
        text = _dropped(rng, text)
    if rng.random() < level:
        text = _replaced(rng, text, SCANS["misread"])
    return text.upper() if rng.random() < level / 3 else text


def _rule(rng: Random, level: float) -> str:
    return "".join(rng.choice(".:_ ") if rng.random() < level / 12 else "-" for _ in range(54))


def _rubbish(rng: Random, level: float) -> list[str]:
    return [rng.choice(SCANS["rubbish"])] if rng.random() < level else []


@dataclass(frozen=True, slots=True)
class SlipLine:
    """One line of a receipt: a product, its quantity, its price then, and the noted code."""

    product: Product
    count: int
    each_cents: int
    code: str


def _subtotal(lines: Sequence[SlipLine]) -> int:
    return sum(line.count * line.each_cents for line in lines)


def _slip_text(world: World, store: Store, lines: Sequence[SlipLine], *, level: float) -> str:
    """Return the scan of a handwritten sales slip; `level` is its wear, from 0 to 1: the chance of each mishap."""
    rng, amount = world.rng, "{:.2f}".format
    sold = world.ago(days=rng.randint(20, 300))
    text = [
        _worn(rng, f"{store.name.split()[0].upper()} MANUAL SALES SLIP", level),
        _worn(rng, "TILL OUTAGE BACKUP - HAND ENTERED", level),
        _rule(rng, level),
        f"Store : {_worn(rng, store.name, level)}",
        f"Branch: {_worn(rng, store.street, level)} {store.city}",
        *_rubbish(rng, level),
        f"Slip  : S-{rng.getrandbits(32):08x}     Date : {sold[:10]}   Time: {sold[11:16]}",
        _rule(rng, level),
        " Qty  Item written on outage form        Each      Line",
    ]
    for number, line in enumerate(lines, start=1):
        count, total = str(line.count), amount(line.count * line.each_cents / 100)
        count = (
            _replaced(rng, count, SCANS["misread_digits"]) if rng.random() < level / 2 else count
        )
        total = (
            _replaced(rng, total, SCANS["misread_digits"]) if rng.random() < level / 3 else total
        )
        doubled = line.product.brand if rng.random() < level / 2 else ""
        name = f"{doubled} {_worn(rng, line.product.name, level)}".strip()
        first, rest = name[:24], name[24:]  # A narrow column breaks a name at its width.
        text.append(
            f"[{number}]  {count}  {first:<26} {amount(line.each_cents / 100):>8} {total:>9}"
        )
        text += [f"        {rest}"] if rest else []
        text += _rubbish(rng, level / 2)
        text.append(f"     SKU / clerk note: {_worn(rng, line.code, level)}")
    net = _subtotal(lines)
    tax = net * 20 // 100
    text += [
        _rule(rng, level),
        f"Manual subtotal excl. VAT   EUR {amount(net / 100)}",
        f"Tax VAT 20%                 EUR {amount(tax / 100)}",
        f"MANUAL TOTAL                EUR {amount((net + tax) / 100)}",
        "Customer signature: ______v__n_",
        *_rubbish(rng, level),
    ]
    return "\n".join(text) + "\n"


def _add_upload(world: World, kind: str, text: str) -> str:
    """Add an upload and perhaps some of other kinds, and return its path."""
    rng = world.rng
    upload = world.names.upload(kind, f"{rng.getrandbits(32):08x}")
    world.files[upload] = text
    for other in rng.sample(sorted(SCANS["others"]), rng.randint(0, 2)):
        path = world.names.upload(other, f"{rng.getrandbits(32):08x}")
        world.files[path] = SCANS["others"][other].format(rng.randint(2, 40))
    return upload


def receipt_rebuy(world: World, variant: int) -> Truth:
    """Ask whether a receipt can be bought again: a named one (1), or a noisy one that is the last upload (2)."""
    rng = world.rng
    world.sign_in_anyone(or_guest=True)
    store = world.some_store()
    lines = []
    for product in world.some_products(rng.randint(2, 4)):
        then = (
            product.price_cents
            if rng.random() < 0.7
            else product.price_cents * rng.randint(92, 108) // 100
        )
        code = product.sku if rng.random() < 0.8 else f"{product.sku.rsplit('-', 1)[0]}-OLD"
        lines.append(SlipLine(product, rng.choice((1, 1, 2, 3, 5, 10, 12)), then, code))
    is_possible = rng.random() < 0.5
    short = None if is_possible else rng.choice(lines)
    for line in lines:
        free = line.count - 1 if line is short else line.count + rng.randint(0, 3)
        world.set_available(
            store, line.product.sku, free, incoming=[(9, 2)] if line is short else []
        )
    upload = _add_upload(
        world, "receipt", _slip_text(world, store, lines, level=0.25 if variant == 1 else 0.7)
    )
    return exact(
        world.say("receipt-rebuy" if variant == 1 else "receipt-rebuy-last", path=upload),
        world.policy.word(is_possible),
        records=(upload, *world.paths(store, *(line.product for line in lines))),
        inputs={
            "store": world.path(store),
            "bought": " ".join(f"{line.product.sku}={line.count}" for line in lines),
        },
    )


def receipt_reprice(world: World, variant: int) -> Truth:
    """Ask whether a receipt costs about the same today; the price of one line has changed."""
    rng = world.rng
    world.sign_in_anyone(or_guest=True)
    store = world.some_store()
    products = world.some_products(rng.randint(2, 4))
    lines = [
        SlipLine(product, rng.randint(1, 3), product.price_cents, product.sku)
        for product in products
    ]
    limit, is_within = rng.randint(1, 4), rng.random() < 0.5
    changed = lines[0]
    apart = (
        limit * 100 - rng.choice((0, 3, 60))
        if is_within
        else limit * 100 + rng.choice((4, 30, 250))
    )
    by = apart // changed.count if is_within else -(-apart // changed.count)
    then = changed.each_cents + (by if changed.each_cents < 3 * by or rng.random() < 0.5 else -by)
    lines[0] = SlipLine(changed.product, changed.count, then, changed.code)
    rng.shuffle(lines)
    now, before = sum(line.count * line.product.price_cents for line in lines), _subtotal(lines)
    upload = _add_upload(world, "receipt", _slip_text(world, store, lines, level=0.45))
    return exact(
        world.say("receipt-reprice", path=upload, limit=limit),
        world.policy.word(abs(now - before) <= limit * 100),
        records=(upload, *world.paths(store, *products)),
        inputs={
            "bought": "\n".join(f"{world.path(line.product)}\t{line.count}" for line in lines),
            "limit": str(limit * 100),
        },
    )


@dataclass(frozen=True, slots=True)
class RequestLine:
    """One line of a purchase request: the described product, the requested specs, and the quantity."""

    code: str
    product: Product
    specs: Mapping[str, str | float | bool]
    count: int

    @property
    def is_match(self) -> bool:
        """True if every spec is the product's own."""
        return all(self.product.properties.get(key) == value for key, value in self.specs.items())


def _crosslist_text(store: Store, lines: Sequence[RequestLine]) -> str:
    rows: list[Sequence[object]] = [SCANS["columns"]]
    for number, line in enumerate(lines, start=1):
        free = store.inventory.get(line.product.sku, Stock(0, 0)).available if line.is_match else 0
        served = min(line.count, free) if store.is_open else 0
        reason = "closed" if not store.is_open else "enough" if free >= line.count else "short"
        reason = SCANS["reasons"][reason if line.is_match else "mismatch"]
        match = (
            ("exact", line.product.sku, line.product.name)
            if line.is_match
            else ("property_mismatch", "", "")
        )
        head = (
            number,
            line.code,
            line.product.name,
            line.count,
            store.id,
            str(store.is_open).lower(),
        )
        rows.append((*head, *match, free, served, line.count - served, reason))
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def _request_text(world: World, store: Store, lines: Sequence[RequestLine]) -> str:
    """Return the scan of a purchase request. Its digits and names are whole; case, breaks and rules are not."""
    rng = world.rng
    text = [
        "            HALVORSEN TENDER DESK",
        "             PROCUREMENT REQUEST",
        _rule(rng, 0.6),
        f"Request PR-{rng.getrandbits(32):08X}      Date {world.clock.date()}",
        f"BUYER   {rng.choice(SCANS['buyers'])}",
        f"{store.name.split()[0]} target branch: {store.name}",
        *_rubbish(rng, 0.4),
        f"TARGET AREA: {store.street} {store.city}".upper(),
        _rule(rng, 0.6),
        "Line Qty   Competitor      Requested item / properties",
    ]
    for number, line in enumerate(lines, start=1):
        shown = line.product.name if rng.random() < 0.7 else line.product.name.upper()
        text += wrap(
            f"{number}    {line.count}     {line.code}      {shown}",
            LINE_WIDTH,
            subsequent_indent=" " * 27,
        )
        values = {
            key: json.dumps(value) if isinstance(value, bool) else value
            for key, value in line.specs.items()
        }
        specs = "specs: " + "; ".join(
            f"{key.replace('_', ' ')}={value}" for key, value in values.items()
        )
        specs = specs.upper() if rng.random() < 0.25 else specs
        text += wrap(
            f"      {specs}", LINE_WIDTH, subsequent_indent=" " * 13, break_on_hyphens=False
        )
        text += (
            ["      note:  verify exact specification before substituting"]
            if rng.random() < 0.2
            else []
        )
        text += _rubbish(rng, 0.15)
    text += [
        _rule(rng, 0.6),
        f"Total requested lines: {len(lines)}",
        f"Total requested units: {sum(line.count for line in lines)}",
        "Memo: competitor codes are no SKUs of the branch.",
        "Memo: serve only the exact same specification.",
    ]
    return "\n".join(text) + "\n"


def _request_line(world: World, product: Product, *, is_match: bool) -> RequestLine:
    """Return a line for a product; a line that does not match has a spec of a sibling."""
    rng = world.rng
    keys = rng.sample(sorted(product.properties), min(len(product.properties), rng.randint(2, 4)))
    specs = {key: product.properties[key] for key in sorted(keys)}
    if not is_match:
        key, value = rng.choice(_differing(world, product))
        specs = dict(sorted({**specs, key: value}.items()))
    return RequestLine(f"CMP-{rng.getrandbits(24):06X}", product, specs, rng.randint(1, 9))


def _differing(world: World, product: Product) -> list[tuple[str, str | float | bool]]:
    """Return the properties of siblings that differ from a product's own, each with its value."""
    return [
        (key, sibling.properties[key])
        for sibling in world.catalogue.family(product.family_id)
        for key in sorted(product.properties)
        if sibling.properties.get(key, product.properties[key]) != product.properties[key]
    ]


def crosslist(world: World, variant: int) -> Truth:
    """Request a crosslist: the articles that match a competitor's request, and how far a branch can serve it."""
    rng = world.rng
    world.sign_in_employee()
    store = world.some_store(is_open=rng.random() < 0.75)
    named = {product.sku: product.name for product in world.catalogue.shelf}
    distinct = [  # Their properties differ from a sibling's, and their name is not a part of another's.
        product
        for product in world.catalogue.shelf
        if _differing(world, product)
        and not any(
            product.name in named[sibling.sku]
            for sibling in world.catalogue.family(product.family_id)
            if sibling is not product
        )
    ]
    products = rng.sample(distinct, rng.randint(4, 6))
    lines = [_request_line(world, product, is_match=rng.random() < 0.65) for product in products]
    for line in lines:
        free = rng.choice((0, line.count - 1, line.count, line.count + 4))
        world.set_available(store, line.product.sku, free, incoming=[(6, rng.randint(1, 4))])
    upload = world.names.upload("competitor_purchase_request", f"{rng.getrandbits(32):08x}")
    world.files[upload] = _request_text(world, store, lines)
    path = f"/exports/crosslist-{rng.getrandbits(24):06x}.tsv"
    world.directories.append("/exports")
    entries = [
        {
            "code": line.code,
            "path": world.path(line.product),
            "specs": dict(line.specs),
            "count": line.count,
        }
        for line in lines
    ]
    return exact(
        world.say("crosslist", upload=upload, path=path),
        path,
        records=(upload,),
        documents=world.documents(CROSSLIST),
        tolerated=(path, *world.paths(store, *products)),
        changes={path: _crosslist_text(store, lines)},
        inputs={"path": path, "store": world.path(store), "lines": json.dumps(entries)},
    )
