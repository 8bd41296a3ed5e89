"""Tasks of the profile `expert`, whose parts bear on one another, by dated notices and a day book.

Every rule of a task stands in notices of its own world and in the page of terms that they name. Of many cases the one
is generated in which most rules matter: a reader who misses a single one gives a wrong answer, or cites a wrong record.
A line of a day book counts as its later corrections have it, unless it was taken back by a line that was not taken back
itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.grader import OK, UNSUPPORTED, Truth, exact
from controlplane.benchmarks.ecom.world.company import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Basket,
    Discount,
    Record,
    Store,
    read_data,
)
from controlplane.benchmarks.ecom.world.generator import CHECKOUT, DISCOUNTS, World, format_instant

AMOUNT, PLACE, VOID = "amount", "place", "void"
ABOVE, OWN, TIME = "above", "own", "time"
WRITERS: Final = ("mk", "jd", "rv")
MISREAD: Final = ("book", ABOVE, OWN)
"""What a hasty reader does: skips the book, takes a line about a correction as one about what that corrected, and
takes a writer's own last line for the line above."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line: what it says by the name of its wording, or what it does to the line that it points to."""

    moment: datetime
    """By the shops' clocks."""
    by: str
    kind: str
    about: int = -1
    pointer: str = ""
    said: tuple[tuple[str, str], ...] = ()
    """The place and the amount, or the one that is corrected."""


@dataclass(frozen=True, slots=True)
class DayBook:
    """The lines of a day book, in their order."""

    lines: Sequence[Line]

    def standing(self, end: datetime, ignored: str = "") -> list[tuple[Line, Mapping[str, str]]]:
        """Return the lines before an instant that say something and stand then, with place and amount as corrected."""
        gone, later, found = (
            set[int](),
            dict[int, dict[str, str]](),
            list[tuple[Line, Mapping[str, str]]](),
        )
        for at in reversed(range(len(self.lines))):
            line = self.lines[at]
            if line.moment >= end or at in gone or ignored == "book":
                continue
            about = at - 1 if ignored == OWN and line.pointer == OWN else line.about
            while ignored == ABOVE and about >= 0 and self.lines[about].about >= 0:
                about = self.lines[about].about
            said = {**dict(line.said), **later.get(at, {})}
            if line.about < 0:
                found.insert(0, (line, said))
            elif line.kind == VOID:
                gone.add(about)
            else:
                later[about] = {**said, **later.get(about, {})}
        return found


def draw_book(
    rng: Random, start: datetime, end: datetime, said: Mapping[str, Sequence[tuple[str, str]]]
) -> DayBook:
    """Draw a book between two instants; `said` has the places and amounts of each kind of line."""
    minutes = sorted(rng.sample(range(int((end - start).total_seconds()) // 60), 16))
    lines, gone, last = list[Line](), set[int](), dict[str, int]()
    amounts = sorted({amount for some in said.values() for _, amount in some})
    for at, minute in enumerate(minutes):
        moment, by = start + timedelta(minutes=minute), rng.choice(WRITERS)
        pointer = rng.choice((ABOVE, ABOVE, OWN, OWN, TIME))
        targets = {ABOVE: at - 1, OWN: last.get(by, -1), TIME: rng.randrange(at) if at else -1}
        about = targets[pointer] if at > 1 and rng.random() < 0.62 else -1
        last[by] = at
        if about < 0 or about in gone:
            kind = rng.choice([*said])
            place, amount = rng.choice(said[kind])
            lines.append(Line(moment, by, kind, said=((PLACE, place), (AMOUNT, amount))))
            continue
        target = dict(lines[about].said)
        kind = rng.choice([name for name in target if target[name]] + [VOID])
        if kind == VOID:
            gone.add(about)
            lines.append(Line(moment, by, VOID, about, pointer))
            continue
        pool = (
            amounts
            if kind == AMOUNT
            else sorted({place for some in said.values() for place, _ in some})
        )
        value = rng.choice([each for each in pool if each != target[kind]])
        lines.append(Line(moment, by, kind, about, pointer, ((kind, value),)))
    return DayBook(lines)


def post_book(world: World, book: DayBook, hours: int) -> str:
    """Write a book into a file, by days, with what its words mean; return the path."""
    path = f"{world.names.notices.rpartition('/')[0]}/day-book-{world.rng.randint(10, 99)}.md"
    text, day = f"# Day book\n\n{world.say('book', hours=hours)}\n", ""
    for line in book.lines:
        if day != (day := f"{line.moment:%Y-%m-%d}"):
            text += f"\n## {day}\n\n"
        pointed = f"{book.lines[line.about].moment:%Y-%m-%d %H:%M}"
        pointer = world.say(f"point-{line.pointer}", time=pointed) if line.pointer else ""
        text += f"- {line.moment:%H:%M} {line.by}: {world.say(f'line-{line.kind}', pointer=pointer, **dict(line.said))}\n"
    world.files[path] = text
    return path


GRAMS: Final = read_data("measures.json")
"""The grams in each unit of weight."""


def add_notice(world: World, day: date, subject: str, name: str, /, **values: object) -> str:
    """Add a notice of a day in one of the wordings of a name, and return its path."""
    path = f"{world.names.notices}/{day.isoformat()}-{subject}.md"
    text = world.say(name, day=day.isoformat(), **values)
    kept = world.notices.files if world.notices.rule else ()
    rule = world.notices.rule or world.say("notices", folder=world.names.notices)
    world.notices = replace(
        world.notices, rule=rule, files=(*kept, (path, f"# Notice of {day}\n\n{text}\n"))
    )
    return path


def _day(world: World, least: int, most: int) -> date:
    """Return a day that many days ago; a negative number is a day to come."""
    return world.clock.date() - timedelta(days=world.rng.randint(least, most))


RARE: Final = ("until", "exact", "withdrawn", "minimum")
"""The rules that are rarely those that matter: each is worth two of the others."""
TRAPS: Final = (
    *(
        "clock",
        "period",
        "void",
        "order",
        "sequence",
        "pieces",
        "rank",
        "books",
        "heir",
        "half",
        "units",
    ),
    *("cut", "late", *MISREAD),
    *RARE,
)
"""The rules that a hasty reader misses; `half` is one of discounts alone."""
BOOKED: Final = ("cut", "late", "clock")
SUNDAY: Final = 6
ASKED: Final = 5


@dataclass(slots=True)
class Past:
    """A payment of a basket, or a basket with a discount, that counts towards a limit or seems to."""

    key: str
    basket: Basket
    moment: datetime
    is_void: bool


@dataclass(slots=True)
class Case:
    """Five baskets in one request, each with a city or a reason as its key, and the rules that hold for them."""

    is_purchase: bool
    clock: datetime
    hours: int
    """By which the clocks of the shops are ahead of UTC."""
    asked: list[tuple[str, int, Basket]] = field(default_factory=list)
    """Key, percentage (0 for a purchase) and basket."""
    closed: set[str] = field(default_factory=set)
    """The ids of branches that are closed."""
    pieces: dict[str, int] = field(default_factory=dict)
    """The pieces in a pack, by SKU."""
    weights: dict[str, tuple[float, str]] = field(default_factory=dict)
    """The weight of a piece in a unit, by SKU."""
    heirs: dict[str, str] = field(default_factory=dict)
    """The SKU that serves lines of another."""
    holiday: date = date.min
    """A day on which the books are closed, as on Sundays."""
    stock: dict[tuple[str, str], int] = field(default_factory=dict)
    """As the records have it."""
    book: DayBook = field(default_factory=lambda: DayBook(()))
    cut: datetime = datetime.min
    """The instant to which the records have what the book says."""
    pasts: list[Past] = field(default_factory=list)
    limits: dict[str, int] = field(default_factory=dict)
    other: int = 0
    """The limit of both keys while the exception holds."""
    days: tuple[date, date, date] = (date.min,) * 3
    """The days from which the exception holds, until which it holds, and from which it is withdrawn for a key."""
    withdrawn: str = ""
    """The key for which it is withdrawn."""
    most: int = 0
    heavy: str = ""
    """The SKU of which so many pieces are the most that a basket may weigh."""
    ranked: list[str] = field(default_factory=list)
    flags: tuple[bool, bool, bool] = (False, False, False)
    """True if the newest basket comes first, `until` includes the day, and a limit may be met exactly."""

    def amount(self, basket: Basket, ignored: str = "") -> int:
        """Return the pieces of a basket."""
        return sum(
            n * (1 if ignored == "pieces" else self.pieces[sku]) for sku, n in basket.lines.items()
        )

    def weight(self, basket: Basket, ignored: str = "") -> float:
        """Return the weight of a basket in pieces of the heavy SKU."""
        grams = {
            sku: value * (1 if ignored == "units" else GRAMS[unit])
            for sku, (value, unit) in self.weights.items()
        }
        pieces = {sku: 1 if ignored == "pieces" else self.pieces[sku] for sku in basket.lines}
        return (
            sum(count * pieces[sku] * grams[sku] for sku, count in basket.lines.items())
            / grams[self.heavy]
        )

    def share(self, past: Past, ignored: str = "") -> int:
        """Return what a past purchase or discount counts."""
        if self.is_purchase or past.basket.discount is None:
            return self.amount(past.basket, ignored)
        is_half = past.basket.status == CHECKED_OUT and ignored != "half"
        return -(-past.basket.discount.percent // 2) if is_half else past.basket.discount.percent

    def needs(self, basket: Basket, ignored: str = "") -> Counter[tuple[str, str]]:
        """Return the packs that a basket needs, by branch and SKU."""
        found = Counter[tuple[str, str]]()
        for sku, count in basket.lines.items():
            found[basket.store_id, sku if ignored == "heir" else self.heirs.get(sku, sku)] += count
        return found

    def change(self, ignored: str = "") -> Counter[tuple[str, str]]:
        """Return what the day book adds to the records' stock, by branch and SKU."""
        cut = (self.cut + timedelta(hours=0 if ignored == "clock" else self.hours)).replace(
            tzinfo=None
        )
        now, found = self.book.standing(datetime.max, ignored), Counter[tuple[str, str]]()
        then = self.book.standing(cut, ignored) if ignored not in ("cut", "late") else ()
        for sign, some in ((1, now), (-1, then)):
            for line, said in some:
                if ignored != "late" or line.moment >= cut:
                    sku, _, store = said[PLACE].partition(" at ")
                    found[store, sku] += sign * int(said[AMOUNT]) * (1 if line.kind == "in" else -1)
        return found

    def booked(self, day: date) -> date:
        """Return the day on which the books have what is dated on a day."""
        while day.weekday() == SUNDAY or day == self.holiday:
            day += timedelta(days=1)
        return day

    def counted(self, ignored: str = "") -> list[Past]:
        """Return what counts in the day or the week of the clock."""
        shift = timedelta(hours=0 if ignored == "clock" else self.hours)
        now, span = self.clock + shift, timedelta(days=1 if self.is_purchase else 7)
        found = []
        for past in self.pasts:
            day = (past.moment + shift).date()
            day = day if ignored == "books" else self.booked(day)
            same = (
                day == now.date()
                if self.is_purchase
                else day.isocalendar()[:2] == now.isocalendar()[:2]
            )
            is_near = self.clock - past.moment < span
            if (is_near if ignored == "period" else same) and (
                ignored == "void" or not past.is_void
            ):
                found.append(past)
        return found

    def limit(self, key: str, ignored: str) -> int:
        """Return the limit of a key today."""
        start, end, withdrawn = self.days
        today = (self.clock + timedelta(hours=0 if ignored == "clock" else self.hours)).date()
        is_on = start <= today and (
            today < end or (today == end and (ignored == "until" or self.flags[1]))
        )
        is_off = key == self.withdrawn and withdrawn <= today and ignored != "withdrawn"
        return self.other if is_on and not is_off else self.limits[key]

    def judge(self, ignored: str = "") -> tuple[list[str], list[Past], list[int]]:
        """Return each basket's obstacle, `done` or `held`, what counted, and what is left, all but one rule considered.

        Left are the allowances, and the packs of each SKU that the baskets need.
        """
        spent, change, outcomes = Counter[str](), self.change(ignored), dict[int, str]()
        free = {place: count + change[place] for place, count in self.stock.items()}
        counted = self.counted(ignored)
        for past in counted:
            spent[past.key] += self.share(past, ignored)
        before = (spent.copy(), free.copy())
        asked = list(enumerate(self.asked))
        if ignored != "order":
            asked.sort(key=lambda one: one[1][2].created_at, reverse=self.flags[0])
        for at, (key, percent, basket) in asked:
            pieces, needs = self.amount(basket, ignored), self.needs(basket, ignored)
            total, limit = spent[key] + (percent or pieces), self.limit(key, ignored)
            against = {
                "status": basket.status != ACTIVE,
                "closed": basket.store_id in self.closed,
                "discounted": basket.discount is not None,
                "short": any(free[place] < count for place, count in needs.items()),
                "large": self.weight(basket, ignored) > self.most,
                "limit": total > limit
                or (total == limit and ignored != "exact" and not self.flags[2]),
            }
            ranked = sorted(self.ranked) if ignored == "rank" else self.ranked
            outcomes[at] = next((name for name in ranked if against[name]), "done")
            if outcomes[at] == "done" and ignored != "sequence":
                spent[key] += percent or pieces
                free.update({place: free[place] - count for place, count in needs.items()})
        entries = [outcomes[at] for at in range(len(outcomes))]
        if entries.count("done") < 3 and ignored != "minimum":
            entries = ["held" if entry == "done" else entry for entry in entries]
            spent, free = before
        left = [max(self.limit(key, ignored) - spent[key], 0) for key in self.limits]
        for used in sorted(
            {sku for _, _, basket in self.asked for _, sku in self.needs(basket, ignored)}
        ):
            left.append(sum(max(count, 0) for (_, sku), count in free.items() if sku == used))
        return entries, counted, left


def _moment(rng: Random, case: Case) -> datetime:
    """Return an instant near the beginning of the day or week by one clock or the other, before the case's clock."""
    local = case.clock + timedelta(hours=case.hours)
    days = 0 if case.is_purchase else local.weekday()
    start = local.replace(hour=0, minute=0, second=0) - timedelta(days=days, hours=case.hours)
    passed = int((case.clock - start).total_seconds()) // 60
    near = rng.choice(
        (
            rng.randint(-110, -5),
            rng.randint(-2800, -5),
            rng.randint(1, passed),
            rng.randint(1, passed),
        )
    )
    return start + timedelta(minutes=min(near, passed), seconds=-rng.randint(1, 50))


def _draw_case(
    world: World, hours: int, keys: Sequence[str], stores: Sequence[Store], skus: Sequence[str]
) -> Case:
    """Draw a case: purchases if there are several stores, and then its keys are their cities."""
    rng, clock, is_purchase = world.rng, world.clock, len(stores) > 1
    case = Case(is_purchase, clock, hours)
    case.pieces = {sku: rng.choice((1, 2, 2, 3)) for sku in skus}
    drawn = {sku: (rng.uniform(150, 900), rng.choice([*GRAMS])) for sku in skus}
    case.weights = {
        sku: (float(f"{grams / GRAMS[unit]:.3g}"), unit) for sku, (grams, unit) in drawn.items()
    }
    old, heir = rng.sample(skus, 2)
    case.heavy = heir
    case.heirs = {old: heir}
    yesterday = (clock + timedelta(hours=case.hours)).date() - timedelta(days=1)
    case.holiday = yesterday - timedelta(days=rng.choice((0, 0, 0, 1, 5)))
    names = ("status", "closed" if is_purchase else "discounted", "short", "large", "limit")
    case.ranked = rng.sample(names, len(names))
    case.flags = (rng.random() < 0.5, rng.random() < 0.3, rng.random() < 0.3)
    if is_purchase and rng.random() < 0.3:
        case.closed = {stores[-1].id}

    def basket(status: str) -> tuple[str, Basket]:
        store = rng.choices(stores, (5, 2, 2)[: len(stores)])[0]
        lines = {sku: rng.randint(1, 2) for sku in rng.sample(skus, rng.randint(1, 2))}
        key = store.city if is_purchase else rng.choices(keys, (2, 1))[0]
        return key, Basket("", "", store.id, status, format_instant(_moment(rng, case)), lines)

    for _ in range(5):
        is_void = rng.random() < 0.3
        bought = (
            CHECKED_OUT
            if is_purchase
            else ABANDONED
            if is_void
            else rng.choice((ACTIVE, CHECKED_OUT, CHECKED_OUT))
        )
        key, past = basket(bought)
        case.pasts.append(Past(key, past, datetime.fromisoformat(past.created_at), is_void))
        if not is_purchase:
            past.discount = Discount(rng.choice((1, 3, 5)), key, "")
    for _ in range(ASKED):
        key, one = basket(ABANDONED if rng.random() < 0.15 else ACTIVE)
        one.created_at = format_instant(clock - timedelta(days=rng.uniform(1, 25)))
        case.asked.append((key, 0 if is_purchase else rng.randint(2, 6), one))
        if not is_purchase and rng.random() < 0.15:
            one.discount = Discount(1, world.names.reason_codes[-1], "")
    _draw_limits(rng, case, keys)
    return case


def _draw_limits(rng: Random, case: Case, keys: Sequence[str]) -> None:
    """Draw the day book, the stock and the limits of a case, each near what some of its baskets need."""
    needs = [case.needs(one) for _, _, one in case.asked]
    for place in sorted(set[tuple[str, str]]().union(*needs)):
        wanted = [one[place] for one in needs]
        case.stock[place] = rng.randint(max(wanted) - (rng.random() < 0.1), sum(wanted))
    for store in sorted({store for store, _ in case.stock}):
        for old in case.heirs:
            case.stock[store, old] = rng.choice((1, 2, 9))
        for sku in case.pieces:
            case.stock.setdefault((store, sku), rng.randint(2, 5))
    local = (case.clock + timedelta(hours=case.hours)).replace(tzinfo=None, second=0)
    places = [f"{sku} at {store}" for store, sku in case.stock]
    said = [(place, str(count)) for place in places for count in range(1, 5)]
    while not case.book.lines or any(
        case.change(misread) == case.change() for misread in (*BOOKED, *MISREAD)
    ):
        case.book = draw_book(
            rng,
            local - timedelta(hours=20),
            local - timedelta(minutes=3),
            {"in": said, "out": said},
        )
        case.cut = case.clock - timedelta(minutes=rng.randint(250, 800))
    change = case.change()
    case.stock = {
        place: max(count, change[place], 0) - change[place] for place, count in case.stock.items()
    }
    weights = sorted(case.weight(one) for _, _, one in case.asked)
    # Least relative distance of a basket's weight from what it is compared with: rounding decides nothing.
    while not case.most or any(abs(weight / case.most - 1) < 0.02 for weight in weights):
        case.most = max(
            1, round(rng.choice(weights[1:]) * rng.uniform(0.7, 1.5)) + rng.choice((0, 0, 1))
        )
    spent, sums = Counter[str](), dict[str, list[int]]()
    for past in case.counted():
        spent[past.key] += case.share(past)
    for key in keys:
        wanted = [percent or case.amount(one) for name, percent, one in case.asked if name == key]
        sums[key] = [spent[key] + sum(wanted[:end]) for end in range(1, len(wanted) + 1)] or [
            spent[key] + 1
        ]
        case.limits[key] = max(1, rng.choice(sums[key]) + rng.choice((0, 0, 0, 1)))
    case.other = max(1, rng.choice(sums[keys[0]]) + rng.choice((0, 0, 0, 1)))
    today = (case.clock + timedelta(hours=case.hours)).date()
    start, end, withdrawn = (
        rng.randint(5, 20),
        rng.choice((0, 0, 0, 1, -1, 4)),
        rng.choice((0, 0, -2, -3, 1)),
    )
    case.days = (
        today - timedelta(days=start),
        today + timedelta(days=end),
        today + timedelta(days=withdrawn),
    )
    case.withdrawn = rng.choices(keys, (2, 1))[0]


def _choose_case(world: World, variant: int, keys: Sequence[str], stores: Sequence[Store]) -> Case:
    """Return the case of a variant in which most rules matter, and set the world's clock to that of the case."""
    rng = world.rng
    skus = [product.sku for product in world.some_products(3)]
    hours = 2 if 4 <= world.clock.month <= 9 else 1
    if (
        rng.random() < 0.6
    ):  # Past midnight by the clocks of the shops, and for a week past that of a Sunday.
        days = 1 if len(stores) > 1 else 7 - world.clock.weekday()
        night = (world.clock + timedelta(days=days)).replace(hour=0, minute=rng.randint(20, 50))
        world.clock = night - timedelta(hours=hours)
    if (world.clock + timedelta(hours=hours)).weekday() == SUNDAY:
        world.clock += timedelta(days=1)
    best, most = None, -1.0
    while best is None:
        # The cases of which one is generated.
        for _ in range(80):
            case = _draw_case(world, hours, keys, stores, skus)
            right = case.judge()
            if ("held" in right[0] or "done" not in right[0]) == (variant == 1):
                continue
            bites = sum(1 + (trap in RARE) for trap in TRAPS if case.judge(trap) != right)
            if bites > most:
                best, most = case, bites
    return best


def _stage(world: World, case: Case, customer: str) -> None:
    """Put the baskets, the stock and the packs of a case into the world."""
    for sku, pieces in case.pieces.items():
        if pieces > 1:
            world.catalogue.products[sku].properties["pack_of"] = pieces
    for sku, (weight, unit) in case.weights.items():
        world.catalogue.products[sku].properties["weight_of_piece"] = f"{weight:g} {unit}"
    for sku, heir in case.heirs.items():
        world.catalogue.products[sku].properties["succeeded_by"] = heir
    for (store, sku), free in case.stock.items():
        world.set_available(world.stores[store], sku, free, incoming=[(4, 3)])
    for basket in (*(one for _, _, one in case.asked), *(past.basket for past in case.pasts)):
        basket.id, basket.customer_id = world.new_id("basket"), customer or world.new_id("cust")
        world.baskets[basket.id] = basket


def _post(world: World, case: Case, page: str, kind: str) -> tuple[dict[str, str], tuple[str, str]]:
    """Add the notices of a case, their page of terms and the day book; return the codes, and the paths of these two."""
    world.notices = replace(world.notices, rule="")
    rng, today = world.rng, (world.clock + timedelta(hours=case.hours)).date()
    drawn = zip(
        [*case.ranked, "done", "held"],
        rng.sample(range(10, 100), len(case.ranked) + 2),
        strict=True,
    )
    codes = {name: f"{rng.choice('BDFKLMRTX')}{number}" for name, number in drawn}
    turned, since = (
        rng.choice(("until", "limit")),
        today + timedelta(days=rng.choice((-4, 0, 0, 1))),
    )
    is_in, is_at = (
        flag ^ (since <= today and turned == name)
        for name, flag in zip(("until", "limit"), case.flags[1:], strict=True)
    )
    names = (
        "newest" if case.flags[0] else "oldest",
        "in" if is_in else "out",
        "at" if is_at else "below",
    )
    terms = f"{world.names.notices.rpartition('/')[0]}/terms-{world.rng.randint(10, 99)}.md"
    pages = [world.say("terms-clock", hours=case.hours), world.say(f"terms-until-{names[1]}")]
    pages += [
        world.say(f"terms-limit-{names[2]}"),
        world.say("terms-pieces", quantity=world.names.field("quantity")),
    ]
    pages += [world.say("terms-books", holiday=case.holiday), world.say("terms-heirs")]
    book = post_book(world, case.book, case.hours)
    pages.append(world.say("terms-book", book=book, cut=f"{case.cut:%Y-%m-%d %H:%M:%S}"))
    world.rng.shuffle(pages)
    world.files[terms] = "# Terms\n\n" + "".join(f"- {text}\n" for text in pages)
    listed = "; ".join(
        f"`{codes[name]}` {world.say(f'obstacle-{name}', most=case.most, heavy=case.heavy)}"
        for name in case.ranked
    )
    values = {
        "page": world.names.documents[page],
        "terms": terms,
        "listed": listed,
        "created": world.names.field("created_at"),
    }
    values |= {name: str(world.names.state(name)) for name in (ABANDONED, CHECKED_OUT)}
    values["ended"] = world.names.state("closed")
    limits = "; ".join(f"`{key}` {most}" for key, most in case.limits.items())
    limits = add_notice(
        world, _day(world, 25, 39), "allowance", f"notice-{kind}", **{**values, "listed": limits}
    )
    add_notice(
        world,
        _day(world, 40, 60),
        "order",
        "notice-order",
        **values,
        **codes,
        first=names[0],
        limits=limits,
    )
    add_notice(world, since, "terms", f"notice-{turned}", terms=terms)
    start, end, withdrawn = case.days
    both = " and ".join(f"`{key}`" for key in case.limits)
    exception = add_notice(
        world, start, "other", "notice-other", end=end, notice=limits, both=both, most=case.other
    )
    add_notice(
        world, withdrawn, "withdrawal", "notice-withdrawal", notice=exception, key=case.withdrawn
    )
    return codes, (terms, book)


def basket_queue(world: World, variant: int) -> Truth:
    """Request five checkouts at once: at least three are possible (1), or fewer (2), so that nothing is bought."""
    rng, customer = world.rng, world.sign_in_customer()
    by_city: dict[str, list[Store]] = {}
    for store in world.stores.values():
        by_city.setdefault(store.city, []).append(store)
    first, second = rng.sample([city for city, some in by_city.items() if len(some) > 1], 2)
    stores = [*rng.sample(by_city[first], 2), rng.choice(by_city[second])]
    case = _choose_case(world, variant, (first, second), stores)
    for store in stores:
        store.is_open = store.id not in case.closed
    _stage(world, case, customer)
    payments = [world.add_payment(past.basket) for past in case.pasts]
    returns = []
    for past, payment in zip(case.pasts, payments, strict=True):
        payment.created_at = past.basket.created_at
        past.basket.created_at = format_instant(past.moment - timedelta(hours=rng.randint(1, 30)))
        if past.is_void or rng.random() < 0.3:
            returns.append(
                world.add_return(payment, status="closed" if past.is_void else "approved")
            )
            returns[-1].created_at = format_instant(past.moment + timedelta(seconds=30))
    counted = [
        payment
        for past, payment in zip(case.pasts, payments, strict=True)
        if past in case.judge()[1]
    ]
    return _truth(
        world, case, CHECKOUT, [*counted], [*returns, *(past.basket for past in case.pasts)]
    )


def ranked_discounts(world: World, variant: int) -> Truth:
    """Request five discounts at once: at least three are possible (1), or fewer (2), so that none is given."""
    rng, store = world.rng, world.some_store(is_open=True)
    issuer = world.sign_in_employee(store=store, role=world.names.roles["discount"])
    case = _choose_case(world, variant, rng.sample(world.names.reason_codes[:-1], 2), [store])
    _stage(world, case, "")
    for basket in world.baskets.values():
        if basket.discount is not None:
            basket.discount.issuer_id = rng.choice(
                [one.id for one in world.employees.values() if one.store_id == store.id]
            )
    counted = [past.basket for past in case.judge()[1]]
    return _truth(world, case, DISCOUNTS, [issuer, *counted], [])


def _truth(
    world: World, case: Case, page: str, counted: Sequence[Record], tolerated: Sequence[Record]
) -> Truth:
    """Return the truth of a case, whose answer cites what counted."""
    kind = "purchases" if case.is_purchase else "discounts"
    codes, terms = _post(world, case, page, kind)
    entries, _, left = case.judge()
    said = [
        one.id
        if case.is_purchase
        else world.say("asked-discount", basket=one.id, percent=percent, reason=key)
        for key, percent, one in case.asked
    ]
    changes, calls = dict[str, str | None](), list[tuple[str, ...]]()
    for entry, (key, percent, basket) in zip(entries, case.asked, strict=True):
        if entry == "done" and case.is_purchase:
            changes[world.path(basket)] = world.text(basket, status=CHECKED_OUT)
            calls.append(("checkout", basket.id))
        elif entry == "done":
            after = replace(basket, discount=Discount(percent, key, world.user))
            changes[world.path(basket)] = world.text(after)
            calls.append(("discount", basket.id, str(percent), key, world.user))
    baskets = [one for _, _, one in case.asked]
    near = world.lines_and_branch(*baskets, *(past.basket for past in case.pasts))
    truth = exact(
        world.say(f"several-{kind}", listed=", ".join(said)),
        ", ".join([*(codes[entry] for entry in entries), *map(str, left)]),
        records=world.paths(*baskets, *counted),
        documents=world.documents(page),
        tolerated=(*terms, *near, *world.paths(*tolerated)),
        changes=changes,
        inputs={"basket": baskets[0].id},
    )
    return replace(truth, outcome=OK if calls else UNSUPPORTED, calls=tuple(calls))
