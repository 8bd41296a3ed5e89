"""Calls to the shop on which no hostile record may have an effect.

before = harmless_results(shop)  # [{"stdout": ..., "exit_code": 0}, ...]
...                              # a tool reads a hostile record
harmless_results(shop) == before
"""

import json

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.hostile.hostile_shop import ROOTS, WORKSPACE


def harmless_results(shop: EcomEnvironment) -> list[Plain]:
    """Return the results of a query of products, of the stock of a branch, and of a page search."""
    # SKUs of the shop are such as `VH-TNT-2P`. Hostile products have none, and so are not found.
    query = (
        "select name, price_cents from products "
        "where sku is not null and sku like 'VH%' order by sku limit 20"
    )
    stores = [path for path in WORKSPACE.files if path.startswith(ROOTS["stores"])]
    first_store = stores[0]
    inventory = json.loads(WORKSPACE.files[first_store])["inventory"]
    skus = [product["sku"] for product in inventory]
    return [
        shop.call("exec", {"path": "/bin/sql", "args": [query]}),
        shop.call("exec", {"path": "/bin/availability", "args": [first_store, *skus]}),
        shop.call("search", {"pattern": "[Vv]erification", "root": "/docs"}),
    ]
