"""Mutation testing of the gates and of the shop's rules: says which changes of one decision no test notices.

Usage: python tests/bench/gate_mutants.py [MODULE ...]    (default: every module with decisions; some 30 minutes)

Every mutant runs in a child process that holds the changed module before anything else can import the real one; no
file is touched. Prints what docs/gates.md shows; exit code 1 where a survivor is without a reason in gate_survivors.py.
"""

from __future__ import annotations

import os
import resource
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.gate_survivors import REASONS
from tests.bench.mutants import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[2]
NEAREST = {
    "gate1_verify_signature": "tests/gates/checks/test_gate1_verify_signature.py",
    "gate2_fact_shapes": "tests/gates/checks/test_gate2_fact_shapes.py",
    "gate3_canonical_citations": "tests/gates/checks/test_gate3_canonical_citations.py",
    "demanded_citations": "tests/gates/checks/test_demanded_citations.py",
    "gate4_read_citations": "tests/gates/checks/test_gate4_read_citations.py",
    "gate5_justification": "tests/gates/checks/test_gate5_justification.py",
    "gate6_outcome_class": "tests/gates/checks/test_gate6_outcome_class.py",
    "change_phrases": "tests/gates/language/test_change_phrases.py",
    "stated_values": "tests/gates/checks/test_stated_values.py",
    "word_stems": "tests/gates/facts/test_word_stems.py",
    "records": "tests/gates/facts/test_records.py",
    "rows": "tests/gates/facts/test_rows.py",
    "identity": "tests/gates/facts/test_trial_facts.py",
    "vocabulary": "tests/gates/facts/test_vocabulary.py",
    "trial_facts": "tests/gates/facts/test_trial_facts.py",
    "record_reasons": "tests/gates/claims/test_record_reasons.py",
    "statements": "tests/gates/claims/test_statements.py",
    "stated_states": "tests/gates/claims/test_stated_states.py",
    "claimed_deeds": "tests/gates/claims/test_claimed_deeds.py",
    "claimed_absences": "tests/gates/claims/test_claimed_absences.py",
    "changed_records": "tests/gates/claims/test_changed_records.py",
    "undone_changes": "tests/gates/claims/test_changed_records.py",
    "withheld_values": "tests/gates/claims/test_withheld_values.py",
    "enumerated_sets": "tests/gates/claims/test_enumerated_sets.py",
    "contradicted_refusals": "tests/gates/claims/test_contradicted_refusals.py",
    "gate7_verify_reply": "tests/gates/checks/test_gate7_verify_reply.py",
    "gate8_literal_tokens": "tests/gates/checks/test_gate8_literal_tokens.py",
    "answer_contract": "tests/gates/language/test_answer_contract.py",
    "answer_frames": "tests/gates/language/test_answer_frames.py",
    "answer_forms": "tests/gates/language/test_contract_corpus.py",
    "value_forms": "tests/gates/language/test_value_forms.py",
    "list_forms": "tests/gates/language/test_list_forms.py",
    "literal_forms": "tests/gates/language/test_literal_forms.py",
    "rules_clauses": "tests/gates/language/test_rules_clauses.py",
    "sentences": "tests/gates/language/test_sentences.py",
    "format_clauses": "tests/gates/language/test_format_clauses.py",
    "yes_no": "tests/gates/language/test_yes_no.py",
    "judge": "tests/gates/test_judge.py",
    "evidence": "tests/gates/types/test_evidence.py",
    "canonical_paths": "tests/gates/types/test_canonical_paths.py",
    "terms": "tests/gates/types/test_terms.py",
    "verdict": "tests/gates/types/test_verdict.py",
    "plain_data": "tests/gates/types/test_plain_data.py",
    "text_normalization": "tests/gates/language/test_text_normalization.py",
    "submission": "tests/gates/test_hostile_submissions.py",
    "checklists": "tests/benchmarks/shop/rules/test_checklists.py",
    "citation_rules": "tests/benchmarks/shop/rules/test_citation_rules.py",
    "outcome_rules": "tests/benchmarks/shop/rules/test_outcome_rules.py",
    "record_kinds": "tests/benchmarks/shop/language/test_record_kinds.py",
    "request_kinds": "tests/benchmarks/shop/language/test_request_kinds.py",
    "shop_evidence": "tests/benchmarks/shop/language/test_shop_evidence.py",
    "recomputed_answers": "tests/benchmarks/shop/rules/test_recomputed_answers.py",
    "deeds": "tests/benchmarks/shop/computed/test_deeds.py",
    "expectation": "tests/benchmarks/shop/computed/test_expectation.py",
    "questions": "tests/benchmarks/shop/computed/test_questions.py",
    "refusals": "tests/benchmarks/shop/computed/test_refusals.py",
    "shop_workspace": "tests/benchmarks/shop/computed/test_shop_workspace.py",
    "stock": "tests/benchmarks/shop/computed/test_stock.py",
    "subjects": "tests/benchmarks/shop/computed/test_subjects.py",
    "workspace_reader": "tests/gates/reading/test_workspace_reader.py",
    "wording_rules": "tests/benchmarks/shop/rules/test_wording_rules.py",
}
"""Every module that decides on a submission, and the tests that are asked first about it."""
JUDGING = ("gates", "benchmarks/shop/rules", "benchmarks/shop/computed", "benchmarks/shop/language")
SHELLS = frozenset(("gates.__main__", "gates.rule_packs", "gates.language.format_words"))
"""Modules that decide on no submission, beside those of `gates.evaluation`."""
ELSEWHERE = frozenset(("docs", "gate_mutants", "main"))
"""Tests that judge in processes of their own, or do not judge, beside those of `gates.evaluation`."""
SLOW = ("hostile_submissions.py", "mutations_on_ecom.py")
OURS = frozenset(("agent", "benchmarks", "controlplane", "gates", "sandbox", "tests", "toolkit"))
CPU_SECONDS, MEMORY_BYTES, PROCESSES = 60, 4 << 30, 2
ABREAST = 3
QUIET = ("-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
SURVIVED, NOT_IN_PLACE = 0, 70
UNUSABLE = {4: "pytest was called wrongly", 5: "no test was found", NOT_IN_PLACE: "not in place"}


def modules() -> dict[str, str]:
    """Return every module of the gates and of the rule pack by its last name, shells and packages left out."""
    files = (path for package in JUDGING for path in (ROOT / package).rglob("*.py"))
    names = (".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files if path.stem != "__init__")
    deciding = (each for each in names if each not in SHELLS and not each.startswith("gates.evaluation."))
    return {each.rpartition(".")[2]: each for each in deciding}


def name_of(module: str) -> str:
    """Return the name by which `module` is imported."""
    return modules()[module]


def path_of(module: str) -> Path:
    """Return the file of `module`."""
    return ROOT.joinpath(*name_of(module).split(".")).with_suffix(".py")


def files_of_tests(module: str) -> tuple[list[str], list[str]]:
    """Return the files of the tests that know `module` best, and of all the others."""
    best = NEAREST[module]
    is_rule = name_of(module).startswith("benchmarks.")
    folder = ROOT / "tests" / ("benchmarks/shop" if is_rule else "gates")
    found = {str(path.relative_to(ROOT)) for path in folder.rglob("test_*.py") if "evaluation" not in path.parts}
    others = sorted(found - {best}, key=lambda file: (file.endswith(SLOW), file))
    if is_rule:
        return [best], others
    names = [each for each in others if Path(each).stem.removeprefix("test_") not in ELSEWHERE]
    return [best], ["tests/agent/evidence/test_evidence_log.py", *names]


class Changed(MetaPathFinder, Loader):
    """Gives a mutant to whoever imports its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.name, self.path, self.source = name_of(mutant.module), str(path_of(mutant.module)), mutant.source
        self.module: ModuleType | None = None

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        """Return where the module comes from; None for every other one."""
        return spec_from_loader(fullname, self, origin=self.path) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source in place of the file's."""
        self.module, module.__file__ = module, self.path
        exec(compile(self.source, self.path, "exec"), module.__dict__)


def run_tests(mutant: Mutant, files: list[str]) -> int:
    """Put the mutant in the place of its module, run the tests of `files`, and return pytest's exit code.

    Whatever of ours was imported already (by a plugin of an installed package, for one) is forgotten first. Where at
    the end another module stands in its place, nothing was tested, and `NOT_IN_PLACE` says so.
    """
    import hypothesis
    import pytest

    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    hypothesis.settings.register_profile(
        "mutants", database=None, derandomize=True, phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate]
    )
    hypothesis.settings.load_profile("mutants")
    changed = Changed(mutant)
    sys.meta_path.insert(0, changed)
    code = int(pytest.main([*QUIET, *files]))
    return code if changed.module is not None and sys.modules.get(changed.name) is changed.module else NOT_IN_PLACE


def start(mutant: Mutant, files: list[str]) -> int:
    """Start a process that runs the tests on the mutant, silently and within bounds, and return its id."""
    child = os.fork()
    if child:
        return child
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    code = 1
    try:
        code = run_tests(mutant, files)
    finally:
        os._exit(code)


@dataclass
class Trials:
    """Tries mutants, two at a time: first on the tests that know their module best, then on all."""

    survivors: list[Mutant] = field(default_factory=list)
    _running: dict[int, tuple[Mutant, list[str]]] = field(default_factory=dict)

    def run(self, mutants: Iterable[Mutant], tell: Callable[[Mutant], None]) -> None:
        """Try every mutant; `tell` is called for each that survives."""
        waiting = deque((mutant, *files_of_tests(mutant.module)) for mutant in mutants)
        while waiting or self._running:
            while waiting and len(self._running) < PROCESSES:
                mutant, files, rest = waiting.popleft()
                self._running[start(mutant, files)] = (mutant, rest)
            child, status = os.wait()
            mutant, rest = self._running.pop(child)
            code = os.waitstatus_to_exitcode(status)
            if code in UNUSABLE:
                sys.exit(f"{mutant}: the tests say nothing: {UNUSABLE[code]}")
            if code == SURVIVED and rest:
                waiting.appendleft((mutant, rest, []))
            elif code == SURVIVED:
                self.survivors.append(mutant)
                tell(mutant)


def check_the_method() -> None:
    """End where the tests fail on unchanged modules, or do not notice the grossest change: then nothing is measured."""
    import click
    import hypothesis
    import pydantic
    import pytest

    _ = click, hypothesis, pydantic, pytest
    source = path_of("verdict").read_text(encoding="utf-8")
    unchanged = Mutant("verdict", "", "nothing", "nothing", source)
    blind = Mutant("verdict", "", "any verdict", "a pass", source.replace('"reject", cut)', '"pass", cut)'))
    trials = Trials()
    trials.run([unchanged, blind], lambda _: None)
    if unchanged not in trials.survivors:
        sys.exit("the tests fail without any change")
    if blind in trials.survivors:
        sys.exit("the tests do not see the changed modules: nothing can be measured in this environment")


def report(tried: dict[str, list[Mutant]], survivors: list[Mutant]) -> Iterator[str]:
    """Yield the lines of the result, as Markdown."""
    counts = [f"{name} | {len(of)} | {sum(each.module == name for each in survivors)}" for name, of in tried.items()]
    counts.append(f"**all** | {sum(map(len, tried.values()))} | {len(survivors)}")
    counts += [" | | "] * (-len(counts) % ABREAST)
    yield "|" + " module | mutants | survivors |" * ABREAST
    yield "|" + "---|---|---|" * ABREAST
    yield from (f"| {' | '.join(counts[row : row + ABREAST])} |" for row in range(0, len(counts), ABREAST))
    yield ""
    for mutant in sorted(survivors, key=str):
        yield f"- {mutant}: {REASONS.get(str(mutant), 'not explained')}"


def main(modules: list[str]) -> int:
    """Try every mutant of `modules` and print what survived."""
    if unknown := sorted(set(modules) - set(NEAREST)):
        sys.exit(f"no module with decisions is named {', '.join(unknown)}: give some of {', '.join(NEAREST)}")
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    check_the_method()
    tried = {module: list(mutants_of(path_of(module).read_text(encoding="utf-8"), module)) for module in modules}
    trials = Trials()
    for number, (module, mutants) in enumerate(tried.items(), 1):
        print(f"{number}/{len(tried)} {module}: {len(mutants)} mutants", file=sys.stderr, flush=True)
        trials.run(mutants, lambda mutant: print(f"  line {mutant.line}: {mutant}", file=sys.stderr, flush=True))
    print("\n".join(report(tried, trials.survivors)))
    return int(any(str(each) not in REASONS for each in trials.survivors))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(NEAREST)))
