"""Who asks, and who works where."""

from __future__ import annotations

from typing import Any

from benchmarks.shop.layout.branch_names import branch_called
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding
from toolkit.records import role_holders


def who_asks(reader: WorkspaceReader) -> Finding[dict[str, Any]]:
    """Return `user`, `roles` and `is`: customer, staff or guest."""
    asker = ShopLayout(reader).asker
    kind = "staff" if asker.is_staff else "customer" if asker.is_customer else "guest"
    return Finding({"user": asker.user, "roles": sorted(asker.roles), "is": kind})


def staff_with_role(reader: WorkspaceReader, role: str, branch: str = "") -> Finding[int]:
    """Return how many people have a role, at one branch if it is named. Raises `CannotRead` for an unknown branch."""
    if not role.strip():
        msg = "no role is named"
        raise CannotRead(msg)
    layout = ShopLayout(reader)
    return role_holders(layout.records, role, branch_called(layout, branch) if branch else None)
