"""A tool `order` with parameters of many types, and what its function gets from a script's call.

call_arguments(ORDER_TOOL, lines=[{"sku": "a"}], size="large", price=2)
    ->    {"lines": [Line(sku="a")], "size": Size.LARGE, "price": 2.0}
"""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from controlplane import Tool
from tests.controlplane.tool_benchmark.declared_tools import declared


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Line(BaseModel):
    sku: str
    count: int = 1


def order(
    lines: list[Line],
    size: Size,
    price: Annotated[float, Field(ge=0, description="in euros")],
    due: date | None = None,
    notes: dict[str, str] | None = None,
    mode: Literal["fast", "slow"] = "slow",
) -> dict[str, object]:
    """Order something.

    A second paragraph.
    """
    return {"lines": lines, "size": size, "price": price}


ORDER_TOOL = declared(Tool(order, "acts"))
