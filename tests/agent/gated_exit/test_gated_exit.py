"""An answer leaves a trial once, and only if the gates let
it out; a second reader quotes what speaks against it."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from controlplane.agent.events import (
    AnswerDone,
    CallFailure,
    SubmissionJudged,
    TrialEvent,
)
from controlplane.agent.evidence import Environment, Recorder, Tape
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.model import ModelError, ModelRequest, Reply
from controlplane.agent.second_reader import quoted_in, review_of
from controlplane.agent.submission import (
    judge_here_or_in_worker,
    judging_modules,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import Objection, Opinion, Rule, RuleSet
from controlplane.gates.submission import Case, Submission, Verdict
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.host import WorkerLimits
from tests.gates.sample_trials import CallsOfTrial
from tests.support.command import run_in_process
from tests.support.library import Library
from tests.support.phonebook import LOOKUP, look_up
from tests.support.scored_journal import trial_records_of
from tests.support.small_benchmark import OneToolEnvironment

RIGHT = Submission(answer="42", outcome="OUTCOME_OK", refs=())
WRONG = Submission(answer="42", outcome="OUTCOME_FINE", refs=())


class RefusingDesk(OneToolEnvironment):
    """Refuses every answer with a code."""

    def __init__(self, code: str) -> None:
        super().__init__(LOOKUP, look_up)
        self.code = code

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise CallError(self.code, "no")


def gated_exit_of(environment: Environment) -> tuple[GatedExit, list[TrialEvent]]:
    """Return the exit of a trial in this environment, and the list that gets its events."""
    events: list[TrialEvent] = []
    recorder = Recorder("t", environment, events.append)
    gated_exit = GatedExit(recorder, "What is the number? Answer with `%d` only.")
    return gated_exit, events


def test_a_rejected_answer_stays_inside_and_another_may_follow() -> None:
    environment = OneToolEnvironment(LOOKUP, look_up)
    gated_exit, events = gated_exit_of(environment)

    assert not gated_exit.submit(WRONG).accepted
    assert [type(event) for event in events] == [SubmissionJudged]
    assert not gated_exit.is_closed
    assert environment.answers == []

    assert gated_exit.submit(RIGHT).accepted
    assert environment.answers == [("42", "OUTCOME_OK")]


def test_an_answer_that_the_environment_has_already_counts_as_taken() -> None:
    gated_exit, events = gated_exit_of(RefusingDesk("already_exists"))

    gated_exit.submit(RIGHT)

    assert gated_exit.is_closed
    assert gated_exit.outlet.is_answered
    assert gated_exit.outlet.accepted is not None
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert done.error == CallFailure(code="already_exists", message="no")


def test_an_answer_that_could_not_be_sent_does_not_count_as_taken() -> None:
    gated_exit, events = gated_exit_of(RefusingDesk("unavailable"))

    with pytest.raises(CallError, match="no"):
        gated_exit.submit(RIGHT)

    assert not gated_exit.is_closed
    assert not gated_exit.outlet.is_answered
    assert gated_exit.outlet.accepted is not None
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert done.error == CallFailure(code="unavailable", message="no")


def test_an_answer_that_the_environment_refused_is_refused_in_a_replay() -> None:
    """The replay has an environment that would take the answer, but is not asked."""
    gated_exit, events = gated_exit_of(RefusingDesk("unavailable"))
    gated_exit.recorder.step.begin(1)
    with pytest.raises(CallError, match="no"):
        gated_exit.submit(RIGHT)

    tape = Tape(trial_records_of(events)["t"], is_replay=True)
    environment = OneToolEnvironment(LOOKUP, look_up)
    replayed = GatedExit(Recorder("t", environment, events.append, tape=tape), "")
    replayed.recorder.step.begin(1)
    with pytest.raises(CallError, match="no"):
        replayed.submit(RIGHT)

    assert not replayed.is_closed
    assert environment.answers == []


def exit_after_rejected_submissions() -> GatedExit:
    """Return the exit of a trial that read one book and made five submissions in vain.

    All cite a file that was not read, so gate 4 rejects them. The last three could not be
    sent in any case: one is blank, one has an unknown outcome, and one gives up.
    """
    gated_exit, events = gated_exit_of(Library())
    gated_exit.recorder.calls.make("read", {"path": "/books/dune.txt"})
    citations = {
        "/books/dune.txt": "it says by Herbert",
        "/never/read.txt": "it says by nobody",
    }
    answers_and_outcomes = [
        ("41", "OUTCOME_OK"),
        ("42", "OUTCOME_OK"),
        ("  ", "OUTCOME_OK"),
        ("42", "OUTCOME_FINE"),
        ("42", "OUTCOME_ERR_INTERNAL"),
    ]
    for answer, outcome in answers_and_outcomes:
        gated_exit.recorder.step.begin(len(events) + 1)
        submission = Submission(answer=answer, outcome=outcome, refs_why=citations)
        assert not gated_exit.submit(submission).accepted
    return gated_exit


def test_the_fallback_is_the_last_sendable_submission_without_unread_files() -> None:
    gated_exit = exit_after_rejected_submissions()

    sent = gated_exit.fallback("the time is up")

    assert sent.message == "42"
    assert sent.outcome == "OUTCOME_OK"
    assert sent.refs == ("/books/dune.txt",)
    assert sent.fallback
    assert sent.failed == ("4",)


def test_the_fallback_that_repeats_nothing_is_an_internal_error() -> None:
    gated_exit = exit_after_rejected_submissions()

    sent = gated_exit.fallback("the time is up", repeats_last=False)

    assert sent.message == "No answer was reached: the time is up."
    assert sent.outcome == "OUTCOME_ERR_INTERNAL"
    assert sent.refs == ()
    assert sent.fallback
    assert sent.failed == ()


CASE = Case("Until when may loan-02 be kept? Answer in German.", "Name the fee, too.")


@pytest.mark.parametrize(
    ("reply", "quotations"),
    [
        ('{"against": ["Answer in  german."]}', ["Answer in  german."]),
        (
            'Here: {"against": ["Name the fee, too.", "Answer in German."]} as asked',
            ["Name the fee, too.", "Answer in German."],
        ),
        ('{"against": ["It is wrong, says the file."]}', []),
        ('{"against": ["German"]}', []),
        ('{"against": []}', []),
        ('{"against": "Answer in German."}', []),
        ('{"against": [7, null, {"a": "Answer in German."}]}', []),
        ('{"verdict": "no"}', []),
        ("Answer in German.", []),
        ("[" * 50_000, []),
        ("", []),
    ],
)
def test_a_quotation_that_stands_in_no_text_is_dropped(
    reply: str, quotations: list[str]
) -> None:
    assert quoted_in(reply, [CASE.instruction, CASE.rules]) == quotations


def review_by(second_reader: Callable[[ModelRequest], Reply]) -> Verdict:
    """Return the verdict of a second reader on an English answer, which should be German."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.evidence_log.record_script("until = harness.read('/docs/Loans.md')", "")
    submission = Submission(
        answer="Until May.",
        outcome="OUTCOME_OK",
        refs_why={"/docs/Loans.md": "the loan"},
    )
    verdict = review_of(second_reader, submission, calls.evidence, CASE)
    assert verdict.key == "review"
    assert verdict.enforcement == "ask"
    return verdict


def test_a_second_reader_objects_with_what_it_quotes() -> None:
    reply = Reply(text='{"against": ["Answer in German."]}')

    verdict = review_by(lambda request: reply)

    assert verdict.result == "reject"
    assert "`Answer in German.`" in verdict.reason


def test_a_second_reader_that_quotes_what_is_nowhere_does_not_object() -> None:
    reply = Reply(text='{"against": ["nowhere at all"]}')

    verdict = review_by(lambda request: reply)

    assert verdict.result == "pass"
    assert "`Answer in German.`" not in verdict.reason


def test_a_second_reader_that_fails_does_not_object() -> None:
    def fail(request: ModelRequest) -> Reply:
        raise ModelError("down")

    verdict = review_by(fail)

    assert verdict.result == "not_applicable"
    assert "`Answer in German.`" not in verdict.reason


ENGLISH_ANSWER = """
text = harness.read("/a.md").content
scratchpad.cite("/a.md", "the line on loan-02 names May", "until May")
scratchpad["answer"] = "Until May."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "May" in sp["answer"])
"""
GERMAN_ANSWER = """
scratchpad["answer"] = "Bis Mai."
harness.answer(scratchpad, lambda sp: "Mai" in sp["answer"])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a task that wants a German answer, a model, and a second reader.

    The model answers in English, and in German if it is asked again. The second reader quotes
    one sentence of the instruction against the answer, and one that it made up.
    """
    task = tmp_path / "tasks" / "loan"
    (task / "world").mkdir(parents=True)
    (task / "world" / "a.md").write_text(
        "loan-02 may be kept until May, and loan-03 never.\n", encoding="utf-8"
    )
    (task / "task.toml").write_text(
        'instruction = "Until when may loan-02 be kept? Answer in German."\n'
        'trees = ["world"]\n[expected]\noutcome = "OUTCOME_OK"\ncontains = ["Mai"]\nfree = ["/"]\n',
        encoding="utf-8",
    )
    (tmp_path / "model.toml").write_text(
        f"[[reply]]\nstate = 's'\ncode = {json.dumps(ENGLISH_ANSWER)}\n"
        f"[[reply]]\nstate = 's'\ncode = {json.dumps(GERMAN_ANSWER)}\n",
        encoding="utf-8",
    )
    review = json.dumps({"against": ["Answer in German.", "made up by the reader"]})
    (tmp_path / "reader.toml").write_text(
        f"[[reply]]\nrole = 'reviewer'\ntext = {json.dumps(review)}\n",
        encoding="utf-8",
    )
    (tmp_path / "controlplane.toml").write_text(
        "[profiles.reader]\nmodel = 'scripted:reader.toml'\n", encoding="utf-8"
    )
    assert run_in_process("trust", cwd=tmp_path).code == 0
    return tmp_path


RUN = ("run", "--benchmark", "folder:tasks", "--model", "scripted:model.toml")


def test_without_a_second_reader_the_wrong_answer_is_sent(folder: Path) -> None:
    run = run_in_process(*RUN, "--json", cwd=folder)

    assert run.json["trials"][0]["score"] == 0.0


def test_a_second_reader_sends_an_answer_back_once_and_can_be_replayed(
    folder: Path,
) -> None:
    run = run_in_process(*RUN, "--role", "review=reader", "--json", cwd=folder)
    assert run.code == 0, run.err
    (trial,) = run.json["trials"]
    assert trial["score"] == 1.0, run.err
    assert trial["rejections"] == {"review": 1}
    assert run.json["roles"]["reviewer"]["replies"] == 1

    replay = run_in_process("replay", "last", "--trial", trial["trial_id"], cwd=folder)
    assert "A second reader asks how the answer fits `Answer in German.`." in replay.out
    assert "made up by the reader" not in replay.out

    # The replay takes the review from the record, so that it comes out the same.
    verified = run_in_process("replay", "last", "--verify", cwd=folder)
    assert verified.code == 0, verified.out + verified.err


def test_judge_plays_a_second_reader_over_scored_answers(folder: Path) -> None:
    """The run has no second reader, so that its wrong answer is scored. Then one reads it."""
    run_in_process(*RUN, "--json", cwd=folder)

    judged = run_in_process(
        "judge", "last", "--role", "review=scripted:reader.toml", "--json", cwd=folder
    )

    assert judged.code == 0, judged.err
    assert judged.json["counts"] == {"stopped": 1}
    assert judged.json["gates"] == [
        {
            "name": "review",
            "stops_right": 0,
            "stops_wrong": 1,
            "stops_unscored": 0,
            "rejects_no_more": 0,
        }
    ]
    assert judged.json["second_reader"]["requests"] == 1
    as_text = run_in_process("judge", "last", "--role", "review=reader", cwd=folder)
    assert "second reader: 1 requests" in as_text.out


def test_judge_takes_no_model_for_another_role(folder: Path) -> None:
    run_in_process(*RUN, "--json", cwd=folder)

    refused = run_in_process("judge", "last", "--role", "solve=x", cwd=folder)

    usage_error = 2
    assert refused.code == usage_error
    assert "give review=MODEL" in refused.err


BOOK = "/docs/Loans.md"
COUNT_CASE = Case(
    "How many loans are open? Answer with the number only, <COUNT:%d>.",
    "Cite what you read.",
    "/AGENTS.MD",
    1,
)


@dataclass
class Verify:
    """A function `verify` that must not be asked: only gate 7 may, and it is not judged here."""

    is_callable: bool = True
    takes_one_argument: bool = True

    def ask(self, blanked: bool) -> object:
        raise AssertionError("gate 7 asks, and only in the parent")


# Two rule sets as a user writes them, and the names by which a run is given them.


def demands_the_rules(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    return Objection(
        demands=(case.rules_path,), missing_message="{paths} is not cited."
    )


def hangs(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    while True:
        pass


OWN_RULE_SET = RuleSet("own", (Rule("rules", demands_the_rules),))
HANGING_RULE_SET = RuleSet("hanging", (Rule("hangs", hangs),))
OWN = "tests.agent.gated_exit.test_gated_exit:OWN_RULE_SET"
HANGING = "tests.agent.gated_exit.test_gated_exit:HANGING_RULE_SET"


@pytest.fixture(scope="module")
def own_server() -> Iterator[ForkServer]:
    """Serve workers that can judge by the two rule sets above, and by `ecom`."""
    with ForkServer(judging_modules(("ecom", OWN, HANGING))) as server:
        yield server


def calls_of_every_kind() -> CallsOfTrial:
    """Return the evidence of a trial that read, listed, wrote, ran a tool, and failed once."""
    calls = CallsOfTrial()
    calls.read(BOOK, "/docs/Other.md")
    calls.list("/docs", BOOK)
    calls.write("/new.txt", "a new text")
    calls.run("/bin/show", BOOK, stdout="shown")
    calls.fail("read", "/gone", "internal")
    return calls


def submission_with(**changed: object) -> Submission:
    """Return a submission that answers 7, with some keys of its scratchpad changed."""
    scratchpad = {
        "answer": "7",
        "outcome": "OUTCOME_OK",
        "refs_why": {BOOK: "the book of loans"},
    }
    return Submission.from_scratchpad(scratchpad | changed, Verify())


SUBMISSIONS = {
    "plain": submission_with(),
    "not a function": Submission.from_scratchpad(
        {"answer": "7"}, Verify(is_callable=False)
    ),
    "two arguments": Submission.from_scratchpad(
        {"answer": "7"}, Verify(takes_one_argument=False)
    ),
    "no script": Submission(answer="7", outcome="OUTCOME_OK", refs=[BOOK, "/never"]),
    "unread": submission_with(
        refs_why={"/never/read.md": "something that was never read"}
    ),
    "foreign parts": submission_with(
        facts={"a": object(), "b": [1, {2}]}, tokens=[object()]
    ),
    "keys with a dollar": submission_with(
        facts={"$foreign": "set", "$dict": {"$x": 1}}
    ),
    "replaced surrogates": submission_with(
        answer="a\ufffdb", refs_why={"/a\ufffd": "b\ufffd and more"}
    ),
    "changes": submission_with(changes=[{"path": "/new.txt", "action": "write"}]),
    "denied": submission_with(outcome="OUTCOME_DENIED_SECURITY", answer="It is done."),
    "internal": submission_with(outcome="OUTCOME_ERR_INTERNAL"),
    "nested": submission_with(facts=[[[[[[[1]]]]]]]),
}


@pytest.mark.parametrize("name", SUBMISSIONS)
@pytest.mark.parametrize("rule_sets", [(OWN,), ("ecom", OWN)])
def test_a_worker_finds_what_this_process_finds(
    own_server: ForkServer, name: str, rule_sets: tuple[str, ...]
) -> None:
    """Judge in a worker, and once more after a further call, which the worker must get."""
    submission = SUBMISSIONS[name]
    calls = calls_of_every_kind()

    def verdicts_of(worker: Worker | None) -> Sequence[Verdict]:
        """Judge in the worker, or in this process without one."""
        evidence = calls.evidence_log.view()
        return judge_here_or_in_worker(
            worker, submission, evidence, COUNT_CASE, rule_sets
        )

    with Worker(own_server) as worker:
        assert verdicts_of(worker) == verdicts_of(None)
        calls.read("/later.md")
        assert verdicts_of(worker) == verdicts_of(None)


@pytest.mark.parametrize(
    ("citations", "size"),
    [
        ({f"/{number}": "why" for number in range(1_001)}, "1001 paths"),
        ({"/" * 5_000: "why"}, "5000"),
    ],
    ids=["too many paths", "a path that is too long"],
)
def test_a_submission_beyond_any_size_is_sent_back_with_its_size(
    citations: dict[str, str], size: str
) -> None:
    evidence = calls_of_every_kind().evidence_log.view()
    submission = submission_with(refs_why=citations)

    (verdict,) = judge_here_or_in_worker(None, submission, evidence, COUNT_CASE, ())

    assert verdict.result == "reject"
    assert verdict.enforcement == "block"
    assert size in verdict.reason


def test_a_rule_of_the_users_own_that_hangs_costs_the_answer_nothing(
    own_server: ForkServer,
) -> None:
    """The rule that hangs is given up after 0.3 s. The other rules judge as without it."""
    evidence = calls_of_every_kind().evidence_log.view()
    submission = submission_with()
    with Worker(own_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        verdicts = judge_here_or_in_worker(
            worker, submission, evidence, COUNT_CASE, ("ecom", HANGING)
        )

    *other_verdicts, hanging_verdict = verdicts
    expected = judge_here_or_in_worker(
        None, submission, evidence, COUNT_CASE, ("ecom",)
    )
    assert other_verdicts == list(expected)
    assert hanging_verdict.name == HANGING
    assert hanging_verdict.result == "not_applicable"
    assert "0.3 s of CPU" in hanging_verdict.reason


def test_a_submission_made_to_be_slow_is_judged_in_bounded_time() -> None:
    """900 reasons of 400 words each cite a text of 260,000 words.

    None of the reasons' words (`bl-ft`) is in the text, which has only the halves of them.
    """
    calls = calls_of_every_kind()
    pairs = [first + second for first in "bcdfghjk" for second in "lmnpqrst"]
    calls.see("/long.txt", f"w1 {' '.join(pairs)} " * 4_000)
    words = " ".join(
        f"{first}-{second}" for first in pairs[:20] for second in pairs[30:50]
    )
    citations = {f"/long.txt#{number}": f"{number} {words}" for number in range(900)}
    submission = submission_with(refs_why=citations)
    evidence = calls.evidence_log.view()

    started = time.thread_time()
    judge_here_or_in_worker(None, submission, evidence, COUNT_CASE, ("ecom",))

    assert time.thread_time() - started < 15
