"""A shop of a few files, which a test writes out.

    shop = SmallShop({"/docs/stock.md": "We count daily."}, user="cust_7", roles="customer")
    ShopLayout(WorkspaceReader(shop)).asker.user  # "cust_7"

The shop's functions read it like any other: they find and search files, read them, and run the tools
that tell who is signed in, and what time it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.shop_executables import EXECUTABLES
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox import FileTree
from controlplane.sandbox.functions import Call, Outcome
from controlplane.sandbox.interface import CallError


def basket(basket_id: str, *, customer: str) -> dict[str, Any]:
    """Return the record of an open basket with one line.

    `basket("basket_12", customer="cust_7")` ->
    `{"id": "basket_12", "customer_id": "cust_7", "status": "open", ...}`
    """
    return {
        "id": basket_id,
        "customer_id": customer,
        "status": "open",
        "created_at": "2030-01-02T10:00:00Z",
        "lines": [{"sku": "AB-1", "quantity": 1}],
    }


def product(sku: str) -> dict[str, Any]:
    """Return the record of a product of the family Lea.

    `product("AB-1")` -> `{"sku": "AB-1", "name": "Lea tarp AB-1", "price_cents": 1200, ...}`
    """
    return {
        "sku": sku,
        "name": f"Lea tarp {sku}",
        "family": "Lea",
        "price_cents": 1200,
        "properties": {"colour": "sand"},
    }


class SmallShop:
    """Files by their paths, of which those with records are mappings: `{"id": "basket_12"}`."""

    known: Sequence[Any] = ()
    """No call has been made before."""

    def __init__(
        self,
        files: Mapping[str, str | Mapping[str, Any]],
        *,
        user: str,
        roles: str,
        time: str = "2030-01-14T10:00:00Z",
    ) -> None:
        texts = {}
        for path, content in files.items():
            texts[path] = content if isinstance(content, str) else json.dumps(content)
        self._tree = FileTree(texts)
        self._outputs = {
            "/bin/id": f"user: {user}\nroles: {roles}",
            "/bin/date": time,
        }
        self.executables = {tool.path: tool.summary for tool in EXECUTABLES}
        """The tools, of which these two can be run."""

    @property
    def layout(self) -> ShopLayout:
        """Return what a function of the shop gets."""
        return ShopLayout(WorkspaceReader(self))

    def side_by_side(self, calls: Sequence[Call]) -> list[Outcome]:
        """Return the outcomes of calls such as `("read", {"path": "/docs/a.md"})`."""
        outcomes: list[Outcome] = []
        for operation, arguments in calls:
            try:
                outcomes.append(self._result(operation, arguments))
            except CallError as error:
                outcomes.append(error)
        return outcomes

    def _result(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "exec":
            output = self._outputs[arguments["path"]]
            return {"stdout": output, "stderr": "", "exit_code": 0}
        result: dict[str, Any] = getattr(self._tree, operation)(**arguments)
        return result
