"""An export's columns are today's units and what arrives on each later date."""

from __future__ import annotations

from datetime import date

from benchmarks.shop.computed.questions.stock_questions import export_table
from toolkit.stock import StockUnits


def test_an_export_holds_today_and_what_arrives_on_each_date() -> None:
    stock = {"A": StockUnits(5, 2, ((4, 1), (9, 2), (3, 2))), "B": StockUnits(1, 1)}
    table = export_table(stock, ["A", "B", "C"], date(2030, 1, 30), "SKU,2030-01-30,2030-01-31,2030-02-01")
    assert table.split("\n")[1:] == ["A,3,4,12", "B,0,0,0", "C,0,0,0"]
