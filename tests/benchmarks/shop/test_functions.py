"""The shop's functions: what they return, and how they read a shop's workspace.

A script may call a function such as `stock_at(products, branch)` instead of finding out by
itself which files have the stock of a branch. Every shop names its folders and fields
differently. The tests compare functions with the truth in generated shops, and show
how wrong arguments, odd tables and failed calls are reported.
"""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.shop.declarations import SHOP_TOOLS
from controlplane.benchmarks.shop.dispatch.call_rates import rates_in_call
from controlplane.benchmarks.shop.dispatch.delays import DelayLength, Rates
from controlplane.benchmarks.shop.dispatch.lane_table import read_lanes
from controlplane.benchmarks.shop.dispatch.package_table import read_packages
from controlplane.benchmarks.shop.payments.payment_rows import read_payments
from controlplane.benchmarks.shop.payments.payment_series import find_series
from controlplane.benchmarks.shop.payments.series_notes import uncertain_series
from controlplane.benchmarks.shop.products.property_match import property_match
from controlplane.benchmarks.shop.receipts.receipt_parts import ScannedItem
from controlplane.benchmarks.shop.receipts.scanned_products import scanned_product
from controlplane.benchmarks.shop.requests.request_dates import relative_date
from controlplane.benchmarks.shop.workspace.fields.basket_fields import (
    LineFields,
    line_fields,
)
from controlplane.benchmarks.shop.workspace.fields.check_fields import (
    CheckFields,
    check_fields,
)
from controlplane.benchmarks.shop.workspace.fields.delivery_fields import DeliveryFields
from controlplane.benchmarks.shop.workspace.fields.product_fields import product_fields
from controlplane.benchmarks.shop.workspace.fields.stock_fields import (
    StockFields,
    stock_fields,
)
from controlplane.benchmarks.shop.workspace.tool_uses import possible_tools
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface import CallError
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.function_truths import (
    CALLS_OF_FAMILY,
    compare_with_truth,
    task_and_environment,
)
from tests.support.functions_here import function_result_and_calls


def call_function(
    shop: EcomEnvironment, function: str, **arguments: Any
) -> dict[str, Any]:
    """Return the result of a function: `{"value": ..., "refs": [...], "notes": [...]}`."""
    result, _ = function_result_and_calls(shop, function, **arguments)
    return result


# Functions compared with the truth in generated shops --------------------------------------------


class ShopSettings(NamedTuple):
    """The settings of a generated shop."""

    profile: str
    """How hard it is: `hard` shops have more files, and longer ones."""
    names: str
    """The vocabulary of its folders and fields."""
    seed: int


FEW_SHOPS = (
    ShopSettings("prod", "own", 5),
    ShopSettings("prod", "public", 1),
    ShopSettings("hard", "random", 7),
)


def many_shops() -> list[ShopSettings]:
    """Return the settings of many shops. Seeds that 3 divides are kept for measuring."""
    shops = []
    for profile, names in (
        ("prod", "own"),
        ("prod", "public"),
        ("hard", "random"),
        ("dev", "random"),
    ):
        for seed in (5, *range(11, 60, 2)):
            if seed % 3 != 0:
                shops.append(ShopSettings(profile, names, seed))
    return shops


def assert_functions_find_the_truth(family, shops):
    """Make the calls that serve a family of tasks, such as questions for the stock of a branch.

    The truth is what the generator of the shop knows.
    """
    for profile, names, seed in shops:
        task, environment = task_and_environment(
            family, seed, names=names, profile=profile
        )
        for call in CALLS_OF_FAMILY[family](task):
            result = compare_with_truth(environment, call)
            assert result.verdict == "right", (task.instruction, call, result)


@pytest.mark.parametrize("family", CALLS_OF_FAMILY)
def test_functions_find_the_truth(family):
    """A family is a kind of task, with functions that find what a right answer needs."""
    assert_functions_find_the_truth(family, FEW_SHOPS)


@pytest.mark.heavy
@pytest.mark.parametrize("family", CALLS_OF_FAMILY)
def test_functions_find_the_truth_in_many_shops(family):
    """The same as the test above, in about 70 shops."""
    assert_functions_find_the_truth(family, many_shops())


def test_every_function_is_compared_with_a_truth():
    """A function that no family calls would not be tested by the two tests above."""
    compared_functions = set()
    for family, calls_of_task in CALLS_OF_FAMILY.items():
        for seed in (1, 2):
            task, _ = task_and_environment(family, seed)
            for call in calls_of_task(task):
                compared_functions.add(call.function)

    assert compared_functions == {tool.name for tool in SHOP_TOOLS}


# Arguments that name records, places or words ------------------------------------------------------


@pytest.fixture(scope="module")
def hard_shop() -> EcomEnvironment:
    """A shop with many files and long ones, whose fields and folders have random names."""
    _, environment = task_and_environment(
        "sku-lookup", 7, names="random", profile="hard"
    )
    return environment


def first_path(shop: EcomEnvironment, part: str) -> str:
    """Return the first path of a record with this part: `/store` gives that of a branch.

    Any part may also be in the path of a product, whose name begins with `VH-`. Products are
    only returned for the part `/VH-`.
    """
    wants_product = part == "/VH-"
    for path in sorted(shop.workspace.files):
        is_record = path.endswith(".json")
        is_product = "/VH-" in path
        if is_record and part in path and is_product == wants_product:
            return path
    raise LookupError(part)


def id_of(path: str) -> str:
    """`/proc/carts/basket-0012.json` -> `basket-0012`."""
    return path.rpartition("/")[2].removesuffix(".json")


def test_a_record_may_be_given_by_its_id_or_its_path(hard_shop):
    """`may_use` tells whether the user of the shop may use a record, such as a basket."""
    path = first_path(hard_shop, "/basket")

    result_by_path = function_result_and_calls(hard_shop, "may_use", record=path)
    result_by_id = function_result_and_calls(hard_shop, "may_use", record=id_of(path))

    assert result_by_id == result_by_path


def test_a_product_that_is_given_by_its_path_is_returned_by_its_sku(hard_shop):
    """`stock_at` returns how many units of products a branch has, by SKU."""
    product = first_path(hard_shop, "/VH-")
    branch = first_path(hard_shop, "/store")

    result = call_function(hard_shop, "stock_at", products=[product], branch=branch)

    assert list(result["value"]) == [id_of(product)]


def assert_lists_three_closest(message: str) -> None:
    """The message ends with the three names closest to an unknown one: `closest: a, b, c`."""
    assert message.count(", ") == 2


def test_an_unknown_record_is_refused_with_the_closest_records(hard_shop):
    """The script adds a digit to the id of a basket."""
    path = first_path(hard_shop, "/basket")
    unknown_id = f"{id_of(path)}7"

    with pytest.raises(CallError) as error:
        call_function(hard_shop, "may_use", record=unknown_id)

    assert f"'{unknown_id}'; closest: {path}, " in error.value.message
    assert_lists_three_closest(error.value.message)


def test_an_unknown_branch_is_refused_with_the_closest_branches(hard_shop):
    """Several branches are in Utrecht, so its name alone is not the name of a branch."""
    product = first_path(hard_shop, "/VH-")

    with pytest.raises(CallError) as error:
        call_function(hard_shop, "stock_at", products=[product], branch="Utrecht")

    assert (
        "no single branch is called 'Utrecht'; closest: Veerhaven Utrecht "
        in error.value.message
    )
    assert_lists_three_closest(error.value.message)


def test_an_unknown_file_is_refused_with_the_closest_files(hard_shop):
    """`fraud_rows` finds the fraudulent rows of a file of payments."""
    with pytest.raises(CallError) as error:
        call_function(hard_shop, "fraud_rows", path="/docs/lamp.md")

    assert "there is no file /docs/lamp.md; closest: /docs/" in error.value.message
    assert_lists_three_closest(error.value.message)


def test_a_description_that_fits_too_many_products_is_refused(hard_shop):
    """`match_products` finds the products that a customer's description fits."""
    with pytest.raises(
        CallError, match="too many products may be meant: name the brand as well"
    ):
        call_function(hard_shop, "match_products", description="a bag")


@pytest.mark.parametrize(
    ("function", "arguments", "expected_note"),
    [
        pytest.param(
            "match_products",
            {"description": "hatchet warmer"},
            "no product record holds 'warmer': use words of the records; closest: ",
            id="a word that no product has",
        ),
        pytest.param(
            "match_products",
            {"description": "the waterproof sack"},
            "no product record holds 'sack': use words of the records; closest: ",
            id="another such word",
        ),
        pytest.param(
            "find_records",
            {"kind": "product", "field": "name", "value": "lamp"},
            "holds 'lamp' as its name; closest: ",
            id="a value that no record has",
        ),
        pytest.param(
            "staff_with_role",
            {"role": "lamp"},
            "nobody has the role 'lamp' there; roles of others: ",
            id="a role that nobody has",
        ),
    ],
)
def test_a_search_for_an_unknown_word_notes_the_closest_words(
    hard_shop, function, arguments, expected_note
):
    """The result is empty, and its note says by which words to search instead."""
    (note,) = call_function(hard_shop, function, **arguments)["notes"]

    assert expected_note in note
    assert_lists_three_closest(note)


# Names with marks on letters, such as `Bjørn` ------------------------------------------------------
#
# Generated shops have names without marks. The tests take one such shop, and replace three names.

VARIANT_OF_SHOP = "basket-addition#1"
SEED_OF_SHOP = "5|basket-addition.1|0"
"""The kind of task and the seed that generate a shop with the counts below."""
PRODUCTS_OF_ALDERMOOR = 4
"""The brand Aldermoor has four products, all of them dry bags with the model name Fathoow."""
BRANCHES_IN_ARNHEM = 1
BRANCHES_IN_BREDA = 3

MARKED_NAMES = {
    "Aldermoor": "Bjørn Åsmöör",
    "Arnhem": "Zürich",
    "Breda": "'s-Den Haag",
}
"""Names of the generated shop, and the names with marks that replace them."""


def escaped(name: str) -> str:
    """Return a name as JSON may write it: `Bj\\u00f8rn` for `Bjørn`."""
    return json.dumps(name).strip('"')


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(False, id="written as they are"),
        pytest.param(True, id="escaped in JSON"),
    ],
)
def shop_with_marks(request) -> EcomEnvironment:
    """The shop with marked names, which are perhaps escaped in records: `Bj\\u00f8rn`."""
    is_escaped = request.param
    task = generate_variant(
        VARIANT_OF_SHOP, SEED_OF_SHOP, WorldSettings(names="public")
    )
    workspace = workspace_of(task.world)
    files = {}
    for path, text in workspace.files.items():
        for name, marked_name in MARKED_NAMES.items():
            marked_in_text = marked_name
            if is_escaped and path.endswith(".json"):
                marked_in_text = escaped(marked_name)
            path = path.replace(name, marked_name)
            text = text.replace(name, marked_in_text)
        files[path] = text
    return EcomEnvironment(replace(workspace, files=files))


@pytest.mark.parametrize(
    ("function", "arguments", "count"),
    [
        (
            "match_products",
            {"description": "Bjørn Åsmöör's Fathoow"},
            PRODUCTS_OF_ALDERMOOR,
        ),
        (
            "match_products",
            {"description": "BJØRN ÅSMÖÖR dry bag"},
            PRODUCTS_OF_ALDERMOOR,
        ),
        (
            "find_records",
            {"kind": "product", "field": "brand", "value": "Bjørn Åsmöör"},
            PRODUCTS_OF_ALDERMOOR,
        ),
        ("branches_in", {"place": "Zuerich"}, BRANCHES_IN_ARNHEM),
        ("branches_in", {"place": "zurich"}, BRANCHES_IN_ARNHEM),
        ("branches_in", {"place": "’s Den Haag"}, BRANCHES_IN_BREDA),
        # The stock of one product at the only branch in Zürich
        ("stock_at", {"products": ["VH-DRY-FATHOOW-10"], "branch": "Zurich"}, 1),
    ],
)
def test_names_with_marks_are_found_in_any_spelling(
    shop_with_marks, function, arguments, count
):
    """In the shop, Aldermoor is Bjørn Åsmöör, Arnhem is Zürich, and Breda is 's-Den Haag. `count`
    is the number of products or branches that the function must find."""
    result = call_function(shop_with_marks, function, **arguments)

    assert len(result["value"]) == count


# Receipts, baskets and descriptions of products ----------------------------------------------------


@pytest.fixture
def camping_shop():
    """A shop with tarps and one upload: a receipt whose lines have codes and no names.

    The end of the second code, `SND`, is misread.
    """
    world = generate_variant("sku-lookup#1", "5", WorldSettings(names="own")).world
    first_store, *_ = world.stores.values()
    receipt = [
        f"Branch: {first_store.name}",
        "2 VH-TRP-LEA-3X3-GRN 71.39 142.78",
        "1 x VH-TRP-LEA-3X3-5ND 71.19",
        "Subtotal EUR 213.97",
    ]
    world.files["/uploads/slip.txt"] = "\n".join(receipt)
    return EcomEnvironment(workspace_of(world))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/uploads/slip.txt", id="given by its path"),
        pytest.param("", id="the last upload"),
    ],
)
def test_a_receipt_without_names_is_settled_by_its_codes(camping_shop, path):
    """To settle a receipt is to tell which products it has, and what they cost now."""
    value = call_function(camping_shop, "settle_receipt", path=path)["value"]

    quantities = {line["sku"]: line["quantity"] for line in value["lines"]}
    assert quantities == {"VH-TRP-LEA-3X3-GRN": 2, "VH-TRP-LEA-3X3-SND": 1}
    assert len(value["lines"]) == 2
    assert value["subtotal_now_cents"] == 213_97
    assert value["within"] is True  # That is within the subtotal of the receipt.


def test_a_scanned_name_without_a_code_is_refused_before_any_product_is_read():
    """No product of the shop can be told from such a line of a receipt for certain."""
    item = ScannedItem(1, "Lea tarp", code="", unit_cents=7139, total_cents=7139)
    catalogue: Any = object()  # It has no method by which products could be read.

    with pytest.raises(CannotRead, match=r"'Lea tarp' \(no code\)"):
        scanned_product(catalogue, item)


def test_an_unknown_code_without_a_name_is_refused_before_any_product_is_read():
    """A code may be misread, so a product is only certain if its name fits, too."""
    item = ScannedItem(1, "", code="VH-TRP-9", unit_cents=7139, total_cents=7139)
    catalogue: Any = SimpleNamespace(codes={"VH-TRP-1": "/products/VH-TRP-1.json"})

    with pytest.raises(CannotRead, match=r"'' \(VH-TRP-9\)"):
        scanned_product(catalogue, item)


def test_a_basket_may_spell_a_products_code_in_small_letters():
    """`check_basket` compares the lines of a basket with the stock of its branch."""
    task = generate_variant("basket-checkout#1", "5", WorldSettings(names="own"))
    shop = EcomEnvironment(workspace_of(task.world))
    user = task.world.session.user
    own_basket_ids = [
        basket.id
        for basket in task.world.baskets.values()
        if basket.customer_id == user
    ]
    basket_id = own_basket_ids[0]
    basket_path = first_path(shop, f"/{basket_id}.")

    value = call_function(shop, "check_basket", basket=basket_id)["value"]
    (line,) = value["lines"]

    code = line["sku"]
    text = shop.workspace.files[basket_path]
    shop.workspace.files[basket_path] = text.replace(code, code.lower())
    value = call_function(shop, "check_basket", basket=basket_id)["value"]
    (line_in_small_letters,) = value["lines"]

    assert line_in_small_letters == {**line, "sku": code.lower()}


CATALOGUE_PHRASE = (
    "the tarp from Osier & Oak in the Osier & Oak Lea line that has colour sand"
)
"""A description in the words of the catalogue, which fits one product."""


@pytest.mark.parametrize(
    ("claim", "notes"),
    [
        pytest.param("", [], id="no claim"),
        pytest.param(
            " and has waterproof 9000",
            ["of VH-TRP-LEA-3X3-SND it is not true that it has waterproof 9000"],
            id="a wrong claim",
        ),
        pytest.param(
            " and is waterproof 3000 mm",
            ["of VH-TRP-LEA-3X3-SND it is true that it has waterproof 3000 mm"],
            id="a true claim",
        ),
    ],
)
def test_what_a_support_note_claims_of_a_product_is_checked(camping_shop, claim, notes):
    """The claim does not change which product is found."""
    result = call_function(
        camping_shop,
        "match_products",
        description=f"support note: {CATALOGUE_PHRASE}{claim}",
    )

    assert [product["sku"] for product in result["value"]] == ["VH-TRP-LEA-3X3-SND"]
    assert result["notes"] == notes


@pytest.mark.parametrize("seed", ["seed 5", "seed 6", "seed 7"])
def test_every_function_notes_that_a_product_is_still_under_embargo(seed: str) -> None:
    """Before the day in the field `embargo_until`, nothing may be told of a product."""
    task = generate_variant("receipt-rebuy#3", seed)
    shop = EcomEnvironment(workspace_of(task.world))
    # "... until 2027-03-09."
    embargo_day = task.truth.message.rpartition(" ")[2].rstrip(".")
    first_branch, *_ = task.world.stores
    products_under_embargo = [
        product
        for product in task.world.catalogue.products.values()
        if product.properties.get("embargo_until") == embargo_day
    ]
    assert products_under_embargo

    expected_note = f"`embargo_until` {embargo_day}, which is still to come"
    for product in products_under_embargo:
        settled = call_function(shop, "settle_receipt")
        record = call_function(
            shop, "find_records", kind="product", field="sku", value=product.sku
        )
        stock = call_function(
            shop, "stock_at", products=[product.sku], branch=first_branch
        )
        assert expected_note in str(settled["notes"])
        assert expected_note in str(record["notes"])
        assert expected_note in str(stock["notes"])


# The tables and the rates of a dispatch task ------------------------------------------------------

PACKAGE_HEADER = "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
"""A dispatch task has a table of packages to send, and one of the lanes by which they can go."""
LANE_HEADER = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"
RATES = Rates(
    shares={"unlikely": 0.05, "likely": 0.405},
    lengths={"short": DelayLength(1, 2), "long": DelayLength(5, 7)},
    late_cents=650,
)
"""How often and how long lanes are delayed, and what lateness costs.

A lane has only a hint: "delays unlikely; short when delayed".
"""


@pytest.mark.parametrize(
    ("table", "refusal"),
    [
        pytest.param("package_id\tdue_time\n", "no rows", id="no rows"),
        pytest.param(
            PACKAGE_HEADER + "p1\ts\td\tsoon\t1\n",
            "no whole number",
            id="a word as time",
        ),
    ],
)
def test_a_table_of_packages_in_another_form_is_refused(table, refusal):
    """A plan for packages that were misread would be wrong."""
    with pytest.raises(CannotRead, match=refusal):
        read_packages(table, RATES.late_cents)


@pytest.mark.parametrize(
    ("table", "refusal"),
    [
        pytest.param(
            LANE_HEADER.replace("capacity", "size") + "a\ts\td\t1\t1\t5\t\n",
            "no single column for capacity",
            id="a column with another name",
        ),
        pytest.param(LANE_HEADER + "a\ts\n", "other columns", id="a short row"),
    ],
)
def test_a_table_of_lanes_in_another_form_is_refused(table, refusal):
    """A plan for lanes that were misread would be wrong."""
    with pytest.raises(CannotRead, match=refusal):
        read_lanes(table, RATES)


def test_a_caller_may_give_rates_by_the_words_of_the_hints():
    """The hint of a lane is, for example, "delays unlikely; short when delayed".

    `unlikely` has a percentage, and `short` the shortest and the longest delay.
    """
    delays = {"unlikely": 5, "likely": 40.5, "short": [1, 2], "long": [5, 7]}

    rates = rates_in_call(late_cents=650, delays=delays)

    assert rates == RATES


def test_a_caller_need_not_give_rates():
    """The function then takes them from the shop's page on dispatch."""
    assert rates_in_call(late_cents=0, delays={}) == Rates()


@pytest.mark.parametrize(
    "delays",
    [
        pytest.param("often", id="a text"),
        pytest.param({"often": "20"}, id="a text as percentage"),
        pytest.param({"often": 120}, id="more than 100 percent"),
        pytest.param({"short": [1]}, id="one end of a length"),
        pytest.param({"short": ["a", "b"]}, id="texts as length"),
    ],
)
def test_rates_in_another_form_are_refused(delays):
    """A script may pass anything as `delays`."""
    with pytest.raises(CannotRead, match="neither trips in 100 nor"):
        rates_in_call(late_cents=0, delays=delays)


# Exports of payments, in which series of payments may be fraud -----------------------------------------

EXPORT_HEADER = "row_id;paid_at;buyer;city;amount_cents;device;channel\n"


def payment_export(*, pause_min: int = 20) -> str:
    """Return an export of one buyer's four equal payments in three cities, with a pause between.

    Its first row is `R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web`.
    """
    text = EXPORT_HEADER
    for number, city in enumerate(["Graz", "Linz", "Wien", "Graz"]):
        paid_at = datetime(2027, 1, 1) + number * timedelta(minutes=pause_min)
        text += f"R{number};{paid_at};c-1;{city};900;d{number};web\n"
    return text


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        pytest.param("", "no single column for customer", id="empty"),
        pytest.param(EXPORT_HEADER, "no single column for customer", id="no rows"),
        pytest.param(
            payment_export().replace("900", "nine"),
            "no amount in cents",
            id="a word as amount",
        ),
        pytest.param(
            payment_export().replace("2027-01-01", "today"),
            "instants",
            id="a word as day",
        ),
        pytest.param(
            payment_export().replace("2027-01-01", "2027-02-30"),
            "no valid time",
            id="a day that does not exist",
        ),
        pytest.param(
            payment_export().replace("city", "place"),
            "no single column for city",
            id="a column with another name",
        ),
    ],
)
def test_an_export_in_another_form_is_refused(text, refusal):
    """The function must not take another table for an export, and find fraud there."""
    with pytest.raises(CannotRead, match=refusal):
        read_payments(text)


@pytest.mark.parametrize("seed", range(4))
def test_the_series_of_an_export_are_its_fraud(seed):
    """A series is, for example, one buyer's equal payments in several cities within an hour."""
    task = generate_variant("archive-fraud#1", f"series {seed}")
    export_path = task.truth.for_tests["path"]
    rows = read_payments(task.world.files[export_path])

    ids_in_series = set()
    for series in find_series(tuple(rows)):
        for row in series.rows:
            ids_in_series.add(row.id)

    assert ids_in_series == task.truth.measure.fraud
    assert uncertain_series(rows) == []


def test_a_refund_and_a_long_pause_are_noted_as_uncertain():
    """Fraud is found in series of payments that follow each other quickly.

    A payment of less than 0 is a refund, and 40 minutes are too long for one series.
    """
    refund = "R9;2027-01-02 09:00:00;c-2;Graz;-900;d9;web\n"
    rows = read_payments(payment_export(pause_min=40) + refund)

    notes = uncertain_series(rows)

    assert any("R9" in note for note in notes)
    assert any("R0 and R1" in note for note in notes)


@pytest.mark.parametrize(
    ("constraint", "key", "value"),
    [
        ("rechargeable", "rechargeable", "true"),
        ("not rechargeable", "rechargeable", "false"),
        ("two persons", "persons", "2"),
        ("size one size", "size", "one size"),
        ("waterproof 3,000 mm", "waterproof_mm", "3000"),
        ("ip rating IP 65", "ip_rating", "IP65"),
        ("size 4 x 5 m", "size", "4x5 m"),
    ],
)
def test_a_property_fits_a_constraint_as_people_write_it(constraint, key, value):
    """A customer asks for `waterproof 3,000 mm`; the product has `"waterproof_mm": 3000`."""
    assert property_match(constraint, key, value) is True


@pytest.mark.parametrize(
    ("constraint", "key", "value"),
    [
        ("rechargeable", "rechargeable", "false"),
        ("not rechargeable", "rechargeable", "true"),
        ("weight", "weight_kg", "2.4"),
        ("persons three", "persons", "2"),
        ("waterproof 3 000 mm", "waterproof_mm", "3500"),
    ],
)
def test_a_property_with_another_value_does_not_fit(constraint, key, value):
    """The product has the property, but not as the customer wants it."""
    assert property_match(constraint, key, value) is False


# Dates in requests, such as "in 10 days" ------------------------------------------------------------------

CLOCK = "2027-03-01T10:00:00Z\n"
"""What the shop's tool for the time prints."""


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("the date in 10 days, YYYY-MM-DD", "2027-03-11"),
        ("the date in a week as DD-MM-YYYY", "08-03-2027"),
        ("which date was 3 days ago? MM/DD/YYYY", "02/26/2027"),
        ("2 weeks from today: YYYY-MM-DD", "2027-03-15"),
        ("one day ago, YYYY-MM-DD", "2027-02-28"),
        ("in two days, YYYY-MM-DD", "2027-03-03"),
        ("the date three weeks ago, DD.MM.YYYY", "08.02.2027"),
        ("twelve days from today, YYYY-MM-DD", "2027-03-13"),
        ("a fortnight from now, DD/MM/YYYY", "15/03/2027"),
        ("10 days back, YYYY-MM-DD", "2027-02-19"),
        ("one week hence, YYYY-MM-DD", "2027-03-08"),
    ],
)
def test_a_date_is_counted_from_today_and_written_as_asked_for(text, date):
    """Today is 1 March 2027. The request shows the format."""
    assert relative_date(text, CLOCK) == date


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("tomorrow as DD-MM-YYYY or YYYY-MM-DD", id="two formats"),
        pytest.param("in 10 days or in 11 days, YYYY-MM-DD", id="two dates"),
        pytest.param("in some days, YYYY-MM-DD", id="no number"),
        pytest.param("in 10 days", id="no format"),
        pytest.param("twenty-one days from today, YYYY-MM-DD", id="two number words"),
        pytest.param("two months from today, YYYY-MM-DD", id="months"),
        pytest.param("a week tomorrow, YYYY-MM-DD", id="a week from tomorrow"),
        pytest.param("3 days after tomorrow, YYYY-MM-DD", id="days from tomorrow"),
        pytest.param("not tomorrow but the day after, YYYY-MM-DD", id="the day after"),
    ],
)
def test_an_ambiguous_date_is_not_counted(text):
    """A person, or a model, has to read such a request."""
    assert relative_date(text, CLOCK) is None


# The fields of records -----------------------------------------------------------------------------

SAMPLES = Path(__file__).parents[4] / "shared" / "ecom1" / "samples"
"""Records of the public shop benchmark, beside the repository."""


def sample(name):
    """Return the data of a recorded record: `sample("cart_active")["lines"]`."""
    path = SAMPLES / f"{name}.json"
    if not path.exists():
        pytest.skip("the recorded samples are not here")
    return json.loads(path.read_text())


def test_the_fields_of_a_recorded_product_are_recognized():
    """Every shop has other names for fields, so what a field is for is told by its values."""
    product = sample("product_physical")

    fields = product_fields(
        [product], [product["sku"]], {"price_cents", "fulfillment_type"}
    )

    assert fields.code == "sku"
    assert fields.name == "name"
    assert fields.price == "price_cents"
    assert fields.properties == "properties"


def test_the_fields_of_a_recorded_branchs_stock_are_recognized():
    """A branch has counts of each product, and deliveries that are on their way."""
    fields = stock_fields(sample("store_with_inventory"), {"arrival_in_days"})

    assert fields == StockFields(
        rows="inventory",
        code="sku",
        on_hand="on_hand",
        reserved="reserved",
        deliveries=DeliveryFields(
            rows="incoming", quantity="quantity", days="arrival_in_days"
        ),
    )


def test_the_fields_of_a_recorded_baskets_lines_are_recognized():
    """Every shop has other names for them, so they are told by their values."""
    fields = line_fields([sample("cart_active")])

    assert fields == LineFields(lines="lines", code="sku", quantity="quantity")


def test_the_fields_of_a_recorded_payments_verification_are_recognized():
    """The card of a payment is verified with some attempts, and pauses between them."""
    fields = check_fields([sample("payment_3ds_retry_window")])

    assert fields == CheckFields(
        check="three_ds",
        state="status",
        attempts="attempts",
        max_attempts="max_attempts",
        retry_at="retry_after",
    )


def recognized_counts(rows):
    """Return the fields for units on hand and for reserved units; None if they are uncertain."""
    fields = stock_fields({"stock": rows}, frozenset())
    if fields is None:
        return None
    return fields.on_hand, fields.reserved


@pytest.mark.parametrize("first_field", ["claimed", "in_house"])
def test_the_count_on_hand_is_the_one_that_is_mostly_larger(first_field):
    """A row of stock has two counts: units on hand, and how many of these are reserved. The names
    of the fields and their order do not say which is which, but the second is rarely larger."""
    rows = []
    for number in range(10):
        row = {"claimed": number % 3, "in_house": number}
        rows.append({first_field: row[first_field], **row, "sku": f"S-{number}"})
    row_with_more_reserved = {"sku": "T", "claimed": 4, "in_house": 3}

    counts = recognized_counts([*rows, row_with_more_reserved])

    assert counts == ("in_house", "claimed")


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([], id="no rows"),
        pytest.param([{"sku": "S", "n": 2}], id="one count"),
        pytest.param([{"sku": "S", "n": 2, "m": 1, "k": 1}], id="three counts"),
        pytest.param(
            [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 2}],
            id="a count that is missing in a row",
        ),
        pytest.param([{"sku": "S", "n": 2, "m": 2}], id="equal counts"),
        pytest.param(
            [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 1, "m": 2}],
            id="each larger in one row",
        ),
        pytest.param([{"sku": "S", "n": True, "m": 1}], id="a boolean"),
    ],
)
def test_counts_are_not_recognized_if_either_may_be_the_one_on_hand(rows):
    """A row of stock has two counts, and the one on hand is larger than the reserved one. Here
    the rows do not have two counts, or do not show which of them is larger."""
    assert recognized_counts(rows) is None


# How functions read a workspace ---------------------------------------------------------------------------


def test_without_a_declaration_a_path_without_suffix_may_be_a_tool():
    """If an environment does not declare its tools, they are guessed from its paths. `/docs` and
    `/proc` have no suffix either, but there are paths below them, so they are folders."""
    paths = ["/bin/id", "/docs/a.md", "/docs", "/proc/x/b.json", "/proc"]

    tools = possible_tools(paths)

    no_description = ""
    assert tools == {"/bin/id": no_description}


class HarnessWithOutcomes:
    """A harness, through which functions make calls, that answers with given outcomes.

    They are by operation and first argument: `{("read", "/a.md"): {"content": "text", ...}}`.
    A list has the outcomes of the first call, the second one, and so on.
    """

    def __init__(self, outcomes):
        self.known = ()  # No earlier calls, whose results would be used again.
        self.executables = {"/bin/id": "who is signed in"}
        self.outcomes = outcomes
        self.batches = []
        """The operations of the calls that were made together: `[["read", "read"], ["exec"]]`."""

    def side_by_side(self, calls):
        self.batches.append([operation for operation, _ in calls])
        results = []
        for operation, arguments in calls:
            first_argument, *_ = arguments.values()
            outcome = self.outcomes[operation, first_argument]
            if isinstance(outcome, list):
                outcome = outcome.pop(0)
            results.append(outcome)
        return results


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        pytest.param(
            CallError("not_found", "there is none"), LookupError, id="missing file"
        ),
        pytest.param(CallError("unavailable", "down"), CannotRead, id="failed call"),
        pytest.param(
            {"content": "te", "truncated": True},
            CannotRead,
            id="result that is cut off",
        ),
    ],
)
def test_a_missing_file_raises_another_error_than_a_failed_read(outcome, error):
    """That a file is missing is certain, and says something. A failed read says nothing."""
    harness = HarnessWithOutcomes({("read", "/a"): outcome})

    with pytest.raises(error):
        WorkspaceReader(harness).read("/a")


def test_a_workspace_that_is_too_large_to_list_is_reported() -> None:
    """`find` returns too few paths, and `tree`, which is tried next, fails."""
    too_large = "the result of tree holds more than 1300 lists"
    harness = HarnessWithOutcomes(
        {
            ("find", "*"): {"paths": [], "truncated": True},
            ("tree", "/"): CallError("resource_exhausted", too_large),
        }
    )

    with pytest.raises(CannotRead, match=too_large):
        WorkspaceReader(harness).paths()


TIMED_OUT = {"stdout": "Herbert", "stderr": "", "exit_code": 124}
"""The result of a tool that was stopped after its output."""


def test_a_tool_that_timed_out_is_run_once_more():
    """The first run ends with the exit code 124, and the second one succeeds."""
    success = {"stdout": "Herbert", "stderr": "", "exit_code": 0}
    harness = HarnessWithOutcomes({("exec", "/bin/id"): [TIMED_OUT, success]})

    assert WorkspaceReader(harness).run("/bin/id") == "Herbert"
    assert harness.batches == [["exec"], ["exec"]]


def test_a_tool_that_timed_out_twice_has_failed():
    """What it has printed may be incomplete."""
    harness = HarnessWithOutcomes({("exec", "/bin/id"): [TIMED_OUT, TIMED_OUT]})

    with pytest.raises(CannotRead, match="/bin/id ended with exit code 124"):
        WorkspaceReader(harness).run("/bin/id")
    assert harness.batches == [["exec"], ["exec"]]


@pytest.fixture
def reader_without_environment() -> WorkspaceReader:
    """A reader all of whose calls fail."""
    down = CallError("unavailable", "down")
    return WorkspaceReader(
        HarnessWithOutcomes(
            {("find", "*"): down, ("search", "x"): down, ("exec", "x"): down}
        )
    )


def test_a_failed_list_of_paths_is_reported(reader_without_environment):
    with pytest.raises(CannotRead, match="down"):
        reader_without_environment.paths()


def test_a_failed_search_is_reported(reader_without_environment):
    with pytest.raises(CannotRead, match="down"):
        reader_without_environment.search("x")


def test_a_failed_run_of_a_tool_is_reported(reader_without_environment):
    with pytest.raises(CannotRead, match="down"):
        reader_without_environment.run("x")
