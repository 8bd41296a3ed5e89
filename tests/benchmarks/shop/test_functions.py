"""The shop's functions: what they find in a shop's files, and how they refuse wrong arguments.

A script may call a function such as `stock_at(products, branch)` instead of finding out by itself
which files have the stock of a branch: `{"value": {"AB-1": 4}, "refs": [...], "notes": [...]}`.
Every shop names its folders and fields differently. The tests run in generated shops, in
which the truth is known.
"""

from importlib import import_module
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.records import Basket
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.world import World
from controlplane.benchmarks.shop.declarations import (
    FUNCTION_MODULES,
    SHOP_CHECKS,
    SHOP_TOOLS,
)
from controlplane.benchmarks.shop.products.property_match import property_match
from controlplane.benchmarks.shop.receipts.receipt_parts import ScannedItem
from controlplane.benchmarks.shop.receipts.scanned_products import scanned_product
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface import CallError
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.command import run_python
from tests.support.functions_here import function_result_and_calls
from tests.support.shop.calls.family_calls import CALLS_OF_FAMILY
from tests.support.shop.calls.true_calls import compare_with_truth
from tests.support.shop.generated_tasks import task_and_environment


class ShopSettings(NamedTuple):
    """The settings of a generated shop."""

    profile: str
    """How hard it is: `hard` shops have more files, and longer ones."""
    names: str
    """Which names its folders and fields have: the code's "own", "public" or "random" ones."""
    seed: int


def assert_functions_find_the_truth(family, shops):
    """Generate a task of the family in each shop, and compare functions with the truth about it.

    `CALLS_OF_FAMILY` has the calls that help with a task, each with the right result: for "How
    many lamps has branch B?", a call of `stock_at`. The generator of the shop knows what is right.
    """
    for shop in shops:
        task, environment = task_and_environment(
            family, shop.seed, names=shop.names, profile=shop.profile
        )
        for call in CALLS_OF_FAMILY[family](task):
            result = compare_with_truth(environment, call)
            assert result.verdict == "right", (task.instruction, call, result)


SEEDS_TO_WORK_WITH = [seed for seed in (5, *range(11, 60, 2)) if seed % 3 != 0]
"""Odd seeds that 3 does not divide: 5, 11, 13, 17 and so on.

Shops with the other odd seeds measure how well the functions work, so nobody looks at them
while writing the functions.
"""


def many_shops() -> list[ShopSettings]:
    """Return the settings of about 70 shops."""
    shops = []
    for profile, names in (
        ("prod", "own"),
        ("prod", "public"),
        ("hard", "random"),
        ("dev", "random"),
    ):
        for seed in SEEDS_TO_WORK_WITH:
            shops.append(ShopSettings(profile, names, seed))
    return shops


class TestTruthInGeneratedShops:
    """Functions are compared with what the generator of a shop knows about it.

    A *family* is a kind of task, such as questions for the stock of a branch. `CALLS_OF_FAMILY` has
    the calls that help with a task of each family, and the right result of each call.
    """

    @pytest.mark.parametrize("family", CALLS_OF_FAMILY)
    def test_functions_find_the_truth(self, family):
        """A family is a kind of task, such as questions for the stock of a branch."""
        few_shops = (
            ShopSettings("prod", "own", 5),
            ShopSettings("prod", "public", 1),
            ShopSettings("hard", "random", 7),
        )
        assert_functions_find_the_truth(family, few_shops)

    @pytest.mark.heavy
    @pytest.mark.parametrize("family", CALLS_OF_FAMILY)
    def test_functions_find_the_truth_in_many_shops(self, family):
        """The functions work in shops of any size, whatever names these have for things."""
        assert_functions_find_the_truth(family, many_shops())

    def test_every_function_is_compared_with_a_truth(self):
        """A function that no family of tasks calls would not be compared with any truth."""
        compared_functions = set()
        for family, calls_of_task in CALLS_OF_FAMILY.items():
            for seed in (1, 2):
                task, _ = task_and_environment(family, seed)
                for call in calls_of_task(task):
                    compared_functions.add(call.function)

        assert compared_functions == {tool.name for tool in SHOP_TOOLS}


@pytest.fixture(scope="module")
def hard_shop() -> EcomEnvironment:
    """A shop with many files and long ones, whose fields and folders have random names."""
    _, environment = task_and_environment(
        "sku-lookup", 7, names="random", profile="hard"
    )
    return environment


# How the ids of records begin: a basket is `basket-0012`, and a product has its SKU as its id.
BASKET = "basket"
PRODUCT = "VH-"


def id_of(path: str) -> str:
    """`/proc/carts/basket-0012.json` -> `basket-0012`."""
    return path.rpartition("/")[2].removesuffix(".json")


def first_path(shop: EcomEnvironment, id_start: str) -> str:
    """Return the first path of a record whose id begins so: `/proc/carts/basket-0012.json`."""
    for path in sorted(shop.workspace.files):
        if path.endswith(".json") and id_of(path).startswith(id_start):
            return path
    raise LookupError(id_start)


class TestRecordsAsArguments:
    """A record, such as a basket, may be given to a function by its id or by its path.

    `/proc/carts/basket-0012.json` is the path of the record with the id `basket-0012`. The id of a
    product is its code, the SKU.
    """

    def test_a_record_may_be_given_by_its_id_or_its_path(self, hard_shop):
        """`may_use` tells whether the user of the shop may use a record, such as a basket."""
        path = first_path(hard_shop, BASKET)

        result_by_path = function_result_and_calls(hard_shop, "may_use", record=path)
        result_by_id = function_result_and_calls(
            hard_shop, "may_use", record=id_of(path)
        )

        assert result_by_id == result_by_path

    def test_a_product_that_is_given_by_its_path_is_returned_by_its_sku(
        self, hard_shop
    ):
        """`stock_at` returns how many units of products a branch has, by SKU."""
        product_path = first_path(hard_shop, PRODUCT)
        branch = "store"
        branch_path = first_path(hard_shop, branch)

        result = call_function(
            hard_shop, "stock_at", products=[product_path], branch=branch_path
        )

        assert list(result["value"]) == [id_of(product_path)]


def call_function(
    shop: EcomEnvironment, function: str, **arguments: Any
) -> dict[str, Any]:
    """Return the result of a function: `{"value": ..., "refs": [...], "notes": [...]}`."""
    result, _ = function_result_and_calls(shop, function, **arguments)
    return result


def assert_lists_three_closest(message: str) -> None:
    """The message has three names, and no other commas: "no branch 'x'; closest: a, b, c"."""
    names = message.split(", ")
    assert len(names) == 3


class TestUnknownArguments:
    """A call with an unknown name is refused, and told the three closest names.

    By them, the model can correct its script: "no branch is called 'x'; closest: a, b, c".

    The shop has many baskets and branches. `call_function(shop, "may_use", record=...)` calls a
    function, and `first_path(shop, BASKET)` is the path of a basket.
    """

    def test_an_unknown_record_is_refused_with_the_closest_records(self, hard_shop):
        """The unknown id is that of a basket with one more digit, so this basket is the closest."""
        path = first_path(hard_shop, BASKET)
        unknown_id = f"{id_of(path)}7"

        with pytest.raises(CallError) as error:
            call_function(hard_shop, "may_use", record=unknown_id)

        assert f"'{unknown_id}'; closest: {path}, " in error.value.message
        assert_lists_three_closest(error.value.message)

    def test_an_unknown_branch_is_refused_with_the_closest_branches(self, hard_shop):
        """Several branches are in Utrecht, so the city's name does not tell which one is meant."""
        product = first_path(hard_shop, PRODUCT)

        with pytest.raises(CallError) as error:
            call_function(hard_shop, "stock_at", products=[product], branch="Utrecht")

        assert (
            "no single branch is called 'Utrecht'; closest: Veerhaven Utrecht "
            in error.value.message
        )
        assert_lists_three_closest(error.value.message)

    def test_an_unknown_file_is_refused_with_the_closest_files(self, hard_shop):
        """`fraud_rows` finds the fraudulent rows of a file of payments."""
        with pytest.raises(CallError) as error:
            call_function(hard_shop, "fraud_rows", path="/docs/lamp.md")

        assert "there is no file /docs/lamp.md; closest: /docs/" in error.value.message
        assert_lists_three_closest(error.value.message)

    def test_a_description_that_fits_too_many_products_is_refused(self, hard_shop):
        """`match_products` finds the products that fit a description, and many are a bag."""
        with pytest.raises(
            CallError, match="too many products may be meant: name the brand as well"
        ):
            call_function(hard_shop, "match_products", description="a bag")


class TestUnknownWords:
    """A search for a word that no record has finds nothing, and notes the closest words.

    The result is `{"value": [], "notes": ["... closest: a, b, c"], ...}`. This is no error, since
    "there is none" may be the answer to what a customer asks.
    """

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
        self, hard_shop, function, arguments, expected_note
    ):
        """A note of the result says by which words to search instead: "closest: a, b, c"."""
        (note,) = call_function(hard_shop, function, **arguments)["notes"]

        assert expected_note in note
        assert_lists_three_closest(note)


@pytest.fixture
def camping_shop():
    """A shop with tarps and one upload: a scanned receipt whose lines have codes and no names.

    The shop is that of any task, by a seed with which it sells these two tarps at these prices:

        VH-TRP-LEA-3X3-GRN  EUR 71.39
        VH-TRP-LEA-3X3-SND  EUR 71.19
    """
    world = generate_variant(
        "sku-lookup: one product fits", "5", WorldSettings(names="own")
    ).world
    first_store, *_ = world.stores.values()
    receipt = [
        f"Branch: {first_store.name}",
        # The quantity, the code, the price of one, and the price of all
        "2 VH-TRP-LEA-3X3-GRN 71.39 142.78",
        # The scan has `5ND` for `SND`. A line about one product has only one price.
        "1 x VH-TRP-LEA-3X3-5ND 71.19",
        "Subtotal EUR 213.97",  # 142.78 + 71.19
    ]
    world.files["/uploads/slip.txt"] = "\n".join(receipt)
    return EcomEnvironment(workspace_of(world))


HOW_RECEIPT_IS_NAMED = pytest.mark.parametrize(
    "path",
    [
        pytest.param("/uploads/slip.txt", id="given by its path"),
        pytest.param("", id="the last upload"),
    ],
)


class TestReceiptsWithCodes:
    """`settle_receipt` tells which products a receipt has, and what they cost now.

    A scanned receipt may have misread letters, and codes instead of names. `camping_shop` has this
    one, /uploads/slip.txt, in which `5ND` should be `SND`. The prices are still the same.

        2 VH-TRP-LEA-3X3-GRN 71.39 142.78
        1 x VH-TRP-LEA-3X3-5ND 71.19
        Subtotal EUR 213.97
    """

    @HOW_RECEIPT_IS_NAMED
    def test_a_receipt_without_names_is_settled_by_its_codes(self, camping_shop, path):
        """The receipt has two lines, and the misread code is that of a product all the same."""
        value = call_function(camping_shop, "settle_receipt", path=path)["value"]

        lines = [(line["quantity"], line["sku"]) for line in value["lines"]]
        assert sorted(lines) == [(1, "VH-TRP-LEA-3X3-SND"), (2, "VH-TRP-LEA-3X3-GRN")]

    @HOW_RECEIPT_IS_NAMED
    def test_a_receipt_is_compared_with_the_prices_of_today(self, camping_shop, path):
        """`within` says whether the subtotals differ by at most a tolerance, by default 0."""
        value = call_function(camping_shop, "settle_receipt", path=path)["value"]

        assert value["subtotal_now_cents"] == 213_97  # 2 * 71.39 + 71.19
        assert value["within"] is True

    def test_a_scanned_name_without_a_code_is_refused_before_any_product_is_read(self):
        """A line of a receipt that says only "Lea tarp" may mean several products."""
        item = ScannedItem(1, "Lea tarp", code="", unit_cents=7139, total_cents=7139)
        # To read a product of this catalogue would be another error: it has no methods.
        catalogue: Any = object()

        with pytest.raises(CannotRead, match=r"'Lea tarp' \(no code\)"):
            scanned_product(catalogue, item)

    def test_an_unknown_code_without_a_name_is_refused_before_any_product_is_read(self):
        """A code may be misread, so a product is only certain if its name fits, too."""
        item = ScannedItem(1, "", code="VH-TRP-9", unit_cents=7139, total_cents=7139)
        # The catalogue knows another code. To read its product would be another error.
        catalogue: Any = SimpleNamespace(codes={"VH-TRP-1": "/products/VH-TRP-1.json"})

        with pytest.raises(CannotRead, match=r"'' \(VH-TRP-9\)"):
            scanned_product(catalogue, item)


def first_basket_of_user(world: World) -> Basket:
    """Return the first basket that belongs to the customer who asks."""
    for basket in world.baskets.values():
        if basket.customer_id == world.session.user:
            return basket
    raise AssertionError("the customer has no basket")


class TestCodesInBaskets:
    """`check_basket` compares the lines of a basket with the stock of its branch."""

    def test_a_basket_may_spell_a_products_code_in_small_letters(self):
        """The basket is checked, its only code is put in small letters, as in `vh-trp-1`, and it is
        checked again. Both checks find the same product."""
        # A task about a basket, so that its customer has one. "5" draws this shop.
        task = generate_variant(
            "basket-checkout: possible", seed="5", settings=WorldSettings(names="own")
        )
        shop = EcomEnvironment(workspace_of(task.world))
        basket = first_basket_of_user(task.world)
        before = call_function(shop, "check_basket", basket=basket.id)["value"]
        (line,) = before["lines"]
        code = line["sku"]

        basket_path = task.world.path(basket)
        text = shop.workspace.files[basket_path]
        shop.workspace.files[basket_path] = text.replace(code, code.lower())
        after = call_function(shop, "check_basket", basket=basket.id)["value"]

        assert after["lines"] == [{**line, "sku": code.lower()}]


class TestClaimsOfSupportNotes:
    """A support note describes a product, and may claim something false of it.

    The note was written on a call with a customer. `match_products` finds the product all the same,
    and its notes say what is true.
    """

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
    def test_what_a_support_note_claims_of_a_product_is_checked(
        self, camping_shop, claim, notes
    ):
        """Two descriptions add a claim about how waterproof the tarp is; its record says 3000 mm."""
        # The words of the catalogue for one product, VH-TRP-LEA-3X3-SND.
        catalogue_phrase = (
            "the tarp from Osier & Oak in the Osier & Oak Lea line that has colour sand"
        )
        result = call_function(
            camping_shop,
            "match_products",
            description=f"support note: {catalogue_phrase}{claim}",
        )

        assert [product["sku"] for product in result["value"]] == ["VH-TRP-LEA-3X3-SND"]
        assert result["notes"] == notes


def day_at_the_end(message: str) -> str:
    """`Nothing is told of it before 2027-03-09.` -> `2027-03-09`."""
    return message.split()[-1].rstrip(".")


class TestEmbargoes:
    """Before the day in its field `embargo_until`, nothing may be told of a product.

    `settle_receipt`, `find_records` and `stock_at` are functions that a script
    may ask about a product.
    """

    @pytest.mark.parametrize("seed", ["seed 5", "seed 6", "seed 7"])
    def test_functions_note_that_a_product_is_still_under_embargo(
        self, seed: str
    ) -> None:
        """The request: "Can I buy what is on my receipt again?". One of its products is barred.

        Whichever function a script asks about this product, it is told of the embargo.
        """
        task = generate_variant("receipt-rebuy: barred", seed)
        shop = EcomEnvironment(workspace_of(task.world))
        first_branch, *_ = task.world.stores
        embargo_day = day_at_the_end(task.truth.message)
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


class TestProperties:
    """A customer asks for `waterproof 3,000 mm`; the product has `"waterproof_mm": 3000`.

    The first words name the property and the rest its value, or the other way round: `two persons`.
    """

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
        self, constraint, key, value
    ):
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
    def test_a_property_with_another_value_does_not_fit(self, constraint, key, value):
        """The product has the property, but not as the customer wants it."""
        assert property_match(constraint, key, value) is False


PRINT_MODULES_OF_WORKER = """\
import sys

import controlplane.benchmarks.ecom.shop_tools
import controlplane.sandbox.files.tool_world
print(*sys.modules)
"""


class TestFunctionModules:
    """A process that runs functions imports their modules once, when it starts.

    Each imported module makes the start slower, and a solver or the library is not needed there.
    """

    @pytest.mark.parametrize(
        "check", [*SHOP_TOOLS, *SHOP_CHECKS], ids=lambda check: check.name
    )
    def test_each_check_and_tool_is_a_function_of_a_declared_module(
        self, check
    ) -> None:
        """A process that runs functions imports only the declared modules, when it starts.

        `finds` names the function: `controlplane.benchmarks.shop.stock_functions:stock_at`.
        """
        module, _, function = check.finds.partition(":")

        assert module in FUNCTION_MODULES
        assert callable(getattr(import_module(module), function))

    def test_a_worker_that_serves_a_shop_does_not_import_what_it_does_not_need(
        self,
    ) -> None:
        """The process is forked for each trial, and each imported module makes that slower.

        A solver, the library and its data models are for the process that conducts the run.
        """
        modules = run_python("-c", PRINT_MODULES_OF_WORKER).out.split()

        assert "pydantic" not in modules
        assert "controlplane.agent.exoskeleton" not in modules
        assert "controlplane.library" not in modules
