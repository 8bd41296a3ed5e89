"""The process that runs trials computes nothing on untrusted data that could take long: no database, no near names, no
pattern that it was given but those of RE2. The rest runs in the trial's worker, or in the script's own process."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import environment
from tests.support.import_graph import ROOT, modules

COMPUTING = ("difflib",)
"""Modules for work that is more than linear. SQLite is not: it ranks bounded texts of the first message by words."""
OUTSIDE = {
    "sandbox/child/": "the script's process and the worker",
    "sandbox/files/pinned_sqlite.py": "the worker",
    "benchmarks/ecom/runtime/shop_tools.py": "the worker",
    "benchmarks/ecom/runtime/records_sql.py": "the worker",
    "benchmarks/ecom/player.py": "our own demonstration, which plays the model",
    "benchmarks/folder/folder_runtime.py": "the worker",
    "benchmarks/shop/": "children, which run functions; its rules match by RE2 alone, see `test_linear_patterns`",
}
"""What does not run in the process of trials, and where it does."""
GIVEN = {
    "sandbox/files/file_tree.py": "of its own table of remedies; what it is given, RE2 matches",
    "benchmarks/ecom/world/pages.py": "one for each width of its own",
    "benchmarks/ecom/tasks/grader.py": "of tables of its own and escaped words of its world",
}
"""Modules of the process that take patterns from elsewhere, and from where."""


def trusted() -> Iterator[Path]:
    for module in modules().values():
        if not module.place.startswith(tuple(OUTSIDE)):
            yield module.path


def constants_of(tree: ast.Module) -> set[str]:
    assigned = [each for each in tree.body if isinstance(each, ast.Assign | ast.AnnAssign)]
    return {name.id for each in assigned for name in ast.walk(each) if isinstance(name, ast.Name)}


def is_fixed(pattern: ast.expr, constants: set[str]) -> bool:
    """Say whether a pattern is made of texts and constants of its module; what is escaped matches itself alone."""
    match pattern:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name in constants
        case ast.Attribute(value=ast.Name(id=name), attr="pattern"):
            return name in constants
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="escape")):
            return True
        case ast.JoinedStr(values=parts):
            return all(
                is_fixed(part.value if isinstance(part, ast.FormattedValue) else part, constants) for part in parts
            )
    return False


def given_patterns(source: str) -> list[str]:
    """Return the calls of `re` with a pattern that is no constant of the module."""
    tree = ast.parse(source)
    constants = constants_of(tree)
    return [
        ast.unparse(each)
        for each in ast.walk(tree)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and isinstance(each.func.value, ast.Name)
        and each.func.value.id == "re"
        and each.func.attr != "escape"
        and not is_fixed(each.args[0], constants)
    ]


FIXED = """
import re
A = "x"
re.compile("a")
re.search(A, t)
re.match(f"{A}+", t)
re.sub(f"{re.escape(x)}b", "", t)
"""


@pytest.mark.parametrize(
    ("source", "count"),
    [
        (FIXED, 0),
        ("import re\ndef f(p, t): return re.search(p, t)", 1),
        ("import re\ndef f(p, t): return re.search(f'a{p}', t) or re.compile('a' + p)", 2),
    ],
)
def test_a_pattern_that_comes_from_elsewhere_is_seen(source: str, count: int) -> None:
    assert len(given_patterns(source)) == count


def test_no_module_of_the_process_uses_a_pattern_that_it_was_given() -> None:
    found = {str(path.relative_to(ROOT)): given_patterns(path.read_text(encoding="utf-8")) for path in trusted()}
    assert {place for place, calls in found.items() if calls} == set(GIVEN), {k: v for k, v in found.items() if v}


def test_modules_said_to_run_elsewhere_exist() -> None:
    places = [module.place for module in modules().values()]
    for each in (*OUTSIDE, *GIVEN):
        assert any(place.startswith(each) for place in places), each


PLAYED = """
import json, sys
from controlplane.__main__ import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
SCRIPT = """
harness.search("a.c", "/docs")
harness.find("*.md")
print(harness.exec("/bin/sql", stdin="select count(*) from products").stdout)
print(harness.exec("/bin/jq", ["."], stdin="{}").stdout)
try:
    harness.read("/docs/chekout.md")
except FileNotFoundError as error:
    print(error)
try:
    scratchpad.cite("/docs/never.md", "a document that was never read")
except CitationError as error:
    print(error)
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "no", "OUTCOME_NONE_UNSUPPORTED", {}
harness.answer(scratchpad, lambda sp: sp["answer"] == "no")
"""


def test_a_run_imports_nothing_that_computes(tmp_path: Path) -> None:
    replies = tmp_path / "replies.toml"
    replies.write_text(f"[[reply]]\ncode = '''{SCRIPT}'''\n")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            PLAYED,
            "run",
            "--model",
            f"scripted:{replies}",
            "--limit",
            "1",
            "--isolation",
            "process",
        ],
        cwd=tmp_path,
        env=environment() | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    assert "OUTCOME_NONE_UNSUPPORTED" in journal.read_text(), done.stderr
    loaded = set(json.loads(done.stderr.splitlines()[-1]))
    assert "agent.submission.gated_exit" in loaded
    assert not loaded & {*COMPUTING, "benchmarks.ecom.runtime.records_sql"}
