"""Built-in rules judge on the trial's thread, users' own in its worker."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from agent.submission import find_objections_in, judging_modules
from gates.evidence import Evidence
from gates.rules import Objection, Opinion, Rule, RuleSet
from gates.submission import Case, Submission
from sandbox import ForkServer, Worker
from sandbox.interface.host import WorkerLimits
from tests.gates.sample_trials import Calls

BOOK = "/docs/Loans.md"
CASE = Case("How many loans are open? Answer with the number only, <COUNT:%d>.", "Cite what you read.", "/AGENTS.MD", 1)


@dataclass
class Verify:
    is_callable: bool = True
    takes_one_argument: bool = True

    def ask(self, blanked: bool) -> object:
        raise AssertionError("gate 7 asks, and only in the parent")


OWN, HANGING = (
    "tests.agent.submission.test_judging_of_own_rules:OWN_PACK",
    "tests.agent.submission.test_judging_of_own_rules:HANGING_PACK",
)


def demands_the_rules(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    return Objection(demands=(case.rules_path,), lacking="{paths} is not cited.")


def hangs(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    while True:
        pass


OWN_PACK = RuleSet("own", (Rule("rules", demands_the_rules),))
HANGING_PACK = RuleSet("hanging", (Rule("hangs", hangs),))


@pytest.fixture(scope="module")
def own_server() -> Iterator[ForkServer]:
    with ForkServer(judging_modules(("ecom", OWN, HANGING))) as server:
        yield server


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
@pytest.mark.parametrize("rule_sets", [(OWN,), ("ecom", OWN)])
def test_a_worker_finds_what_this_process_finds(own_server: ForkServer, name: str, rule_sets: tuple[str, ...]) -> None:
    calls = trial()
    view, given = calls.evidence_log.view(), SUBMISSIONS[name]
    here = find_objections_in(None, given, view, CASE, rule_sets)
    with Worker(own_server) as worker:
        assert find_objections_in(worker, given, view, CASE, rule_sets) == here
        calls.read("/later.md")
        again = calls.evidence_log.view()
        expected = find_objections_in(None, given, again, CASE, rule_sets)
        assert find_objections_in(worker, given, again, CASE, rule_sets) == expected


def test_a_submission_beyond_any_size_is_sent_back_with_the_bound() -> None:
    calls = trial()
    for refs, said in (
        ({f"/{number}": "why" for number in range(1_001)}, "1001 paths"),
        ({"/" * 5_000: "why"}, "5000"),
    ):
        (verdict,) = find_objections_in(None, submission(refs_why=refs), calls.evidence_log.view(), CASE, ())
        assert (verdict.result, verdict.enforcement) == ("reject", "block")
        assert said in verdict.reason


def test_a_rule_of_the_users_own_that_hangs_costs_the_answer_nothing(own_server: ForkServer) -> None:
    calls = trial()
    with Worker(own_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        found = find_objections_in(worker, submission(), calls.evidence_log.view(), CASE, ("ecom", HANGING))
    *others, failed = found
    assert others == [*find_objections_in(None, submission(), calls.evidence_log.view(), CASE, ("ecom",))]
    assert (failed.name, failed.result) == (HANGING, "not_applicable")
    assert "0.3 s of CPU" in failed.reason


def test_a_submission_made_to_be_slow_takes_a_bounded_time_on_the_trials_own_thread() -> None:
    calls = trial()
    pairs = [f"{one}{other}" for one in "bcdfghjk" for other in "lmnpqrst"]
    calls.see("/long.txt", f"w1 {' '.join(pairs)} " * 4_000)
    words = " ".join(f"{one}-{other}" for one in pairs[:20] for other in pairs[30:50])
    slow = {f"/long.txt#{number}": f"{number} {words}" for number in range(900)}
    began = time.thread_time()
    find_objections_in(None, submission(refs_why=slow), calls.evidence_log.view(), CASE, ("ecom",))
    assert time.thread_time() - began < 5
