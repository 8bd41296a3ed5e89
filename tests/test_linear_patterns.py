"""Texts from outside meet RE2 or plain string work in what
judges, records and runs trials; what is left is listed."""

import ast
import importlib
import itertools
import pkgutil
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
import re2

import controlplane
from controlplane.benchmarks.shop.requests.request_kinds import RequestKind
from tests.support.command import ROOT

LINEAR = ("gates", "agent", "sandbox/parent", "controlplane")
"""What meets requests, replies, answers, files, results and journals: none of it imports `re`."""
NOT_LINEAR = (
    "controlplane.benchmarks",
    "controlplane.sandbox.child",
    "controlplane.sandbox.face",
    "controlplane.sandbox.files",
    "controlplane.sandbox.functions",
    "controlplane.sandbox.interface",
)
RULES = (
    "rule_set",
    "requests.block_marks.authority_marks",
    "requests.block_marks.mark",
    "requests.block_marks.role_marks",
    "requests.block_marks.wordings",
    "requests.block_marks.wrappers",
    "requests.block_policies",
    "requests.posed_instructions",
    "requests.request_kinds",
    "rules.submission_facts",
    "workspace.kinds",
)
"""The modules of the shop's rule set, which judges where the trial runs."""
OWN_NAMES = {
    "controlplane/__main__.py": "`warnings` takes a pattern; it is the name of the module of replies, escaped"
}
"""Modules of these that import `re`, each with the reason."""
SIGNS = "aAz19_ \t\n.,-/\\\"'`()[]{}<>|:;=+*#@%$&?!é漢\u00a0\u0301"
PAIRS = [one + other for one, other in itertools.product('a1_ \n.-"(', repeat=2)]
MOST_SECONDS = 0.4


def imports_re(source: str) -> bool:
    """Say whether a module imports the pattern engine that can backtrack."""
    for node in ast.walk(ast.parse(source)):
        names = (
            [name.name for name in node.names] if isinstance(node, ast.Import) else []
        )
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if "re" in names:
            return True
    return False


@pytest.mark.parametrize(
    "package",
    [*LINEAR, *(f"benchmarks/shop/{name.replace('.', '/')}.py" for name in RULES)],
)
def test_no_module_that_meets_texts_from_outside_imports_the_backtracking_engine(
    package: str,
) -> None:
    files = (
        [ROOT / package] if package.endswith(".py") else (ROOT / package).rglob("*.py")
    )
    sources = {path: path.read_text(encoding="utf-8") for path in files}

    assert sources
    with_re = {
        str(path.relative_to(ROOT))
        for path, source in sources.items()
        if imports_re(source)
    }
    assert with_re == {path for path in OWN_NAMES if path.startswith(f"{package}/")}


def modules() -> Iterator[str]:
    """Yield the names of the modules that take texts from outside."""
    for module in pkgutil.walk_packages(controlplane.__path__, "controlplane."):
        if module.name.startswith(NOT_LINEAR) or module.name.endswith("__main__"):
            continue
        yield module.name
    yield from (f"controlplane.benchmarks.shop.{name}" for name in RULES)


def patterns() -> Iterator[Any]:
    """Yield each pattern that one of these modules holds, with its place."""
    seen: set[int] = set()
    for module in modules():
        for name, value in vars(importlib.import_module(module)).items():
            held = (
                value.values()
                if isinstance(value, dict)
                else value
                if isinstance(value, tuple | list)
                else [value]
            )
            held = (
                [value.pattern, value.lookalikes]
                if isinstance(value, RequestKind)
                else held
            )
            for number, one in enumerate(held):
                if isinstance(one, re.Pattern | re2._Regexp) and id(one) not in seen:
                    seen.add(id(one))
                    yield pytest.param(one, id=f"{module}.{name}.{number}")


def seconds(pattern: Any, text: str) -> float:
    given: Any = text.encode() if isinstance(pattern.pattern, bytes) else text
    began = time.thread_time()
    for match in itertools.islice(pattern.finditer(given), 100):
        assert match is not None
    pattern.fullmatch(given)
    return time.thread_time() - began


def slowest(pattern: Any) -> tuple[float, str]:
    """Return the longest time for a long run of one or two signs, and the run; shorter
    runs come first, so that a pattern whose time explodes is told by one of them."""
    worst = (0.0, "")
    for size in (26, 20_000):
        for run in (*SIGNS, *PAIRS):
            text = run * (size // len(run))
            took = seconds(pattern, f"{text}\0")
            worst = max(worst, (took, f"{run!r}, {size} characters"))
            if took > MOST_SECONDS and seconds(pattern, f"{text}\0") > MOST_SECONDS:
                return worst
    return worst


@pytest.mark.parametrize("pattern", list(patterns()))
def test_a_pattern_takes_linear_time(pattern: Any) -> None:
    took, run = slowest(pattern)
    assert took < 2 * MOST_SECONDS, run


def test_no_pattern_is_so_large_that_its_engine_complains_on_the_terminal() -> None:
    held = [
        pattern.values[0]
        for pattern in patterns()
        if isinstance(pattern.values[0], re2._Regexp)
    ]

    assert held
    assert [pattern.pattern for pattern in held if pattern.programsize > 20_000] == []
