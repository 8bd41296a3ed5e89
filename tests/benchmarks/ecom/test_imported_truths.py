"""A script that breaks out of its sandbox finds no right answers in its process.

A model's script works in a generated shop, and its process imports `shop_environment`. The modules that
generate the tasks, and know the right answers, must not be loaded with it.
"""

import pytest

from tests.support.command import run_python


@pytest.fixture(scope="module")
def loaded_modules() -> list[str]:
    """The modules that a process has loaded which serves a script, and so imports the shop."""
    program = (
        "import json, sys, controlplane.benchmarks.ecom.shop_environment\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    modules: list[str] = run_python("-c", program).json
    return modules


@pytest.mark.parametrize("part", ["tasks", "solutions", "ecom_benchmark", "world"])
def test_nothing_that_knows_a_truth_is_loaded_with_the_environment(
    part: str, loaded_modules: list[str]
) -> None:
    """The part of the benchmark generates right answers, or holds them."""
    package = f"controlplane.benchmarks.ecom.{part}"

    loaded = [
        module
        for module in loaded_modules
        if module == package or module.startswith(f"{package}.")
    ]

    assert loaded == []
    assert "controlplane.benchmarks.ecom.shop_environment" in loaded_modules
