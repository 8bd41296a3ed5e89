"""Every function finds what is true, in worlds of every family that it serves, in every profile and vocabulary."""

import json
from dataclasses import replace

import pytest

from benchmarks.ecom.shop_environment import EcomEnvironment
from benchmarks.ecom.world.generator import WorldSettings
from benchmarks.shop.declarations import SHOP_TOOLS
from sandbox.interface import CallError
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.function_truths import CALLS, found, judged, opened

LIGHT = (("prod", "own", 5), ("prod", "public", 1), ("hard", "random", 7))
"""Profiles, vocabularies and seeds. Seeds that 3 divides are kept for measuring."""
MANY = [
    (profile, names, seed)
    for profile, names, _ in (*LIGHT, ("dev", "random", 0))
    for seed in (5, *range(11, 60, 2))
    if seed % 3
]


@pytest.mark.parametrize("family", CALLS)
def test_a_function_finds_what_is_true(family):
    check(family, LIGHT)


@pytest.mark.heavy
@pytest.mark.parametrize("family", CALLS)
def test_it_does_so_in_many_worlds(family):
    check(family, MANY)


def check(family, worlds):
    for profile, names, seed in worlds:
        task, environment = opened(family, seed, names=names, profile=profile)
        for call in CALLS[family](task):
            result = judged(environment, call)
            assert result.verdict == "right", (task.instruction, call.function, call.arguments, result)


def test_every_function_is_compared_with_a_truth():
    called = {call.function for family in CALLS for seed in (1, 2) for call in CALLS[family](opened(family, seed)[0])}
    assert {tool.name for tool in SHOP_TOOLS} == called


def test_a_record_is_given_by_id_or_path_and_a_miss_names_the_closest():
    _, environment = opened("sku-lookup", 7, names="random", profile="hard")
    paths = sorted(environment.workspace.files)
    basket = next(path for path in paths if "/basket" in path)
    name = basket.rsplit("/", 1)[1].removesuffix(".json")
    assert found(environment, "may_use", record=basket) == found(environment, "may_use", record=name)
    product = next(path for path in paths if "/VH-" in path)
    branch = next(path for path in paths if "/store" in path and path.endswith(".json") and "/VH-" not in path)
    value = found(environment, "stock_at", products=[product], branch=branch)[0]["value"]
    assert [*value] == [product.rsplit("/", 1)[1].removesuffix(".json")]
    for function, arguments, told in (
        ("may_use", {"record": f"{name}7"}, f"'{name}7'; closest: {basket}, "),
        (
            "stock_at",
            {"products": [product], "branch": "Utrecht"},
            "no single branch is called 'Utrecht'; closest: Veerhaven Utrecht ",
        ),
        ("fraud_rows", {"path": "/docs/lamp.md"}, "there is no file /docs/lamp.md; closest: /docs/"),
    ):
        with pytest.raises(CallError) as miss:
            found(environment, function, **arguments)
        assert told in miss.value.message
        assert miss.value.message.count(", ") == 2
    with pytest.raises(CallError, match="too many products may be meant: name the brand as well"):
        found(environment, "match_products", description="a bag")
    unknown = (("hatchet warmer", "warmer"), ("the waterproof sack", "sack"))
    for function, arguments, told in (
        *(
            (
                "match_products",
                {"description": said},
                f"no product record holds '{word}': use words of the records; closest: ",
            )
            for said, word in unknown
        ),
        ("find_records", {"kind": "product", "field": "name", "value": "lamp"}, "holds 'lamp' as its name; closest: "),
        ("staff_with_role", {"role": "lamp"}, "nobody has the role 'lamp' there; roles of others: "),
    ):
        (note,) = found(environment, function, **arguments)[0]["notes"]
        assert told in note
        assert note.count(", ") == 2


@pytest.mark.parametrize("is_escaped", [False, True])
def test_names_with_marks_are_found_in_any_spelling(is_escaped):
    task = generate_variant("basket-addition#1", "5|basket-addition.1|0", WorldSettings(names="public"))
    environment = EcomEnvironment(task.world.workspace())
    texts = {}
    for path, text in environment.workspace.files.items():
        for name, marked in (("Aldermoor", "Bjørn Åsmöör"), ("Arnhem", "Zürich"), ("Breda", "'s-Den Haag")):
            told = json.dumps(marked)[1:-1] if is_escaped and path.endswith(".json") else marked
            path, text = path.replace(name, marked), text.replace(name, told)
        texts[path] = text
    environment = EcomEnvironment(replace(environment.workspace, files=texts))
    for function, arguments, count in (
        ("match_products", {"description": "Bjørn Åsmöör's Fathoow"}, 4),
        ("match_products", {"description": "BJØRN ÅSMÖÖR dry bag"}, 4),
        ("find_records", {"kind": "product", "field": "brand", "value": "Bjørn Åsmöör"}, 4),
        ("branches_in", {"place": "Zuerich"}, 1),
        ("branches_in", {"place": "zurich"}, 1),
        ("branches_in", {"place": "’s Den Haag"}, 3),
        ("stock_at", {"products": ["VH-DRY-FATHOOW-10"], "branch": "Zurich"}, 1),
    ):
        assert len(found(environment, function, **arguments)[0]["value"]) == count, arguments


@pytest.fixture
def camping():
    """A shop with tarps, one upload of whose lines hold codes, one of them misread."""
    world = generate_variant("sku-lookup#1", "5", WorldSettings(names="own")).world
    name = next(iter(world.stores.values())).name
    lines = ["2 VH-TRP-LEA-3X3-GRN 71.39 142.78", "1 x VH-TRP-LEA-3X3-5ND 71.19", "Subtotal EUR 213.97"]
    world.files["/uploads/slip.txt"] = "\n".join([f"Branch: {name}", *lines])
    return EcomEnvironment(world.workspace())


@pytest.mark.parametrize("path", ["/uploads/slip.txt", ""])
def test_a_receipt_without_names_is_settled_by_its_codes(camping, path):
    value = found(camping, "settle_receipt", path=path)[0]["value"]
    assert [(line["sku"], line["quantity"]) for line in value["lines"]] == [
        ("VH-TRP-LEA-3X3-GRN", 2),
        ("VH-TRP-LEA-3X3-SND", 1),
    ]
    assert (value["subtotal_now_cents"], value["within"]) == (21397, True)


@pytest.mark.parametrize(
    ("noted", "notes"),
    [
        ("", []),
        (" and has waterproof 9000", ["of VH-TRP-LEA-3X3-SND it is not true that it has waterproof 9000"]),
        (" and is waterproof 3000 mm", ["of VH-TRP-LEA-3X3-SND it is true that it has waterproof 3000 mm"]),
    ],
)
def test_a_description_in_the_catalogues_phrase_is_taken_apart_and_what_a_note_claims_is_tested(camping, noted, notes):
    said = f"support note: the tarp from Osier & Oak in the Osier & Oak Lea line that has colour sand{noted}"
    result = found(camping, "match_products", description=said)[0]
    assert [each["sku"] for each in result["value"]] == ["VH-TRP-LEA-3X3-SND"]
    assert result["notes"] == notes


@pytest.mark.parametrize("seed", ["seed 5", "seed 6", "seed 7"])
def test_a_coming_embargo_is_noted_by_every_function_whose_product_it_is(seed: str) -> None:
    task = generate_variant("receipt-rebuy#3", seed)
    shop = EcomEnvironment(task.world.workspace())
    day = task.truth.message.rpartition(" ")[2].rstrip(".")
    barred = [one for one in task.world.catalogue.products.values() if one.properties.get("embargo_until") == day]
    for product in barred:
        for function, given in {
            "settle_receipt": {},
            "find_records": {"kind": "product", "field": "sku", "value": product.sku},
            "stock_at": {"products": [product.sku], "branch": next(iter(task.world.stores))},
        }.items():
            notes = found(shop, function, **given)[0]["notes"]
            assert f"`embargo_until` {day}, which is still to come" in str(notes), function
    assert barred
