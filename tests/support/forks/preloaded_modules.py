"""The modules that the server of commands imports before its first fork, so that forks have them.

`import_modules_of_commands()` imports `controlplane.journal.journal_writer`, for example, but not
`controlplane.mcp`, which few commands need.
"""

import importlib
import pkgutil

PRELOADED = (
    "controlplane",
    "controlplane.benchmarks.ecom",
    "controlplane.benchmarks.shop",
)
"""The packages whose modules are imported.

Of `controlplane`, the parts below are left out. The two benchmarks stand here by their own names,
because `controlplane.benchmarks` is one of these parts.
"""

NOT_PRELOADED = (
    "controlplane.__main__",
    "controlplane.benchmarks",
    "controlplane.gates.__main__",
    "controlplane.mcp",
    "controlplane.sandbox",
    "controlplane.workers.dask_workers",
)
"""Parts of `controlplane` that few commands import, or that do something when imported."""


def import_modules_of_commands() -> None:
    """Import the modules of the product, and four libraries that take long."""
    for package_name in PRELOADED:
        package = importlib.import_module(package_name)
        for module in pkgutil.walk_packages(package.__path__, f"{package_name}."):
            if package_name == "controlplane" and module.name.startswith(NOT_PRELOADED):
                continue
            importlib.import_module(module.name)
    for name in ("openai", "rich.live", "jinja2", "yaml"):
        importlib.import_module(name)
