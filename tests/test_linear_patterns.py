"""Texts from outside meet RE2 or plain string work in what
judges, records and runs trials; what is left is listed."""

import ast
import importlib
import itertools
import pkgutil
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
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
MODULES_WITH_RE = {
    "controlplane/__main__.py": "`warnings` takes a pattern; it is the name of the module of replies, escaped"
}
"""The modules below `LINEAR` that import `re`, each with the reason."""
CHARACTERS = "aAz19_ \t\n.,-/\\\"'`()[]{}<>|:;=+*#@%$&?!é漢\u00a0\u0301"
PAIRS = [first + second for first, second in itertools.product('a1_ \n.-"(', repeat=2)]
MAX_CPU_S = 0.4
"""CPU seconds for one text: far above what a pattern in linear time takes."""


def imports_re(source: str) -> bool:
    """Return True if a module imports `re`, the engine that can backtrack."""
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


@pytest.mark.parametrize("package", LINEAR)
def test_no_package_that_meets_texts_from_outside_imports_the_backtracking_engine(
    package: str,
) -> None:
    paths = list((ROOT / package).rglob("*.py"))
    expected = {name for name in MODULES_WITH_RE if name.startswith(f"{package}/")}

    assert paths
    assert modules_with_re(paths) == expected


@pytest.mark.parametrize("name", RULES)
def test_no_module_of_the_rule_set_imports_the_backtracking_engine(name: str) -> None:
    path = ROOT / "benchmarks" / "shop" / f"{name.replace('.', '/')}.py"

    assert modules_with_re([path]) == set()


def modules() -> Iterator[str]:
    """Yield the names of the modules that take texts from outside."""
    for module in pkgutil.walk_packages(controlplane.__path__, "controlplane."):
        if module.name.startswith(NOT_LINEAR) or module.name.endswith("__main__"):
            continue
        yield module.name
    for name in RULES:
        yield f"controlplane.benchmarks.shop.{name}"


def values_in(value: Any) -> list[Any]:
    """Return the values that may be patterns in a module's variable: its items, or itself."""
    if isinstance(value, RequestKind):
        return [value.pattern, value.lookalikes]
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, tuple | list):
        return list(value)
    return [value]


def patterns() -> Iterator[Any]:
    """Yield each pattern that one of these modules holds, as a parameter with its place."""
    seen_ids: set[int] = set()
    for module in modules():
        for name, value in vars(importlib.import_module(module)).items():
            for number, item in enumerate(values_in(value)):
                is_pattern = isinstance(item, re.Pattern | re2._Regexp)
                if is_pattern and id(item) not in seen_ids:
                    seen_ids.add(id(item))
                    yield pytest.param(item, id=f"{module}.{name}.{number}")


def cpu_s(pattern: Any, text: str) -> float:
    """Return the CPU seconds for the first 100 matches in a text and for a match of all of it."""
    searched: Any = text
    if isinstance(pattern.pattern, bytes):
        searched = text.encode()
    started_s = time.thread_time()
    for match in itertools.islice(pattern.finditer(searched), 100):
        assert match is not None
    pattern.fullmatch(searched)
    return time.thread_time() - started_s


def slowest(pattern: Any) -> tuple[float, str]:
    """Return the longest CPU time for a text that repeats one or two characters, and the text.

    Short texts come first: if a pattern's time explodes, one of them shows it soon. A text that
    is too slow is tried twice, as the machine may have been busy; the search then ends.
    """
    worst = (0.0, "")
    for size in (26, 20_000):
        for repeated in (*CHARACTERS, *PAIRS):
            # The zero at the end keeps a pattern from matching the whole text at once.
            text = repeated * (size // len(repeated)) + "\0"
            text_cpu_s = cpu_s(pattern, text)
            worst = max(worst, (text_cpu_s, f"{repeated!r}, {size} characters"))
            if text_cpu_s > MAX_CPU_S and cpu_s(pattern, text) > MAX_CPU_S:
                return worst
    return worst


@pytest.mark.parametrize("pattern", list(patterns()))
def test_a_pattern_takes_linear_time(pattern: Any) -> None:
    slowest_cpu_s, text = slowest(pattern)

    assert slowest_cpu_s < 2 * MAX_CPU_S, text


MAX_PROGRAM_SIZE = 20_000
"""The size of a compiled pattern, as RE2 counts it; about far larger ones it writes warnings."""


def test_no_pattern_is_so_large_that_its_engine_complains_on_the_terminal() -> None:
    re2_patterns: list[Any] = []
    for parameter in patterns():
        (pattern,) = parameter.values
        if isinstance(pattern, re2._Regexp):
            re2_patterns.append(pattern)

    too_large: list[str] = []
    for pattern in re2_patterns:
        if pattern.programsize > MAX_PROGRAM_SIZE:
            too_large.append(pattern.pattern)

    assert re2_patterns
    assert too_large == []
