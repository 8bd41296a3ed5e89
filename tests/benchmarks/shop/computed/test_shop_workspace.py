"""A workspace's records are read whole, by few calls, and only where there is one reading."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.world.profiles import WorldSettings
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace, parsed
from benchmarks.shop.language.record_kinds import Kind
from gates.reading import DoesNotApply, Reader
from gates.types import Change, Evidence, SeenText, Touch
from tests.benchmarks.ecom.variants import pose_variant
from tests.support.answered_reader import answered

T = TypeVar("T")
TASK = pose_variant("basket-checkout#1", "workspace 0", WorldSettings(names="own"))
WORLD = TASK.world
PATH = TASK.truth.inputs["basket"]
BASKET = next(each for each in WORLD.baskets.values() if WORLD.path(each) == PATH)


def asked(ask: Callable[[ShopWorkspace], T], evidence: Evidence | None = None) -> T:
    environment = EcomEnvironment(WORLD.workspace())
    return answered(environment, lambda reader: ask(ShopWorkspace(reader, evidence or Evidence())))


def test_the_asker_is_whom_the_identity_tool_names() -> None:
    who = asked(lambda shop: shop.asker)
    assert who.id == WORLD.user
    assert who.roles == {"customer"}
    assert not who.is_staff
    assert asked(lambda shop: shop.owns(shop.record(BASKET.id).data))


def test_the_catalogue_and_the_branches_are_read_whole() -> None:
    products = {each.path: each.data for each in asked(lambda shop: shop.products)}
    assert products == {WORLD.path(each): each.data() for each in WORLD.catalogue.products.values()}
    stores = {each.path: each.data for each in asked(lambda shop: shop.stores)}
    wanted = {WORLD.path(each): each.data() for each in WORLD.stores.values()}
    assert stores == {path: {k: v for k, v in data.items() if k != "inventory"} for path, data in wanted.items()}


def test_records_are_found_by_what_a_field_holds() -> None:
    found = asked(lambda shop: shop.paths_naming(Kind.BASKET, [WORLD.user]))[WORLD.user]
    assert sorted(found) == sorted(
        WORLD.path(each) for each in WORLD.baskets.values() if each.customer_id == WORLD.user
    )


@pytest.mark.parametrize("names", ["public", "random"])
def test_records_and_policies_are_found_whatever_they_are_called(names: str) -> None:
    task = pose_variant("refund-approval#1", "workspace 1", WorldSettings(names=names))
    world, environment = task.world, EcomEnvironment(task.world.workspace())

    def seen_by(ask: Callable[[ShopWorkspace], T]) -> T:
        return answered(environment, lambda reader: ask(ShopWorkspace(reader, Evidence())))

    products = seen_by(lambda shop: shop.products)
    assert {each.path: each.data["price_cents"] for each in products} == {
        world.path(each): each.price_cents for each in world.catalogue.products.values()
    }
    assert seen_by(lambda shop: shop.policy("/bin/refund").path) == world.names.document("returns")
    assert seen_by(lambda shop: shop.roles) == {role for e in world.employees.values() for role in e.roles} - {
        "employee"
    }
    returned = seen_by(lambda shop: shop.example(Kind.RETURN))
    assert returned.data["status"] in seen_by(lambda shop: shop.states(returned))
    assert seen_by(lambda shop: shop.states(returned)) == {world.names.state(e.status) for e in world.returns.values()}


@pytest.mark.parametrize("folder", ["/docs/updates", "/docs/elsewhere"])
def test_a_policy_that_a_notice_overrides_is_not_certain(folder: str) -> None:
    workspace = WORLD.workspace()
    notice = {"/docs/updates/2027.md": "From today on `/docs/checkout.md` says something else."}
    environment = EcomEnvironment(replace(workspace, files={**workspace.files, **notice, f"{folder}/x.md": "Nothing."}))

    def path(reader: Reader) -> str:
        return ShopWorkspace(reader, Evidence(), f"Notices stand in `{folder}`.").policy("/bin/checkout").path

    if folder == "/docs/updates":
        with pytest.raises(DoesNotApply, match="overrides"):
            answered(environment, path)
    else:
        assert answered(environment, path) == "/docs/checkout.md"


@pytest.mark.parametrize("name", ["basket-nowhere", "*"])
def test_no_record_and_several_are_not_certain(name: str) -> None:
    with pytest.raises(DoesNotApply):
        asked(lambda shop: shop.record(name))


@pytest.mark.parametrize("text", ["", "[1]", "{", '"text"'])
def test_a_record_is_a_json_object(text: str) -> None:
    with pytest.raises(DoesNotApply):
        parsed(text)


BEFORE = {**BASKET.data(), "status": "abandoned"}


def seen(*texts: SeenText, detail: str = BASKET.id) -> Evidence:
    touches = {PATH: Touch(PATH, frozenset({"read"}), texts)} if texts else {}
    return Evidence(has_trace=True, touches=touches, changes=(Change("/bin/checkout", "execute", detail),))


def undone(data: object) -> dict[str, object]:
    return {"status": "undone"}


@pytest.mark.parametrize(
    ("evidence", "status", "is_assumed"),
    [
        (Evidence(), BASKET.status, False),
        (seen(detail=f"{BASKET.id}-b"), BASKET.status, False),
        (seen(SeenText(json.dumps(BEFORE))), "abandoned", False),
        (seen(SeenText(json.dumps(BEFORE)), SeenText(json.dumps(BASKET.data()))), "abandoned", False),
        (seen(), "undone", True),
        (seen(SeenText(json.dumps(BASKET.data()))), "undone", True),
        (seen(SeenText(json.dumps(BEFORE), is_proof=False)), "undone", True),
        (seen(SeenText(json.dumps(BEFORE), is_whole=False)), "undone", True),
        (seen(SeenText('"abandoned"', is_excerpt=True), SeenText(json.dumps(BEFORE))), "abandoned", False),
    ],
)
def test_a_record_that_was_changed_is_taken_as_it_was_first_read(
    evidence: Evidence, status: str, is_assumed: bool
) -> None:
    found = asked(lambda shop: shop.found(Record(PATH, BASKET.data()), undone), evidence)
    assert (found.data["status"], found.is_assumed) == (status, is_assumed)
