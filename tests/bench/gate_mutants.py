"""Mutation testing of the gates and of the shop's rules: says which changes of one decision no test notices.

Usage: python tests/bench/gate_mutants.py [--every N] [--afresh] [--again] [--tests PATH]... [MODULE ...]
(default: every module with decisions, and every test of gates and shop; --every 5 tries one mutant of five)

Results are kept in build/: a mutant is tried again if its module or the tests that decided on it changed, with --again
also if it survived, and with --afresh in any case. A run that was ended goes on where it was.

No file is touched. A changed function takes its own place in a session that was collected once, and only the tests that
call it run; what is no function, or is called while modules are imported, is tried in a session of its own. Prints what
docs/gates.md shows, the survivors and the sum; exit code 1 where one is without a reason in gate_survivors.py.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.gate_survivors import REASONS
from tests.bench.mutant_calls import keep_calls, kept_calls
from tests.bench.mutant_results import Results
from tests.bench.mutant_trials import JUDGED_TRIALS, OURS, Called, Session, Tried, forked
from tests.bench.mutants import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[2]
JUDGING = ("gates", "benchmarks/shop/rules", "benchmarks/shop/computed", "benchmarks/shop/language")
SHELLS = frozenset(("gates.__main__", "gates.rule_packs", "gates.language.format_words"))
"""Modules that decide on no submission, beside those of `gates.evaluation`."""
TESTS = ("tests/gates", "tests/benchmarks/shop", "tests/agent/evidence/test_evidence_log.py", JUDGED_TRIALS)
ELSEWHERE = ("tests/gates/evaluation", "tests/gates/test_docs.py", "tests/gates/test_gate_mutants.py")
"""Tests that judge in processes of their own, or do not judge."""
TESTS_OF_VERDICTS = ("tests/gates/types/test_verdict.py", "tests/gates/test_ordered_gates.py")
KEPT = ROOT / "build" / "mutants.jsonl"
KEPT_CALLS = ROOT / "build" / "mutant_calls.pickle"
SLOW_CPU_S = 300
ABREAST = 3
QUIET = ("-s", "-p", "no:cacheprovider", "-p", "no:terminal", "-W", "ignore::pytest.PytestAssertRewriteWarning")


def modules() -> dict[str, str]:
    """Return every module of the gates and of the rule pack by its last name, shells and packages left out."""
    files = (path for package in JUDGING for path in (ROOT / package).rglob("*.py"))
    names = (".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files if path.stem != "__init__")
    deciding = (each for each in names if each not in SHELLS and not each.startswith("gates.evaluation."))
    return {each.rpartition(".")[2]: each for each in sorted(deciding)}


def path_of(module: str) -> Path:
    """Return the file of `module`."""
    return ROOT.joinpath(*modules()[module].split(".")).with_suffix(".py")


def mutants_in(module: str) -> list[Mutant]:
    """Return every mutant of `module`."""
    return list(mutants_of(path_of(module).read_text(encoding="utf-8"), module))


class Changed(MetaPathFinder, Loader):
    """Gives a mutant to whoever imports its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.name, self.path, self.source = modules()[mutant.module], str(path_of(mutant.module)), mutant.source

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        """Return where the module comes from; None for every other one."""
        return spec_from_loader(fullname, self, origin=self.path) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source in place of the file's."""
        module.__file__ = self.path
        exec(compile(self.source, self.path, "exec"), module.__dict__)


def run_pytest(arguments: Sequence[str], plugin: object = None) -> int:
    """Run pytest with all of ours imported anew, and return its exit code."""
    import hypothesis
    import pytest

    for name in [name for name in sys.modules if name.partition(".")[0] in OURS and not name.startswith("tests.bench")]:
        del sys.modules[name]
    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    hypothesis.settings.register_profile("mutants", database=None, derandomize=True, deadline=None, phases=phases)
    hypothesis.settings.load_profile("mutants")
    return int(pytest.main([*QUIET, *arguments], plugins=[plugin] if plugin else []))


def arguments_of(tests: Sequence[str]) -> list[str]:
    """Return the arguments with which pytest runs these tests, or all that concern gates and shop."""
    return list(tests) or [*TESTS, *(f"--ignore={each}" for each in ELSEWHERE)]


def try_in_one_session(mutants: Sequence[Mutant], tests: Sequence[str], killers: Mapping[str, str]) -> Iterator[object]:
    """Yield what the session tells: first a `Called`, then a `Tried` for every mutant."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        with os.fdopen(writer, "wb", buffering=0) as file:
            known = {} if tests else kept_calls(KEPT_CALLS, ROOT)
            session = Session(mutants, path_of, lambda each: pickle.dump(each, file), killers, known)
            run_pytest(arguments_of(tests), session)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        while True:
            try:
                yield pickle.load(file)
            except EOFError:
                break
    os.waitpid(child, 0)


def tests_that_see(module: str, called: Called) -> list[str]:
    """Return the files with tests of a module's own; if it has none, those with any that calls it."""
    file = str(path_of(module))
    touched = sorted({each.file for each in called.by_test if any(function[0] == file for function in each.functions)})
    return [each for each in touched if each.endswith(f"/test_{module}.py")] or touched


def is_noticed_anew(mutant: Mutant, files: Sequence[str]) -> bool:
    """Say whether a test in these files fails in a session that imports the mutant in place of its module."""

    def run() -> int:
        sys.meta_path.insert(0, Changed(mutant))
        return run_pytest(["-x", *files])

    return forked(run, SLOW_CPU_S) != 0


def report(tried: dict[str, int], survivors: list[Mutant]) -> Iterator[str]:
    """Yield the lines of the result, as Markdown."""
    counts = [f"{name} | {of} | {sum(each.module == name for each in survivors)}" for name, of in tried.items()]
    counts.append(f"**all** | {sum(tried.values())} | {len(survivors)}")
    counts += [" | | "] * (-len(counts) % ABREAST)
    yield "|" + " module | mutants | survivors |" * ABREAST
    yield "|" + "---|---|---|" * ABREAST
    yield from (f"| {' | '.join(counts[row : row + ABREAST])} |" for row in range(0, len(counts), ABREAST))
    yield ""
    for mutant in sorted(survivors, key=str):
        yield f"- line {mutant.line}: {mutant}: {REASONS.get(str(mutant), 'not explained')}"
    yield ""
    total = sum(tried.values())
    explained = sum(str(each) in REASONS for each in survivors)
    yield (
        f"{total:,} mutants of {len(tried)} modules tried, {total - len(survivors):,} noticed, {len(survivors):,} "
        f"survive ({len(survivors) / max(total, 1):.1%}), {explained:,} of them explained"
    )


def survivors_of(
    mutants: Sequence[Mutant],
    tests: Sequence[str],
    results: Results | None,
    tell: Callable[[str], None],
    *,
    is_again: bool = False,
) -> list[Mutant]:
    """Return the mutants that no test notices. Ends the program where no test can be run."""
    kept = {str(each): results.holding(str(each)) for each in mutants} if results is not None else {}
    kept = {name: result for name, result in kept.items() if result and (result.noticed or not is_again)}
    found = [each for each in mutants if (result := kept.get(str(each))) is not None and not result.noticed]
    untried = [each for each in mutants if kept.get(str(each)) is None]
    tell(f"{len(mutants) - len(untried)} results kept, {len(untried)} mutants to try")
    called = None
    for number, each in enumerate(try_in_one_session(untried, tests, results.killers() if results else {})):
        if isinstance(each, Called):
            called = each
            if not tests:
                keep_calls(KEPT_CALLS, ROOT, called.by_test)
            if failing := [each.name for each in called.by_test if not each.passes]:
                tell(f"left out, because they fail without any change: {', '.join(failing[:5])}")
            tell(f"{len(called.by_test)} tests, {sum(each.seconds for each in called.by_test):.0f} s")
        elif isinstance(each, Tried) and called is not None:
            files = {name.partition("::")[0] for name in each.tests}
            noticed = each.noticed
            if not each.is_final:
                sought = tests_that_see(each.mutant.module, called)
                files.update(sought)
                noticed = is_noticed_anew(each.mutant, sought or arguments_of(tests))
            if results is not None:
                files.update([str(path_of(each.mutant.module).relative_to(ROOT)), *own_tests(each.mutant.module)])
                killer = each.tests[0] if each.noticed and len(each.tests) == 1 else ""
                results.keep(str(each.mutant), killer, files, noticed=noticed)
            if not noticed:
                found.append(each.mutant)
                tell(f"{number}/{len(untried)} line {each.mutant.line}: {each.mutant}")
            if number % 100 == 0:
                tell(f"{number}/{len(untried)}")
    if untried and called is None:
        sys.exit("the tests cannot be collected or run")
    return found


def own_tests(module: str) -> list[str]:
    """Return the files of tests that are named after a module."""
    return [str(each.relative_to(ROOT)) for each in (ROOT / "tests").rglob(f"test_{module}.py")]


def check_the_method() -> None:
    """End where the tests do not notice the grossest change, or one where there is none: nothing is measured then."""
    module = "verdict"
    source = path_of(module).read_text(encoding="utf-8")
    blind = Mutant(module, "rejects", "any verdict", "a pass", source.replace('"reject", cut)', '"pass", cut)'))
    unchanged = Mutant(module, "", "nothing", "nothing", source)
    if survivors_of([unchanged, blind], TESTS_OF_VERDICTS, None, lambda _: None) != [unchanged]:
        sys.exit("the tests do not see the changed modules: nothing can be measured in this environment")


def main(words: list[str]) -> int:
    """Try every mutant of the named modules and print what survived."""
    import hypothesis
    import pydantic
    import pytest

    _ = hypothesis, pydantic, pytest  # Each process starts with them.
    tests, step, flags = [], 1, set()
    while words[:1] in (["--tests"], ["--every"], ["--afresh"], ["--again"]):
        if words[0] in ("--afresh", "--again"):
            flags.add(words[0])
            words = words[1:]
            continue
        if words[0] == "--every":
            step = int(words[1])
        else:
            tests.append(words[1])
        words = words[2:]
    if unknown := sorted(set(words) - set(modules())):
        sys.exit(f"no module with decisions is named {', '.join(unknown)}: give some of {', '.join(modules())}")
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    check_the_method()
    mutants = [each for module in words or modules() for each in mutants_in(module)[step // 2 :: step]]
    results = None if tests else Results(KEPT, ROOT, ("gates", "benchmarks", "tests"), is_read="--afresh" not in flags)
    if "--afresh" in flags:
        KEPT_CALLS.unlink(missing_ok=True)
    survivors = survivors_of(
        mutants, tests, results, lambda line: print(line, file=sys.stderr, flush=True), is_again="--again" in flags
    )
    counts = {module: sum(each.module == module for each in mutants) for module in words or modules()}
    print("\n".join(report(counts, survivors)))
    if results is not None:
        killers = results.killers()
        alone = sum(killers.get(str(each), "").startswith(JUDGED_TRIALS) for each in mutants)
        print(f"{alone:,} of them noticed by nothing but trials that are judged again")
    return int(any(str(each) not in REASONS for each in survivors))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
