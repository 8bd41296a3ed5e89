"""Truths stay out of reach: nothing that plays imports what knows them, and the player knows no benchmark around it."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.command import ROOT, environment
from tests.support.import_graph import PACKAGES, modules, paths

SECRET = tuple(f"benchmarks.ecom.{each}" for each in ("tasks", "solutions", "ecom_benchmark", "world"))
PLAYER = "benchmarks.ecom.player"
PLAIN = {
    *("__future__", "collections", "dataclasses", "datetime", "difflib", "functools", "heapq", "itertools", "json"),
    *("collections.abc", "re", "typing", "importlib.resources"),
}
"""Modules of the standard library by which nothing else can be reached."""
PLAYS = ("benchmarks.ecom.runtime", PLAYER, "benchmarks.shop")
PLAY = f"""
import json, sys
from {PLAYER} import Player
before = sorted(sys.modules)
opening = 'It can be cited.\\n\\n<instruction>\\nWhat date is it?\\n</instruction>\\n'
Player().complete([{{"role": "system", "content": ""}}, {{"role": "user", "content": opening}}], "solve")
print(json.dumps([before, sorted(sys.modules)]))
"""


def is_below(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def imported(name: str) -> Iterator[str]:
    """Yield the modules of ours that a module imports when it runs."""
    for each in modules()[name].imports:
        if not each.is_for_types and not each.is_in_string:
            yield each.imported


def loaded(code: str) -> list[list[str]]:
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", [name for name in paths() if is_below(name, *PLAYS)])
def test_no_module_of_the_runtime_or_the_player_imports_what_knows_a_truth(name: str) -> None:
    assert [each for each in imported(name) if is_below(each, *SECRET)] == []


def test_nothing_that_knows_a_truth_is_loaded_on_the_way() -> None:
    (found,) = loaded(
        "import json, sys, benchmarks.ecom.runtime.shop_environment, benchmarks.ecom.player\n"
        "print(json.dumps([sorted(sys.modules)]))"
    )
    assert [one for one in found if is_below(one, *SECRET)] == []


def test_the_player_imports_itself_and_the_model_protocol_alone() -> None:
    own = [name for name in paths() if is_below(name, PLAYER)]
    assert {each for name in own for each in imported(name) if not is_below(each, PLAYER)} == {"agent.model"}
    nodes = [node for name in own for node in ast.walk(ast.parse(paths()[name].read_text(encoding="utf-8")))]
    named = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    named |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {each for each in named if not is_below(each, *PACKAGES)} <= PLAIN
    assert own


def test_a_turn_loads_nothing_of_the_benchmark() -> None:
    _, after = loaded(PLAY)
    ours = {each for each in after if is_below(each, *PACKAGES)}
    protocol = {"agent", "agent.model", "agent.model.model_protocol"}
    assert ours == protocol | {"benchmarks", "benchmarks.ecom", PLAYER}


def test_scripts_of_the_player_name_no_part_of_the_benchmark() -> None:
    assert "benchmarks" not in (ROOT / "benchmarks/ecom/player_scripts.txt").read_text(encoding="utf-8")
