"""The modules that a fork server may import for several tests.

`may_be_shared(["controlplane.gates"])` is True. A module that a test wrote may differ from another
test's module of the same name, so that a server of its own imports it.
"""

import sys
from collections.abc import Iterable

from controlplane.benchmarks.ecom import shop_environment
from controlplane.benchmarks.files import files_benchmark
from controlplane.benchmarks.folder import folder_benchmark
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from tests.support.product_files import PACKAGES

SHAREABLE_PACKAGES = frozenset((*PACKAGES, *sys.stdlib_module_names, "yaml"))
"""The packages whose modules are the same for every test."""

EVERY_RUN = (
    *shop_environment.WORKER_MODULES,
    *files_benchmark.WORKER_MODULES,
    *folder_benchmark.WORKER_MODULES,
)
"""What the common server imports for all runs, replays and judgements; each needs a part of it."""


def may_be_shared(module_names: Iterable[str]) -> bool:
    """Return True if these modules are the same for every test."""
    packages = {name.partition(".")[0] for name in module_names}
    return packages <= SHAREABLE_PACKAGES


assert may_be_shared(EVERY_RUN), "all runs would start servers of their own"


def with_every_function(function_modules: Iterable[str]) -> tuple[str, ...]:
    """Return the modules of all the shop's functions, and behind them those not among them."""
    modules = list(FUNCTION_MODULES)
    for module in function_modules:
        if module not in FUNCTION_MODULES:
            modules.append(module)
    return tuple(modules)
