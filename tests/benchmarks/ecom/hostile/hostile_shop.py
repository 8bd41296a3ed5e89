"""The shop in which tools meet hostile files and queries: its files, and the folders of its records.

WORKSPACE.files["/proc/carts/basket-0012.json"]  # '{"id": "basket-0012", ...}'
ROOTS["baskets"]                                 # "/proc/carts"
"""

from dataclasses import asdict, replace

from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.names import WorldSettings
from controlplane.benchmarks.ecom.world.world import workspace_of

WORKSPACE = replace(
    workspace_of(generate("hostile", WorldSettings(names="own"))), sql_is_up=True
)
"""The files of a generated shop. Its SQL tool works, which has an outage in some shops."""

ROOTS = asdict(WORKSPACE.roots)
"""The folder of each kind of records, whose name is also that of its SQL table.

`{"baskets": "/proc/carts", "products": "/proc/articles", ...}`
"""
