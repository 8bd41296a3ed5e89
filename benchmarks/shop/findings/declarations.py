"""Declares the functions that a shop's environment offers to scripts, and the modules in which its aide finds them."""

from __future__ import annotations

from typing import Final

from sandbox.interface import Operation, Parameter, ResultField

_FIELDS: Final = (ResultField("value"), ResultField("refs", ("path", "reason")), ResultField("notes"))
_HERE: Final = "benchmarks.shop.findings"


def _tool(module: str, name: str, summary: str, *parameters: Parameter) -> Operation:
    return Operation(name, parameters, _FIELDS, summary, finds=f"{_HERE}.{module}:{name}")


SHOP_TOOLS: Final = (
    _tool("people_findings", "who_asks", "user, roles; is: customer, staff or guest"),
    _tool("layout_findings", "workspace_layout", "roots, fields, policies, open_state, yes, no"),
    _tool(
        "people_findings",
        "staff_with_role",
        "how many people have a role",
        Parameter("role", "str"),
        Parameter("branch", "str", ""),
    ),
    _tool(
        "access_findings",
        "may_use",
        "kind, owner, state of a record; may the asker see, change, cite it",
        Parameter("record", "str"),
    ),
    _tool(
        "product_findings",
        "match_products",
        "products that fit brand, model, kind (in words of records) and properties such as 'persons 2'",
        Parameter("description", "str"),
        Parameter("must", "list[str]", []),
        Parameter("must_not", "list[str]", []),
        Parameter("below_cents", "int", 0),
    ),
    _tool(
        "stock_findings",
        "stock_at",
        "on_hand, reserved, available, within (days) of each SKU at a branch",
        Parameter("products", "list[str]"),
        Parameter("branch", "str"),
        Parameter("days", "int", 0),
    ),
    _tool("stock_findings", "branches_in", "id, name, is_open of the branches of a city", Parameter("place", "str")),
    _tool(
        "stock_findings",
        "check_basket",
        "state, is_open, subtotal_cents, lines and short SKUs of a basket",
        Parameter("basket", "str"),
    ),
    _tool(
        "access_findings",
        "find_records",
        "records of a kind by a field's value",
        Parameter("kind", "str"),
        Parameter("field", "str", ""),
        Parameter("value", "str", ""),
    ),
    _tool("access_findings", "linked_records", "what a record names and what names it", Parameter("record", "str")),
    _tool(
        "basket_findings",
        "pick_basket",
        "ids of the asker's open baskets, or the newest or oldest",
        Parameter("selector", "str", ""),
    ),
    _tool(
        "receipt_findings",
        "settle_receipt",
        "a receipt's lines as products, subtotals then and now, within, can_be_bought",
        Parameter("path", "str", ""),
        Parameter("tolerance_cents", "int", 0),
    ),
    _tool(
        "table_findings",
        "fraud_rows",
        "fraudulent rows, total; no path: of all payments",
        Parameter("path", "str", ""),
    ),
    _tool("table_findings", "dispatch_plan", "answer: the JSON plan of a wave", Parameter("path", "str")),
    _tool(
        "moment_findings",
        "retry_moment",
        "state, attempts, retry_at of a payment's bank check; has that passed",
        Parameter("payment", "str"),
    ),
    _tool("moment_findings", "relative_date", "the date a request means, in its form", Parameter("request", "str")),
)
"""The operations, in the order of the prompt."""

FINDING_MODULES: Final = tuple(dict.fromkeys(each.finds.partition(":")[0] for each in SHOP_TOOLS))
"""What an aide has imported."""
