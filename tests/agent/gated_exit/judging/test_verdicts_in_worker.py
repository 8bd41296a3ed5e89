"""Rules of users judge answers in a worker, a process that may hang or crash without harm.

A rule that hangs is stopped, and the others judge. Submissions that are too large are sent back,
and slow ones are judged with bounded work. Values that are hard to send are judged alike, and
verdicts are those of the process of the run.
"""

from collections.abc import Iterator

import pytest

from controlplane.agent.trial_gates import find_verdicts, judging_modules
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Objection, Opinion
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Probe, Submission
from controlplane.gates.verdicts import Verdict
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.gates.judged_scratchpads import CallsOfTrial
from tests.support.executed_work import executed_lines

# A rule as a user writes it, which judges submissions beside the product's own rules.
#
# A submission is an answer with the files that it cites. This rule wants `/AGENTS.MD` to be cited:
#
#     find_verdicts(worker, submission_with(answer="8"), evidence, CASE, rule_sets=(OWN,))
#     -> the last verdict is "reject": "`/AGENTS.MD` is not cited."


def fault_of_uncited_rules(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to an answer that does not cite the workspace's rules, the file `/AGENTS.MD`."""
    return Objection(
        demands=(case.rules_path,), missing_message="{paths} is not cited."
    )


OWN_RULE_SET = RuleSet("own", (Rule("rules", fault_of_uncited_rules),))
OWN = "tests.agent.gated_exit.judging.test_verdicts_in_worker:OWN_RULE_SET"
"""The name by which a run imports the rule set."""


# Submissions of a trial, and the calls by which rules judge them.
#
#     submission_with(answer="8")       # the answer 8 instead of 7, which cites /docs/Loans.md
#     calls_of_every_kind().evidence    # what the trial has read, so that the answer may cite the file
#
# `CASE` is what the submissions answer: "How many loans are open?"

BOOK = "/docs/Loans.md"
CASE = Case(
    # The answer is to have the form `<COUNT:7>`.
    instruction="How many loans are open? Answer with the number only, <COUNT:%d>.",
    rules="Cite what you read.",
    rules_path="/AGENTS.MD",
    internal_errors_before=1,  # The trial has given up before, so it may give up now.
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


def refuse_to_verify(is_blank_copy: bool) -> tuple[bool, str]:
    """Stand for the call of a script's `verify`, which the rules here must not make."""
    raise AssertionError("only gate 7 may call verify")


VERIFY = Probe(is_callable=True, takes_one_argument=True, ask=refuse_to_verify)
"""What is known of `verify`, the function by which a script checks its own answer."""


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


def assert_same_verdicts(
    worker: Worker,
    submission: Submission,
    calls: CallsOfTrial,
    rule_sets: tuple[str, ...],
) -> None:
    """Assert that rules come to the same verdicts in the worker as in this process."""
    judged = (submission, calls.evidence, CASE, rule_sets)
    verdicts_in_worker = find_verdicts(worker, *judged)
    verdicts_here = find_verdicts(None, *judged)  # without a worker
    assert verdicts_in_worker == verdicts_here


@pytest.fixture(scope="session")
def own_server() -> Iterator[ForkServer]:
    """Start workers that can judge by `OWN`, a rule of a user, and by the product's `ecom`."""
    with ForkServer(judging_modules(("ecom", OWN))) as server:
        yield server


# An answer with citations, and the verdicts of rules on it.
#
#     submission = answer_citing({"/docs/Loans.md": "its 7 loans"})
#     verdicts_in_this_process(submission, calls.evidence, rule_sets=("ecom",))
#
# The request is "How many loans are open?". A *worker* is another process, in which rules may judge instead.

HOW_MANY = Case(instruction="How many loans are open?")


def answer_citing(reasons: dict[str, str]) -> Submission:
    """Return the answer "7" that cites files: `answer_citing({"/docs/Loans.md": "its 7 loans"})`."""
    return Submission(answer="7", outcome="OUTCOME_OK", refs_why=reasons)


def verdicts_in_this_process(
    submission: Submission, evidence: Evidence, rule_sets: tuple[str, ...]
) -> list[Verdict]:
    """Return the verdicts of the gates and of these rule sets, judged without a worker."""
    return list(find_verdicts(None, submission, evidence, HOW_MANY, rule_sets))


# A rule set as a user writes it, with a rule that never ends.
#
# `find_verdicts(worker, submission, evidence, case, rule_sets=("ecom", HANGING))` judges by it.


def hang(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Never give an opinion, as a rule with a mistake does."""
    while True:
        pass


HANGING_RULE_SET = RuleSet("hanging", (Rule("hangs", hang),))
HANGING = "tests.agent.gated_exit.judging.test_verdicts_in_worker:HANGING_RULE_SET"
"""The name by which a run imports the rule set."""


# A rule of a user that hangs is stopped, and the others judge the answer.
#
# The rules judge in a worker, a process that may use 0.3 s of processor time here. The rule set `HANGING` is
# a user's, with a rule that never ends, and `ecom` is one of the product. `HOW_MANY` is the trial's request.


def test_a_rule_that_hangs_is_stopped_and_the_others_judge() -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    submission = answer_citing({"/docs/Loans.md": "its 7 loans"})

    with (
        ForkServer(judging_modules(("ecom", HANGING))) as server,
        Worker(server, limits=WorkerLimits(call_cpu_s=0.3)) as worker,
    ):
        verdicts = find_verdicts(
            worker, submission, calls.evidence, HOW_MANY, rule_sets=("ecom", HANGING)
        )

    # The last verdict is that of the rule that hangs. It keeps no answer from being sent.
    *other_verdicts, hanging_verdict = verdicts
    assert hanging_verdict.name == HANGING
    assert hanging_verdict.result == "not_applicable"
    assert "0.3 s of CPU" in hanging_verdict.reason

    # The other rules judge as if that rule were not there.
    assert other_verdicts == verdicts_in_this_process(
        submission, calls.evidence, rule_sets=("ecom",)
    )


# A submission that is too large is sent back without being judged.
#
# A submission is an answer with the files that it cites. It may cite at most 1,000 paths, and a path may
# not have 5,000 characters.


def test_1001_citations_are_sent_back_with_their_number() -> None:
    citations = {f"/{number}": "why" for number in range(1_001)}
    nothing_read = CallsOfTrial().evidence

    (verdict,) = verdicts_in_this_process(
        answer_citing(citations), nothing_read, rule_sets=()
    )

    assert verdict.result == "reject"
    assert verdict.enforcement == "block"  # until it is corrected
    assert "1001 paths" in verdict.reason


def test_a_path_of_5000_characters_is_sent_back_with_its_length() -> None:
    citations = {"/" * 5_000: "why"}
    nothing_read = CallsOfTrial().evidence

    (verdict,) = verdicts_in_this_process(
        answer_citing(citations), nothing_read, rule_sets=()
    )

    assert verdict.result == "reject"
    assert verdict.enforcement == "block"
    assert "5000" in verdict.reason


# A rule that a user wrote judges an answer in a *worker*, a process of its own.
#
# A user's rule may hang or crash. The worker is stopped if a rule takes too long. The rule set `OWN` has one
# rule: an answer must cite the file `/AGENTS.MD`, with the workspace's rules.


def test_a_rule_of_the_user_rejects_an_answer_in_a_worker(
    own_server: ForkServer,
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    cites_another_file = Submission(
        answer="7", outcome="OUTCOME_OK", refs=["/docs/Loans.md"]
    )
    case = Case(instruction="How many loans are open?", rules_path="/AGENTS.MD")

    with Worker(own_server) as worker:
        verdicts = find_verdicts(
            worker, cites_another_file, calls.evidence, case, rule_sets=(OWN,)
        )

    own_verdict = verdicts[-1]
    assert own_verdict.result == "reject"
    assert own_verdict.reason == "`/AGENTS.MD` is not cited."


# A submission that is made to be slow is judged with bounded work.
#
# `executed_lines` counts the lines of Python that are executed, which does not depend on how fast the
# machine is.


def test_a_submission_made_to_be_slow_is_judged_with_bounded_work() -> None:
    """A text of 260,000 words is cited 900 times, each time with 400 words that it does not have.

    If each word were compared with each word, billions of lines of Python would be executed.
    """
    # The 64 words "bl", "bm", ..., "kt"
    text_words = [first + second for first in "bcdfghjk" for second in "lmnpqrst"]
    calls = CallsOfTrial()
    calls.read_text("/long.txt", f"w1 {' '.join(text_words)} " * 4_000)

    # The 400 words "bl-fs", "bl-ft", ...: the text has their halves only.
    first_halves = text_words[:20]
    second_halves = text_words[30:50]
    reason_words = [
        f"{half}-{other}" for half in first_halves for other in second_halves
    ]
    reason = " ".join(reason_words)
    citations = {f"/long.txt#{number}": f"{number} {reason}" for number in range(900)}
    evidence = calls.evidence

    lines = executed_lines(
        lambda: verdicts_in_this_process(
            answer_citing(citations), evidence, rule_sets=("ecom",)
        )
    )

    assert lines < 20_000_000


# A submission may have values that are hard to send to another process, and is judged there all the same.
#
# A rule of a user judges in a *worker*, a process that is stopped at a limit. A script may put any value
# into its submission, and the worker gets something that the rules judge alike.


@pytest.mark.parametrize(
    "rule_sets",
    [
        pytest.param((OWN,), id="own rule set"),
        pytest.param(("ecom", OWN), id="own rule set and ecom"),
    ],
)
@pytest.mark.parametrize(
    "submission",
    [
        pytest.param(
            submission_with(facts={"a": object(), "b": [1, {2}]}, tokens=[object()]),
            id="values that JSON cannot hold",
        ),
        pytest.param(submission_with(facts=[[[[[[[1]]]]]]]), id="nested lists"),
        # The protocol between the processes marks types of values by such keys.
        pytest.param(
            submission_with(facts={"$foreign": "set", "$dict": {"$x": 1}}),
            id="keys with a dollar",
        ),
        # U+FFFD stands for what could not be decoded.
        pytest.param(
            submission_with(
                answer="a\ufffdb", refs_why={"/a\ufffd": "b\ufffd and more"}
            ),
            id="replacement characters",
        ),
    ],
)
def test_a_value_that_is_hard_to_send_is_judged_alike_in_a_worker(
    own_server: ForkServer, submission: Submission, rule_sets: tuple[str, ...]
) -> None:
    """Rules judge a submission by what the trial has read, so the worker is told of each new call."""
    calls = calls_of_every_kind()

    with Worker(own_server) as worker:
        assert_same_verdicts(worker, submission, calls, rule_sets)

        calls.read("/later.md")
        assert_same_verdicts(worker, submission, calls, rule_sets)


# Rules come to the same verdicts in a worker as in the process of the run.
#
# A rule of a user may hang or crash, so it judges in a *worker*, a process that is stopped if it
# takes too long. The submission, and the trial's calls, are sent to the worker. The function
# `verify`, by which a script checks its own answer, cannot be sent: a `Probe` says what is known
# of the function.
#
# The rule set `OWN` is a user's, and `ecom` is one of the product.


@pytest.mark.parametrize(
    "rule_sets",
    [
        pytest.param((OWN,), id="own rule set"),
        pytest.param(("ecom", OWN), id="own rule set and ecom"),
    ],
)
@pytest.mark.parametrize(
    "submission",
    [
        pytest.param(submission_with(), id="plain"),
        pytest.param(
            submission_with(verify=Probe(is_callable=False, takes_one_argument=True)),
            id="verify is not a function",
        ),
        pytest.param(
            submission_with(verify=Probe(is_callable=True, takes_one_argument=False)),
            id="verify takes two arguments",
        ),
        pytest.param(
            Submission(answer="7", outcome="OUTCOME_OK", refs=[BOOK, "/never"]),
            id="of a tool call, without a script",
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
    """Rules judge a submission by what the trial has read, so the worker is told of each new call."""
    calls = calls_of_every_kind()

    with Worker(own_server) as worker:
        assert_same_verdicts(worker, submission, calls, rule_sets)

        calls.read("/later.md")
        assert_same_verdicts(worker, submission, calls, rule_sets)
