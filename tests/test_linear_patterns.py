"""No text from outside can make a pattern compute for minutes.

Python's `re` backtracks: `(a+)+b` takes exponential time on a long row of `a`. Modules that meet
requests, replies, answers, files or journals use RE2 instead, whose time grows linearly with the
text. The tests look for imports of `re` in the source, and time every pattern on texts that
repeat one or two characters.
"""

import ast
import itertools
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import re2

from tests.support.command import ROOT
from tests.support.product.product_patterns import compiled_patterns
from tests.support.product.timed_modules import RULE_SET_MODULES

LINEAR = ("gates", "agent", "sandbox/parent", "controlplane")
"""The folders whose modules meet texts from outside; only `MODULES_WITH_RE` import `re`."""

MODULES_WITH_RE = {
    "controlplane/__main__.py": "`warnings` takes a pattern; it is the name of the module of replies, escaped"
}
"""The modules below `LINEAR` that import `re`, each with the reason."""


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


class TestImports:
    """A module that meets texts from outside does not import `re`, which can backtrack.

    `modules_with_re(paths)` returns those that do.
    """

    @pytest.mark.parametrize("package", LINEAR)
    def test_only_listed_modules_import_the_backtracking_engine(
        self, package: str
    ) -> None:
        """A new module has to use RE2, or to be listed with a reason."""
        paths = list((ROOT / package).rglob("*.py"))
        expected = {name for name in MODULES_WITH_RE if name.startswith(f"{package}/")}

        assert paths
        assert modules_with_re(paths) == expected

    @pytest.mark.parametrize("name", RULE_SET_MODULES)
    def test_no_module_of_the_rule_set_imports_the_backtracking_engine(
        self, name: str
    ) -> None:
        """The rules meet the texts of requests, files and answers."""
        path_in_package = name.replace(".", "/") + ".py"
        path = ROOT / "benchmarks" / "shop" / path_in_package

        assert modules_with_re([path]) == set()


PATTERNS = compiled_patterns()
"""All patterns that are timed, by their places."""

CHARACTERS = "aAz19_ \t\n.,-/\\\"'`()[]{}<>|:;=+*#@%$&?!é漢\u00a0\u0301"
"""Characters that texts repeat."""

PAIRS = [first + second for first, second in itertools.product('a1_ \n.-"(', repeat=2)]
"""Pairs of characters that texts repeat: `aa`, `a1`, `a_`, ..."""

TEXT_SIZES = (26, 20_000)
"""Characters of a text. An exponential pattern is slow at 26, a quadratic one at 20,000."""


def repeated_texts() -> Iterator[str]:
    """Yield texts that repeat one or two characters: the short ones first.

    The zero at the end of each keeps a pattern from matching the whole text at once.
    """
    for size in TEXT_SIZES:
        for repeated in (*CHARACTERS, *PAIRS):
            count = size // len(repeated)
            yield repeated * count + "\0"


def matching_cpu_s(pattern: Any, text: str) -> float:
    """Return the CPU seconds to find the first 100 matches in a text, and to match all of it."""
    searched: Any = text
    if isinstance(pattern.pattern, bytes):
        searched = text.encode()
    started_s = time.thread_time()
    for match in itertools.islice(pattern.finditer(searched), 100):
        assert match is not None
    pattern.fullmatch(searched)
    return time.thread_time() - started_s


MAX_CPU_S = 0.6
"""CPU seconds for one text: far above what a pattern in linear time takes."""


MAX_PROGRAM_SIZE = 20_000
"""The size of a compiled pattern, as RE2 counts it; about far larger ones it writes warnings."""


class TestTimes:
    """Each compiled pattern takes little time, even on texts that are made to be slow.

    The texts repeat one or two characters: "aaaa...", "1 1 1 ...". The short ones have 26
    characters, which take an exponential pattern minutes, and the long ones 20,000. `PATTERNS` has
    each pattern by its place, such as `controlplane.gates.paths.PATH.0`.
    """

    @pytest.mark.parametrize("place", PATTERNS)
    def test_a_pattern_takes_linear_time(self, place: str) -> None:
        """A text that takes too long is tried once more, as the machine may have been busy."""
        pattern = PATTERNS[place]
        for text in repeated_texts():
            cpu_s = matching_cpu_s(pattern, text)
            if cpu_s > MAX_CPU_S:
                cpu_s = matching_cpu_s(pattern, text)

            assert cpu_s <= MAX_CPU_S, f"{text[:4]!r} repeated, {len(text)} characters"

    def test_no_pattern_is_so_large_that_re2_writes_warnings_to_the_terminal(
        self,
    ) -> None:
        """RE2 compiles a pattern to a program, which grows with repeats such as `{1000}`."""
        re2_patterns: list[Any] = []
        for pattern in PATTERNS.values():
            if isinstance(pattern, re2._Regexp):
                re2_patterns.append(pattern)

        assert re2_patterns
        for pattern in re2_patterns:
            assert pattern.programsize <= MAX_PROGRAM_SIZE, pattern.pattern
