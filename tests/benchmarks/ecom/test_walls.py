"""Truths stay out of reach: neither the runtime nor a player imports what knows them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ECOM = Path(__file__).parents[3] / "benchmarks" / "ecom"
SECRET = ("tasks", "solutions", "identifiers", "ecom_benchmark", "world")
OPEN = sorted(
    path.relative_to(ECOM.parent).as_posix()
    for folder in (ECOM / "runtime", ECOM / "player", ECOM.parent / "shop")
    for path in folder.rglob("*.py")
)


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update({node.module or ""} | {f"{node.module}.{each.name}" for each in node.names})
    return names


@pytest.mark.parametrize("name", OPEN)
def test_no_module_of_the_runtime_or_the_player_imports_what_knows_a_truth(name: str) -> None:
    secret = {f"benchmarks.ecom.{each}" for each in SECRET}
    assert not [
        each for each in imported(ECOM.parent / name) if any(each == s or each.startswith(s + ".") for s in secret)
    ]


@pytest.mark.parametrize("module", ["benchmarks.ecom.runtime.shop_environment", "benchmarks.ecom.player"])
def test_nothing_that_knows_a_truth_is_loaded_on_the_way(module: str) -> None:
    code = (
        f"import sys, {module}\n"
        f"known = {[f'benchmarks.ecom.{each}' for each in SECRET]!r}\n"
        "print([each for each in sys.modules if any(each == k or each.startswith(k + '.') for k in known)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ECOM.parents[1])
    assert done.stdout.strip() == "[]"
