"""A module that meets texts from outside does not import `re`, whose patterns can backtrack.

Python's `re` takes exponential time for `(a+)+b` on a long row of `a`. Modules that meet requests,
replies, answers, files or journals use RE2 instead, whose time grows linearly with the text.
"""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.product_files import ROOT
from tests.support.timed_modules import RULE_SET_MODULES

MODULES_WITH_RE = {
    "controlplane/__main__.py": "only `re.escape`, for the name in a filter of `warnings`",
    "gates/values/normal_text.py": (
        "one row of signs, which cannot backtrack, and Python's newer table of combining marks"
    ),
}
"""The modules that may import `re`, each with the reason."""


def imports_re(source: str) -> bool:
    """Return True if a module imports `re`, the engine that can backtrack."""
    if re.search(r"\bre\b", source) is None:
        return False  # Nearly every module ends here, and need not be parsed.
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                names = [node.module or ""]
            case _:
                continue
        if "re" in names:
            return True
    return False


def modules_with_re(paths: Iterable[Path]) -> set[str]:
    """Return the modules that import `re`: `{"controlplane/__main__.py"}`."""
    names: set[str] = set()
    for path in paths:
        if imports_re(path.read_text(encoding="utf-8")):
            names.add(str(path.relative_to(ROOT)))
    return names


@pytest.mark.parametrize(
    "package", ["gates", "agent", "sandbox/parent", "controlplane"]
)
def test_only_listed_modules_import_the_backtracking_engine(package: str) -> None:
    """A new module has to use RE2, or to be listed with a reason."""
    paths = list((ROOT / package).rglob("*.py"))
    expected = {name for name in MODULES_WITH_RE if name.startswith(f"{package}/")}

    assert paths
    assert modules_with_re(paths) == expected


@pytest.mark.parametrize("name", RULE_SET_MODULES)
def test_no_module_of_the_rule_set_imports_the_backtracking_engine(name: str) -> None:
    """The rules of the shop meet the texts of requests, files and answers.

    `name` is that of a module below `benchmarks/shop`, such as `rules.review`.
    """
    path = ROOT / "benchmarks/shop" / (name.replace(".", "/") + ".py")

    assert modules_with_re([path]) == set()
