"""A tool `order` with parameters of many types, to which the JSON of a script's call is converted.

harness.order(lines=[{"sku": "a"}], size="large", price=2)
    ->    order(lines=[Line(sku="a")], size=Size.LARGE, price=2.0)
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
    price: Annotated[float, Field(ge=0)],
    due: date | None = None,
    notes: dict[str, str] | None = None,
    mode: Literal["fast", "slow"] = "slow",
) -> dict[str, object]:
    """Order something."""
    return {"lines": lines, "size": size, "price": price}


ORDER_TOOL = declared(Tool(order, "acts"))
"""The tool as scripts can call it. Its calls change something ("acts")."""
