"""Mutation testing of the gates: changes one decision at a time and says which changes no test notices.

Usage: python tests/bench/gate_mutants.py [MODULE ...]    (default: every module with decisions; about 1 s a mutant)

Each mutant runs in a child process that sees the changed module in the place of the real one; no file is touched.
"""

from __future__ import annotations

import ast
import copy
import importlib.abc
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = """
verify_signature fact_shapes canonical_citations demanded_citations read_citations justification outcome_class orders
told_values verify_reply literal_tokens contract clauses yes_no judge evidence paths wording verdict plain submission
"""
TEST_NAMES = """
judge verify_signature verify_reply fact_shapes citations justification outcome_class literal_tokens contract paths
wording orders told_values traps
"""
TESTS = [
    *(f"tests/gates/test_{name}.py" for name in re.findall(r"\w+", TEST_NAMES)),
    "tests/agent/test_evidence.py",
]
SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SECONDS = 60
QUIET = ["--hypothesis-seed=1", "-W", "ignore::pytest.PytestAssertRewriteWarning"]


@dataclass(frozen=True)
class Mutant:
    """One changed decision."""

    module: str
    line: int
    before: str
    after: str
    source: str


def mutants_of(module: str) -> Iterator[Mutant]:
    """Yield every mutant of a module of the gates."""
    tree = ast.parse((ROOT / "gates" / f"{module}.py").read_text(encoding="utf-8"))
    for number, node in enumerate(ast.walk(tree)):
        for variant in range(len(changes_of(node))):
            changed = copy.deepcopy(tree)
            target = next(each for place, each in enumerate(ast.walk(changed)) if place == number)
            before = ast.unparse(target)
            changes_of(target)[variant]()
            after = ast.unparse(target)
            if before != after:
                yield Mutant(module, getattr(node, "lineno", 0), before, after, ast.unparse(changed))


def changes_of(node: ast.AST) -> list:  # type: ignore[type-arg]
    """Return functions, each of which changes the node in its own way."""
    found = []
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            other = SWAPS[type(operator)]
            found.append(lambda place=place, other=other: node.ops.__setitem__(place, other()))
        for right in node.comparators:
            if isinstance(right, ast.Constant) and type(right.value) is int:
                found.append(lambda right=right: setattr(right, "value", right.value + 1))
    elif isinstance(node, ast.BoolOp):
        found.append(lambda: setattr(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()))
        for place in range(len(node.values)):
            if len(node.values) > 1:
                found.append(lambda place=place: node.values.pop(place))
    elif isinstance(node, ast.If | ast.IfExp):
        found.append(lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test)))
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool):
        found.append(lambda: setattr(node.value, "value", not node.value.value))
    return found


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves one module of the gates from changed source."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: object, target: object = None) -> object:
        if name != f"gates.{self.mutant.module}":
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(ROOT / "gates" / f"{self.mutant.module}.py"))

    def exec_module(self, module: object) -> None:
        exec(compile(self.mutant.source, self.mutant.module, "exec"), module.__dict__)


def survives(mutant: Mutant) -> bool:
    """Say whether all tests pass in spite of the change; a test run that hangs or breaks has noticed it."""
    child = os.fork()
    if child == 0:
        import faulthandler
        import signal

        import pytest

        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        faulthandler.disable()
        signal.alarm(SECONDS)
        sys.meta_path.insert(0, Changed(mutant))
        tests = sorted(TESTS, key=lambda each: mutant.module not in each)
        code = pytest.main(["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *QUIET, *tests])
        os._exit(int(code))
    _, status = os.waitpid(child, 0)
    return status == 0


def main(modules: list[str]) -> None:
    """Try every mutant and print the survivors."""
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    import hypothesis
    import pydantic
    import pytest

    _ = hypothesis, pydantic, pytest
    unchanged = (ROOT / "gates" / "verdict.py").read_text(encoding="utf-8")
    if not survives(Mutant("verdict", 0, "", "", unchanged)):
        sys.exit("the tests fail without any change")
    tried = survived = 0
    for module in modules:
        for mutant in mutants_of(module):
            tried += 1
            if survives(mutant):
                survived += 1
                print(f"gates/{mutant.module}.py:{mutant.line}: {mutant.before!r} -> {mutant.after!r}", flush=True)
    print(f"{tried} mutants, {survived} survivors")


if __name__ == "__main__":
    main(sys.argv[1:] or re.findall(r"\w+", MODULES))
