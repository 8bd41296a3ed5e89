"""Functions of a shop whose names have accents, such as `Bjørn Åsmöör`.

People write such names in many spellings: for the branch in `Zürich` they ask for "Zuerich" or
"zurich". Generated shops have no accents, so the tests take one of them and rename a brand and
two cities in all of its files.
"""

import json
from dataclasses import replace
from typing import Any

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.functions_here import function_result_and_calls

NEW_NAMES = {
    "Aldermoor": "Bjørn Åsmöör",
    "Arnhem": "Zürich",
    "Breda": "'s-Den Haag",
}
"""A brand and two cities of the generated shop, and the names that they get here."""

# How many products of the brand, and how many branches in each city, the generated shop has. Each of
# the products is a dry bag of the model Fathoow.
PRODUCTS_OF_BRAND = 4
BRANCHES_IN_ZURICH = 1
BRANCHES_IN_DEN_HAAG = 3


def renamed(text: str, new_names: dict[str, str]) -> str:
    """Return a text with new names: `A bag by Aldermoor` -> `A bag by Bjørn Åsmöör`."""
    for name, new_name in new_names.items():
        text = text.replace(name, new_name)
    return text


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
def shop_with_accents(request: pytest.FixtureRequest) -> EcomEnvironment:
    """The shop with the new names; one time they are escaped in JSON files: `Bj\\u00f8rn`."""
    names_in_json = NEW_NAMES
    if request.param:
        names_in_json = {name: escaped(new) for name, new in NEW_NAMES.items()}
    # This seed generates a shop with the brand and the cities above.
    task = generate_variant(
        "basket-addition: one product fits",
        "5|basket-addition.1|0",
        WorldSettings(names="public"),
    )
    workspace = workspace_of(task.world)

    files = {}
    for path, text in workspace.files.items():
        new_names = names_in_json if path.endswith(".json") else NEW_NAMES
        files[renamed(path, NEW_NAMES)] = renamed(text, new_names)
    return EcomEnvironment(replace(workspace, files=files))


@pytest.mark.parametrize(
    ("function", "arguments", "count"),
    [
        (
            "match_products",
            {"description": "Bjørn Åsmöör's Fathoow"},
            PRODUCTS_OF_BRAND,
        ),
        (
            "match_products",
            {"description": "BJØRN ÅSMÖÖR dry bag"},
            PRODUCTS_OF_BRAND,
        ),
        (
            "find_records",
            {"kind": "product", "field": "brand", "value": "Bjørn Åsmöör"},
            PRODUCTS_OF_BRAND,
        ),
        ("branches_in", {"place": "Zuerich"}, BRANCHES_IN_ZURICH),
        ("branches_in", {"place": "zurich"}, BRANCHES_IN_ZURICH),
        ("branches_in", {"place": "’s Den Haag"}, BRANCHES_IN_DEN_HAAG),
        # The stock of one product at the only branch in Zürich
        ("stock_at", {"products": ["VH-DRY-FATHOOW-10"], "branch": "Zurich"}, 1),
    ],
)
def test_names_with_accents_are_found_in_any_spelling(
    shop_with_accents: EcomEnvironment,
    function: str,
    arguments: dict[str, Any],
    count: int,
) -> None:
    """The shop has the brand Bjørn Åsmöör, and branches in Zürich and 's-Den Haag.

    `count` is the number of products or branches that the function must find.
    """
    result, _ = function_result_and_calls(shop_with_accents, function, **arguments)

    assert len(result["value"]) == count
