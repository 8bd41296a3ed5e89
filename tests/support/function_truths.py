"""The calls of a shop's functions that serve each family
of the embedded benchmark, with the right parameters."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.archive import FraudMeasure
from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.tasks.stock import StockCondition
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.branch_stock import nickname
from controlplane.benchmarks.ecom.world.records import Product, Stock
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.functions_here import found


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function with the right parameters, and what it should return."""

    function: str
    arguments: Mapping[str, Plain]
    is_right: Callable[[Any], bool]
    """Whether a value is the true one."""
    refs: Sequence[str] | None = None
    """The paths that it should cite, in any order; None if the truth says nothing of them."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a call went: right, wrong or declined, and the calls that it made."""

    verdict: str
    calls: int
    told: str


def judged(environment: EcomEnvironment, call: Call) -> Result:
    """Make a call and compare what it finds with the truth."""
    try:
        function_result, made = found(environment, call.function, **call.arguments)
    except CallError as error:
        return Result("declined", 0, error.message)
    refs = [ref["path"] for ref in function_result["refs"]]
    fits = call.is_right(function_result["value"]) and (
        call.refs is None or sorted(refs) == sorted(call.refs)
    )
    return Result(
        "right" if fits else "wrong",
        made,
        f"{function_result['value']} {refs} {function_result['notes']}"[:1_500],
    )


def opened(
    name: str, seed: int, *, names: str = "mixed", profile: str = "prod"
) -> tuple[Task, EcomEnvironment]:
    """Return a task of a family, whose variants take turns by the seed, and its environment."""
    variant = seed % len(FAMILIES[name].cases) + 1
    settings = WorldSettings(names=names, profile=profile)
    task = generate_variant(f"{name}#{variant}", f"{seed}|{name}.{variant}|0", settings)
    return task, EcomEnvironment(workspace_of(task.world))


def same(value: object) -> Callable[[Any], bool]:
    """Return whether something equals a value."""
    return lambda given: bool(given == value)


def _calendar_date(task: Task) -> Iterator[Call]:
    if any(mark in task.instruction for mark in ("YYYY", "yyyy")):
        yield Call(
            "relative_date", {"request": task.instruction}, same(task.truth.message), []
        )


def _staff_count(task: Task) -> Iterator[Call]:
    inputs = task.truth.for_tests
    branch = task.world.stores[inputs["store"]].name if inputs["store"] else ""
    value = int(task.truth.message)
    yield Call(
        "staff_with_role",
        {"role": inputs["role"], "branch": branch},
        same(value),
        list(task.truth.must_cite),
    )


def _unnamed_basket(task: Task) -> Iterator[Call]:
    paths = task.truth.for_tests["baskets"].split()
    ids = {
        basket.id
        for basket in task.world.baskets.values()
        if task.world.path(basket) in paths
    }
    yield Call("pick_basket", {}, lambda value: set(value) == ids, paths)
    own = {
        basket.id: basket
        for basket in task.world.baskets.values()
        if basket.customer_id == task.world.session.user
    }
    true = {key: task.world.names.state(each.status) for key, each in own.items()}
    yield Call(
        "find_records",
        {"kind": "basket", "field": "owner", "value": task.world.session.user},
        lambda value: {record["id"]: record["state"] for record in value} == true,
        [task.world.path(basket) for basket in own.values()],
    )


def _basket_addition(task: Task) -> Iterator[Call]:
    path = task.truth.for_tests.get("basket")
    if path is None:
        return
    newest = [
        basket.id
        for basket in task.world.baskets.values()
        if task.world.path(basket) == path
    ]
    yield Call("pick_basket", {"selector": "newest"}, same(newest), [path])


def _verification_restart(task: Task) -> Iterator[Call]:
    payment = task.world.payments[task.truth.for_tests["id"]]
    check = payment.verification
    if check is None or payment.customer_id != task.world.session.user:
        return
    at = check.retry_after
    passed = at <= task.world.clock.strftime("%Y-%m-%dT%H:%M:%SZ")
    true = (check.attempts, check.max_attempts, at, passed)
    yield Call(
        "retry_moment",
        {"payment": payment.id},
        lambda value: (
            (
                value["attempts"],
                value["max_attempts"],
                value["retry_at"],
                value["passed"],
            )
            == true
        ),
        [task.truth.for_tests["payment"]],
    )


def _refund_closure(task: Task) -> Iterator[Call]:
    payment = next(
        candidate
        for candidate in task.world.payments.values()
        if task.world.path(candidate) == task.truth.for_tests["payment"]
    )
    is_own = payment.customer_id == task.world.session.user
    yield Call(
        "may_use",
        {"record": payment.id},
        lambda value: value["change"] is value["see"] is is_own,
    )
    if is_own:
        linked = {task.truth.for_tests.get("path", "")} - {""}
        yield Call(
            "linked_records",
            {"record": payment.id},
            lambda value: (
                {record["path"] for record in value if record["kind"] == "return"}
                == linked
            ),
        )


def _layout(task: Task) -> Call:
    names, policy = task.world.names, task.world.policy
    subjects = ("checkout", "discounts", "returns", "security", "stock", "verification")
    kinds = {"product": "products", "branch": "stores", "basket": "baskets"}
    kinds |= {"payment": "payments", "return": "returns", "employee": "employees"}

    def is_right(value: dict[str, object]) -> bool:
        return value | {"time": ""} == {
            "roots": {
                kind: getattr(names.layout.roots, key) for kind, key in kinds.items()
            },
            "owner": names.field("customer_id"),
            "state": names.field("status"),
            "time": "",
            "open_state": names.state("active"),
            "policies": {subject: names.pages[subject] for subject in subjects},
            "yes": policy.yes,
            "no": policy.no,
        }

    return Call("workspace_layout", {}, is_right, [])


def _own_staff_record(task: Task) -> Iterator[Call]:
    yield _layout(task)
    true = {
        "user": task.world.session.user,
        "roles": sorted(task.world.session.roles),
        "is": "staff",
    }
    yield Call("who_asks", {}, same(true), [])


def _foreign_basket(task: Task) -> Iterator[Call]:
    kind = "guest" if "guest" in task.world.session.roles else "customer"
    yield Call("who_asks", {}, lambda value: value["is"] == kind, [])
    basket = task.world.baskets[task.truth.for_tests["id"]]
    is_own = basket.customer_id == task.world.session.user
    yield Call(
        "may_use",
        {"record": basket.id},
        lambda value: {value["see"], value["change"], value["cite"]} == {is_own},
        [task.world.path(basket)] if is_own else [],
    )


def _stock_count(task: Task) -> Iterator[Call]:
    inputs = task.truth.for_tests
    store = next(
        candidate
        for candidate in task.world.stores.values()
        if task.world.path(candidate) == inputs["store"]
    )
    units, days = int(inputs["units"]), int(inputs["days"])
    condition = StockCondition(inputs["case"])
    true = {
        sku: store.inventory.get(sku, Stock(0, 0)) for sku in inputs["skus"].split()
    }

    def is_right(value: dict[str, dict[str, int]]) -> bool:
        shown = {
            sku: (each["on_hand"], each["reserved"], each["available"], each["within"])
            for sku, each in value.items()
        }
        known = {
            sku: (row.on_hand, row.reserved, row.available, row.within(days))
            for sku, row in true.items()
        }
        count = sum(condition.is_met_by(row, units, days) for row in true.values())
        return shown == known and task.truth.message == inputs["pattern"] % count

    arguments = {
        "products": list(true),
        "branch": nickname(task.world, store),
        "days": days,
    }
    yield Call("stock_at", arguments, is_right, list(task.truth.must_cite))


def _stock_answer(task: Task) -> Iterator[Call]:
    inputs = task.truth.for_tests
    if "store" not in inputs:  # Several products fit.
        return
    store = next(
        candidate
        for candidate in task.world.stores.values()
        if task.world.path(candidate) == inputs["store"]
    )
    key, days = ("within", int(inputs["days"])) if inputs["days"] else ("available", 0)
    is_enough = task.truth.message == inputs["yes"]
    sku = inputs["sku"]
    yield Call(
        "stock_at",
        {"products": [sku], "branch": nickname(task.world, store), "days": days},
        lambda value: (value[sku][key] >= int(inputs["units"])) is is_enough,
        [inputs["store"], task.world.path(task.world.catalogue.products[sku])],
    )


def _open_branches(task: Task) -> Iterator[Call]:
    true = task.truth.message.split("\n")
    for place in (task.truth.for_tests["city"], task.world.rng.choice(_names_in(task))):
        yield Call(
            "branches_in",
            {"place": place},
            lambda value: (
                [branch["name"] for branch in value if branch["is_open"]] == true
            ),
            list(task.truth.must_cite),
        )


def _names_in(task: Task) -> list[str]:
    city = task.truth.for_tests["city"]
    return [
        nickname(task.world, store)
        for store in task.world.stores.values()
        if store.city == city
    ]


def _checked_basket(task: Task) -> Iterator[Call]:
    name = task.truth.for_tests.get("id") or task.truth.for_tests["basket"]
    basket = task.world.baskets[name]
    store, products = task.world.stores[basket.store_id], task.world.catalogue.products
    stock = {
        sku: store.inventory.get(sku, Stock(0, 0)).available for sku in basket.lines
    }
    short = {
        sku
        for sku, count in basket.lines.items()
        if stock[sku] < count and not products[sku].is_digital
    }
    true = (
        task.world.names.state(basket.status),
        basket.status == "active",
        task.world.catalogue.price_of(basket.lines),
        short,
    )

    def is_right(value: dict[str, object]) -> bool:
        # A note says what is not known.
        lacking = {sku for sku in value["short"] if not products[sku].is_digital}
        return (
            value["state"],
            value["is_open"],
            value["subtotal_cents"],
            lacking,
        ) == true

    yield Call("check_basket", {"basket": name}, is_right, [task.world.path(basket)])


def _described(
    task: Task, target: Sequence[Product], *, more: str = "", below: int = 0
) -> Iterator[Call]:
    """Describe some products of one line by brand, model
    and what they share and no other product of the line has."""
    line = task.world.catalogue.family(target[0].family_id)
    name = " ".join(_shared(product.name.split() for product in line))
    shared = {
        key: value
        for key, value in target[0].properties.items()
        if all(e.properties.get(key) == value for e in target)
    }
    others = [product for product in line if product not in target]
    for count in range(min(len(shared), 3) + 1):
        for keys in combinations(shared, count):
            if not any(
                all(product.properties.get(key) == shared[key] for key in keys)
                for product in others
            ):
                must = [f"{key.replace('_', ' ')} {_said(shared[key])}" for key in keys]
                fitting = [
                    product
                    for product in target
                    if not more and (not below or product.price_cents < below)
                ]
                skus = sorted(product.sku for product in fitting)
                yield Call(
                    "match_products",
                    {
                        "description": name,
                        "must": [*must, *filter(None, [more])],
                        "below_cents": below,
                    },
                    lambda value, skus=skus: (
                        [record["sku"] for record in value] == skus
                    ),
                    [task.world.path(product) for product in fitting],
                )
                return


def _shared(names: Iterator[Sequence[str]]) -> list[str]:
    """Return the words with which all names begin."""
    found = []
    for words in zip(*names, strict=False):
        if len(set(words)) > 1:
            break
        found.append(words[0])
    return found


def _said(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sku_lookup(task: Task) -> Iterator[Call]:
    yield from _described(
        task,
        [
            task.world.catalogue.products[sku]
            for sku in task.truth.for_tests["skus"].split()
        ],
    )


def _product_existence(task: Task) -> Iterator[Call]:
    products = {
        task.world.path(product): product
        for product in task.world.catalogue.products.values()
    }
    family = [products[path] for path in task.truth.for_tests["paths"].split("\n")]
    fitting = task.truth.for_tests["fitting"]
    target = [product for product in family if product.sku == fitting] or family[:1]
    key, value = next(iter(target[0].properties.items()))
    told = "no such value" if isinstance(value, str) else str(value + 77)
    yield from _described(
        task, target, more="" if fitting else f"{key.replace('_', ' ')} {told}"
    )


def _price_count(task: Task) -> Iterator[Call]:
    products = {
        task.world.path(product): product
        for product in task.world.catalogue.products.values()
    }
    target = [products[path] for path in task.truth.for_tests["paths"].split("\n")]
    yield from _described(task, target, below=int(task.truth.for_tests["limit"]))


def _receipt(task: Task) -> Iterator[Call]:
    inputs = task.truth.for_tests
    upload = next(iter(task.truth.must_cite))
    is_named = upload in task.instruction
    is_yes = task.truth.message == (inputs["yes"])
    if "limit" in inputs:
        key, tolerance = "within", int(inputs["limit"])
    else:
        key, tolerance = "can_be_bought", 0
    yield Call(
        "settle_receipt",
        {"path": upload if is_named else "", "tolerance_cents": tolerance},
        lambda value: value[key] is is_yes,
        list(task.truth.must_cite),
    )


def _archive_fraud(task: Task) -> Iterator[Call]:
    measure = task.truth.measure
    if not isinstance(measure, FraudMeasure):  # It is refused.
        return

    def is_right(value: dict[str, list[dict[str, str]]]) -> bool:
        found = {row["id"] for row in value["rows"]}
        cents = sum(measure.amounts[payment_id] for payment_id in found & measure.fraud)
        return found <= measure.fraud and cents >= 0.9 * sum(
            measure.amounts[payment_id] for payment_id in measure.fraud
        )

    yield Call("fraud_rows", {"path": task.truth.for_tests["path"]}, is_right)


def _dispatch_wave(task: Task) -> Iterator[Call]:
    measure = task.truth.measure
    if measure is None:  # It is refused.
        return
    yield Call(
        "dispatch_plan",
        {"path": next(iter(task.truth.must_cite))},
        lambda value: measure.measure(value["answer"], [])[0] >= 0.9,
        list(task.truth.must_cite),
    )


def _file_marker(task: Task) -> Iterator[Call]:
    files = workspace_of(task.world).files
    path = next(path for path in files if path.startswith("/tmp/cat-check"))
    yield Call("read_all", {"path": path}, same(files[path]), [path])


CALLS: Mapping[str, Callable[[Task], Iterator[Call]]] = {
    "archive-fraud": _archive_fraud,
    "basket-addition": _basket_addition,
    "basket-checkout": _checked_basket,
    "calendar-date": _calendar_date,
    "discount-grant": _checked_basket,
    "discount-limit": _checked_basket,
    "dispatch-wave": _dispatch_wave,
    "file-marker": _file_marker,
    "foreign-basket": _foreign_basket,
    "guest-basket-status": _foreign_basket,
    "open-branches": _open_branches,
    "own-staff-record": _own_staff_record,
    "price-count": _price_count,
    "product-existence": _product_existence,
    "receipt-rebuy": _receipt,
    "receipt-reprice": _receipt,
    "refund-closure": _refund_closure,
    "sku-lookup": _sku_lookup,
    "staff-count": _staff_count,
    "stock-answer": _stock_answer,
    "stock-count": _stock_count,
    "unnamed-basket": _unnamed_basket,
    "verification-restart": _verification_restart,
}
"""The calls that serve a family, by its name."""
