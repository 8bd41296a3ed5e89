"""Declares the functions that a shop's environment offers to scripts, and the modules in which its aide finds them."""

from __future__ import annotations

from typing import Final

from sandbox.interface import Operation, Parameter, ResultField

_FIELDS: Final = (ResultField("value"), ResultField("refs", ("path", "reason")), ResultField("notes"))
_HERE: Final = "benchmarks.shop.findings"


def _tool(module: str, name: str, summary: str, *parameters: Parameter) -> Operation:
    return Operation(name, parameters, _FIELDS, summary, finds=f"{_HERE}.{module}:{name}")


SHOP_TOOLS: Final = (
    _tool("people_findings", "who_asks", "user, roles and whether a customer, staff or a guest asks"),
    _tool(
        "people_findings",
        "staff_with_role",
        "how many people have a role, at one branch or everywhere",
        Parameter("role", "str"),
        Parameter("branch", "str", ""),
    ),
    _tool(
        "access_findings",
        "may_use",
        "path, kind, owner and state of a record, and whether the asker may see, change and cite it",
        Parameter("record", "str"),
    ),
    _tool("access_findings", "linked_records", "what a record names and what names it", Parameter("record", "str")),
    _tool(
        "basket_findings",
        "pick_basket",
        "ids of the asker's open baskets, or of the newest or oldest one",
        Parameter("selector", "str", ""),
    ),
    _tool(
        "moment_findings",
        "retry_moment",
        "state, attempts, max_attempts and retry_at of a payment's bank check, and whether that has passed",
        Parameter("payment", "str"),
    ),
    _tool("moment_findings", "relative_date", "the date a request means, in its form", Parameter("request", "str")),
)
"""The operations, in the order of the prompt."""

FINDING_MODULES: Final = tuple(dict.fromkeys(each.finds.partition(":")[0] for each in SHOP_TOOLS))
"""What an aide has imported."""
