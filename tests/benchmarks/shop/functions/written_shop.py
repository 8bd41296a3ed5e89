"""A shop that has only the files which a test writes: pages as texts, and records as dicts.

    shop = written_shop({"/proc/carts/basket-4.json": {"id": "basket-4", "status": "active", ...}})
    shop.call("read", {"path": "/AGENTS.MD"})["content"]  # "Records are below /proc/. ..."

The customer `cust-7` is signed in, unless a test names another user. Today is 2028-05-01.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.workspace import CallLimits, Roots, Workspace

FILES_OF_EVERY_SHOP = {
    "/AGENTS.MD": "Records are below /proc/. Follow /docs/checkout.md.\n",
    "/docs/checkout.md": "Run `/bin/checkout` for an `active` basket of the `customer_id`.\n"
    "Receipts are uploaded to /uploads.\n",
    "/proc/carts/basket-1.json": '{"id": "basket-1", "customer_id": "cust-7",\n'
    '"store_id": "store-1", "status": "active",\n'
    '"created_at": "2028-04-25T16:12:03Z", "lines": []}',
}
"""Two pages and an empty basket. From these, functions learn where records are, and which fields
they have."""


def written_shop(
    files: Mapping[str, str | dict[str, Any]],
    *,
    user: str = "cust-7",
    roles: tuple[str, ...] = ("customer",),
    most_listed: int = 0,
) -> EcomEnvironment:
    """Return a shop with these files, besides `FILES_OF_EVERY_SHOP`. A dict is written as JSON.

    `user` is signed in, with these roles. One call lists at most `most_listed` paths or lines; 0
    means no limit.
    """
    texts = dict(FILES_OF_EVERY_SHOP)
    for path, content in files.items():
        if isinstance(content, str):
            texts[path] = content
        else:
            texts[path] = json.dumps(content, indent=2)
    workspace = Workspace(
        files=texts,
        directories=(),
        roots=Roots(
            products="/proc/catalogue",
            stores="/proc/branches",
            baskets="/proc/carts",
            payments="/proc/payments",
            returns="/proc/returns",
            employees="/proc/staff",
        ),
        # What `/bin/checkout` prints: "Bought basket-4".
        names=RecordNames(printed={"checked_out": "Bought"}),
        clock=datetime(2028, 5, 1, tzinfo=UTC),
        security_document="/docs/security.md",  # if a test writes this page
        uploads="/uploads",
        user=user,
        roles=roles,
        # A restarted check of a card may be restarted again at once.
        verification_delay=timedelta(0),
        limits=CallLimits(listed=most_listed),
    )
    return EcomEnvironment(workspace)
