"""The mutation testing of the gates: it covers every deciding module, sees what it changes, and its reasons hold."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.gate_mutants import NEAREST, files_of_tests, modules, path_of
from tests.bench.gate_survivors import REASONS
from tests.bench.mutants import mutants_of

ROOT = Path(__file__).parents[2]
SCRIPT = str(ROOT / "tests" / "bench" / "gate_mutants.py")
TEXT = (ROOT / "docs" / "gates.md").read_text(encoding="utf-8")


def source_of(module: str) -> str:
    return path_of(module).read_text(encoding="utf-8")


def test_every_module_of_the_gates_is_tried_or_named_as_a_shell() -> None:
    assert set(NEAREST) == set(modules())


@pytest.mark.parametrize("module", NEAREST)
def test_the_tests_of_every_module_are_there(module: str) -> None:
    first, others = files_of_tests(module)
    assert all((ROOT / file).is_file() for file in (*first, *others))
    assert not set(first) & set(others)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x == 1", {"x != 1", "x == 2"}),
        ("a < b", {"a <= b"}),
        ("a and b", {"a or b", "a", "b"}),
        ("not a", {"not not a"}),
        ("any(a)", {"all(a)"}),
        ("[x for x in a if x]", {"[x for x in a]"}),
        ("a if b else c", {"a if False else c", "a if True else c"}),
        ("f(a, b)", set()),
    ],
)
def test_each_decision_is_changed_in_every_way(before: str, after: set[str]) -> None:
    assert {each.source for each in mutants_of(before, "m")} == after


def test_statements_are_changed_in_their_conditions() -> None:
    source = "def f(a):\n    while a:\n        if a:\n            return True\n"
    told = {str(each) for each in mutants_of(source, "m")}
    assert told == {
        "m.f: `a` -> `False`",
        "m.f: `a` -> `False` (2)",
        "m.f: `a` -> `True`",
        "m.f: `return True` -> `return False`",
    }
    assert all(ast.unparse(ast.parse(each.source)) == each.source for each in mutants_of(source, "m"))


def test_every_reason_is_about_a_mutant_that_there_is_and_stands_in_the_documentation() -> None:
    known = {str(each) for module in NEAREST for each in mutants_of(source_of(module), module)}
    assert sorted(set(REASONS) - known) == []
    assert [reason for reason in REASONS if f"- {reason}: {REASONS[reason]}" not in TEXT] == []
    assert len(re.findall(r"^- \w+\.[\w.]+: `.*` -> `", TEXT, flags=re.M)) == len(REASONS)


@pytest.mark.heavy
@pytest.mark.parametrize("module", ["gate7_verify_reply", "record_kinds"])
def test_mutants_are_seen_also_where_the_gates_were_imported_before(module: str) -> None:
    early = (
        "import sys, runpy, gates, benchmarks.shop; "
        f"sys.argv = ['', {module!r}]; runpy.run_path({SCRIPT!r}, None, '__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", early], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert re.search(rf"\| {module} \| [1-9]\d* \| 0 \|", done.stdout)
