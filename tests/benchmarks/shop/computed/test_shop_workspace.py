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
from tests.benchmarks.shop.computed.expected_deeds import Changes
from tests.benchmarks.shop.computed.small_shop import BASKET as SMALL_BASKET
from tests.benchmarks.shop.computed.small_shop import MUG, NOW, RETURN, TENT, SmallShop
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


def small(ask: Callable[[ShopWorkspace], T], shop: SmallShop | None = None) -> T:
    return (shop or SmallShop()).asked(ask, Evidence())


@pytest.mark.parametrize("identity", ["user: cust-1", "roles: customer", "Nobody is signed in.", ""])
def test_an_identity_without_a_user_or_without_roles_is_not_certain(identity: str) -> None:
    with pytest.raises(DoesNotApply, match="identity"):
        small(lambda shop: shop.asker, SmallShop(identity))


@pytest.mark.parametrize("printed", ["2031-05-04", "Sunday", f"{NOW} or so"])
def test_a_clock_that_prints_no_instant_is_not_certain(printed: str) -> None:
    world = SmallShop()
    world.printed["/bin/date"] = printed
    with pytest.raises(DoesNotApply, match="clock"):
        small(lambda shop: shop.now, world)


@pytest.mark.parametrize(
    "documents", [{"/docs/more.md": "Run `/bin/checkout <basket_id>`."}, {"/docs/checkout.md": ""}]
)
def test_a_policy_is_the_only_document_that_shows_the_call(documents: dict[str, str]) -> None:
    assert small(lambda shop: shop.policy("/bin/checkout")).path == "/docs/checkout.md"
    with pytest.raises(DoesNotApply, match="documents tell"):
        small(lambda shop: shop.policy("/bin/checkout"), SmallShop(documents=documents))


def test_what_is_no_record_has_no_states() -> None:
    with pytest.raises(DoesNotApply):
        small(lambda shop: shop.states(Record("/docs/checkout.md", {})))


def test_the_text_of_a_missing_file_is_empty_and_that_of_a_folder_is_none() -> None:
    assert small(lambda shop: shop.text_or_nothing("/docs/nothing.md")) == ""
    with pytest.raises(DoesNotApply):
        small(lambda shop: shop.text_or_nothing("/docs"))


UPLOADS = {"/uploads/receipt_1.txt": "one", "/archive/list.txt": "no"}


@pytest.mark.parametrize(
    ("text", "more", "path"),
    [
        ("See the receipt.", {}, "/uploads/receipt_1.txt"),
        ("See the receipt.", {"/docs/receipt.txt": "x", "/tmp/receipt.txt": "x"}, "/uploads/receipt_1.txt"),
        ("See the receipt, by /docs/checkout.md and /bin/id.", {}, "/uploads/receipt_1.txt"),
        ("See /archive/list.txt.", {}, "/archive/list.txt"),
        ("See /archive/list.txt.", {"/uploads/receipt_2.txt": "two"}, "/archive/list.txt"),
        ("See the receipt.", {"/uploads/receipt_2.txt": "two"}, ""),
        ("See /uploads/receipt_1.txt and /archive/list.txt.", {}, ""),
    ],
)
def test_a_receipt_is_the_file_that_is_named_or_the_only_one(text: str, more: dict[str, str], path: str) -> None:
    world = SmallShop(documents={**UPLOADS, **more})
    if path:
        assert small(lambda shop: shop.receipt(text), world) == path
    else:
        with pytest.raises(DoesNotApply, match="receipt"):
            small(lambda shop: shop.receipt(text), world)


def test_a_tables_head_is_no_row() -> None:
    table = "| A | B |\n|---|---|\n| c | d |\n\n| E | F |\n| :-: | - |\n| g | h |\n"
    rows = small(lambda shop: shop.table_rows(), SmallShop(documents={"/docs/table.md": table}))
    assert rows == [("/docs/table.md", "c", "d"), ("/docs/table.md", "g", "h")]


def test_the_state_of_a_return_has_the_name_that_its_payment_gives_it() -> None:
    data = small(lambda shop: shop.at(RETURN)).data
    assert data["status"] == "accepted"
    noted = SmallShop(changes={SMALL_BASKET: {"payment_id": "pay-1"}, RETURN: {"payment_id": None}})
    assert small(lambda shop: shop.at(SMALL_BASKET), noted).data["payment_id"] == "pay-1"
    assert "status" in small(lambda shop: shop.at(RETURN), noted).shown


@pytest.mark.parametrize("kind", [Kind.UPLOAD, None])
def test_a_kind_without_records_has_no_folder(kind: Kind | None) -> None:
    world = SmallShop(changes={"/proc/notes/a.json": {"id": "a"}})
    with pytest.raises(DoesNotApply, match="no directory"):
        small(lambda shop: shop.roots(kind), world)


def test_the_folder_of_a_kind_is_told_by_the_ids_of_what_lies_there() -> None:
    paths = {f"/proc/things/{path}": {"id": "x"} for path in ("basket-1.json", "basket-2.json")}
    moved = {f"/proc/baskets/basket-{number}.json": None for number in (1, 2, 3, 4)}
    notes = {"/proc/notes/basket.json": {"id": "x"}, "/proc/notes/basket-list-of.json": {"id": "x"}}
    assert small(lambda shop: shop.roots(Kind.BASKET), SmallShop(changes={**moved, **paths})) == ["/proc/things"]
    both = small(lambda shop: shop.roots(Kind.BASKET), SmallShop(changes={**moved, **paths, **notes}))
    assert both == ["/proc/notes", "/proc/things"]


def test_without_a_record_of_a_kind_there_is_no_example() -> None:
    gone = {f"/proc/returns/ret-{number}.json": None for number in (1, 2)}
    world = SmallShop(changes=gone, documents={"/proc/returns/README.md": "None yet."})
    with pytest.raises(DoesNotApply, match="there is no return record"):
        small(lambda shop: shop.example(Kind.RETURN), world)


def test_products_are_found_by_their_codes() -> None:
    assert small(lambda shop: shop.product_paths(["FJ-TNT-TARN"])) == {"FJ-TNT-TARN": TENT}


@pytest.mark.parametrize(
    ("sku", "changes"), [("FJ-NOT-THERE", {}), ("FJ-TNT-TARN", {MUG: {"sku": "FJ-TNT-TARN"}})], ids=["none", "two"]
)
def test_a_code_of_no_product_and_of_two_is_not_certain(sku: str, changes: Changes) -> None:
    with pytest.raises(DoesNotApply, match="SKU"):
        small(lambda shop: shop.product_paths([sku]), SmallShop(changes=changes))


def test_a_record_that_names_an_id_twice_counts_once() -> None:
    world = SmallShop(changes={SMALL_BASKET: {"giver_id": "cust-1"}})
    paths = small(lambda shop: shop.paths_naming(Kind.BASKET, ["cust-1"]), world)["cust-1"]
    assert len(paths) == len(set(paths)) == 3


def test_a_product_with_two_objects_has_another_form() -> None:
    with pytest.raises(DoesNotApply, match="another form"):
        small(lambda shop: shop.products, SmallShop(changes={MUG: {"more": {"a": 1}}}))
