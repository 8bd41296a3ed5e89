"""A small workspace of records for tests of the shop."""

from benchmarks.shop.records import USUAL_KEYS, Identity, RecordKeys, WorkspaceRecords
from tests.support.files_reader import FilesReader

CUSTOMER = Identity("c-1", frozenset({"customer"}))
GUEST = Identity("guest", frozenset({"guest"}))
CLERK = Identity("w-2", frozenset({"clerk"}))

FILES = {
    "/docs/rules.md": "rules",
    "/proc/people/w-1.json": {"id": "w-1", "name": "Ada Berg", "shop_id": "s-1", "roles": ["lead", "clerk"]},
    "/proc/people/w-2.json": {"id": "w-2", "name": "Ben Cole", "shop_id": "s-2", "roles": ["clerk"]},
    "/proc/shops/s-1.json": {"id": "s-1", "name": "Harbour Hill"},
    "/proc/shops/s-2.json": {"id": "s-2", "name": "Mill Lane"},
    **{
        f"/proc/orders/{name}.json": {"id": name, "customer_id": owner, "status": state, "created_at": day}
        for name, owner, state, day in [
            ("order-01", "c-1", "open", "2026-01-02"),
            ("order-02", "c-1", "open", "2026-01-03"),
            ("order-03", "c-1", "closed", "2026-01-04"),
            ("order-04", "c-2", "open", "2026-01-05"),
        ]
    },
    "/proc/pay/pay-07.json": {"id": "pay-07", "customer_id": "c-1", "amount_cents": 500, "created_at": "2026-01-02"},
    "/proc/pay/pay-08.json": {"id": "pay-08", "customer_id": "c-1", "amount_cents": 500, "created_at": "2026-01-09"},
    "/proc/back/ret-01.json": {"id": "ret-01", "customer_id": "c-1", "payment_id": "pay-07", "status": "rejected"},
    "/proc/broken/x-1.json": "{",
    "/proc/goods/TOOL-RED-100-AA.json": {"sku": "TOOL-RED-100-AA", "name": "Tool red"},
    "/proc/goods/TOOL-BLU-100-AA.json": {"sku": "TOOL-BLU-100-AA", "name": "Tool blue"},
}


def sample_records(*, keys: RecordKeys = USUAL_KEYS, **more: object) -> WorkspaceRecords:
    return WorkspaceRecords(FilesReader({**FILES, **more}), keys=keys)
