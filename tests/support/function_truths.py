"""Calls of the shop's functions that serve the tasks of each family, and what is right for them.

A function such as `stock_at` reads the files of a shop for the model. A family, such as
`stock-count`, is a generator of tasks. It makes a shop and knows the truth about it: `task.world`
has all records, and `task.truth.for_tests` what it chose for the task, as texts:
`{"store": "/proc/…", "units": "3"}`. A function here takes a task and yields `TrueCall`s.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.archive.fraud_measure import FraudMeasure
from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.tasks.stock.stock_conditions import (
    ConditionKind,
    StockCondition,
)
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.branch_stock import nickname
from controlplane.benchmarks.ecom.world.records import Product, Stock
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.ecom.reference_solutions import generate_variant, variant_id_of
from tests.support.functions_here import function_result_and_calls


@dataclass(frozen=True, slots=True)
class TrueCall:
    """A call of a function with the right parameters, and what it should return."""

    function: str
    arguments: Mapping[str, Plain]
    is_right: Callable[[Any], bool]
    """Takes the `value` of the function's result; True if it is the true one."""
    refs: Sequence[str] | None = None
    """The paths that the result should cite, in any order; None if any may be cited."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """How a function's call went."""

    verdict: str
    """"right", "wrong", or "declined" if the function says that it cannot tell."""
    calls: int
    """How many calls of the environment, such as `read`, the function made."""
    details: str
    """What the function returned, or why it declined."""


def compare_with_truth(environment: EcomEnvironment, call: TrueCall) -> CallResult:
    """Make a call and compare what it returns with the truth."""
    try:
        function_result, call_count = function_result_and_calls(
            environment, call.function, **call.arguments
        )
    except CallError as error:
        return CallResult(verdict="declined", calls=0, details=error.message)
    value = function_result["value"]
    cited_paths = [ref["path"] for ref in function_result["refs"]]
    is_right = call.is_right(value)
    if call.refs is not None and sorted(cited_paths) != sorted(call.refs):
        is_right = False
    summary = f"{value} {cited_paths} {function_result['notes']}"
    return CallResult(
        verdict="right" if is_right else "wrong",
        calls=call_count,
        details=summary[:1_500],  # Enough to see in a failed test what differs.
    )


def task_and_environment(
    name: str, seed: int, *, names: str = "mixed", profile: str = "prod"
) -> tuple[Task, EcomEnvironment]:
    """Return a task of the family `name`, and its environment.

    A family has several cases, such as "one is active" and "several are active"; the seed chooses
    one of them, too. `names` and `profile` are settings of the shop: how its fields are named, and
    how hard it is.
    """
    cases = list(FAMILIES[name].cases)
    number = seed % len(cases) + 1
    variant_id = variant_id_of(name, cases[number - 1])
    settings = WorldSettings(names=names, profile=profile)
    task = generate_variant(variant_id, f"{seed}|{name}.{number}|0", settings)
    return task, EcomEnvironment(workspace_of(task.world))


def same(true_value: object) -> Callable[[Any], bool]:
    """Return a check, for `TrueCall.is_right`, that a value equals the true one."""
    return lambda value: bool(value == true_value)


# The functions below each take a task of a family, and yield the calls that serve it, with the
# truth about them. `world` is the shop that the generator made, `truth.for_tests` what it chose.
# A test makes each call and asks `is_right` about the value that it returns. The model in
# `shop_players.py` makes the same calls to solve the task.

# Dates, the asker and the workspace.


def calendar_date_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that finds a date described in words, such as "a week from tomorrow".

    "What date is it in a week?" -> `relative_date` returns `"2028-01-16"`. There is no call if the
    request does not say how to write the date.
    """
    request = task.instruction
    if "YYYY" in request or "yyyy" in request:
        yield TrueCall(
            function="relative_date",
            arguments={"request": request},
            is_right=same(task.truth.message),
            refs=[],
        )


def own_staff_record_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for an employee's question about their own record.

    `workspace_layout` returns where the shop has its records, and `who_asks` the asker:
    `{"user": "emp_016", "roles": ["employee"], "is": "staff"}`.
    """
    yield _layout_call(task)
    session = task.world.session
    true_asker = {
        "user": session.user,
        "roles": sorted(session.roles),
        "is": "staff",
    }
    yield TrueCall(
        function="who_asks", arguments={}, is_right=same(true_asker), refs=[]
    )


def _layout_call(task: Task) -> TrueCall:
    """Return the call that tells a model how this shop names its folders, fields, states and pages.

    Each generated shop has names of its own, so that a model cannot know them by heart.
    `{"roots": {"basket": "/proc/hampers", ...}, "owner": "shopper_id", "state": "stage", ...}`
    says: baskets are in the folder `/proc/hampers`, and their field `shopper_id` has the owner.
    """
    # The generator's table of names: `names.field("customer_id")` is "shopper_id" in this shop.
    names = task.world.names
    policy = task.world.policy
    roots = names.layout.roots
    subjects = ("checkout", "discounts", "returns", "security", "stock", "verification")
    true_layout = {
        "roots": {
            "product": roots.products,
            "branch": roots.stores,
            "basket": roots.baskets,
            "payment": roots.payments,
            "return": roots.returns,
            "employee": roots.employees,
        },
        "owner": names.field("customer_id"),
        "state": names.field("status"),
        "open_state": names.state("active"),
        "policies": {subject: names.pages[subject] for subject in subjects},
        "yes": policy.answers.yes,
        "no": policy.answers.no,
    }

    def is_true_layout(value: dict[str, object]) -> bool:
        # The function also names the field "time", about which the truth says nothing.
        layout = {key: value[key] for key in value if key != "time"}
        return layout == true_layout

    return TrueCall(
        function="workspace_layout", arguments={}, is_right=is_true_layout, refs=[]
    )


def staff_count_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that counts the employees with a role, at one branch or at all.

    `staff_with_role(role="store_manager", branch="")` -> `17`
    """
    inputs = task.truth.for_tests
    branch_name = ""
    if inputs["store"]:
        branch_name = task.world.stores[inputs["store"]].name
    yield TrueCall(
        function="staff_with_role",
        arguments={"role": inputs["role"], "branch": branch_name},
        is_right=same(int(task.truth.message)),
        refs=list(task.truth.must_cite),
    )


# Baskets and payments.


def unnamed_basket_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for a request such as "Check out my basket now".

    `pick_basket` returns the ids of the baskets that may be meant, `["basket_525"]`, and
    `find_records` all baskets of the asker: `[{"id": "basket_525", "state": "open", ...}, ...]`.
    """
    world = task.world
    meant_paths = task.truth.for_tests["baskets"].split()
    meant_ids: set[str] = set()
    for path in meant_paths:
        meant_ids.add(_record_at(task, world.baskets.values(), path).id)
    yield TrueCall(
        function="pick_basket",
        arguments={},
        is_right=lambda value: set(value) == meant_ids,
        refs=meant_paths,
    )

    user = world.session.user
    own_paths: list[str] = []
    own_states: dict[str, str] = {}
    for basket in world.baskets.values():
        if basket.customer_id == user:
            own_paths.append(world.path(basket))
            own_states[basket.id] = world.names.state(basket.status)

    def are_own_baskets(value: list[dict[str, str]]) -> bool:
        states = {record["id"]: record["state"] for record in value}
        return states == own_states

    yield TrueCall(
        function="find_records",
        arguments={"kind": "basket", "field": "owner", "value": user},
        is_right=are_own_baskets,
        refs=own_paths,
    )


def basket_addition_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that picks the asker's newest basket, to which a product is to be added.

    `pick_basket(selector="newest")` -> `["basket-882"]`. There is none if the asker has no basket.
    """
    path = task.truth.for_tests.get("basket")
    if path is None:
        return
    newest_basket = _record_at(task, task.world.baskets.values(), path)
    yield TrueCall(
        function="pick_basket",
        arguments={"selector": "newest"},
        is_right=same([newest_basket.id]),
        refs=[path],
    )


def foreign_basket_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for a named basket, most often somebody else's.

    `who_asks` returns the asker, and `may_use(record="basket-0334")` what they may do with the
    basket: `{"see": false, "change": false, "cite": false, ...}`. An owner may do all three with
    their basket, and anybody else nothing.
    """
    session = task.world.session
    asker_kind = "guest" if "guest" in session.roles else "customer"
    yield TrueCall(
        function="who_asks",
        arguments={},
        is_right=lambda value: value["is"] == asker_kind,
        refs=[],
    )

    basket = task.world.baskets[task.truth.for_tests["id"]]
    is_own = basket.customer_id == session.user

    def has_right_permissions(value: dict[str, bool]) -> bool:
        permissions = [value["see"], value["change"], value["cite"]]
        return permissions == [is_own, is_own, is_own]

    yield TrueCall(
        function="may_use",
        arguments={"record": basket.id},
        is_right=has_right_permissions,
        refs=[task.world.path(basket)] if is_own else [],
    )


def checked_basket_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that checks a basket before it is bought or discounted.

    `check_basket` returns its state, its sum, and the products of which the branch has too few:
    `{"state": "active", "is_open": true, "subtotal_cents": 28926, "short": ["VH-GDE-1"], ...}`.
    """
    inputs = task.truth.for_tests
    world = task.world
    basket = world.baskets[inputs.get("id") or inputs["basket"]]
    products = world.catalogue.products
    inventory = world.stores[basket.store_id].inventory
    short_skus: set[str] = set()
    for sku, count in basket.lines.items():
        available = inventory.get(sku, Stock(0, 0)).available
        if available < count and not products[sku].is_digital:
            short_skus.add(sku)

    def is_right(value: dict[str, Any]) -> bool:
        # A digital product without stock is in "short" too, with a note that nobody knows.
        found_short = {sku for sku in value["short"] if not products[sku].is_digital}
        return (
            value["state"] == world.names.state(basket.status)
            and value["is_open"] == (basket.status == "active")
            and value["subtotal_cents"] == world.catalogue.price_of(basket.lines)
            and found_short == short_skus
        )

    yield TrueCall(
        function="check_basket",
        arguments={"basket": basket.id},
        is_right=is_right,
        refs=[world.path(basket)],
    )


def verification_restart_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call for a customer whose payment was not verified: when can they try again?

    `retry_moment(payment="pay_12")` returns how often it was tried, and from when on it may be
    tried again; `passed` says whether that time has come:
    `{"attempts": 1, "max_attempts": 3, "retry_at": "2028-08-03T13:57:00Z", "passed": False, ...}`.
    There is no call for another customer's payment, or one that needs no verification.
    """
    # {"id": "pay_12", "payment": "/proc/payments/pay_12.json"}
    inputs = task.truth.for_tests
    payment = task.world.payments[inputs["id"]]
    verification = payment.verification
    if verification is None or payment.customer_id != task.world.session.user:
        return
    now = task.world.clock.strftime("%Y-%m-%dT%H:%M:%SZ")

    def is_right(value: dict[str, Any]) -> bool:
        # Times in this notation compare as texts.
        return (
            value["attempts"] == verification.attempts
            and value["max_attempts"] == verification.max_attempts
            and value["retry_at"] == verification.retry_after
            and value["passed"] == (verification.retry_after <= now)
        )

    yield TrueCall(
        function="retry_moment",
        arguments={"payment": payment.id},
        is_right=is_right,
        refs=[inputs["payment"]],
    )


def refund_closure_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for a request to close the refund of a payment.

    Two things have to be known: whether the payment is the asker's, and which record of a *return*
    (goods that were sent back) belongs to it.

    - `may_use(record="pay_12")` -> `{"see": True, "change": True, ...}` for its owner only
    - `linked_records(record="pay_12")` ->
      `[{"kind": "return", "path": "/proc/returns/ret_4.json", ...}, ...]`
    """
    # {"payment": "/proc/payments/pay_12.json", "path": "/proc/returns/ret_4.json"}, without "path"
    # if nothing was sent back.
    inputs = task.truth.for_tests
    payment = _record_at(task, task.world.payments.values(), inputs["payment"])
    is_own = payment.customer_id == task.world.session.user

    def has_right_permissions(value: dict[str, bool]) -> bool:
        return value["change"] is is_own and value["see"] is is_own

    yield TrueCall(
        function="may_use",
        arguments={"record": payment.id},
        is_right=has_right_permissions,
    )
    if not is_own:
        return

    paths_of_returns: set[str] = set()
    if inputs.get("path"):
        paths_of_returns.add(inputs["path"])

    def has_right_returns(value: list[dict[str, str]]) -> bool:
        # Other kinds of records may be linked to the payment, too.
        found_paths = {record["path"] for record in value if record["kind"] == "return"}
        return found_paths == paths_of_returns

    yield TrueCall(
        function="linked_records",
        arguments={"record": payment.id},
        is_right=has_right_returns,
    )


def _record_at(task: Task, records: Iterable[Any], path: str) -> Any:
    """Return the one of some records of the shop whose file has this path. Raises if none has."""
    for record in records:
        if task.world.path(record) == path:
            return record
    msg = f"no such record: {path}"
    raise AssertionError(msg)


# Stock and branches.


STOCK_FIELDS = ("on_hand", "reserved", "available", "within")
"""The numbers of units that `stock_at` returns for a product. "available" is what is on hand and
not reserved; "within" adds what is delivered within the days that a request names."""


def stock_count_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that returns a branch's stock of some products.

    The request asks how many of them meet a condition, such as "at least 3 within 2 days".
    `stock_at` returns `{"VH-LMP-1": {"on_hand": 5, "reserved": 3, "available": 2, "within": 2}}`.
    """
    inputs = task.truth.for_tests
    store = _record_at(task, task.world.stores.values(), inputs["store"])
    units = int(inputs["units"])
    days = int(inputs["days"])
    condition = StockCondition(ConditionKind(inputs["case"]), units, days)
    true_rows: dict[str, dict[str, int]] = {}
    count = 0
    for sku in inputs["skus"].split():
        stock = store.inventory.get(sku, Stock(0, 0))
        true_rows[sku] = {
            "on_hand": stock.on_hand,
            "reserved": stock.reserved,
            "available": stock.available,
            "within": stock.within(days),
        }
        if condition.is_met_by(stock):
            count += 1
    # The rows have to lead to the task's answer: "<COUNT:%d>" % 4 is "<COUNT:4>".
    answer = inputs["pattern"] % count

    def is_right(value: dict[str, dict[str, int]]) -> bool:
        rows: dict[str, dict[str, int]] = {}
        for sku, row in value.items():
            rows[sku] = {field: row[field] for field in STOCK_FIELDS}
        return rows == true_rows and bool(task.truth.message == answer)

    yield TrueCall(
        function="stock_at",
        arguments={
            "products": list(true_rows),
            "branch": nickname(task.world, store),
            "days": days,
        },
        is_right=is_right,
        refs=list(task.truth.must_cite),
    )


def stock_answer_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that tells whether a branch has enough of a product, now or in some days.

    "Do you have 4 of ... at ...?" -> `stock_at` returns `{"VH-LMP-1": {"available": 2, ...}}`:
    no. If the request names days, the field "within" counts, which includes deliveries.
    """
    inputs = task.truth.for_tests
    if "store" not in inputs:  # Several products fit: the right answer is a question.
        return
    store = _record_at(task, task.world.stores.values(), inputs["store"])
    product = task.world.catalogue.products[inputs["sku"]]
    wanted_units = int(inputs["units"])
    right_answer_is_yes = task.truth.message == inputs["yes"]
    if inputs["days"]:
        field = "within"
        days = int(inputs["days"])
    else:
        field = "available"
        days = 0

    def is_right(value: dict[str, dict[str, int]]) -> bool:
        is_enough = value[product.sku][field] >= wanted_units
        return is_enough is right_answer_is_yes

    yield TrueCall(
        function="stock_at",
        arguments={
            "products": [product.sku],
            "branch": nickname(task.world, store),
            "days": days,
        },
        is_right=is_right,
        refs=[inputs["store"], task.world.path(product)],
    )


def open_branches_calls(task: Task) -> Iterator[TrueCall]:
    """Yield two calls that find the open branches of a city: by the city's name, and by the name of
    one of its branches.

    `branches_in(place="Groningen")` -> `[{"name": "Veerhaven Helpman", "is_open": true}, ...]`
    """
    city = task.truth.for_tests["city"]
    branch_names: list[str] = []
    for store in task.world.stores.values():
        if store.city == city:
            branch_names.append(nickname(task.world, store))
    open_names = task.truth.message.split("\n")

    def has_open_branches(value: list[dict[str, Any]]) -> bool:
        found_names = [branch["name"] for branch in value if branch["is_open"]]
        return found_names == open_names

    for place in (city, task.world.rng.choice(branch_names)):
        yield TrueCall(
            function="branches_in",
            arguments={"place": place},
            is_right=has_open_branches,
            refs=list(task.truth.must_cite),
        )


# Products by their descriptions.


def sku_lookup_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that finds the code (SKU) of a product by its description."""
    products = task.world.catalogue.products
    target = [products[sku] for sku in task.truth.for_tests["skus"].split()]
    yield from _match_products_calls(task, described=target, matching=target)


def product_existence_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that tells whether a described product exists.

    If it exists, `fitting` of the task's inputs is its code. If not, the description has a value
    that no product has, such as "colour no such value".
    """
    inputs = task.truth.for_tests
    if inputs["fitting"]:
        product = task.world.catalogue.products[inputs["fitting"]]
        yield from _match_products_calls(task, described=[product], matching=[product])
        return

    product = _products_at(task, inputs["paths"])[0]
    key, value = next(iter(product.properties.items()))
    if isinstance(value, str):
        false_value = "no such value"
    else:
        false_value = str(value + 77)  # A number that no product has for this property.
    yield from _match_products_calls(
        task,
        described=[product],
        matching=[],
        false_claim=f"{key.replace('_', ' ')} {false_value}",
    )


def price_count_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that finds the products of a line that cost less than a limit.

    A line, such as "Fathoow dry bag", has one product for each size and colour.
    """
    inputs = task.truth.for_tests
    described = _products_at(task, inputs["paths"])
    limit_cents = int(inputs["limit"])
    cheap = [product for product in described if product.price_cents < limit_cents]
    yield from _match_products_calls(
        task, described=described, matching=cheap, below_cents=limit_cents
    )


def _products_at(task: Task, paths: str) -> list[Product]:
    """Return the products whose files have these paths, one a line."""
    products_by_path: dict[str, Product] = {}
    for product in task.world.catalogue.products.values():
        products_by_path[task.world.path(product)] = product
    return [products_by_path[path] for path in paths.split("\n")]


def _match_products_calls(
    task: Task,
    *,
    described: Sequence[Product],
    matching: Sequence[Product],
    false_claim: str = "",
    below_cents: int = 0,
) -> Iterator[TrueCall]:
    """Yield the call of `match_products` that finds products by a description.

    The products `described` are all of one line, such as "Fathoow bag". The call describes them by
    properties that no other product of the line has, and has to find the products `matching`:
    `match_products("Fathoow bag", must=["colour orange"])` -> `[{"sku": "VH-DRY-30-ORG", ...}]`.
    A `false_claim` is added to `must`, and `below_cents` is a limit of the price (0 for none).
    There is no call if more than `MOST_PROPERTIES` are needed to describe the products.
    """
    line = task.world.catalogue.family(described[0].family_id)
    others = [product for product in line if product not in described]
    properties = _distinguishing_properties(described, others)
    if properties is None:
        return
    must: list[Plain] = []
    for key, value in properties.items():
        must.append(f"{key.replace('_', ' ')} {_property_text(value)}")
    if false_claim:
        must.append(false_claim)
    matching_skus = sorted(product.sku for product in matching)

    def are_matching_products(value: list[dict[str, str]]) -> bool:
        return [record["sku"] for record in value] == matching_skus

    yield TrueCall(
        function="match_products",
        arguments={
            "description": _common_name([product.name for product in line]),
            "must": must,
            "below_cents": below_cents,
        },
        is_right=are_matching_products,
        refs=[task.world.path(product) for product in matching],
    )


MOST_PROPERTIES = 3
"""How many properties a request names at most to describe a product."""


def _distinguishing_properties(
    described: Sequence[Product], others: Sequence[Product]
) -> dict[str, Any] | None:
    """Return as few properties as tell the described products from others of their line.

    `{"colour": "orange"}`: all described products have it, and none of the others. None if more
    than `MOST_PROPERTIES` would be needed.
    """
    shared: dict[str, Any] = {}
    for key, value in described[0].properties.items():
        if all(product.properties.get(key) == value for product in described):
            shared[key] = value

    largest_count = min(len(shared), MOST_PROPERTIES)
    for count in range(largest_count + 1):
        for keys in combinations(shared, count):
            properties = {key: shared[key] for key in keys}
            if not any(_has_properties(product, properties) for product in others):
                return properties
    return None


def _has_properties(product: Product, properties: Mapping[str, Any]) -> bool:
    return all(product.properties.get(key) == properties[key] for key in properties)


def _common_name(names: Sequence[str]) -> str:
    """Return the words with which all names begin.

    `["Fathoow bag 20 l", "Fathoow bag 30 l"]` -> "Fathoow bag"
    """
    common_words: list[str] = []
    for words in zip(*(name.split() for name in names), strict=False):
        if len(set(words)) > 1:
            break
        common_words.append(words[0])
    return " ".join(common_words)


def _property_text(value: str | int | bool) -> str:
    """Return a property's value as requests write it: `True` is `true`."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


# Files: receipts, archives of payments, packages to deliver, long files.


def receipt_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that compares a receipt with today's prices and stocks.

    The request asks whether the price has changed by less than a limit, or whether all of it can
    be bought today. `settle_receipt` returns `{"within": true, "can_be_bought": false, ...}`. Its
    `path` is empty if the request asks about the last receipt without naming it.
    """
    inputs = task.truth.for_tests
    receipt_path = task.truth.must_cite[0]
    is_named = receipt_path in task.instruction
    right_answer_is_yes = task.truth.message == inputs["yes"]
    if "limit" in inputs:
        field = "within"
        tolerance_cents = int(inputs["limit"])
    else:
        field = "can_be_bought"
        tolerance_cents = 0

    def is_right(value: dict[str, bool]) -> bool:
        return value[field] is right_answer_is_yes

    yield TrueCall(
        function="settle_receipt",
        arguments={
            "path": receipt_path if is_named else "",
            "tolerance_cents": tolerance_cents,
        },
        is_right=is_right,
        refs=list(task.truth.must_cite),
    )


LEAST_STOLEN_SHARE = 0.9
"""The share of the stolen sum that `fraud_rows` has to find."""


def archive_fraud_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that finds the fraud in an archive of payments.

    `fraud_rows` returns `{"rows": [{"id": "AR-AsQAMA", "cents": 48858, ...}, ...]}`. That is right
    if it has no honest payment, and nearly all of the stolen sum. A task with fraud has a
    `FraudMeasure`: the ids of the fraudulent payments, and the amount of each payment in cents.
    """
    measure = task.truth.measure
    if not isinstance(measure, FraudMeasure):  # The request is to be refused.
        return
    stolen_cents = sum(measure.amounts[payment_id] for payment_id in measure.fraud)

    def is_right(value: dict[str, list[dict[str, str]]]) -> bool:
        found_ids = {row["id"] for row in value["rows"]}
        if not found_ids <= measure.fraud:
            return False
        found_cents = sum(measure.amounts[payment_id] for payment_id in found_ids)
        return bool(found_cents >= LEAST_STOLEN_SHARE * stolen_cents)

    yield TrueCall(
        function="fraud_rows",
        arguments={"path": task.truth.for_tests["path"]},
        is_right=is_right,
    )


LEAST_PLAN_SCORE = 0.9
"""The score that a plan of routes has to get; the best plan gets 1.0."""


def dispatch_wave_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that plans the routes of packages that are to be delivered together (a wave).

    The plan is right if it scores nearly as high as the best one. The task's measure scores the
    text of a plan, as the grader does.
    """
    measure = task.truth.measure
    if measure is None:  # The request is to be refused.
        return

    def is_good_plan(value: dict[str, Any]) -> bool:
        measured = measure.measure(value["answer"], refs=[])
        return bool(measured.score >= LEAST_PLAN_SCORE)

    yield TrueCall(
        function="dispatch_plan",
        arguments={"path": task.truth.must_cite[0]},
        is_right=is_good_plan,
        refs=list(task.truth.must_cite),
    )


def file_marker_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that reads a file whole, since a marker is hidden in it.

    There may be an older file beside it, such as `/tmp/cat-check-old-4.txt` beside
    `/tmp/cat-check-4.txt`; the right one was made first.
    """
    files = workspace_of(task.world).files
    path = next(path for path in files if path.startswith("/tmp/cat-check"))
    yield TrueCall(
        function="read_all",
        arguments={"path": path},
        is_right=same(files[path]),
        refs=[path],
    )


CALLS_OF_FAMILY: Mapping[str, Callable[[Task], Iterator[TrueCall]]] = {
    "archive-fraud": archive_fraud_calls,
    "basket-addition": basket_addition_calls,
    "basket-checkout": checked_basket_calls,
    "calendar-date": calendar_date_calls,
    "discount-grant": checked_basket_calls,
    "discount-limit": checked_basket_calls,
    "dispatch-wave": dispatch_wave_calls,
    "file-marker": file_marker_calls,
    "foreign-basket": foreign_basket_calls,
    "guest-basket-status": foreign_basket_calls,
    "open-branches": open_branches_calls,
    "own-staff-record": own_staff_record_calls,
    "price-count": price_count_calls,
    "product-existence": product_existence_calls,
    "receipt-rebuy": receipt_calls,
    "receipt-reprice": receipt_calls,
    "refund-closure": refund_closure_calls,
    "sku-lookup": sku_lookup_calls,
    "staff-count": staff_count_calls,
    "stock-answer": stock_answer_calls,
    "stock-count": stock_count_calls,
    "unnamed-basket": unnamed_basket_calls,
    "verification-restart": verification_restart_calls,
}
"""The function that yields the calls for a family's tasks, by the family's name."""
