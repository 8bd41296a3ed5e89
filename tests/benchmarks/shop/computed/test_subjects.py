"""Branches and products are told by the words of their records, and only where one reading is left."""

from __future__ import annotations

import pytest

from benchmarks.shop.computed.shop_workspace import Record
from benchmarks.shop.computed.subjects import (
    branch_named,
    describes_product,
    products_called,
    products_described,
    words_of,
)
from gates.reading import DoesNotApply


def product(sku: str, name: str, **properties: object) -> Record:
    data = {"sku": sku, "name": f"Fjell & Co {name}", "brand": "Fjell & Co", "properties": properties}
    return Record(f"/proc/products/{sku}.json", data)


PRODUCTS = [
    product("FC-LMP-GLIM-S", "Glim lamp 200 lm", lumen=200, rechargeable=False),
    product("FC-LMP-GLIM-L", "Glim lamp 500 lm", lumen=500, rechargeable=True),
    product("FC-LMP-GLIM-LX", "Glim lamp 500 lm long", lumen=500, rechargeable=False, cable="long"),
    product("FC-BAG-DORM-M5", "Dorm bag -5", comfort_c=-5),
    product("FC-BAG-DORM-P5", "Dorm bag +5", comfort_c=5),
]
STORES = [
    Record("/proc/stores/1.json", {"name": "Fjell Bergen Nord", "city": "Bergen"}),
    Record("/proc/stores/2.json", {"name": "Fjell Bergen Laksevag", "city": "Bergen"}),
    Record("/proc/stores/3.json", {"name": "Fjell Oslo Torshov", "city": "Oslo"}),
]


def test_signs_and_hyphens_belong_to_their_words() -> None:
    assert words_of("A two-person bag, -5 and R-3") == ("a", "two-person", "bag", ",", "-5", "and", "r-3")


@pytest.mark.parametrize(
    ("asked", "skus"),
    [
        ("What is the SKU of the Fjell & Co Glim lamp 200 lm?", ["S"]),
        ("sku for Fjell & Co Glim lamp 500 lm pls", ["L", "LX"]),
        ("Add 2 Fjell & Co Glim lamp 500 lm rechargeable to the basket", ["L"]),
        ("One Fjell & Co Glim lamp 500 lm without rechargeable, please", ["LX"]),
        ("the long Fjell & Co Glim lamp for me", ["LX"]),
        ("the Fjell & Co Glim lamp 500 lm (but not FC-LMP-GLIM-L)", ["LX"]),
        ("the stock of FC-LMP-GLIM-S", ["S"]),
        ("the Fjell & Co Dorm bag -5", ["M5"]),
        ("Fjell & Co Glim lamp 200 lm, please", ["S"]),
        ("Add 200 Fjell & Co Glim lamp 200 lm", ["S"]),
        ("Add 500 of Fjell & Co Glim lamp 200 lm", ["S"]),
        ("Add a pack of 200 Fjell & Co Glim lamp 500 lm rechargeable", ["L"]),
        ("the Fjell & Co Glim lamp 200 lm in my basket", ["S"]),
        ("one of Fjell & Co", ["S", "L", "LX", "M5", "P5"]),
    ],
)
def test_a_description_fits_the_products_for_which_all_of_it_holds(asked: str, skus: list[str]) -> None:
    found = [each.data["sku"].rpartition("-")[2] for each in products_described(asked, PRODUCTS)]
    assert found == skus


@pytest.mark.parametrize(
    "asked",
    [
        "the Glim lamp 500 lm",
        "the Fjell & Co lamp 300 lm",
        "the Fjell & Co thing",
        "the Fjell & Co Glim lamp 200 lm rechargeable",
        "the Fjell & Co Glim lamp 200 lm beside the Fjell & Co Dorm bag +5",
        "the stock of FC-LMP-GLIM-XXL",
        "the huge Fjell & Co Glim lamp 200 lm",
        "the Fjell & Co Glim lamp for two",
        "the Fjell & Co Glim lamp in white",
        "the Fjell & Co Glim lamp to hang up",
        "the Fjell & Co Glim lamp that blinks",
        "the Fjell & Co Glim lamp 200 lm, blue",
        "",
    ],
)
def test_a_description_of_nothing_or_of_two_things_is_not_certain(asked: str) -> None:
    with pytest.raises(DoesNotApply):
        products_described(asked, PRODUCTS)


NORD = Record(
    "/proc/products/ND-BAG.json", {"sku": "ND-BAG", "name": "Nord bag sea", "brand": "Nord", "properties": {}}
)


@pytest.mark.parametrize(
    "asked", ["500 Fjell & Co Glim lamp", "the big 200 lumen Fjell & Co Glim", "of 5 Fjell & Co Dorm bag"]
)
def test_a_number_before_a_description_that_some_of_the_products_have_may_belong_to_it(asked: str) -> None:
    with pytest.raises(DoesNotApply):
        products_described(asked, PRODUCTS)


def test_products_of_another_brand_are_told_by_it_and_by_three_words_at_least() -> None:
    both = [*PRODUCTS, NORD]
    assert products_described("the Nord bag sea", both) == [NORD]
    assert [each.data["sku"] for each in products_described("the Fjell & Co Dorm bag +5", both)] == ["FC-BAG-DORM-P5"]
    with pytest.raises(DoesNotApply):
        products_described("the Nord bag", both)


@pytest.mark.parametrize(
    ("text", "is_described"),
    [
        ("some glim of light", True),
        ("the dorm", True),
        ("anything by fjell", True),
        ("anything by nord", True),
        ("a lamp of the co", False),
        ("a bag", False),
    ],
)
def test_a_brand_or_a_line_of_products_describes_one(text: str, is_described: bool) -> None:
    assert describes_product(text, [*PRODUCTS, NORD]) is is_described


@pytest.mark.parametrize(("asked", "path"), [("the NORD shop", 0), ("in Bergen, Laksevag", 1), ("Fjell Torshov", 2)])
def test_a_branch_is_told_by_the_words_that_no_other_has(asked: str, path: int) -> None:
    assert branch_named(f"How much is there at {asked}?", STORES) is STORES[path]


@pytest.mark.parametrize("asked", ["the Bergen shop", "Nord or Laksevag", "Nordstrand", ""])
def test_no_branch_and_several_are_not_certain(asked: str) -> None:
    with pytest.raises(DoesNotApply):
        branch_named(asked, STORES)


@pytest.mark.parametrize(
    ("asked", "is_called"),
    [
        ("Have you got a fjell & co thing?", True),
        ("Have you got a Fjell and Co thing?", True),
        ("Is there a Glim for two?", True),
        ("I want one of 'Glim, the bright one'.", True),
        ("Is there a glim of hope?", False),
        ("At Fjell Bergen: the one of your co-workers, or your co", False),
        ("Glim", False),
    ],
)
def test_a_brand_in_a_row_or_a_line_with_a_capital_says_what_is_meant(asked: str, is_called: bool) -> None:
    lamps = [each for each in PRODUCTS if "LMP" in each.data["sku"]]
    assert products_called(asked, lamps) == (lamps if is_called else [])


@pytest.mark.parametrize(
    ("name", "text", "is_called"),
    [
        ("Fjell & Co", "Is there one of the Dorm?", False),
        ("Fjell & Co Sky tent", "Is there a Sky for two?", False),
        ("Fjell & Co Dorm bag", "Is there a Dorm for two?", True),
    ],
)
def test_a_line_of_products_has_a_word_of_four_letters_behind_the_brand(name: str, text: str, is_called: bool) -> None:
    data = {"sku": "FC-X", "name": name, "brand": "Fjell & Co", "properties": {}}
    record = Record("/proc/products/FC-X.json", data)
    assert products_called(text, [record]) == ([record] if is_called else [])
