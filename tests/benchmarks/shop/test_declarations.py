"""The checks that a shop's environment declares, and what declaring them costs an aide."""

import subprocess
import sys
from importlib import import_module

import pytest

from benchmarks.shop import shop_bindings
from benchmarks.shop.declarations import AIDE_MODULES, PREFLIGHT, SHOP_CHECKS, SHOP_TOOLS
from tests.support.command import ROOT


@pytest.mark.parametrize("check", [*SHOP_TOOLS, *SHOP_CHECKS], ids=lambda check: check.name)
def test_a_check_is_a_function_of_a_module_that_aides_import(check) -> None:
    module, _, function = check.finds.partition(":")
    assert module in AIDE_MODULES
    assert callable(getattr(import_module(module), function))


def test_solvers_ask_only_for_checks_that_are_declared() -> None:
    names = {check.name for check in SHOP_CHECKS}
    assert {*PREFLIGHT, shop_bindings().permission, shop_bindings().references} <= names


def test_an_aide_that_serves_a_world_imports_no_solver() -> None:
    """Its process is forked for every trial: what it has imported is paid for each time."""
    code = "import sys, sandbox.files.tool_world, benchmarks.ecom.runtime.shop_tools; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"pydantic", "agent.exoskeleton", "controlplane"} & {*done.stdout.split()}
