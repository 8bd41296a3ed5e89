"""The tool `sql` of the shop makes one query of its records, which it may only read.

select sku, price_cents from products      prints "sku,price_cents" and a line for each product
drop table products                        is refused, in a line that begins with "sql: "
"""

import pytest

from tests.benchmarks.ecom.tools.tool_runs import run_tool
from tests.benchmarks.shop.functions.goods_records import tarp
from tests.benchmarks.shop.functions.written_shop import written_shop


def test_sql_prints_the_selected_columns_of_records() -> None:
    shop = written_shop(
        {
            "/proc/catalogue/TARP-RED.json": tarp("TARP-RED", cents=1200),
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND", cents=7000),
        }
    )

    result = run_tool(shop, "sql", "select sku, price_cents from products order by sku")

    assert result.out == "sku,price_cents\nTARP-RED,1200\nTARP-SAND,7000\n"
    assert result.code == 0


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("drop table products", id="drop"),
        pytest.param("delete from products", id="delete"),
        pytest.param("attach database '/tmp/x' as x", id="another database"),
        pytest.param("pragma journal_mode = wal", id="a setting"),
        pytest.param("select load_extension('x')", id="a function of the host"),
        pytest.param("select nothing from products", id="an unknown column"),
        pytest.param("selec", id="a syntax error"),
        pytest.param("select 1; select 2", id="two statements"),
        pytest.param("", id="no statement"),
    ],
)
def test_sql_refuses_anything_but_one_valid_query(query: str) -> None:
    result = run_tool(written_shop({}), "sql", query)

    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith(("sql: ", "SQL logic error: "))
