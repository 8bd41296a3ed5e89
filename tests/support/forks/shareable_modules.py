"""The modules that a fork server may import for several tests.

A *fork server* is a process that has imported modules, and forks for each run. Starting one takes long,
so tests share a server, if the modules are the same for every test:

    may_be_shared(["controlplane.gates"])    # True
    may_be_shared(["my_rules"])              # False: another test may write another `my_rules`
"""

import sys
from collections.abc import Iterable

from controlplane.benchmarks.ecom import shop_environment
from controlplane.benchmarks.files import files_benchmark
from controlplane.benchmarks.folder import folder_benchmark
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from tests.support.product_files import PACKAGES

SHAREABLE_PACKAGES = frozenset((*PACKAGES, *sys.stdlib_module_names, "tests", "yaml"))
"""The packages whose modules are the same for every test. `tests` has rule sets, such as
`tests.support.strict_rule_set`."""

EVERY_RUN = (
    *shop_environment.WORKER_MODULES,
    *files_benchmark.WORKER_MODULES,
    *folder_benchmark.WORKER_MODULES,
)
"""What the shared server imports for the workers of all runs; each run needs a part of it."""


def may_be_shared(module_names: Iterable[str]) -> bool:
    """Return True if these modules are the same for every test."""
    packages = {name.partition(".")[0] for name in module_names}
    return packages <= SHAREABLE_PACKAGES


assert may_be_shared(EVERY_RUN), "all runs would start servers of their own"


def with_every_function(function_modules: Iterable[str]) -> tuple[str, ...]:
    """Return the modules of all the shop's functions, and then those of `function_modules`.

    So one server serves runs that declare different functions of the shop. Each module is in the
    result once.
    """
    modules = list(FUNCTION_MODULES)
    for module in function_modules:
        if module not in FUNCTION_MODULES:
            modules.append(module)
    return tuple(modules)
