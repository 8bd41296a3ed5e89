"""A process that runs functions imports their modules once, when it starts.

The process is forked for each trial, and each imported module makes that slower.
"""

from importlib import import_module

import pytest

from controlplane.benchmarks.shop.declarations import (
    FUNCTION_MODULES,
    SHOP_CHECKS,
    SHOP_TOOLS,
)
from controlplane.sandbox.interface import Operation
from tests.support.command import run_python


@pytest.mark.parametrize(
    "operation", [*SHOP_TOOLS, *SHOP_CHECKS], ids=lambda operation: operation.name
)
def test_each_check_and_tool_is_a_function_of_a_declared_module(
    operation: Operation,
) -> None:
    """`finds` names the function: `controlplane.benchmarks.shop.functions:stock_at`."""
    module, _, function = operation.finds.partition(":")

    assert module in FUNCTION_MODULES
    assert callable(getattr(import_module(module), function))


def test_a_worker_that_serves_a_shop_does_not_import_what_it_does_not_need() -> None:
    """A solver, the library and its data models are for the process that conducts the run."""
    python = """
import sys
import controlplane.benchmarks.ecom.shop_tools
import controlplane.sandbox.files.tool_world
print(*sys.modules)
"""

    modules = run_python("-c", python).out.split()

    assert "controlplane.benchmarks.ecom.shop_tools" in modules
    assert "pydantic" not in modules
    assert "controlplane.agent.exoskeleton" not in modules
    assert "controlplane.library" not in modules
