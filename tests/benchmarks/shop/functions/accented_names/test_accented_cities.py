r"""Functions find cities with accents in any spelling: "Zuerich" or "zurich" for `Zürich`.

The JSON of the branch's record may have the letters themselves, or escapes: `Z\u00fcrich`.
"""

import json

import pytest

from tests.benchmarks.shop.functions.goods_records import branch
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


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
