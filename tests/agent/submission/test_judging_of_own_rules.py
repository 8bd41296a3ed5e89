"""Built-in rules judge on the trial's thread, users' own in its worker."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from agent.submission.gated_exit import find_objections_in, judging_modules
from gates.evidence import Evidence
from gates.rules import Objection, Opinion, Pack, Rule
from gates.submission import Case, Submission
from sandbox import Aide, ForkServer
from sandbox.interface.host import AideLimits
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


OWN_PACK = Pack("own", (Rule("rules", demands_the_rules),))
HANGING_PACK = Pack("hanging", (Rule("hangs", hangs),))


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
@pytest.mark.parametrize("packs", [(OWN,), ("ecom", OWN)])
def test_a_worker_finds_what_this_process_finds(own_server: ForkServer, name: str, packs: tuple[str, ...]) -> None:
    calls = trial()
    view, given = calls.evidence_log.view(), SUBMISSIONS[name]
    here = find_objections_in(None, given, view, CASE, packs)
    with Aide(own_server) as aide:
        assert find_objections_in(aide, given, view, CASE, packs) == here
        calls.read("/later.md")
        again = calls.evidence_log.view()
        expected = find_objections_in(None, given, again, CASE, packs)
        assert find_objections_in(aide, given, again, CASE, packs) == expected


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
    with Aide(own_server, limits=AideLimits(call_cpu_s=0.3)) as aide:
        found = find_objections_in(aide, submission(), calls.evidence_log.view(), CASE, ("ecom", HANGING))
    *others, failed = found
    assert others == [*find_objections_in(None, submission(), calls.evidence_log.view(), CASE, ("ecom",))]
    assert (failed.name, failed.result) == (HANGING, "not_applicable")
    assert "0.3 s of CPU" in failed.reason


def test_registered_rule_sets_need_no_worker() -> None:
    assert judging_modules(("ecom", "posed")) == ()


def test_a_submission_made_to_be_slow_takes_a_bounded_time_on_the_trials_own_thread() -> None:
    calls = trial()
    pairs = [f"{one}{other}" for one in "bcdfghjk" for other in "lmnpqrst"]
    calls.see("/long.txt", f"w1 {' '.join(pairs)} " * 4_000)
    words = " ".join(f"{one}-{other}" for one in pairs[:20] for other in pairs[30:50])
    slow = {f"/long.txt#{number}": f"{number} {words}" for number in range(900)}
    began = time.thread_time()
    find_objections_in(None, submission(refs_why=slow), calls.evidence_log.view(), CASE, ("ecom",))
    assert time.thread_time() - began < 5
