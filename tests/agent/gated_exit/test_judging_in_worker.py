"""Submissions are judged in a worker process, by rules of the user, and in bounded time.

A submission is an answer with the files that it cites. Rules judge it: each returns an *opinion*,
and the gates make a *verdict* of it, such as "reject". The product's own rules judge in the process
of the run. Those that a user wrote may hang or crash, so they judge in a worker, a process that is
stopped at a limit. It must come to the same verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from controlplane.agent.submission import (
    find_verdicts,
    judging_modules,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import Objection, Opinion, Rule, RuleSet
from controlplane.gates.submission import Case, Probe, Submission
from controlplane.gates.verdicts import Verdict
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.gates.sample_trials import CallsOfTrial
from tests.support.executed_work import executed_lines

# Two rule sets as a user writes them, and the names by which a run imports them.


def fault_of_uncited_rules(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to an answer that does not cite the workspace's rules, the file `/AGENTS.MD`."""
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


def fail_to_verify(blanked: bool) -> tuple[bool, str]:
    """Stand for `verify`, a function by which a script checks its own answer.

    It stays in the process of the script. Only gate 7 calls it, and that gate judges there.
    """
    raise AssertionError("only gate 7 may call verify")


VERIFY = Probe(is_callable=True, takes_one_argument=True, ask=fail_to_verify)


def submission_with(verify: Probe = VERIFY, **changed: object) -> Submission:
    """Return a submission of a script that answers 7, with some keys of its scratchpad changed.

    `submission_with(outcome="OUTCOME_ERR_INTERNAL")` gives up instead.
    """
    scratchpad: dict[str, object] = {
        "answer": "7",
        "outcome": "OUTCOME_OK",
        "refs_why": {BOOK: "the book of loans"},
    }
    scratchpad.update(changed)
    return Submission.from_scratchpad(scratchpad, verify)


def verdicts_before_and_after_a_call(
    worker: Worker | None, submission: Submission, rule_sets: tuple[str, ...]
) -> list[Sequence[Verdict]]:
    """Judge a submission, read a file, and judge again. The worker must be told of the new call.

    Without a worker, this process judges.
    """
    calls = calls_of_every_kind()
    before = find_verdicts(worker, submission, calls.evidence, CASE, rule_sets)
    calls.read("/later.md")
    after = find_verdicts(worker, submission, calls.evidence, CASE, rule_sets)
    return [before, after]


with_each_rule_set = pytest.mark.parametrize(
    "rule_sets",
    [
        pytest.param((OWN,), id="own rule set"),
        pytest.param(("ecom", OWN), id="own rule set and ecom"),
    ],
)


@with_each_rule_set
@pytest.mark.parametrize(
    "submission",
    [
        pytest.param(submission_with(), id="plain"),
        pytest.param(
            submission_with(Probe(is_callable=False, takes_one_argument=True)),
            id="verify is not a function",
        ),
        pytest.param(
            submission_with(Probe(is_callable=True, takes_one_argument=False)),
            id="verify takes two arguments",
        ),
        pytest.param(
            Submission(answer="7", outcome="OUTCOME_OK", refs=[BOOK, "/never"]),
            id="no script",
        ),
        pytest.param(
            submission_with(refs_why={"/never/read.md": "what was never read"}),
            id="unread citation",
        ),
        pytest.param(
            submission_with(changes=[{"path": "/new.txt", "action": "write"}]),
            id="changes",
        ),
        pytest.param(
            submission_with(outcome="OUTCOME_DENIED_SECURITY", answer="It is done."),
            id="denied",
        ),
        pytest.param(submission_with(outcome="OUTCOME_ERR_INTERNAL"), id="gives up"),
    ],
)
def test_a_worker_comes_to_the_same_verdicts_as_this_process(
    own_server: ForkServer, submission: Submission, rule_sets: tuple[str, ...]
) -> None:
    """Some of the submissions are accepted, and others are rejected."""
    verdicts_of_this_process = verdicts_before_and_after_a_call(
        None, submission, rule_sets
    )

    with Worker(own_server) as worker:
        verdicts_of_worker = verdicts_before_and_after_a_call(
            worker, submission, rule_sets
        )

    assert verdicts_of_worker == verdicts_of_this_process


@with_each_rule_set
@pytest.mark.parametrize(
    "submission",
    [
        # A submission goes to the worker in a form like JSON.
        pytest.param(
            submission_with(facts={"a": object(), "b": [1, {2}]}, tokens=[object()]),
            id="values that JSON cannot hold",
        ),
        pytest.param(submission_with(facts=[[[[[[[1]]]]]]]), id="nested lists"),
        # The protocol between the processes uses such keys to mark types of values.
        pytest.param(
            submission_with(facts={"$foreign": "set", "$dict": {"$x": 1}}),
            id="keys with a dollar",
        ),
        # `\ufffd` stands for what could not be decoded.
        pytest.param(
            submission_with(
                answer="a\ufffdb", refs_why={"/a\ufffd": "b\ufffd and more"}
            ),
            id="replacement characters",
        ),
    ],
)
def test_a_submission_that_is_hard_to_send_to_a_worker_gets_the_same_verdicts(
    own_server: ForkServer, submission: Submission, rule_sets: tuple[str, ...]
) -> None:
    verdicts_of_this_process = verdicts_before_and_after_a_call(
        None, submission, rule_sets
    )

    with Worker(own_server) as worker:
        verdicts_of_worker = verdicts_before_and_after_a_call(
            worker, submission, rule_sets
        )

    assert verdicts_of_worker == verdicts_of_this_process


# At most 1,000 paths may be cited, and a path may not have 5,000 characters.


def test_a_submission_with_too_many_citations_is_sent_back_with_their_number() -> None:
    citations = {f"/{number}": "why" for number in range(1_001)}
    evidence = calls_of_every_kind().evidence

    (verdict,) = find_verdicts(
        None, submission_with(refs_why=citations), evidence, CASE, rule_sets=()
    )

    assert verdict.result == "reject"
    assert verdict.enforcement == "block"  # until it is corrected
    assert "1001 paths" in verdict.reason


def test_a_submission_with_too_long_a_path_is_sent_back_with_its_length() -> None:
    citations = {"/" * 5_000: "why"}
    evidence = calls_of_every_kind().evidence

    (verdict,) = find_verdicts(
        None, submission_with(refs_why=citations), evidence, CASE, rule_sets=()
    )

    assert verdict.result == "reject"
    assert verdict.enforcement == "block"
    assert "5000" in verdict.reason


# A rule of the user that never ends. The worker is stopped when it has used 0.3 s of processor time.


def test_a_rule_that_hangs_cannot_judge(own_server: ForkServer) -> None:
    """Its verdict says that it is not applicable, and why. So the answer can still be sent."""
    evidence = calls_of_every_kind().evidence
    with Worker(own_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        verdicts = find_verdicts(
            worker, submission_with(), evidence, CASE, ("ecom", HANGING)
        )

    hanging_verdict = verdicts[-1]
    assert hanging_verdict.name == HANGING
    assert hanging_verdict.result == "not_applicable"
    assert "0.3 s of CPU" in hanging_verdict.reason


def test_other_rules_judge_as_if_a_rule_that_hangs_were_not_there(
    own_server: ForkServer,
) -> None:
    evidence = calls_of_every_kind().evidence
    with Worker(own_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        verdicts = find_verdicts(
            worker, submission_with(), evidence, CASE, ("ecom", HANGING)
        )

    *other_verdicts, _hanging_verdict = verdicts
    verdicts_without_it = find_verdicts(
        None, submission_with(), evidence, CASE, ("ecom",)
    )
    assert other_verdicts == list(verdicts_without_it)


def test_a_submission_made_to_be_slow_is_judged_with_bounded_work() -> None:
    """A text has 260,000 words such as `bl` and `ft`. It is cited 900 times, each time with a reason of
    400 words such as `bl-ft`. The text does not have these words, so each is looked for in vain. If
    each word were compared with each word, billions of lines of Python would be executed."""
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

    lines = executed_lines(
        lambda: find_verdicts(None, submission, evidence, CASE, ("ecom",))
    )

    assert lines < 20_000_000
