r"""Functions find cities with accents in any spelling: "Zuerich" or "zurich" for `Zürich`.

The JSON of the branch's record may have the letters themselves, or escapes: `Z\u00fcrich`.
"""

import json
from typing import Any

import pytest

from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result

escaped_or_not = pytest.mark.parametrize(
    "is_escaped",
    [
        pytest.param(False, id="written as they are"),
        pytest.param(True, id="escaped in JSON"),
    ],
)


def record_text(record: dict[str, Any], *, is_escaped: bool) -> str:
    """Return the JSON of a record, with escapes for letters with accents or without."""
    return json.dumps(record, indent=2, ensure_ascii=is_escaped)


@escaped_or_not
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
            "/proc/branches/store-1.json": record_text(zurich, is_escaped=is_escaped),
            "/proc/branches/store-2.json": record_text(
                the_hague, is_escaped=is_escaped
            ),
        }
    )

    result = function_result(shop, "branches_in", place=place)

    assert [row["id"] for row in result["value"]] == [branch_id]


@escaped_or_not
def test_the_stock_of_the_branch_in_a_city_with_accents_is_found(
    is_escaped: bool,
) -> None:
    """The city is enough to name the branch, since it is the only one there."""
    zurich = branch("store-1", "Zürich Lake", {"TARP-4": 7})
    shop = written_shop(
        {
            "/proc/catalogue/TARP-4.json": tarp("TARP-4"),
            "/proc/branches/store-1.json": record_text(zurich, is_escaped=is_escaped),
        }
    )

    stock = function_result(shop, "stock_at", products=["TARP-4"], branch="Zurich")

    assert stock["value"]["TARP-4"]["available"] == 7
