"""The shop's functions find what is true about a shop, by any spelling of a name.

Cities and brands with accents are found, and a record may be given by its id or its path. Who
names something unknown or ambiguous is told the closest names. Packages are planned, receipts are
read in spite of misread letters, baskets are compared with the stock, and embargoes are noted. In
many generated shops, the results equal what the generator knows.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.benchmarks.shop.products import Product, property_match
from controlplane.benchmarks.shop.shop_schema import (
    FUNCTION_MODULES,
    SHOP_CHECKS,
    SHOP_TOOLS,
)
from controlplane.benchmarks.shop.stock_functions import (
    ScannedItem,
    read_scan,
    scanned_product,
)
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface import CallError, Operation
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.functions.functions_on_files import run_table_function
from tests.benchmarks.shop.functions.goods_records import (
    basket,
    branch,
    employee,
    tarp,
    written_shop,
)
from tests.support.command import run_python
from tests.support.shop.calls.family_calls import CALLS_OF_FAMILY
from tests.support.shop.calls.true_calls import compare_with_truth
from tests.support.shop.request_flags import task_and_environment
from tests.support.single_trial import counted_function_result, function_result

# The files of a shop that sends one package, a *wave* of one, from its branch in Graz to Linz.
#
# The package is due at 7, and the shop earns 1200 cents by it.
#
#     files_of_wave(lane("fast", arrives_at=4, cost_cents=700))
#     # {"/wave.md": ..., "/packages.tsv": ..., "/lanes.tsv": ...}: a page and its two tables

WAVE_PAGE = """\
Follow /docs/dispatch.md.
Packages: /packages.tsv
Lanes: /lanes.tsv
"""
PACKAGES = (
    "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
    "package-1\tgraz\tlinz\t7\t1200\n"
)
LANE_HEADER = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"


def lane(
    lane_id: str,
    *,
    arrives_at: int,
    cost_cents: int,
    delays: str = "delays unlikely; short when delayed",
) -> str:
    """Return the row of a lane, a connection from Graz to Linz with room for one package."""
    return f"{lane_id}\tgraz\tlinz\t1\t{arrives_at}\t{cost_cents}\t{delays}"


def files_of_wave(*lanes: str) -> dict[str, str]:
    """Return the files of the wave, with these rows of lanes."""
    return {
        "/wave.md": WAVE_PAGE,
        "/packages.tsv": PACKAGES,
        "/lanes.tsv": LANE_HEADER + "\n".join(lanes),
    }


# A branch is named by its city in any spelling, if it is the only one there: "Zurich" for `Zürich`.
#
# The JSON of the branch's record may have the letters themselves, or escapes: `Z\u00fcrich`.


@pytest.mark.parametrize(
    "is_escaped",
    [
        pytest.param(False, id="written as they are"),
        pytest.param(True, id="escaped in JSON"),
    ],
)
def test_the_stock_of_the_branch_in_a_city_with_accents_is_found(
    is_escaped: bool,
) -> None:
    zurich = branch("store-1", "Zürich Lake", {"TARP-4": 7})
    record = json.dumps(zurich, indent=2, ensure_ascii=is_escaped)
    shop = written_shop(
        {
            "/proc/catalogue/TARP-4.json": tarp("TARP-4"),
            "/proc/branches/store-1.json": record,
        }
    )

    stock = function_result(shop, "stock_at", products=["TARP-4"], branch="Zurich")

    assert stock["value"]["TARP-4"]["available"] == 7


# Functions find products of a brand with accents, such as "Bjørn Åsmöör", in small or capital letters.
#
# The JSON of the product's record may have the letters themselves, or escapes: `Bj\u00f8rn`.


@pytest.mark.parametrize(
    "is_escaped",
    [
        pytest.param(False, id="written as they are"),
        pytest.param(True, id="escaped in JSON"),
    ],
)
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("match_products", {"description": "Bjørn Åsmöör's Lea"}),
        ("match_products", {"description": "BJØRN ÅSMÖÖR tarp"}),
        (
            "find_records",
            {"kind": "product", "field": "brand", "value": "Bjørn Åsmöör"},
        ),
    ],
)
def test_a_product_of_a_brand_with_accents_is_found(
    function: str, arguments: dict[str, Any], is_escaped: bool
) -> None:
    record = json.dumps(
        tarp("TARP-4", brand="Bjørn Åsmöör"), indent=2, ensure_ascii=is_escaped
    )
    shop = written_shop(
        {
            "/proc/catalogue/Bjørn Åsmöör/TARP-4.json": record,
            "/proc/catalogue/Bjarne/TARP-7.json": tarp("TARP-7", brand="Bjarne"),
        }
    )

    products = function_result(shop, function, **arguments)["value"]

    assert [product["sku"] for product in products] == ["TARP-4"]


# Functions find cities with accents in any spelling: "Zuerich" or "zurich" for `Zürich`.
#
# The JSON of the branch's record may have the letters themselves, or escapes: `Z\u00fcrich`.


@pytest.mark.parametrize(
    "is_escaped",
    [
        pytest.param(False, id="written as they are"),
        pytest.param(True, id="escaped in JSON"),
    ],
)
@pytest.mark.parametrize(
    ("place", "branch_id"),
    [("Zuerich", "store-1"), ("zurich", "store-1"), ("’s Den Haag", "store-2")],
)
def test_the_branches_in_a_city_with_accents_are_found(
    place: str, branch_id: str, is_escaped: bool
) -> None:
    zurich = branch("store-1", "Zürich Lake", {"TARP-4": 7})
    the_hague = branch("store-2", "Beach", {"TARP-4": 7}) | {"city": "'s-Den Haag"}
    shop = written_shop(
        {
            "/proc/branches/store-1.json": json.dumps(
                zurich, indent=2, ensure_ascii=is_escaped
            ),
            "/proc/branches/store-2.json": json.dumps(
                the_hague, indent=2, ensure_ascii=is_escaped
            ),
        }
    )

    result = function_result(shop, "branches_in", place=place)

    assert [row["id"] for row in result["value"]] == [branch_id]


# `dispatch_plan` avoids lanes that are often delayed, if the call or a page says how often.
#
# Lanes are connections between branches. A package is due at 7, and both lanes arrive at 4. The cheap
# lane, "risky", is likely to be delayed. The table of lanes has only words for this; the *rates* say
# how often a "likely" delay happens, and how many units of time a "long" one takes.

FILES = files_of_wave(
    lane(
        "risky", arrives_at=4, cost_cents=70, delays="delays likely; long when delayed"
    ),
    lane(
        "sure",
        arrives_at=4,
        cost_cents=700,
        delays="delays unlikely; short when delayed",
    ),
)

RATES = {"unlikely": 4, "likely": 70, "short": (1, 2), "long": (7, 12)}
"""Per cent of trips, and units of time from the least to the most."""


def test_lanes_that_are_often_delayed_by_the_rates_of_the_call_are_avoided() -> None:
    plan = run_table_function(
        "dispatch_plan",
        FILES,
        path="/wave.md",
        late_cents=400,  # for each unit of time
        delays=RATES,
    )

    assert '"route": ["sure"]' in plan["value"]["answer"]


def test_rates_on_a_page_have_the_same_effect_as_in_the_call() -> None:
    """Without rates in the call, the function reads the page that /wave.md names."""
    page = """| unlikely | 4 % of trips |
| likely | 70 % of trips |
| short | 1 to 2 time units |
| long | 7 to 12 time units |
"""

    plan_by_page = run_table_function(
        "dispatch_plan",
        FILES | {"/docs/dispatch.md": page},
        path="/wave.md",
        late_cents=400,
    )
    plan_by_call = run_table_function(
        "dispatch_plan",
        FILES,
        path="/wave.md",
        late_cents=400,
        delays=RATES,
    )

    assert plan_by_page["value"] == plan_by_call["value"]
    assert plan_by_page["notes"] == []


def test_unknown_delays_are_left_out_and_noted() -> None:
    """Without rates and a price of lateness, the cheap lane seems best."""
    plan = run_table_function("dispatch_plan", FILES, path="/wave.md")

    assert '"route": ["risky"]' in plan["value"]["answer"]
    notes = plan["notes"]
    assert "no page gives the rates" in notes[0]
    assert "no page gives the price" in notes[1]


# `dispatch_plan` says by which lane a shop sends a package, so that the shop earns most.
#
# Lanes are connections between branches, with a time of arrival and a cost. The only package is due
# at 7, and the shop earns 1200 cents by it. A late package costs the shop money.


def test_a_package_is_sent_by_the_lane_that_is_in_time() -> None:
    """By the slow lane, the package would be 5 units late, which costs 5 times 400 cents."""
    files = files_of_wave(
        lane("fast", arrives_at=4, cost_cents=700),
        lane("slow", arrives_at=12, cost_cents=70),
    )

    plan = run_table_function(
        "dispatch_plan",
        files,
        path="/wave.md",
        late_cents=400,  # for each unit of time
        # What the table of lanes calls unlikely and short: 12 % of trips, and 1 to 2 units.
        delays={"unlikely": 12, "short": (1, 2)},
    )

    assert json.loads(plan["value"]["answer"]) == {
        "assignments": [{"package_id": "package-1", "route": ["fast"], "priority": 1}]
    }
    # In time even after a delay: 1200 earned, less 700 for the lane.
    assert plan["value"]["expected_gain_cents"] == 500
    cited_paths = [ref["path"] for ref in plan["refs"]]
    assert cited_paths == ["/wave.md", "/packages.tsv", "/lanes.tsv"]
    assert plan["notes"] == []


# An embargo on a product is noted in a generated shop, too, with the wordings of its pages.
#
# The request is "Can I buy what is on my receipt again?". A product on it is under embargo: nothing may
# be told of it before a day. The right answer says so: "Nothing is told of it before 2027-03-09."


@pytest.mark.parametrize("seed", ["seed 5", "seed 6", "seed 7"])
def test_the_embargo_is_noted_with_the_pages_of_a_generated_shop(seed: str) -> None:
    task = generate_variant("receipt-rebuy: barred", seed)
    shop = EcomEnvironment(workspace_of(task.world))

    settled = function_result(shop, "settle_receipt")

    last_word = task.truth.message.split()[-1]
    day = last_word.removesuffix(".")
    expected_note = f"`embargo_until` {day}, which is still to come"
    assert expected_note in " ".join(settled["notes"])


# Before the day in its field `embargo_until`, nothing may be told of a product.
#
# Whichever function a script asks about such a product, a note tells it of the embargo. Today is
# 2028-05-01.

# The rules mention the field, so that it counts.
RULES = """\
Records are below /proc/. Follow /docs/checkout.md.
Tell nothing of a product before its `embargo_until`.
"""
NOTED_EMBARGOES_RECEIPT = """\
Branch: Utrecht Canal
1 x TARP-4 71.19
Subtotal EUR 71.19
"""
NOTE_OF_21_MAY = (
    "TARP-4 has `embargo_until` 2028-05-21, which is still to come: see the rules on it"
)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("settle_receipt", {"path": "/uploads/slip.txt"}),
        ("find_records", {"kind": "product", "field": "sku", "value": "TARP-4"}),
        ("stock_at", {"products": ["TARP-4"], "branch": "store-1"}),
        ("match_products", {"description": "Osier tarp"}),
    ],
)
@pytest.mark.parametrize(
    ("embargo_day", "notes"),
    [
        pytest.param("2028-05-21", [NOTE_OF_21_MAY], id="still to come"),
        pytest.param("2028-04-21", [], id="past"),
    ],
)
def test_functions_note_that_a_product_is_still_under_embargo(
    function: str, arguments: dict[str, Any], embargo_day: str, notes: list[str]
) -> None:
    product = tarp("TARP-4", cents=7119, embargo_until=embargo_day)
    shop = written_shop(
        {
            "/AGENTS.MD": RULES,
            "/proc/catalogue/TARP-4.json": product,
            "/proc/branches/store-1.json": branch(
                "store-1", "Utrecht Canal", {"TARP-4": 7}
            ),
            "/uploads/slip.txt": NOTED_EMBARGOES_RECEIPT,
        }
    )

    result = function_result(shop, function, **arguments)

    assert result["notes"] == notes


# `settle_receipt` tells which products a scanned receipt has, and what they cost now.
#
# A receipt may have codes instead of names, and misread letters: `TARP-5AND` for `TARP-SAND`. The result
# has the products (`lines`) and two subtotals: the one on the receipt (`subtotal_then_cents`), and the one
# by the prices of today (`subtotal_now_cents`). `within` is True if these two are the same.

# A line has the quantity, the code, the price of one and the price of all: 2 of 71.39 are 142.78.
# A line with the quantity 1 has only one price.
RECEIPT = """\
Branch: Utrecht Canal
2 TARP-GREEN 71.39 142.78
1 x TARP-5AND 71.19
Subtotal EUR 213.97
"""

given_or_found = pytest.mark.parametrize(
    "path",
    [
        pytest.param("/uploads/slip.txt", id="given by its path"),
        pytest.param("", id="the only upload"),
    ],
)


def settle_receipt(path: str, *, cents_of_tarp_sand: int) -> dict[str, Any]:
    """Return what the function says of the receipt. A TARP-GREEN costs 71.39, as on the receipt."""
    stock = {"TARP-GREEN": 4, "TARP-SAND": 4}
    shop = written_shop(
        {
            "/uploads/slip.txt": RECEIPT,
            "/proc/catalogue/TARP-GREEN.json": tarp("TARP-GREEN", cents=7139),
            "/proc/catalogue/TARP-SAND.json": tarp(
                "TARP-SAND", cents=cents_of_tarp_sand
            ),
            "/proc/branches/store-1.json": branch("store-1", "Utrecht Canal", stock),
        }
    )
    result = function_result(shop, "settle_receipt", path=path)
    settled: dict[str, Any] = result["value"]
    return settled


@given_or_found
def test_a_receipt_without_names_is_settled_by_its_codes(path: str) -> None:
    settled = settle_receipt(path, cents_of_tarp_sand=7119)

    quantities = {line["sku"]: line["quantity"] for line in settled["lines"]}
    assert quantities == {"TARP-GREEN": 2, "TARP-SAND": 1}
    assert settled["subtotal_now_cents"] == 213_97  # 2 * 71.39 + 71.19
    assert settled["subtotal_then_cents"] == 213_97
    assert settled["within"] is True


@given_or_found
def test_a_receipt_is_compared_with_the_prices_of_today(path: str) -> None:
    """TARP-SAND costs EUR 10 more now than on the receipt."""
    settled = settle_receipt(path, cents_of_tarp_sand=8119)

    assert settled["subtotal_then_cents"] == 213_97
    assert settled["subtotal_now_cents"] == 223_97
    assert settled["within"] is False


# A line of a scanned receipt is refused if its product is not certain, and no product is read.
#
# The shop of these tests has a single product. A line is not about this product merely because there is no
# other: its name or code may be misread, and products may be gone.


@dataclass
class UnreadableCatalogue:
    """A catalogue of products that knows only the path of each by its code."""

    codes: dict[str, str]

    def read(self, paths: Iterable[str]) -> list[Product]:
        raise AssertionError

    def with_codes(self, codes: Iterable[str]) -> list[Product]:
        raise AssertionError


def test_a_name_without_a_code_is_refused() -> None:
    """The line "1 Lea tarp 71.39" has no code. All names of a shop would be too many to compare."""
    catalogue: Any = UnreadableCatalogue(codes={"TARP-SAND": "/proc/TARP-SAND.json"})
    item = ScannedItem(
        count=1, name="Lea tarp", code="", unit_cents=7139, total_cents=7139
    )

    with pytest.raises(CannotRead, match=r"'Lea tarp' \(no code\)"):
        scanned_product(catalogue, item)


def test_an_unknown_code_without_a_name_is_refused() -> None:
    """The line "1 TARP-9 71.39" has no name, by which a misread code could be checked."""
    catalogue: Any = UnreadableCatalogue(codes={"TARP-1": "/proc/TARP-1.json"})
    item = ScannedItem(
        count=1, name="", code="TARP-9", unit_cents=7139, total_cents=7139
    )

    with pytest.raises(CannotRead, match=r"'' \(TARP-9\)"):
        scanned_product(catalogue, item)


# `check_basket` compares the lines of a basket with the stock of its branch.


def test_a_basket_may_spell_a_products_code_in_small_letters() -> None:
    """The stock and the price are those of TARP-SAND."""
    shop = written_shop(
        {
            "/proc/carts/basket-4.json": basket("basket-4", {"tarp-sand": 2}),
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND", cents=7119),
            "/proc/branches/store-1.json": branch(
                "store-1", "Utrecht Canal", {"TARP-SAND": 7}
            ),
        }
    )

    checked = function_result(shop, "check_basket", basket="basket-4")["value"]

    assert checked["lines"] == [
        {
            "sku": "tarp-sand",
            "quantity": 2,
            "price_cents": 7119,
            "available": 7,
            "needs_stock": True,
        }
    ]
    assert checked["short"] == []


# A process that runs functions imports their modules once, when it starts.
#
# The process is forked for each trial, and each imported module makes that slower.


@pytest.mark.parametrize(
    "operation", [*SHOP_TOOLS, *SHOP_CHECKS], ids=lambda operation: operation.name
)
def test_each_check_and_tool_is_a_function_of_a_declared_module(
    operation: Operation,
) -> None:
    """`finds` names the function: `controlplane.benchmarks.shop.functions:stock_at`."""
    module, _, function = operation.finds.partition(":")

    assert module in FUNCTION_MODULES
    assert callable(getattr(import_module(module), function))


def test_a_worker_that_serves_a_shop_does_not_import_what_it_does_not_need() -> None:
    """A solver, the library and its data models are for the process that conducts the run."""
    python = """
import sys
import controlplane.benchmarks.ecom.shop_tools
import controlplane.sandbox.files.tool_world
print(*sys.modules)
"""

    modules = run_python("-c", python).out.split()

    assert "controlplane.benchmarks.ecom.shop_tools" in modules
    assert "pydantic" not in modules
    assert "controlplane.agent.exoskeleton" not in modules
    assert "controlplane.library" not in modules


# Whether a property of a product fits what a customer asks for, as people write it.
#
#     property_match("waterproof 3,000 mm", "waterproof_mm", "3000")  # True
#
# The first words name the property and the rest its value, or the other way round: `two persons`. The
# name and the value of the property are those of the product's record.


@pytest.mark.parametrize(
    ("constraint", "key", "value"),
    [
        pytest.param("rechargeable", "rechargeable", "true", id="a wish"),
        pytest.param("not rechargeable", "rechargeable", "false", id="its lack"),
        pytest.param("two persons", "persons", "2", id="a number as a word"),
        pytest.param("size one size", "size", "one size", id="a name in a value"),
        pytest.param(
            "waterproof 3,000 mm", "waterproof_mm", "3000", id="a unit in the name"
        ),
        pytest.param("ip rating IP 65", "ip_rating", "IP65", id="a blank more"),
        pytest.param("size 4 x 5 m", "size", "4x5 m", id="two blanks more"),
    ],
)
def test_a_property_fits_a_constraint_as_people_write_it(
    constraint: str, key: str, value: str
) -> None:
    """`key` and `value` are a property of a product, as in the JSON of its record."""
    assert property_match(constraint, key, value) is True


@pytest.mark.parametrize(
    ("constraint", "key", "value"),
    [
        pytest.param("rechargeable", "rechargeable", "false", id="a wish"),
        pytest.param("not rechargeable", "rechargeable", "true", id="its lack"),
        pytest.param("weight", "weight_kg", "2.4", id="no value is wanted"),
        pytest.param("persons three", "persons", "2", id="another number"),
        pytest.param(
            "waterproof 3 000 mm", "waterproof_mm", "3500", id="3000 is not 3500"
        ),
    ],
)
def test_a_property_with_another_value_does_not_fit(
    constraint: str, key: str, value: str
) -> None:
    """The product has the property, but not as the customer wants it."""
    assert property_match(constraint, key, value) is False


# Two recorded scans of receipts are read in spite of misread letters.
#
# A scan has lines such as these; `199.9O` is 199.90, and `5AW` is SAW:
#
#     [1] I DeWalt DeWalt DWE575K circular 199.9O 199.90
#     saw fine-cut set
#     SKU / clerk note: PT-5AW-DEW-DWE575K-FINE

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "ecom1" / "samples"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize(
    ("file", "items", "subtotal_cents"),
    [
        (
            "receipt_ocr_noisy.txt",
            [
                # The quantity, the code as it was scanned, and the price of one in cents
                (1, "PT-5AW-DEW-DWE575K-FINE", 199_90),
                (20, "PT-HDG-STI-HSA50-BODY", 159_90),
            ],
            3397_90,
        ),
        (
            "receipt_ocr_reprice.txt",
            [
                (1, "PT-MOW-STI-RMA235-AK30", 389_90),
                (1, "PT-WASH-KAR-K4-PREMIUM", 329_90),
                (3, "PT-WASH-KAR-K4-PIPE", 379_90),
                (3, "PT-SAW-MAK-DHS680-RAIL", 388_17),
            ],
            3024_01,
        ),
    ],
)
def test_a_public_receipt_is_read_in_spite_of_misread_letters(
    file: str, items: list[tuple[int, str, int]], subtotal_cents: int
) -> None:
    scan = read_scan((SAMPLES / file).read_text("utf-8"))

    assert scan is not None
    assert [(item.count, item.code, item.unit_cents) for item in scan.items] == items
    assert scan.subtotal_cents == subtotal_cents
    total_cents = sum(item.count * item.unit_cents for item in scan.items)
    assert total_cents == subtotal_cents


# A record, such as a basket, may be given to a function by its id or by its path.


def test_a_record_may_be_given_by_its_id_or_by_its_path() -> None:
    """`may_use` says whose a record is, and what the customer may do with it."""
    shop = written_shop({"/proc/carts/basket-4.json": basket("basket-4", {})})

    by_id = function_result(shop, "may_use", record="basket-4")
    by_path = function_result(shop, "may_use", record="/proc/carts/basket-4.json")

    assert by_id == by_path
    assert by_id["value"]["path"] == "/proc/carts/basket-4.json"
    assert by_id["value"]["owner"] == "cust-7"


def test_as_many_calls_are_made_for_an_id_as_for_a_path() -> None:
    shop = written_shop({"/proc/carts/basket-4.json": basket("basket-4", {})})

    by_id = counted_function_result(shop, "may_use", record="basket-4")
    by_path = counted_function_result(
        shop, "may_use", record="/proc/carts/basket-4.json"
    )

    assert by_id.call_count == by_path.call_count


def test_a_product_that_is_given_by_its_path_is_returned_by_its_code() -> None:
    """`stock_at` returns the units of products that a branch has, by their codes."""
    shop = written_shop(
        {
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/branches/store-1.json": branch(
                "store-1", "Utrecht Canal", {"TARP-SAND": 4}
            ),
        }
    )

    result = function_result(
        shop,
        "stock_at",
        products=["/proc/catalogue/TARP-SAND.json"],
        branch="/proc/branches/store-1.json",
    )

    assert list(result["value"]) == ["TARP-SAND"]
    assert result["value"]["TARP-SAND"]["available"] == 4


# A support note describes a product, and may claim something false of it.
#
# The note was written on a call with a customer. `match_products` finds the product all the same, and
# its notes say what is true.


@pytest.mark.parametrize(
    ("claim", "notes"),
    [
        pytest.param("", [], id="no claim"),
        pytest.param(
            " and has waterproof 9000",
            ["of TARP-SAND it is not true that it has waterproof 9000"],
            id="a wrong claim",
        ),
        pytest.param(
            " and is waterproof 3000 mm",
            ["of TARP-SAND it is true that it has waterproof 3000 mm"],
            id="a true claim",
        ),
    ],
)
def test_what_a_support_note_claims_of_a_product_is_checked(
    claim: str, notes: list[str]
) -> None:
    """The note is on the tarp in the colour sand, which is waterproof up to 3000 mm of water."""
    shop = written_shop(
        {
            "/proc/catalogue/TARP-SAND.json": tarp(
                "TARP-SAND", colour="sand", waterproof_mm=3000
            ),
            "/proc/catalogue/TARP-GREEN.json": tarp(
                "TARP-GREEN", colour="green", waterproof_mm=9000
            ),
        }
    )

    result = function_result(
        shop,
        "match_products",
        description="support note: the tarp from Osier in the Osier Lea line "
        f"that has colour sand{claim}",
    )

    assert [product["sku"] for product in result["value"]] == ["TARP-SAND"]
    assert result["notes"] == notes


# The shop's functions find what the generator of a shop knows to be true about it.
#
# A script may call a function such as `stock_at(products, branch)` instead of finding out by itself
# which files have the stock of a branch. Every generated shop names its folders and fields
# differently. A *family* is a kind of task; for "How many lamps has branch B?", of the family
# `stock-count`, `CALLS_OF_FAMILY` has a call of `stock_at`, with the number that is right.


@pytest.mark.parametrize("family", CALLS_OF_FAMILY)
@pytest.mark.parametrize(
    ("profile", "names", "seed"),
    [
        pytest.param("prod", "own", 5, id="names of the code"),
        pytest.param("prod", "public", 1, id="names of the public shop"),
        pytest.param("hard", "random", 7, id="random names and long files"),
    ],
)
def test_functions_find_the_truth(
    family: str, profile: str, names: str, seed: int
) -> None:
    task, shop = task_and_environment(family, seed, names=names, profile=profile)

    for call in CALLS_OF_FAMILY[family](task):
        result = compare_with_truth(shop, call)
        assert result.verdict == "right", (task.instruction, call, result)


def test_every_function_is_compared_with_a_truth() -> None:
    """A function that no family of tasks calls would not be compared with any truth."""
    compared_functions = set()
    for family, calls_of_task in CALLS_OF_FAMILY.items():
        task, _ = task_and_environment(family, seed=1)
        for call in calls_of_task(task):
            compared_functions.add(call.function)

    assert compared_functions == {tool.name for tool in SHOP_TOOLS}


# The shop's functions find what is true about a shop, in many generated shops.
#
# A script may call a function such as `stock_at(products, branch)` instead of finding out by itself
# which files have the stock of a branch. A *family* is a kind of task, and `CALLS_OF_FAMILY` has the
# calls that help with it, each with the result that is right.
#
# A shop has a profile, which says how hard it is, and names for its folders and fields: its own,
# those of the public shop benchmark, or random ones. The four kinds of shops have each profile and
# each set of names.

SEEDS_TO_WORK_WITH = [
    *(5, 11, 13, 17, 19, 23, 25, 29, 31),
    *(35, 37, 41, 43, 47, 49, 53, 55, 59),
]
"""Seeds of shops that one may look at while writing the functions.

Other odd seeds, such as 7 and 21, measure how well the functions work in unknown shops.
"""


@pytest.mark.heavy
@pytest.mark.parametrize("family", CALLS_OF_FAMILY)
@pytest.mark.parametrize(
    ("profile", "names"),
    [("prod", "own"), ("prod", "public"), ("hard", "random"), ("dev", "random")],
)
def test_functions_find_the_truth_in_many_shops(
    family: str, profile: str, names: str
) -> None:
    for seed in SEEDS_TO_WORK_WITH:
        task, shop = task_and_environment(family, seed, names=names, profile=profile)
        for call in CALLS_OF_FAMILY[family](task):
            result = compare_with_truth(shop, call)  # makes the call
            assert result.verdict == "right", (task.instruction, call, result)


# A function that is called with the name of a city refuses if it has several branches, and names them.
#
# By these, the model can correct its script: "no single branch is called 'Utrecht'; closest: ...".


def test_an_unknown_branch_is_refused_with_the_closest_branches() -> None:
    """Three branches are in Utrecht, so the city's name does not tell which one is meant."""
    stock = {"TARP-SAND": 4}
    shop = written_shop(
        {
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/branches/store-1.json": branch("store-1", "Utrecht Canal", stock),
            "/proc/branches/store-2.json": branch("store-2", "Utrecht North", stock),
            "/proc/branches/store-3.json": branch("store-3", "Utrecht South", stock),
            "/proc/branches/store-4.json": branch("store-4", "Breda Castle", stock),
        }
    )

    with pytest.raises(CallError) as error:
        function_result(shop, "stock_at", products=["TARP-SAND"], branch="Utrecht")

    assert error.value.message == (
        "no single branch is called 'Utrecht'; closest: "
        "Utrecht South, Utrecht North, Utrecht Canal"
    )


# A function that is called with an unknown name refuses, and names the three closest ones.
#
# By these, the model can correct its script: "there is no file /docs/lamp.md; closest: ...".


def test_an_unknown_record_is_refused_with_the_closest_records() -> None:
    shop = written_shop(
        {
            "/proc/carts/basket-4.json": basket("basket-4", {}),
            "/proc/carts/basket-40.json": basket("basket-40", {}),
            "/proc/carts/basket-41.json": basket("basket-41", {}),
            "/proc/carts/basket-7.json": basket("basket-7", {}),
        }
    )

    with pytest.raises(CallError) as error:
        function_result(shop, "may_use", record="basket-42")

    assert error.value.message == (
        "no single record is called 'basket-42'; closest: /proc/carts/basket-4.json, "
        "/proc/carts/basket-41.json, /proc/carts/basket-40.json"
    )


def test_an_unknown_file_is_refused_with_the_closest_files() -> None:
    """`fraud_rows` finds the fraudulent rows of a file of payments."""
    shop = written_shop(
        {"/docs/lamps.md": "", "/docs/lamp-oil.md": "", "/docs/old-lamp.md": ""}
    )

    with pytest.raises(CallError) as error:
        function_result(shop, "fraud_rows", path="/docs/lamp.md")

    assert error.value.message == (
        "there is no file /docs/lamp.md; closest: "
        "/docs/lamps.md, /docs/old-lamp.md, /docs/lamp-oil.md"
    )


# A search for a value that no record has finds nothing, and a note names the three closest ones.
#
# This is no error, since "there is none" may be the answer to what a customer asks.


def test_a_record_with_an_unknown_value_is_not_found() -> None:
    """Of the four products, the files of three have names like "tents". The most similar is first."""
    shop = written_shop(
        {
            "/proc/catalogue/LAMP-1.json": tarp("LAMP-1"),
            "/proc/catalogue/TENT-GREEN.json": tarp("TENT-GREEN"),
            "/proc/catalogue/TENT-RED.json": tarp("TENT-RED"),
            "/proc/catalogue/TENT-SAND.json": tarp("TENT-SAND"),
        }
    )

    result = function_result(
        shop, "find_records", kind="product", field="name", value="tents"
    )

    assert result["value"] == []
    assert result["notes"] == [
        "no product holds 'tents' as its name; closest: /proc/catalogue/TENT-SAND.json, "
        "/proc/catalogue/TENT-RED.json, /proc/catalogue/TENT-GREEN.json"
    ]


def test_no_person_has_an_unknown_role() -> None:
    """The function counts people. Of the four roles in the shop, three are named, `driver` first."""
    shop = written_shop(
        {
            "/proc/staff/emp-1.json": employee("emp-1", roles=["packer", "driver"]),
            "/proc/staff/emp-2.json": employee("emp-2", roles=["manager", "cashier"]),
        }
    )

    result = function_result(shop, "staff_with_role", role="drivers")

    assert result["value"] == 0
    assert result["notes"] == [
        "nobody has the role 'drivers' there; roles of others: driver, cashier, packer"
    ]


# A description with a word that no product has fits nothing, and a note names the closest products.
#
# This is no error, since "there is none" may be the answer to what a customer asks.


def test_a_product_with_an_unknown_word_is_not_found() -> None:
    """No product is a sack. The closest ones have the other word, `waterproof`."""
    shop = written_shop(
        {
            "/proc/catalogue/TARP-1.json": tarp("TARP-1", waterproof_mm=4000),
            "/proc/catalogue/TARP-2.json": tarp("TARP-2", waterproof_mm=4000),
            "/proc/catalogue/TARP-3.json": tarp("TARP-3", waterproof_mm=4000),
            "/proc/catalogue/TARP-4.json": tarp("TARP-4", waterproof_mm=4000),
            "/proc/catalogue/TARP-5.json": tarp("TARP-5"),
        }
    )

    result = function_result(shop, "match_products", description="the waterproof sack")

    assert result["value"] == []
    assert result["notes"] == [
        "no product record holds 'sack': use words of the records; closest: "
        "TARP-1 Osier Lea tarp, TARP-2 Osier Lea tarp, TARP-3 Osier Lea tarp"
    ]


def test_a_note_names_all_unknown_words() -> None:
    """No product has either word, so none is closest."""
    shop = written_shop({"/proc/catalogue/TARP-1.json": tarp("TARP-1")})

    result = function_result(shop, "match_products", description="hatchet warmer")

    assert result["value"] == []
    assert result["notes"] == [
        "no product record holds 'hatchet', 'warmer': use words of the records"
    ]


# A description that fits more than 120 products is refused, since all would have to be read.
#
# `match_products(description="a tarp")` finds the products of a shop that a customer may mean.
# With 121 tarps, it says: "121 products may be meant: name the brand as well".


TARPS = {f"/proc/catalogue/TARP-{n}.json": tarp(f"TARP-{n}") for n in range(121)}


def test_a_description_that_fits_too_many_products_is_refused() -> None:
    refusal = "121 products may be meant: name the brand as well"
    with pytest.raises(CallError, match=refusal):
        function_result(written_shop(TARPS), "match_products", description="a tarp")


def test_a_description_is_refused_if_a_search_cannot_list_what_fits() -> None:
    """One call lists 60 lines, so it is unknown how many products are tarps."""
    shop = written_shop(TARPS, most_listed=60)

    refusal = "too many products may be meant: name the brand as well"
    with pytest.raises(CallError, match=refusal):
        function_result(shop, "match_products", description="a tarp")
