"""The result of a tool that returns a dict prints as that dict, and its fields are attributes.

    stock = harness.stock_of(name="A-7")    ->    {'items': ['A-7'], 'left': 12}
    stock.left                              ->    12

A tool is a Python function, which a script of the model calls.
"""

from pathlib import Path

from controlplane import Tool
from tests.controlplane.tool_benchmark.results.printing_scripts import printed_by_script


def stock_of(name: str) -> dict[str, object]:
    """Look up the stock of an article."""
    return {"items": [name], "left": 12}


def test_a_dict_prints_as_itself(tmp_path: Path) -> None:
    printed = printed_by_script(
        tmp_path,
        Tool(stock_of, "returns"),
        'print(harness.stock_of(name="A-7"))',
    )

    assert printed == ["{'items': ['A-7'], 'left': 12}"]


def test_the_fields_of_a_dict_are_attributes_of_the_result(tmp_path: Path) -> None:
    """`stock.items` is the field, and not the method that a dict has."""
    printed = printed_by_script(
        tmp_path,
        Tool(stock_of, "returns"),
        'stock = harness.stock_of(name="A-7")',
        "print(stock.left, stock.items)",
    )

    assert printed == ["12 ['A-7']"]
