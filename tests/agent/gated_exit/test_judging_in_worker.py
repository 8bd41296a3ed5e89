"""Submissions are judged in a worker process, by rules of the user, and in bounded time.

The product's own gates and rule sets judge in the process of the run. Rules that a user wrote may
hang or crash, so they judge in a worker, a process that is stopped at a limit. The worker must
come to the same verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from controlplane.agent.submission import (
    find_verdicts,
    judging_modules,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import Objection, Opinion, Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.gates.sample_trials import CallsOfTrial
from tests.support.executed_work import executed_lines

# Two rule sets as a user writes them, and the names by which a run imports them.


def fault_of_uncited_rules(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Demand a citation of the workspace's rules."""
    return Objection(
        demands=(case.rules_path,), missing_message="{paths} is not cited."
    )


def hang(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Never give an opinion, as a rule with a mistake does."""
    while True:
        pass


OWN_RULE_SET = RuleSet("own", (Rule("rules", fault_of_uncited_rules),))
HANGING_RULE_SET = RuleSet("hanging", (Rule("hangs", hang),))
OWN = "tests.agent.gated_exit.test_judging_in_worker:OWN_RULE_SET"
HANGING = "tests.agent.gated_exit.test_judging_in_worker:HANGING_RULE_SET"


@pytest.fixture(scope="module")
def own_server() -> Iterator[ForkServer]:
    """Start workers that can judge by the two rule sets above, and by the product's `ecom`."""
    with ForkServer(judging_modules(("ecom", OWN, HANGING))) as server:
        yield server


# The trial and its submissions

BOOK = "/docs/Loans.md"
CASE = Case(
    instruction="How many loans are open? Answer with the number only, <COUNT:%d>.",
    rules="Cite what you read.",
    rules_path="/AGENTS.MD",
    internal_errors_before=1,
)


def calls_of_every_kind() -> CallsOfTrial:
    """Return the calls of a trial that read, listed, wrote, ran a tool, and failed once."""
    calls = CallsOfTrial()
    calls.read(BOOK, "/docs/Other.md")
    calls.list_folder("/docs", BOOK)
    calls.write("/new.txt", "a new text")
    calls.run("/bin/show", BOOK, stdout="shown")
    calls.fail("read", "/gone", "internal")
    return calls


@dataclass
class UncallableVerify:
    """Stands for the function `verify` of a script, by which the script checks its own answer.

    It says what the function looks like, and fails if it is called: only gate 7 may do that, and this
    gate judges in the process of the script, and not in the worker.
    """

    is_callable: bool = True
    takes_one_argument: bool = True

    def ask(self, blanked: bool) -> object:
        """Call the function, with the answer or with a blanked copy of it."""
        raise AssertionError("only gate 7 may call verify")


def submission_with(**changed: object) -> Submission:
    """Return a submission of a script that answers 7, with some keys of its scratchpad changed.

    `submission_with(outcome="OUTCOME_ERR_INTERNAL")` gives up instead.
    """
    scratchpad: dict[str, object] = {
        "answer": "7",
        "outcome": "OUTCOME_OK",
        "refs_why": {BOOK: "the book of loans"},
    }
    scratchpad.update(changed)
    return Submission.from_scratchpad(scratchpad, UncallableVerify())


# Submissions that gates accept or reject, and some that are hard to hand to another process.
SUBMISSIONS = {
    "plain": submission_with(),
    "verify is not a function": Submission.from_scratchpad(
        {"answer": "7"}, UncallableVerify(is_callable=False)
    ),
    "verify takes two arguments": Submission.from_scratchpad(
        {"answer": "7"}, UncallableVerify(takes_one_argument=False)
    ),
    "no script": Submission(answer="7", outcome="OUTCOME_OK", refs=[BOOK, "/never"]),
    "unread citation": submission_with(
        refs_why={"/never/read.md": "something that was never read"}
    ),
    # They go to the worker in a form like JSON.
    "values that JSON cannot hold": submission_with(
        facts={"a": object(), "b": [1, {2}]}, tokens=[object()]
    ),
    # The protocol between the processes uses such keys to mark types of values.
    "keys with a dollar": submission_with(
        facts={"$foreign": "set", "$dict": {"$x": 1}}
    ),
    # `\ufffd` stands for what could not be decoded.
    "replacement characters": submission_with(
        answer="a\ufffdb", refs_why={"/a\ufffd": "b\ufffd and more"}
    ),
    "changes": submission_with(changes=[{"path": "/new.txt", "action": "write"}]),
    "denied": submission_with(outcome="OUTCOME_DENIED_SECURITY", answer="It is done."),
    "gives up": submission_with(outcome="OUTCOME_ERR_INTERNAL"),
    "nested lists": submission_with(facts=[[[[[[[1]]]]]]]),
}


@pytest.mark.parametrize("submission", SUBMISSIONS.values(), ids=SUBMISSIONS)
@pytest.mark.parametrize(
    "rule_sets",
    [
        pytest.param((OWN,), id="own rule set"),
        pytest.param(("ecom", OWN), id="own rule set and ecom"),
    ],
)
def test_a_worker_comes_to_the_same_verdicts_as_this_process(
    own_server: ForkServer, submission: Submission, rule_sets: tuple[str, ...]
) -> None:
    """Both judge a submission, and judge it again after a further call, which the worker must be told
    of."""
    calls = calls_of_every_kind()

    def verdicts_of(worker: Worker | None) -> Sequence[Verdict]:
        """Judge in the worker, or in this process if there is none."""
        return find_verdicts(worker, submission, calls.evidence, CASE, rule_sets)

    with Worker(own_server) as worker:
        assert verdicts_of(worker) == verdicts_of(None)
        calls.read("/later.md")
        assert verdicts_of(worker) == verdicts_of(None)


@pytest.mark.parametrize(
    ("citations", "size"),
    [
        pytest.param(
            {f"/{number}": "why" for number in range(1_001)},
            "1001 paths",
            id="too many paths",
        ),
        pytest.param({"/" * 5_000: "why"}, "5000", id="a path that is too long"),
    ],
)
def test_a_submission_that_is_too_large_is_sent_back_with_its_size(
    citations: dict[str, str], size: str
) -> None:
    """At most 1,000 paths may be cited, and a path may not have 5,000 characters. The message says how
    many there are."""
    evidence = calls_of_every_kind().evidence
    submission = submission_with(refs_why=citations)

    (verdict,) = find_verdicts(None, submission, evidence, CASE, ())

    assert verdict.result == "reject"
    assert verdict.enforcement == "block"
    assert size in verdict.reason


def test_a_rule_of_the_user_that_hangs_does_not_stop_the_answer(
    own_server: ForkServer,
) -> None:
    """A rule of the set `HANGING` never ends. The worker stops it after 0.3 s, and its verdict is
    `not_applicable`. The other rules judge as if it were not there."""
    evidence = calls_of_every_kind().evidence
    submission = submission_with()
    with Worker(own_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        verdicts = find_verdicts(worker, submission, evidence, CASE, ("ecom", HANGING))

    *other_verdicts, hanging_verdict = verdicts
    verdicts_without_it = find_verdicts(None, submission, evidence, CASE, ("ecom",))
    assert other_verdicts == list(verdicts_without_it)
    assert hanging_verdict.name == HANGING
    assert hanging_verdict.result == "not_applicable"
    assert "0.3 s of CPU" in hanging_verdict.reason


MAX_JUDGING_LINES = 20_000_000
"""How many lines of Python may be executed to judge it. A search of each text for each word would
execute billions."""


def test_a_submission_made_to_be_slow_is_judged_with_bounded_work() -> None:
    """900 reasons of 400 words such as `bl-ft` each cite a text of 260,000 words. The text has
    the two halves of each word, `bl` and `ft`, but not the words themselves, so that every one
    is looked for in vain."""
    calls = calls_of_every_kind()
    halves = [first + second for first in "bcdfghjk" for second in "lmnpqrst"]
    calls.read_text("/long.txt", f"w1 {' '.join(halves)} " * 4_000)
    words: list[str] = []
    for first_half in halves[:20]:
        for second_half in halves[30:50]:
            words.append(f"{first_half}-{second_half}")
    citations: dict[str, str] = {}
    for number in range(900):
        citations[f"/long.txt#{number}"] = f"{number} {' '.join(words)}"
    submission = submission_with(refs_why=citations)
    evidence = calls.evidence

    work = executed_lines(
        lambda: find_verdicts(None, submission, evidence, CASE, ("ecom",))
    )

    assert work < MAX_JUDGING_LINES
