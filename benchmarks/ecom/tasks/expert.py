"""Tasks of the profile `expert`: measures to convert, rules that supersede one another, obstacles in a stated order.

Every rule of a task stands in dated notices of its own world, drawn here and evaluated by the generator; what is asked
has one answer in a form of its own. No function of a shop knows these rules, so each takes several steps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from importlib.resources import files
from typing import Any, Final

from benchmarks.ecom.tasks.orders import withheld_basket
from benchmarks.ecom.tasks.task import OK, UNSUPPORTED, Truth, exact
from benchmarks.ecom.world import pages
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import CHECKOUT, DISCOUNTS, SECURITY, euros
from benchmarks.ecom.world.shop_records import ABANDONED, ACTIVE, CHECKED_OUT, Basket, Discount, Product

MEASURES: Final[Mapping[str, Any]] = json.loads((files(pages.__package__ or "") / "measures.json").read_text("utf-8"))
"""By property: the words for less and for more, and the units to convert from, each with its worth in the record's."""
APART: Final = 0.04
"""Least relative distance of a limit in another unit from any product's value: rounding decides nothing."""


def _notice(world: World, day: date, subject: str, name: str, /, **values: object) -> str:
    """Add a notice of a day in one of the wordings of a name, and return its path."""
    path = f"{world.names.notices}/{day.isoformat()}-{subject}.md"
    text = world.say(name, day=day.isoformat(), **values)
    kept = world.notices.files if world.notices.rule else ()
    rule = world.notices.rule or world.say("notices", folder=world.names.notices)
    world.notices = replace(world.notices, rule=rule, files=(*kept, (path, f"# Notice of {day}\n\n{text}\n")))
    return path


def _day(world: World, least: int, most: int) -> date:
    """Return a day that many days ago; a negative number is a day to come."""
    return world.clock.date() - timedelta(days=world.rng.randint(least, most))


def _codes(world: World, names: Sequence[str]) -> dict[str, str]:
    """Return a code for each name, in an order of the world's own: that in which obstacles are looked for."""
    drawn = world.rng.sample(range(10, 100), len(names))
    return {name: f"{world.rng.choice('BDFKLMRTX')}{number}" for name, number in zip(names, drawn, strict=True)}


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a property with a limit in another unit."""

    key: str
    is_more: bool
    limit: float
    """In the unit of the record."""
    text: str

    def holds(self, product: Product) -> bool:
        """Say whether a product meets the condition."""
        value = float(product.properties[self.key])
        return value > self.limit if self.is_more else value < self.limit


def _condition(world: World, kind: Sequence[Product]) -> Condition:
    """Draw a condition on a measure that all products of a kind have; its limit lies apart from all their values."""
    rng = world.rng
    key = rng.choice([key for key in MEASURES if all(key in product.properties for product in kind)])
    values = sorted({float(product.properties[key]) for product in kind})
    at = rng.randrange(len(values) + 1)
    low = values[at - 1] if at else values[0] * 0.6
    high = values[at] if at < len(values) else values[-1] * 1.5
    words, units = MEASURES[key]
    unit, worth = rng.choice(units)
    is_more = rng.random() < 0.5
    shown = f"{rng.uniform(low * (1 + APART), high * (1 - APART)) / worth:.3g}"
    return Condition(key, is_more, float(shown) * worth, f"{words[is_more]} {float(shown):g} {unit}")


def measured_products(world: World, variant: int) -> Truth:
    """Ask for products by a measure in another unit and a price beside a named product's: how many (1), which (2)."""
    rng, kinds = world.rng, dict[str, list[Product]]()
    world.sign_in_anyone()
    for product in world.catalogue.products.values():
        kinds.setdefault(product.kind_id, []).append(product)
    measured = [kind for kind, some in kinds.items() if any(all(key in p.properties for p in some) for key in MEASURES)]
    fitting: list[Product] = []
    while not fitting:
        kind_id = rng.choice(measured)
        condition, other = _condition(world, kinds[kind_id]), rng.choice(kinds[kind_id])
        by = rng.randint(2, 30) * 100 * rng.choice((1, -1))
        limit = other.price_cents + by
        held = [product for product in kinds[kind_id] if condition.holds(product)]
        fitting = [one for one in held if (one.price_cents >= limit if by > 0 else one.price_cents <= limit)]
    values = {
        "kind": kind_id,
        "condition": condition.text,
        "apart": f"at least {euros(abs(by))} {'more' if by > 0 else 'less'}",
        "other": other.name,
    }
    tolerated = frozenset(world.cite([other, *held]))
    prices = sorted((product.price_cents for product in fitting), reverse=by < 0)
    if variant == 1 or prices[0] in prices[1:]:
        instruction, tolerated = world.say("measured-count", **values), frozenset(world.cite([other]))
        return exact(instruction, str(len(fitting)), world.cite(fitting), tolerated=tolerated)
    (best,) = (product for product in fitting if product.price_cents == prices[0])
    instruction = world.say("measured-extreme", extreme="cheapest" if by > 0 else "dearest", **values)
    return exact(instruction, best.sku, world.cite([best]), tolerated=tolerated)


def _maximum(world: World, basket: Basket, reason: str) -> int:
    """Draw notices on the maximum of each reason, an exception with dates, its withdrawal, and an extra percent.

    Returns the maximum that holds for a basket and a reason today.
    """
    rng, policy, today = world.rng, world.policy, world.clock.date()
    page = world.names.documents[DISCOUNTS]
    by_reason = dict(zip(policy.reason_codes, rng.sample(range(3, 15), 3), strict=True))
    first = _day(world, 40, 60)
    listed = ", ".join(f"`{code}` {percent} %" for code, percent in by_reason.items())
    general = _notice(world, first, "maxima", "notice-reasons", listed=listed, page=page)
    city, other = world.stores[basket.store_id].city, rng.choice(list(world.stores.values())).city
    place, named = rng.choice((city, city, other)), rng.choice((reason, reason, policy.reason_codes[0]))
    start, end = _day(world, 12, 35), _day(world, -9, 9)
    raised = by_reason[named] + rng.randint(2, 5)
    exception = _notice(
        world,
        start,
        "exception",
        "notice-exception",
        end=end.isoformat(),
        reason=named,
        percent=raised,
        city=place,
        notice=general,
    )
    maximum = by_reason[reason]
    withdrawn = _day(world, -6, 11) if rng.random() < 0.6 else None
    if withdrawn:
        _notice(world, withdrawn, "withdrawal", "notice-withdrawal", notice=exception)
    is_in_force = start <= today <= end and not (withdrawn and withdrawn <= today)
    if is_in_force and place == city and named == reason:
        maximum = raised
    units, count = sum(basket.lines.values()), rng.randint(2, 6)
    extra = _day(world, -4, 10)
    _notice(world, extra, "units", "notice-units", count=count, notice=general)
    return maximum + (extra <= today and units >= count)


DISCOUNT_OBSTACLES: Final = ("branch", "discounted", "status", "short", "maximum")


def ranked_discount(world: World, variant: int) -> Truth:
    """Request a discount by notices on maxima: nothing stands against it (1), or several things, ranked (2)."""
    rng, policy = world.rng, world.policy
    store, reason = world.some_store(is_open=True), rng.choice(policy.reason_codes)
    basket = world.add_basket(world.new_id("cust"), store, world.stocked_lines(store, rng.randint(1, 3)))
    world.notices = replace(world.notices, rule="")
    maximum = _maximum(world, basket, reason)
    ranked = rng.sample(DISCOUNT_OBSTACLES, len(DISCOUNT_OBSTACLES))
    codes = _codes(world, ranked)
    against = set() if variant == 1 else {*rng.sample(ranked, rng.randint(1, 3))}
    at = rng.choice([other for other in world.stores.values() if other is not store]) if "branch" in against else store
    issuer = world.sign_in_employee(store=at, role=policy.discount_role)
    if "discounted" in against:
        basket.discount = Discount(1, reason, issuer.id)
    if "status" in against:
        basket.status = rng.choice((ABANDONED, CHECKED_OUT))
    if "short" in against:
        short = rng.choice(list(basket.lines))
        world.set_available(store, short, basket.lines[short] - 1, incoming=[(4, 3)])
    percent = maximum + rng.randint(1, 2) if "maximum" in against else rng.randint(max(1, maximum - 1), maximum)
    words = {name: world.say(f"obstacle-{name}") for name in ranked}
    listed = "; ".join(f"`{codes[name]}` {words[name]}" for name in ranked)
    notice = _notice(world, _day(world, 1, 30), "ranks", "notice-ranks", listed=listed)
    first = next((codes[name] for name in ranked if name in against), "")
    truth = exact(
        world.say("ranked-discount", basket=basket.id, percent=percent, reason=reason),
        first or str(percent),
        world.cite([basket, issuer]),
        documents=world.cite_pages(DISCOUNTS),
        tolerated=world.lines_and_branch(basket) | {world.path(at)},
        basket=basket.id,
        percent=str(percent),
    )
    if first:
        return replace(truth, outcome=UNSUPPORTED, usual={notice: f"the order of obstacles, with {first}"})
    after = replace(basket, discount=Discount(percent, reason, issuer.id))
    call = ("discount", basket.id, str(percent), reason, issuer.id)
    return replace(truth, changes={world.path(basket): world.text(after)}, calls=(call,))


BASKET_OBSTACLES: Final = ("status", "short", "closed", "large")
MOST_UNITS: Final = (3, 5)


def _pair_basket(world: World, customer: str, against: set[str], most: int) -> Basket:
    """Add a basket against whose purchase these obstacles stand, and no others."""
    rng = world.rng
    store = world.some_store(is_open="closed" not in against)
    lines = dict.fromkeys((product.sku for product in world.some_products(most if "large" in against else 2)), 1)
    if "large" in against:
        lines[next(iter(lines))] += 1
    for sku, count in lines.items():
        world.set_available(store, sku, count + rng.randint(0, 3))
    basket = world.add_basket(customer, store, lines, status=ACTIVE)
    if "status" in against:
        basket.status = rng.choice((ABANDONED, CHECKED_OUT))
    if "short" in against:
        short = rng.choice(list(lines))
        world.set_available(store, short, lines[short] - 1, incoming=[(3, 2)])
    return basket


def basket_pair(world: World, variant: int) -> Truth:
    """Request two checkouts at once: both possible (1), obstacles to one (2) or to both (3), one foreign (4)."""
    rng, customer = world.rng, world.sign_in_customer()
    world.notices = replace(world.notices, rule="")
    most, ranked = rng.randint(*MOST_UNITS), rng.sample(BASKET_OBSTACLES, len(BASKET_OBSTACLES))
    codes = _codes(world, [*ranked, "done", "held"])
    drawn = [{*rng.sample(ranked, rng.randint(1, 3))} for _ in range(2)]
    against = [set[str](), set[str]()] if variant in (1, 4) else drawn if variant == 3 else [set[str](), drawn[1]]
    rng.shuffle(against)
    owners = rng.sample([customer, world.new_id("cust") if variant == 4 else customer], 2)
    pair = [_pair_basket(world, owner, each, most) for owner, each in zip(owners, against, strict=True)]
    listed = "; ".join(f"`{codes[name]}` {world.say(f'obstacle-{name}', most=most)}" for name in ranked)
    page = world.names.documents[CHECKOUT]
    ranks = _notice(world, _day(world, 31, 60), "obstacles", "notice-basket-ranks", listed=listed, page=page)
    is_joint = rng.random() < 0.5
    codes["security"] = world.names.documents[SECURITY]
    rules = [world.say(f"pairs-{name}", **codes) for name in ("single", "joint")]
    first = _notice(world, _day(world, 20, 30), "pairs", "notice-joint", rule=rules[is_joint], **codes)
    changed = _day(world, -9, 12)
    second = _notice(world, changed, "pairs", "notice-reversed", notice=first, rule=rules[not is_joint], **codes)
    is_joint ^= changed <= world.clock.date()
    wording = world.say("basket-pair", first=pair[0].id, second=pair[1].id)
    if variant == 4:
        foreign = pair[owners.index(next(owner for owner in owners if owner != customer))]
        denied = withheld_basket(world, foreign, wording, "one of them does not belong to the signed-in user")
        own = next(basket for basket in pair if basket is not foreign)
        return replace(denied, tolerated=denied.tolerated | world.cite([own]).keys())
    told = [next((codes[name] for name in ranked if name in each), "") for each in against]
    is_held = is_joint and any(told)
    bought = [basket for basket, code in zip(pair, told, strict=True) if not code and not is_held]
    message = ", ".join(code or codes["held" if is_held else "done"] for code in told)
    tolerated = frozenset[str]().union(*(world.lines_and_branch(basket) for basket in pair))
    return replace(
        exact(wording, message, world.cite(pair), documents=world.cite_pages(CHECKOUT), tolerated=tolerated),
        outcome=OK if bought else UNSUPPORTED,
        usual={
            **world.cite_pages(SECURITY),
            ranks: f"the codes of obstacles, with {codes[ranked[0]]}",
            first: f"how two baskets are judged, with {codes['done']}",
            second: f"what replaces {first}",
        },
        changes={world.path(basket): world.text(basket, status=CHECKED_OUT) for basket in bought},
        calls=tuple(("checkout", basket.id) for basket in bought),
    )
