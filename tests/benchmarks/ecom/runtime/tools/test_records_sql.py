"""What `sql` answers about the records, and what it refuses."""

from __future__ import annotations

import csv
import io

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import ACTIVE
from tests.benchmarks.ecom.runtime.tools.tool_calls import run


def query(shop: World, sql: str) -> list[dict[str, str]]:
    out, err, code = run(shop, "sql", sql)
    assert code == 0, err
    return list(csv.DictReader(io.StringIO(out)))


def test_sql_answers_as_csv_and_shows_its_schema(shop: World) -> None:
    assert query(shop, "select count(*) as n from products")[0]["n"] == str(len(shop.catalogue.products))
    tables = {row["name"] for row in query(shop, "select name from sqlite_master where type = 'table'")}
    assert {"products", "inventory", "employee_roles", "basket_lines"} <= tables
    assert {row["name"] for row in query(shop, "pragma table_info(stores)")} >= {"id", "city", "record_path"}


def test_sql_agrees_with_the_records(shop: World) -> None:
    rows = query(shop, "select store_id, sku, available from inventory")
    assert len(rows) == min(100, sum(len(store.inventory) for store in shop.stores.values()))
    for row in rows:
        assert int(row["available"]) == shop.stores[row["store_id"]].inventory[row["sku"]].available
    page = "select record_path from employees order by record_path limit 100 offset "
    paths = {
        row["record_path"] for start in range(0, len(shop.employees), 100) for row in query(shop, f"{page}{start}")
    }
    assert paths == {shop.path(each) for each in shop.employees.values()}


def test_sql_sees_what_was_changed(shop: World) -> None:
    basket = next(each for each in shop.baskets.values() if each.status == ACTIVE)
    runtime = EcomEnvironment(shop.workspace())
    runtime.call("exec", {"path": "/bin/checkout", "args": [basket.id]})
    ask = f"select status from baskets where id = '{basket.id}'"
    assert runtime.call("exec", {"path": "/bin/sql", "stdin": ask})["stdout"] == "status\nchecked_out\n"


@pytest.mark.parametrize(
    "sql",
    [
        "drop table products",
        "delete from products",
        "attach database '/tmp/x' as x",
        "pragma journal_mode = wal",
        "select load_extension('x')",
        "select nothing from products",
        "selec",
        "select 1; select 2",
        "",
    ],
)
def test_sql_refuses_what_is_no_quick_read(shop: World, sql: str) -> None:
    out, err, code = run(shop, "sql", sql)
    assert (out, code) == ("", 1)
    assert err.startswith("sql: ")


def test_sql_shows_a_hundred_rows_whole(shop: World) -> None:
    out, err, code = run(shop, "sql", "select 1 as n from products a, products b limit 100")
    assert (len(out.splitlines()), err, code) == (101, "", 0)


def test_sql_builds_no_huge_value(shop: World) -> None:
    assert run(shop, "sql", "select length(zeroblob(100000)) as n")[0] == "n\n100000\n"
    assert run(shop, "sql", "select length(zeroblob(100001)) as n")[2] == 1


def test_sql_cuts_long_results_and_says_so(shop: World) -> None:
    out, err, code = run(shop, "sql", stdin="select a.sku from products a, products b")
    assert (len(out.splitlines()), code) == (101, 0)
    assert "truncated at 100 rows" in err


def test_sql_that_is_down_stays_down(shop: World) -> None:
    shop.sql_is_up = False
    for _ in range(2):
        out, err, code = run(shop, "sql", "select 1")
        assert (out, code) == ("", 1)
        assert "timed out" in err
    assert run(shop, "sql", "--help")[2] == 0
