"""Scans: noise leaves one reading; a crosslist follows specs, opening and stock."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest
from benchmarks.ecom.tasks.uploads.competitor_request import RequestLine, crosslist_text
from benchmarks.ecom.tasks.uploads.scan_noise import MISREAD, MISREAD_DIGITS, dropped, misread, misread_number, worn

from benchmarks.ecom.world.generator import generate
from benchmarks.ecom.world.shop_records import Stock
from tests.benchmarks.ecom.variants import pose_variant

WORLD = generate("scans")
STORE = next(iter(WORLD.stores.values()))
PRODUCT = WORLD.catalogue.shelf[0]


def plain(text: str) -> str:
    """Return a text with everything that scans confuse read as digits, in one case."""
    text = "".join(MISREAD.get(each, each) for each in text)
    return "".join(MISREAD.get(each, each) for each in text.upper())


def test_noise_confuses_only_letters_and_digits_that_look_alike() -> None:
    for seed in range(200):
        rng = Random(seed)
        name = rng.choice(list(WORLD.catalogue.products.values())).name
        assert plain(misread(rng, name)) == plain(name)
        number = str(rng.randint(1, 99_999))
        assert plain(misread_number(rng, number)) == plain(number)
        assert [each for each in dropped(rng, name) if each.isdigit()] == [each for each in name if each.isdigit()]
        assert worn(rng, name, level=0.0) == name


def test_digits_are_misread_as_letters_that_are_misread_as_them() -> None:
    assert all(MISREAD[letter] == digit for digit, letter in MISREAD_DIGITS.items())


@pytest.mark.parametrize(
    ("is_open", "is_match", "free", "wanted"),
    [
        (True, True, 5, ("exact", "5", "4", "0", "exact property match; requested quantity available today")),
        (True, True, 4, ("exact", "4", "4", "0", "exact property match; requested quantity available today")),
        (True, True, 3, ("exact", "3", "3", "1", "exact property match; branch has insufficient same-day stock")),
        (False, True, 5, ("exact", "5", "0", "4", "target branch is closed today")),
        (
            True,
            False,
            5,
            ("property_mismatch", "0", "0", "4", "requested properties do not exactly match catalogue product"),
        ),
        (
            False,
            False,
            5,
            ("property_mismatch", "0", "0", "4", "requested properties do not exactly match catalogue product"),
        ),
    ],
)
def test_a_row_follows_from_specs_opening_and_stock(
    is_open: bool, is_match: bool, free: int, wanted: tuple[str, ...]
) -> None:
    key, value = next(iter(PRODUCT.properties.items()))
    line = RequestLine("CMP-1", PRODUCT, {key: value if is_match else "other"}, 4)
    store = replace(STORE, is_open=is_open, inventory={PRODUCT.sku: Stock(free + 2, 2)})
    header, row = (each.split("\t") for each in crosslist_text(store, [line]).splitlines())
    cells = dict(zip(header, row, strict=True))
    shown = ("match_status", "available_today", "fulfillable_qty", "short_qty", "reason")
    assert tuple(cells[each] for each in shown) == wanted
    assert cells["matched_sku"] == (PRODUCT.sku if is_match else "")
    assert cells["requested_description"] == PRODUCT.name


def test_a_receipt_shows_quantities_subtotal_and_tax_that_agree() -> None:
    for seed in range(30):
        task = pose_variant("receipt-reprice#1", f"slip {seed}")
        (upload,) = (path for path in task.truth.records if path in task.world.files)
        text = task.world.files[upload]
        amounts = [round(float(each) * 100) for each in re.findall(r"EUR (\d+\.\d\d)", text)]
        assert amounts[2] == amounts[0] + amounts[1]
        assert amounts[0] == int(task.truth.inputs["before"])
        assert len(re.findall(r"^\[\d\]", text, re.MULTILINE)) == len(task.truth.inputs["bought"].split("\n"))
