"""Tests of judging submissions in a trial's aide."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from agent.submission.gated_exit import find_objections_in, judging_modules
from gates.submission import Case, Submission
from sandbox import Aide, ForkServer, SandboxBroken
from sandbox.interface import CallError
from sandbox.interface.host import AideLimits
from tests.gates.sample_trials import Calls
from tests.support.command import ROOT

BOOK = "/docs/Loans.md"
CASE = Case("How many loans are open? Answer with the number only, <COUNT:%d>.", "Cite what you read.", "/AGENTS.MD", 1)


@dataclass
class Verify:
    is_callable: bool = True
    takes_one_argument: bool = True

    def ask(self, blanked: bool) -> object:
        raise AssertionError("gate 7 asks, and only in the parent")


@pytest.fixture
def aide(server: ForkServer) -> Iterator[Aide]:
    with Aide(server) as made:
        yield made


def trial() -> Calls:
    calls = Calls()
    calls.read(BOOK, "/docs/Other.md")
    calls.list("/docs", BOOK)
    calls.write("/new.txt", "a new text")
    calls.run("/bin/show", BOOK, stdout="shown")
    calls.fail("read", "/gone", "internal")
    return calls


def submission(**parts: object) -> Submission:
    given = {"answer": "7", "outcome": "OUTCOME_OK", "refs_why": {BOOK: "the book of loans"}} | parts
    return Submission.from_scratchpad(given, Verify())


SUBMISSIONS = {
    "plain": submission(),
    "not a function": Submission.from_scratchpad({"answer": "7"}, Verify(is_callable=False)),
    "two arguments": Submission.from_scratchpad({"answer": "7"}, Verify(takes_one_argument=False)),
    "no script": Submission(answer="7", outcome="OUTCOME_OK", refs=[BOOK, "/never"]),
    "unread": submission(refs_why={"/never/read.md": "something that was never read"}),
    "foreign parts": submission(facts={"a": object(), "b": [1, {2}]}, tokens=[object()]),
    "keys with a dollar": submission(facts={"$foreign": "set", "$dict": {"$x": 1}}),
    "surrogates": submission(answer="a\ud800b", refs_why={"/a\udfff": "b\ud800 and more"}),
    "changes": submission(changes=[{"path": "/new.txt", "action": "write"}]),
    "denied": submission(outcome="OUTCOME_DENIED_SECURITY", answer="It is done."),
    "internal": submission(outcome="OUTCOME_ERR_INTERNAL"),
    "nested": submission(facts=[[[[[[[1]]]]]]]),
}


@pytest.mark.parametrize("name", SUBMISSIONS)
@pytest.mark.parametrize("packs", [(), ("ecom",)])
def test_an_aide_finds_what_this_process_finds(server: ForkServer, name: str, packs: tuple[str, ...]) -> None:
    calls = trial()
    view, given = calls.evidence_log.view(), SUBMISSIONS[name]
    here = find_objections_in(None, given, view, CASE, packs)
    with Aide(server) as aide:
        assert find_objections_in(aide, given, view, CASE, packs) == here
        calls.read("/later.md")
        again = calls.evidence_log.view()
        expected = find_objections_in(None, given, again, CASE, packs)
        assert find_objections_in(aide, given, again, CASE, packs) == expected


@pytest.mark.parametrize(("refs", "blocked"), [({}, [8]), ({"/never": "it was never read"}, [4, 8])])
def test_a_submission_that_takes_too_long_is_sent_back_and_meets_the_rules_that_block(
    refs: dict[str, str], blocked: list[int], server: ForkServer
) -> None:
    calls = trial()
    calls.see("/long.txt", "w1 " * 300_000)
    pairs = [f"{one}{other}" for one in "bcdfghjk" for other in "lmnpqrst"]
    words = " ".join(f"{one}-{other}" for one in pairs[:10] for other in pairs[:10])
    slow = {f"/long.txt#{number}": f"{number} {words}" for number in range(500)}
    with Aide(server, limits=AideLimits(call_cpu_s=0.3)) as aide:
        found = find_objections_in(aide, submission(refs_why=slow | refs), calls.evidence_log.view(), CASE, ("ecom",))
    *others, verdict = found
    assert (verdict.result, verdict.enforcement) == ("reject", "ask"), "a later turn can submit it again"
    assert "0.3 s of CPU" in verdict.reason
    assert [one.gate for one in others if one.result == "reject"] == blocked
    assert {one.enforcement for one in others} == {"block"}


def test_a_submission_that_not_even_blocking_rules_judge_in_time_is_rejected() -> None:
    class Overdue:
        def call(self, *asked: object, **texts: object) -> object:
            raise CallError("resource_exhausted", "too slow")

        def close(self) -> None: ...

    calls = trial()
    (verdict,) = find_objections_in(Overdue(), submission(), calls.evidence_log.view(), CASE, ("ecom",))
    assert (verdict.result, verdict.enforcement) == ("reject", "block")


def test_a_submission_beyond_any_size_is_sent_back_with_the_bound() -> None:
    calls = trial()
    for refs, said in (
        ({f"/{number}": "why" for number in range(1_001)}, "1001 paths"),
        ({"/" * 5_000: "why"}, "5000"),
    ):
        (verdict,) = find_objections_in(None, submission(refs_why=refs), calls.evidence_log.view(), CASE, ())
        assert (verdict.result, verdict.enforcement) == ("reject", "block")
        assert said in verdict.reason


def test_an_aide_that_cannot_be_made_is_no_rejection() -> None:
    class Broken:
        def call(self, *asked: object, **texts: object) -> object:
            raise SandboxBroken("no server")

    calls = trial()
    with pytest.raises(SandboxBroken):
        find_objections_in(Broken(), submission(), calls.evidence_log.view(), CASE, ())


def imports_within_functions(pattern: str) -> Iterator[str]:
    """Yield the modules that functions in the fitting files import when they are called."""
    for path in ROOT.glob(pattern):
        functions = (each for each in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(each, ast.FunctionDef))
        for each in (inner for function in functions for inner in ast.walk(function)):
            match each:
                case ast.Import(names):
                    yield from (name.name for name in names)
                case ast.ImportFrom(module=str(module)):
                    yield module


def test_late_imports_of_rules_were_made_before_the_walls_closed() -> None:
    """In an aide of these modules alone, as verifying makes one: what else a live trial's aide imports may hide it."""
    patterns = ("gates/[!_]*.py", "benchmarks/shop/[!_]*.py")
    late = {name for pattern in patterns for name in imports_within_functions(pattern)}
    judging = ", ".join(judging_modules(("ecom",)))
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, {judging}; print(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert late
    assert late <= {*done.stdout.split()}
