"""Tries mutants of functions in one pytest session that was collected once: fork, replace the function's code, run the
tests that call the function, stop at the first failure.

What a session without changes calls while it imports and collects is told too: such a function is to be imported anew.
"""

from __future__ import annotations

import ast
import functools
import gc
import itertools
import os
import pickle
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, TypeVar

import pytest

from tests.bench.mutants import Mutant

Function = tuple[str, str]
"""The file of a function, and its qualified name."""
MEMORY_BYTES = 4 << 30
LEAST_CPU_S = 5
MOST_TEST_S = 2
"""Seconds of tests that are run on one mutant, those of its module first, and of those that noticed its neighbours.
More of them could only notice more."""
JUDGED_TRIALS = "tests/bench/judged_trials.py"
"""Trials that are judged again after all other tests, so that it is known what only they notice."""
MOST_JUDGED_S = 10
"""Seconds of trials that are judged again on one mutant."""
_RECENT = 8
_ROOT = f"{Path(__file__).resolve().parents[2]}{os.sep}"
OURS = frozenset(("agent", "benchmarks", "controlplane", "gates", "sandbox", "tests", "toolkit"))
"""The packages that may hold results of a function that is changed, or must be imported anew."""
T = TypeVar("T")


def forked(work: Callable[[], T], cpu_s: int = 0) -> T | None:
    """Return what `work` returns in a silent child process; None if that ends in any other way."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            data = file.read()
        os.waitpid(child, 0)
        return pickle.loads(data) if data else None
    try:
        os.close(reader)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if cpu_s:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
        result = work()
        with os.fdopen(writer, "wb") as file:
            pickle.dump(result, file)
    finally:
        os._exit(0)


@dataclass(frozen=True)
class Observed:
    """What a test does without any change."""

    name: str
    functions: frozenset[Function]
    seconds: float
    passes: bool

    @property
    def file(self) -> str:
        """Return the file that holds the test."""
        return self.name.partition("::")[0]


@dataclass
class Called:
    """Which functions a session calls."""

    early: set[Function] = field(default_factory=set)
    """While it imports and collects."""
    by_test: list[Observed] = field(default_factory=list)


@dataclass(frozen=True)
class Tried:
    """What the tests said of one mutant."""

    mutant: Mutant
    noticed: bool
    is_final: bool = True
    """False if the module must be imported anew to be sure."""
    tests: tuple[str, ...] = ()
    """The test that failed, or all that were run, none of which did."""


class Session:
    """A pytest plugin that tries mutants in place of running the tests."""

    def __init__(
        self,
        mutants: Sequence[Mutant],
        path_of: Callable[[str], Path],
        tell: Callable[[object], None],
        killers: Mapping[str, str],
        known: Mapping[str, Observed],
    ) -> None:
        """`killers` names for a mutant the test that noticed it before; what is `known` of a test is not observed."""
        self._mutants = mutants
        self._path_of = path_of
        self._killers = killers
        self._known = known
        self._tell = tell
        self._codes: set[CodeType] = set()
        sys.settrace(self._note)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        """Note the function that is called; its lines are not followed."""
        self._codes.add(frame.f_code)

    def _noted(self) -> set[Function]:
        found = {(each.co_filename, each.co_qualname.partition(".<locals>")[0]) for each in self._codes}
        self._codes.clear()
        return {each for each in found if "/tests/" not in each[0] and each[0].startswith(_ROOT)}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutant."""
        sys.settrace(None)
        if session.testsfailed:
            return True
        early = self._noted()
        forget_results()
        gc.disable()
        gc.freeze()
        called = forked(lambda: Called(early, [self._of(session, each) for each in session.items]))
        self._tell(called)
        for tried in self._trials(session, called) if called is not None else ():
            self._tell(tried)
        return True

    def _of(self, session: pytest.Session, item: pytest.Item) -> Observed:
        return self._known.get(item.nodeid) or self._observed(session, item)

    def _observed(self, session: pytest.Session, item: pytest.Item) -> Observed:
        forget_results()
        self._codes.clear()
        before, failed = time.process_time(), session.testsfailed
        sys.settrace(self._note)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        sys.settrace(None)
        passes = session.testsfailed == failed
        return Observed(item.nodeid, frozenset(self._noted()), time.process_time() - before, passes)

    def _trials(self, session: pytest.Session, called: Called) -> Iterator[Tried]:
        recent = _RecentKillers()
        places = {each.name: place for place, each in enumerate(called.by_test)}
        for mutant in self._mutants:
            path = str(self._path_of(mutant.module))
            patch = patch_of(mutant, path)
            if patch is None:
                yield Tried(mutant, noticed=False, is_final=False)
                continue
            function, name, code = patch
            before = places.get(self._killers.get(str(mutant), ""))
            first = ([] if before is None else [before]) + recent.of(mutant)
            chosen = _in_order(called, (path, name), mutant.module, list(dict.fromkeys(first)))
            seconds = sum(called.by_test[each].seconds for each in chosen)

            def first_failure(function: FunctionType = function, code: CodeType = code, chosen=chosen) -> int:
                function.__code__ = code
                forget_results()
                return _first_failure(session, chosen)

            place = forked(first_failure, int(LEAST_CPU_S + 2 * seconds))
            if place is not None and place >= 0:
                recent.add(mutant, place)
            run = chosen if place is None or place < 0 else [place]
            names = tuple(called.by_test[each].name for each in run)
            yield Tried(mutant, place != -1, place != -1 or (path, name) not in called.early, names)


class _RecentKillers:
    """The tests that noticed the neighbours of a mutant, those of its function before those of its module."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], list[int]] = {}

    def of(self, mutant: Mutant) -> list[int]:
        near = (self._places.get(each, []) for each in ((mutant.module, mutant.function), (mutant.module, "")))
        return list(itertools.chain.from_iterable(near))

    def add(self, mutant: Mutant, place: int) -> None:
        for key in ((mutant.module, mutant.function), (mutant.module, "")):
            places = self._places.setdefault(key, [])
            places[:] = [place, *(each for each in places if each != place)][:_RECENT]


def _in_order(called: Called, function: Function, module: str, first: list[int]) -> list[int]:
    """Return the places of the tests that call a function and pass without any change: `first`, then those of its
    module, then others; of each the fast ones before the slow ones. Trials that are judged again come last."""
    chosen = [place for place, each in enumerate(called.by_test) if function in each.functions and each.passes]
    cost: dict[str, float] = {}
    for place in chosen:
        test = called.by_test[place]
        cost[test.file] = cost.get(test.file, 0.0) + test.seconds

    def rank(place: int) -> tuple[object, ...]:
        test = called.by_test[place]
        is_late = first.index(place) if place in first else len(first)
        is_own = test.file.endswith(f"/test_{module}.py")
        return is_late, not is_own, cost[test.file], test.file, test.seconds, place

    def within(most_s: float, *, judged: bool) -> list[int]:
        places = (place for place in chosen if (called.by_test[place].file == JUDGED_TRIALS) == judged)
        left = dict.fromkeys((True, False), most_s)
        found = []
        for place in sorted(places, key=rank):
            left[place in first] -= called.by_test[place].seconds
            if left[place in first] >= 0:
                found.append(place)
        return found

    return [*within(MOST_TEST_S, judged=False), *within(MOST_JUDGED_S, judged=True)]


def _first_failure(session: pytest.Session, chosen: Sequence[int]) -> int:
    """Return the place of the first test that fails, or -1."""
    for place, after in itertools.zip_longest(chosen, chosen[1:]):
        item = session.items[place]
        following = None if after is None else session.items[after]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return place
    return -1


def patch_of(mutant: Mutant, path: str) -> tuple[FunctionType, str, CodeType] | None:
    """Return the live function that a mutant changes, its qualified name and its new code; None for any other part."""
    module = next((each for each in list(sys.modules.values()) if getattr(each, "__file__", None) == path), None)
    found = _live(vars(module), mutant.function.split(".")) if module is not None else None
    if found is None:
        return None
    function, name = found
    unchanged = _code_in(compile(_normal(Path(path).read_text(encoding="utf-8")), path, "exec"), name.split("."))
    code = _code_in(compile(mutant.source, path, "exec"), name.split("."))
    if code is None or code == unchanged or code.co_freevars != function.__code__.co_freevars:
        return None
    return function, name, code


@functools.lru_cache(maxsize=8)
def _normal(source: str) -> str:
    return ast.unparse(ast.parse(source))


def _live(names: Any, parts: list[str]) -> tuple[FunctionType, str] | None:
    """Return the outermost function of a dotted name, and the name so far."""
    for number, part in enumerate(parts, 1):
        held = names.get(part)
        held = held.fget if isinstance(held, property) else held
        held = held.func if isinstance(held, functools.cached_property) else held
        held = held.__func__ if isinstance(held, staticmethod | classmethod) else held
        while hasattr(held, "__wrapped__"):
            held = held.__wrapped__
        if isinstance(held, FunctionType):
            return held, ".".join(parts[:number])
        if not isinstance(held, type):
            return None
        names = vars(held)
    return None


def _code_in(code: CodeType, parts: Iterable[str]) -> CodeType | None:
    found: CodeType | None = code
    for part in parts:
        inner = [each for each in (found.co_consts if found else ()) if isinstance(each, CodeType)]
        found = next((each for each in reversed(inner) if each.co_name == part), None)
    return found


def forget_results() -> None:
    """Empty every `lru_cache` of ours, but for those of this tool: objects that are frozen are not found again."""
    for each in _caches():
        each.cache_clear()


@functools.cache
def _caches() -> list[Any]:
    found = [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]
    ours = [each for each in found if str(each.__module__).partition(".")[0] in OURS]
    return [each for each in ours if not each.__module__.startswith("tests.bench.")]
