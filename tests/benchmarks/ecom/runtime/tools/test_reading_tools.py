"""What the tools print that only read."""

from __future__ import annotations

from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import Stock
from tests.benchmarks.ecom.runtime.tools.tool_calls import run


def test_id_names_user_and_roles(shop: World) -> None:
    shop.user, shop.roles = "emp-1", ("employee", "order_viewer")
    assert run(shop, "id") == ("user: emp-1\nroles: employee, order_viewer\n", "", 0)


def test_cat_prints_and_numbers(shop: World) -> None:
    shop.files["/tmp/a.txt"] = "one\ntwo\n"
    assert run(shop, "cat", "/tmp/a.txt", "/tmp/A.TXT")[0] == "one\ntwo\none\ntwo\n"
    assert run(shop, "cat", "-n", "/tmp/a.txt")[0] == "     1\tone\n     2\ttwo\n"
    assert run(shop, "cat", stdin="piped")[0] == "piped"
    assert run(shop, "cat", "/tmp/b.txt") == ("", "cat: /tmp/b.txt: no such file\n", 1)


def test_availability_subtracts_reservations_and_knows_no_row_as_zero(shop: World) -> None:
    store = next(iter(shop.stores.values()))
    skus = list(store.inventory)[:3]
    out, _, code = run(shop, "availability", shop.path(store), *skus, "VH-NONE")
    assert code == 0
    free = [store.inventory.get(sku, Stock(0, 0)).available for sku in skus]
    assert out.splitlines() == [f"{sku}\t{count}" for sku, count in zip(skus, free, strict=True)] + ["VH-NONE\t0"]
    assert run(shop, "availability", "/AGENTS.MD", "X")[2] == 1


def test_one_sku_is_enough_for_availability_and_none_is_not(shop: World) -> None:
    store = next(iter(shop.stores.values()))
    assert run(shop, "availability", shop.path(store), "VH-NONE")[0] == "VH-NONE\t0\n"
    assert run(shop, "availability", shop.path(store))[2] == 1
