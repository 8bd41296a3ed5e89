"""The player knows nothing of the benchmark around it: neither what it imports nor what that imports leads there."""

import ast
import subprocess
import sys
from pathlib import Path

from tests.support.command import ROOT, environment

OURS = ("agent", "benchmarks", "controlplane", "gates", "sandbox", "tests")
PLAYER = "benchmarks.ecom.player"
PLAIN = {
    "__future__",
    "collections",
    "dataclasses",
    "datetime",
    "difflib",
    "functools",
    "heapq",
    "itertools",
    "json",
    "re",
    "typing",
}
"""Modules of the standard library by which nothing else can be reached."""

PLAY = f"""
import sys
from {PLAYER} import Player
before = sorted(sys.modules)
opening = 'It can be cited.\\n\\n<instruction>\\nWhat date is it?\\n</instruction>\\n'
Player().complete([{{"role": "system", "content": ""}}, {{"role": "user", "content": opening}}], "solve")
print(",".join(before), ",".join(sorted(sys.modules)))
"""


def imports_of(path: Path) -> set[str]:
    """Return what a module imports when it runs: not what it names for types alone."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{each.name}" for each in node.names}
            found.update({each for each in names if source_of(each)} or {node.module or ""})
    return found


def source_of(module: str) -> Path | None:
    stem = ROOT.joinpath(*module.split("."))
    found = (each for each in (stem.with_suffix(".py"), stem / "__init__.py") if each.exists())
    return next(found, None)


def test_all_that_the_player_imports_directly_or_not_is_itself_and_the_model_protocol() -> None:
    waiting, seen, foreign = [PLAYER], set(), set()
    while waiting:
        module = waiting.pop()
        path = source_of(module)
        if module in seen or path is None or module.split(".")[0] not in OURS:
            foreign.update({module} - seen)
            continue
        seen.add(module)
        waiting += imports_of(path)
    assert {each for each in seen if not each.startswith(PLAYER)} == {"agent", "agent.model"}
    assert {each.split(".")[0] for each in foreign - {"importlib", "importlib.resources"}} <= PLAIN | {"pydantic"}
    assert len(seen) > 5


def test_a_turn_loads_nothing_of_the_benchmark_and_importing_the_player_nothing_of_its_rules() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAY], env=environment(), capture_output=True, text=True, check=True, timeout=60
    )
    before, after = (set(each.split(",")) for each in done.stdout.split())
    ours = {each for each in after if each.split(".")[0] in OURS}
    assert {each for each in ours if not each.startswith(PLAYER)} == {
        "agent",
        "agent.model",
        "agent.model.model_protocol",
        "benchmarks",
        "benchmarks.ecom",
    }
    assert {each for each in before if each.startswith(PLAYER)} == {PLAYER}


def test_scripts_name_no_part_of_the_benchmark() -> None:
    for path in (ROOT / "benchmarks/ecom/player/scripts").iterdir():
        assert "benchmarks" not in path.read_text(encoding="utf-8"), path
