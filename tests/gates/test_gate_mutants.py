"""The mutation testing of the gates: it covers every deciding module, sees what it changes, and its reasons hold."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.gate_mutants import ELSEWHERE, TESTS, path_of
from tests.bench.gate_survivors import REASONS
from tests.bench.mutant_calls import keep_calls, kept_calls
from tests.bench.mutant_results import Results
from tests.bench.mutant_trials import Observed
from tests.bench.mutants import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
SCRIPT = str(ROOT / "tests" / "bench" / "gate_mutants.py")


def test_the_tests_that_are_run_and_those_that_are_not_are_there() -> None:
    assert all((ROOT / each).exists() for each in (*TESTS, *ELSEWHERE))


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


def test_every_reason_is_about_a_mutant_that_there_is() -> None:
    named: dict[str, set[str]] = defaultdict(set)
    for each in REASONS:
        module, _, function = each.partition(": ")[0].partition(".")
        named[module].add(function.partition(".")[0])
    known = {str(each) for module, functions in named.items() for each in mutants_within(module, functions)}
    assert sorted(set(REASONS) - known) == []


def mutants_within(module: str, functions: set[str]) -> Iterator[Mutant]:
    """Yield the mutants of these functions and classes alone; an empty name stands for all that is none."""
    statements = ast.parse(path_of(module).read_text(encoding="utf-8")).body
    named = [each for each in statements if getattr(each, "name", "") in functions]
    yield from mutants_of(ast.unparse(ast.Module(named, [])), module)


def test_a_result_is_kept_until_a_file_that_it_depends_on_changes(tmp_path: Path) -> None:
    def results() -> Results:
        return Results(tmp_path / "kept.jsonl", tmp_path, ["gates"])

    (tmp_path / "gates").mkdir()
    (tmp_path / "gates" / "paths.py").write_text("a = 1\n")
    results().keep("paths.f: `a` -> `b`", "tests/test_paths.py::test_a", ["gates/paths.py"], noticed=True)
    with (tmp_path / "kept.jsonl").open("a") as file:
        file.write('{"a torn line')
    held = results().holding("paths.f: `a` -> `b`")
    assert held is not None
    assert held.noticed
    assert results().holding("paths.f: `a` -> `c`") is None
    (tmp_path / "gates" / "paths.py").write_text("a = 2\n")
    assert results().holding("paths.f: `a` -> `b`") is None
    assert results().killers() == {"paths.f: `a` -> `b`": "tests/test_paths.py::test_a"}


def test_what_a_test_calls_is_kept_until_it_or_a_source_changes(tmp_path: Path) -> None:
    file = tmp_path / "calls.pickle"
    observed = Observed("tests/test_a.py::test_a", frozenset({("gates/paths.py", "f")}), 0.1, passes=True)
    failing = Observed("tests/test_a.py::test_b", frozenset(), 0.1, passes=False)
    for name in ("tests/test_a.py", "gates/paths.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("a = 1\n")
    for changed in ("tests/test_a.py", "gates/paths.py"):
        keep_calls(file, tmp_path, [observed, failing])
        assert kept_calls(file, tmp_path) == {observed.name: observed}
        (tmp_path / changed).write_text("a = 2\n")
        assert kept_calls(file, tmp_path) == {}


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("module", "tests"),
    [
        ("gate7_verify_reply", "tests/gates/checks/test_gate7_verify_reply.py"),
        ("record_kinds", "tests/benchmarks/shop/language/test_record_kinds.py"),
    ],
)
def test_mutants_are_seen_also_where_the_gates_were_imported_before(module: str, tests: str) -> None:
    early = (
        "import sys, runpy, gates, benchmarks.shop; "
        f"sys.argv = ['', '--tests', {tests!r}, {module!r}]; runpy.run_path({SCRIPT!r}, None, '__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", early], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert re.search(rf"\| {module} \| [1-9]\d* \| 0 \|", done.stdout)


@pytest.mark.heavy
def test_a_mutant_that_no_test_calls_survives() -> None:
    words = [
        sys.executable,
        SCRIPT,
        "--tests",
        "tests/benchmarks/shop/rules/test_checklists.py",
        "--every",
        "9",
        "refunds",
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert re.search(r"\| refunds \| (\d+) \| \1 \|", done.stdout), done.stderr
