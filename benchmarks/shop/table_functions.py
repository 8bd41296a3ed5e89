"""Functions for scripts about tables: fraud in an export of payments, and plans for dispatch waves.

An export lists payments, one a row. Payments that one person cannot have made honestly, such as
in two cities at a time, are a series and count as fraud (`find_series`). A wave is a set of
packages that are sent together. Its plan says on which route each package goes (`dispatch`).
A script calls `harness.tools.fraud_rows(path)`; `layout_from_harness` makes the first argument.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations, pairwise
from typing import Any, Final

from controlplane.benchmarks.shop.dispatch import (
    DelayLength,
    Lane,
    LaneTable,
    Package,
    Plan,
    Rates,
    Route,
    RouteChoice,
    by_priority,
    lanes_by_origin,
    rates_on_pages,
    read_lanes,
    read_packages,
    route_choices,
    simulated_plan,
    tables_of_wave,
)
from controlplane.benchmarks.shop.texts import (
    amount_text,
    columns_called,
    normal_words,
    require,
    table_rows,
    value_or_raise,
)
from controlplane.benchmarks.shop.workspace.fields import Shape, shape_of
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

# Reads the rates of delays in a script's call: `delays={'often': 20, 'short': [1, 2]}`.
#
# A script states rates if no page of the shop gives them, or if a notice has changed them. A
# model has written the call, so small mistakes are mended, and others are told with an example.

_MAX_DELAY: Final = 999
"""The longest delay in units of time. It limits the work if a caller gives larger delays."""


def rates_in_call(late_cents: int, delays: object) -> Rates:
    """Return the rates in a script's call: `late_cents=650, delays={'often': 20, 'short': [1, 2]}`.

    In `delays`, a word of a hint has either the percentage of delayed trips or the shortest
    and the longest delay. If `late_cents` is 0, which is the default in a call, the price of
    lateness is not known. Raises `CannotRead` for other values.
    """
    if not isinstance(delays, Mapping):
        raise CannotRead(_unreadable_delay("delays"))
    shares: dict[str, float] = {}
    lengths: dict[str, DelayLength] = {}
    for word, rate in delays.items():
        name = normal_words(str(word))
        if isinstance(rate, int | float) and 0 <= rate <= 100:
            shares[name] = rate / 100
        elif _is_pair_of_integers(rate):
            # Numbers that are swapped or too large are not refused: a model writes the call, and
            # it is clear what it means.
            shortest = max(min(rate), 0)
            longest = min(max(rate), _MAX_DELAY)
            lengths[name] = DelayLength(shortest, longest)
        else:
            raise CannotRead(_unreadable_delay(word))
    known_late_cents = late_cents if late_cents != 0 else None
    return Rates(shares, lengths, known_late_cents)


def _is_pair_of_integers(rate: object) -> bool:
    """Return True for `[1, 2]`."""
    if not isinstance(rate, Sequence) or len(rate) != 2:
        return False
    return all(isinstance(bound, int) for bound in rate)


def _unreadable_delay(word: object) -> str:
    """Return the message about a word whose rate cannot be read."""
    example = "{'often': 20, 'short': [1, 2]}"
    return f"{word!r} is neither trips in 100 nor [shortest, longest], as in {example}"


# Searches for the cheapest plan of a dispatch wave by changing the routes of packages.
#
# A plan has a route for each package. With 30 packages and 4 routes each, there are far too many
# plans to try them all. So the search starts with the cheapest route of each package, and keeps
# every change that makes the whole plan cheaper.

_MAX_ROUTES: Final = 6
"""The number of routes that are tried for each package, the cheapest first."""
_MAX_PLANS: Final = 6_000
"""The number of plans that the search simulates, which takes a few seconds."""


def _best_plan(choices_by_package: Mapping[str, Sequence[RouteChoice]]) -> Plan:
    """Return the cheapest plan found by changing the routes of one or two packages at a time.

    The search starts with the cheapest route of each package alone. Changing two routes at
    once finds plans in which two packages share a trip that is too expensive for one
    package. There are many pairs, so they are tried only if no single change helps.
    """
    cheapest_routes = {
        package_id: choices[0] for package_id, choices in choices_by_package.items()
    }
    single_changes = _single_changes(choices_by_package)
    pair_changes = _pair_changes(choices_by_package)
    search = _PlanSearch(cheapest_routes)
    is_cheaper = True
    while is_cheaper:
        is_cheaper = search.try_all(single_changes) or search.try_any(pair_changes)
    return search.best


class _PlanSearch:
    """The cheapest plan so far, and how many more plans may be tried."""

    def __init__(self, plan: Plan) -> None:
        self.best = plan
        self._best_cents = _expected_cents(plan)
        self._remaining_tries = _MAX_PLANS

    def try_all(self, changes: Sequence[Plan]) -> bool:
        """Try all changes, and keep each that makes the plan cheaper. Return True if one did."""
        is_cheaper = False
        for change in changes:
            if self._try_change(change):
                is_cheaper = True
        return is_cheaper

    def try_any(self, changes: Sequence[Plan]) -> bool:
        """Try changes until one makes the plan cheaper, and keep it. Return True if one did."""
        return any(self._try_change(change) for change in changes)

    def _try_change(self, change: Plan) -> bool:
        """Try other routes for some packages. Keep them and return True if the plan gets cheaper.

        After `_MAX_PLANS` tries, nothing is tried any more, and the result is False.
        """
        if self._remaining_tries == 0:
            return False
        self._remaining_tries -= 1
        changed = {**self.best, **change}
        changed_cents = _expected_cents(changed)
        if changed_cents >= self._best_cents:
            return False
        self.best = changed
        self._best_cents = changed_cents
        return True


def _single_changes(
    choices_by_package: Mapping[str, Sequence[RouteChoice]],
) -> list[Plan]:
    """Return every change of one package's route: `[{"pkg_1": route_a}, {"pkg_1": route_b}]`."""
    changes: list[Plan] = []
    for package_id, choices in choices_by_package.items():
        for choice in choices:
            changes.append({package_id: choice})
    return changes


def _pair_changes(
    choices_by_package: Mapping[str, Sequence[RouteChoice]],
) -> list[Plan]:
    """Return every change of two packages' routes to routes that share a lane.

    On a shared lane, two packages may take one trip, which is cheaper than two.
    """
    changes: list[Plan] = []
    for first_id, second_id in combinations(choices_by_package, 2):
        for first in choices_by_package[first_id]:
            first_lanes = {lane.id for lane in first.route}
            for second in choices_by_package[second_id]:
                if any(lane.id in first_lanes for lane in second.route):
                    changes.append({first_id: first, second_id: second})
    return changes


def _expected_cents(plan: Plan) -> float:
    """Return the expected cost of a plan's trips and lateness."""
    simulation = simulated_plan(plan)
    return simulation.trip_cents + simulation.expected_late_cents(plan)


# Plans a dispatch wave: chooses the route of each package so that trips and lateness cost least.
#
# A package has an origin, a destination and a due time. A lane connects two places. Each of its
# trips costs money and carries a limited number of packages; those that do not fit wait for
# the next trip. Trips may be delayed, and only the probabilities of delays are known. So a
# plan is judged by its expected cost.


@dataclass(frozen=True, slots=True)
class ProfitPlan:
    """A route for each package that has one, with what these packages earn and cost."""

    routes: Mapping[str, Route]
    """The route of each package, in the order in which packages go if a lane is full."""
    margin_cents: int
    """The sum of the margins of these packages."""
    trip_cents: int
    """The cost of all trips."""
    late_cents: float
    """The expected cost of lateness."""


def _plan_for_profit(
    packages: Sequence[Package], lanes: Sequence[Lane]
) -> ProfitPlan | None:
    """Return the most profitable plan that a local search finds; None if no package has a route.

    Every package that has a route is sent, so the margins are the same in all plans, and
    the cheapest plan is the most profitable one. At a full lane, the package with less
    time to spare goes first.
    """
    choices_by_package = {}
    lanes_from = lanes_by_origin(lanes)
    for package in packages:
        choices = route_choices(package, lanes_from)
        choices.sort(
            key=lambda choice: (choice.cents_alone, [lane.id for lane in choice.route])
        )
        if choices:
            choices_by_package[package.id] = choices[:_MAX_ROUTES]
    if not choices_by_package:
        return None
    plan = _best_plan(choices_by_package)
    simulation = simulated_plan(plan)
    return ProfitPlan(
        routes={package_id: plan[package_id].route for package_id in by_priority(plan)},
        margin_cents=sum(choice.package.margin_cents for choice in plan.values()),
        trip_cents=simulation.trip_cents,
        late_cents=simulation.expected_late_cents(plan),
    )


# Reads the payments of an exported table, one row each.
#
#     payment,customer_ref,store_city,amount_cents,paid_at
#     p7,cust_3,Graz,1250,2027-03-01T10:00:00Z
#
# Exports differ in their headers. Some columns are known by several possible headers, and the
# others by their values: ids are all different, and times have the form of a time.

_OWN_CHANNELS: Final = frozenset({"web", "mobile_app", "customer_terminal"})
"""Channels of customers: they pay with a device of their own, or are present in person."""


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """One payment of an export."""

    id: str
    at: datetime
    customer: str
    city: str
    cents: int
    device: str = ""
    """Empty if it is unknown. Such payments belong to no series of a device."""
    channel: str | None = None
    """How the customer paid, such as `web`; None if the export has no channels."""

    @property
    def is_own(self) -> bool:
        """True if the payment was made on a channel of customers, or if the channel is unknown."""
        return self.channel is None or self.channel in _OWN_CHANNELS


# The possible headers of each column, best first.
_REQUIRED_COLUMNS: Final = {
    "customer": (
        "customer ref",
        "customer id",
        "customer",
        "account",
        "client",
        "buyer",
    ),
    "city": ("store city", "city", "town"),
    "amount": ("amount cents", "cents", "ct", "amount"),
}
_OPTIONAL_COLUMNS: Final = {
    "device": ("device fingerprint", "device"),
    "channel": ("archive channel", "channel"),
}


def read_payments(text: str) -> list[PaymentRow]:
    """Return the payments of an export, in order. Raises `CannotRead` for any other table."""
    # 1. Find the columns that are known by their headers.
    rows = table_rows(text)
    wanted = {**_REQUIRED_COLUMNS, **_OPTIONAL_COLUMNS}
    columns = columns_called(rows, wanted, optional=_OPTIONAL_COLUMNS)

    # 2. Find the id and the time by their values, because exports differ in these headers. The
    #    first column with unique values is the id. The time of payment comes before other times.
    unique_columns = []
    instant_columns = []
    for column in rows[0]:
        values = [row[column] for row in rows]
        if len(set(values)) == len(values):
            unique_columns.append(column)
        if all(shape_of(value) is Shape.INSTANT for value in values):
            instant_columns.append(column)
    refusal = "the table has no column of ids, or none of instants"
    require(unique_columns and instant_columns, refusal)
    columns["id"] = unique_columns[0]
    columns["at"] = instant_columns[0]
    return [_payment(row, columns) for row in rows]


def _payment(row: Mapping[str, str], columns: Mapping[str, str]) -> PaymentRow:
    """Return the payment in a row. `columns` are the headers of its parts."""
    payment_id = row[columns["id"]]
    try:
        at = datetime.fromisoformat(row[columns["at"]])
    except ValueError:  # such as the day 2027-02-30
        msg = f"row {payment_id} holds no valid time"
        raise CannotRead(msg) from None
    try:
        cents = int(row[columns["amount"]])
    except ValueError:
        msg = f"row {payment_id} holds no amount in cents"
        raise CannotRead(msg) from None
    return PaymentRow(
        id=payment_id,
        at=at,
        customer=row[columns["customer"]],
        city=row[columns["city"]],
        cents=cents,
        device=row[columns["device"]] if "device" in columns else "",
        channel=row[columns["channel"]] if "channel" in columns else None,
    )


# Finds fraud in an export of payments: series that one person cannot have made honestly.
#
# | payments with short pauses between them | the rule that they break |
# |---|---|
# | by cust_3, in Graz at 10:00 and in Wien at 10:20 | one customer in several cities |
# | by cust_3 and cust_9, with the device d7 | several customers with one device |
#
# Payments with a shop's own devices, such as a salesperson's till, are left out, because many
# customers pay there.

_MAX_PAUSE: Final = timedelta(minutes=60)
"""The longest pause in a run.

Within an hour, hardly anybody travels to another city, or hands a device to somebody else.
"""
# The rules that a series may break.
_SEVERAL_CITIES: Final = "one customer in several cities"
_SEVERAL_CUSTOMERS: Final = "several customers with one device"

Rows = tuple[PaymentRow, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Payments with short pauses between them that break a rule."""

    rule: str
    """The rule that the series breaks: `_SEVERAL_CITIES` or `_SEVERAL_CUSTOMERS`."""
    rows: Rows


def find_series(rows: Sequence[PaymentRow]) -> Iterator[Series]:
    """Yield all series in these payments. A payment may be in one series of each rule.

    Payments that were not made on a channel of customers do not count.
    """
    own_rows = [row for row in rows if row.is_own]
    for customer_rows in _grouped(own_rows, lambda row: row.customer):
        for run in runs(customer_rows, _MAX_PAUSE):
            cities = {row.city for row in run}
            if len(cities) > 1:
                yield Series(_SEVERAL_CITIES, run)
    for device_rows in _grouped(own_rows, lambda row: row.device):
        for run in runs(device_rows, _MAX_PAUSE):
            customers = {row.customer for row in run}
            if len(customers) > 1:
                yield Series(_SEVERAL_CUSTOMERS, run)


def _grouped(
    rows: Iterable[PaymentRow], key: Callable[[PaymentRow], str]
) -> Iterator[Rows]:
    """Yield the rows with each key, sorted by time. Rows with an empty key are left out."""
    rows_by_key: dict[str, list[PaymentRow]] = {}
    for row in rows:
        if key(row):
            rows_by_key.setdefault(key(row), []).append(row)
    for name in sorted(rows_by_key):
        yield tuple(sorted(rows_by_key[name], key=lambda row: row.at))


def runs(rows: Rows, max_pause: timedelta) -> Iterator[Rows]:
    """Yield the longest runs of rows with pauses of at most `max_pause`.

    `rows` must be sorted by time: payments at 10:00, 10:20 and 12:00 are two runs if the
    longest pause is an hour.
    """
    start = 0
    for index in range(1, len(rows)):
        if rows[index].at - rows[index - 1].at > max_pause:
            yield rows[start:index]
            start = index
    if rows:
        yield rows[start:]


# Notes on payments that a shop's rules on fraud may judge differently from the functions here.
#
# A series of payments is fraud by `find_series`: one customer paid in two cities within an hour.
# But a shop's page may say that a pair is not enough, or that refunds do not count. So notes name
# the payments for which a model has to read that page.

_LONG_PAUSE: Final = timedelta(minutes=30)
"""A longer pause gets a note: an honest customer might just have travelled in that time."""


def notes_on_payments(rows: Sequence[PaymentRow]) -> list[str]:
    """Return notes on payments that the rules on fraud may judge differently.

    These are refunds, missing channels, long pauses, series of two, and payments at the
    shop during a series.
    """
    notes = []
    for row in rows:
        if row.cents < 0:
            notes.append(
                f"{row.id} takes money back: see what the rules say of it and its payment"
            )
    if all(row.channel is None for row in rows):
        notes.append(
            "the table gives no channels: what was paid at a shop may be among these rows"
        )
    for series in find_series(rows):
        notes += _notes_on_series(series.rows, rows)
    return list(dict.fromkeys(notes))


def _notes_on_series(series: Rows, rows: Sequence[PaymentRow]) -> list[str]:
    """Return the notes on one series. `rows` are all rows of the export."""
    first = series[0]
    last = series[-1]
    notes = []
    for earlier, later in pairwise(series):
        if later.at - earlier.at > _LONG_PAUSE:
            notes.append(
                f"there are more than 30 minutes between {earlier.id} and {later.id}"
            )
    # A series has no payments at a shop, but its first customer may have made some
    # while it went on.
    for row in rows:
        is_during_series = first.at <= row.at <= last.at
        if is_during_series and row.customer == first.customer and not row.is_own:
            notes.append(
                f"{row.id} is left out: it was paid at the shop, amid {first.customer}'s"
            )
    if len(series) == 2:
        notes.append(f"{first.id} and {last.id} are a pair")
    return notes


@layout_from_harness
def fraud_rows(layout: ShopLayout, path: str) -> FunctionResult[dict[str, Any]]:
    """Return the fraudulent rows of an export of payments, and their total.

    `fraud_rows("/archive/march.tsv")` -> `{"rows": [{"id": "p7", "cents": 1250, "customer":
    "cust_3"}, ...], "total": "EUR 25.00", "total_cents": 2500, "rules": ["one customer in
    several cities"]}`. The `rules` say why the rows are fraud. Each row is cited as
    `/archive/march.tsv#row=p7`. Raises `CannotRead` for a table that is not an export of payments.
    """
    # 1. Find the payments that belong to a series.
    payments = read_payments(layout.files.text_of(path))
    fraud_ids: set[str] = set()
    rules: set[str] = set()
    for series in find_series(payments):
        fraud_ids.update(payment.id for payment in series.rows)
        rules.add(series.rule)
    fraudulent = [payment for payment in payments if payment.id in fraud_ids]

    # 2. Report them, in the order of the table.
    rows = []
    references = []
    for payment in fraudulent:
        rows.append(
            {"id": payment.id, "cents": payment.cents, "customer": payment.customer}
        )
        reason = f"row {payment.id} of {payment.customer} is fraud"
        references.append(Reference(f"{path}#row={payment.id}", reason))
    total_cents = sum(payment.cents for payment in fraudulent)
    if rows:
        notes = notes_on_payments(payments)
    else:
        notes = ["no row is part of a series"]
    value = {
        "rows": rows,
        "total": amount_text(total_cents),
        "total_cents": total_cents,
        "rules": sorted(rules),
    }
    return FunctionResult(value, tuple(references), tuple(notes))


_MAX_UNKNOWN_HINTS: Final = 3
"""The most hints on delays that a note names if no page gives their rates."""


@layout_from_harness
def dispatch_plan(
    layout: ShopLayout, path: str, late_cents: int = 0, delays: object = None
) -> FunctionResult[dict[str, Any]]:
    """Return the plan with the highest expected gain for a wave, which is a set of packages.

    `dispatch_plan("/ops/dispatch/wave-3.md")` -> `{"answer": '{"assignments": [...]}',
    "expected_cost_cents": 1200, "expected_gain_cents": 2100}`. The path is that of the wave's
    document. `late_cents` and `delays` replace rates on the shop's page; 0 and None replace
    nothing. Raises `CannotRead` without the tables, or if no package has a route.
    """
    # 1. Read the two tables that the document names. That of lanes says which places are
    #    connected, and has a hint on the delays of each lane: `delays often; short when delayed`.
    document = layout.files.text_of(path)
    tables = tables_of_wave(layout, path, document)

    # 2. Read the rates: what a late unit of time costs, and what the words of hints mean. With
    #    `delays={'often': 20, 'short': [1, 2]}`, 20 of 100 trips are 1 to 2 units late.
    rates_on_page = rates_on_pages(layout, document)
    rates = rates_on_page.changed_by(rates_in_call(late_cents, delays or {}))
    packages = read_packages(tables.packages.text, rates.late_cents)
    lane_table = read_lanes(tables.lanes.text, rates)

    # 3. Plan the wave. The gain is the margins of the packages, minus the cost of trips and
    #    lateness. If the price of lateness is not known, the plan assumes a very high one, so that
    #    packages are on time if possible; this is not counted as a cost.
    plan = value_or_raise(
        _plan_for_profit(packages, lane_table.lanes),
        f"no lane leads any package of {tables.packages.path} to its destination",
    )
    cost_cents = float(plan.trip_cents)
    if rates.late_cents is not None:
        cost_cents += plan.late_cents
    value = {
        "answer": _answer_of(plan),
        "expected_cost_cents": round(cost_cents),
        "expected_gain_cents": round(plan.margin_cents - cost_cents),
    }
    references = (
        Reference(path, "paths of the tables of the dispatch wave"),
        Reference(tables.packages.path, "due times and margins of the dispatch wave"),
        Reference(tables.lanes.path, "lanes of the dispatch wave"),
    )
    notes = _notes_on(plan, packages, lane_table, rates)
    return FunctionResult(value, references, tuple(notes))


def _notes_on(
    plan: ProfitPlan, packages: Sequence[Package], lane_table: LaneTable, rates: Rates
) -> Iterator[str]:
    """Yield what a plan leaves out or assumes.

    These are packages without a route, hints without rates, and the price of lateness.
    """
    unrouted = [package.id for package in packages if package.id not in plan.routes]
    if unrouted:
        yield f"no route leads to the destination of {', '.join(unrouted)}"
    if lane_table.unknown_hints:
        hints = ", ".join(lane_table.unknown_hints[:_MAX_UNKNOWN_HINTS])
        yield f"no page gives the rates of {hints}: planned without these delays"
    if rates.late_cents is None:
        yield (
            "no page gives the price of a late unit of time: "
            "planned to be on time first, at no price"
        )


def _answer_of(plan: ProfitPlan) -> str:
    """Return a plan in the JSON form that the task requires, sorted by package.

    `{"assignments": [{"package_id": "pkg_1", "route": ["lane_3"], "priority": 2}, ...]}`
    """
    assignments = []
    for priority, (package_id, route) in enumerate(plan.routes.items(), start=1):
        lane_ids = [lane.id for lane in route]
        assignment = {"package_id": package_id, "route": lane_ids, "priority": priority}
        assignments.append(assignment)
    assignments.sort(key=lambda assignment: str(assignment["package_id"]))
    return json.dumps({"assignments": assignments})
