"""An answer leaves a trial once, and only if the gates let
it out; a second reader quotes what speaks against it."""

import json
import time
from collections.abc import Iterator
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
from controlplane.gates.submission import Case, Submission
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.host import WorkerLimits
from tests.gates.sample_trials import Calls
from tests.support.command import inside
from tests.support.library import Library
from tests.support.phonebook import LOOKUP, looked_up
from tests.support.scored_journal import records_of
from tests.support.small_benchmark import ToolWorld

RIGHT = Submission(answer="42", outcome="OUTCOME_OK", refs=())
WRONG = Submission(answer="42", outcome="OUTCOME_FINE", refs=())


class RefusingDesk(ToolWorld):
    """Refuses every answer with a code."""

    def __init__(self, code: str) -> None:
        super().__init__(LOOKUP, looked_up)
        self.code = code

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise CallError(self.code, "no")


def gated(desk: Environment) -> tuple[GatedExit, list[TrialEvent]]:
    events: list[TrialEvent] = []
    return GatedExit(
        Recorder("t", desk, events.append), "What is the number? Answer with `%d` only."
    ), events


def test_a_rejected_answer_stays_inside_and_another_may_follow() -> None:
    desk = ToolWorld(LOOKUP, looked_up)
    way_out, events = gated(desk)

    assert not way_out.submit(WRONG).accepted
    assert [type(event) for event in events] == [SubmissionJudged]
    assert (way_out.is_closed, desk.answers) == (False, [])
    assert way_out.submit(RIGHT).accepted
    assert desk.answers == [("42", "OUTCOME_OK")]


@pytest.mark.parametrize(
    ("code", "is_taken"), [("already_exists", True), ("unavailable", False)]
)
def test_an_answer_that_was_given_before_counts_as_taken_and_a_failure_does_not(
    code: str, is_taken: bool
) -> None:
    way_out, events = gated(RefusingDesk(code))
    if is_taken:
        way_out.submit(RIGHT)
    else:
        with pytest.raises(CallError, match="no"):
            way_out.submit(RIGHT)

    assert (way_out.is_closed, way_out.outlet.is_answered) == (is_taken, is_taken)
    assert way_out.outlet.accepted is not None
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert done.error == CallFailure(code=code, message="no")


def test_an_answer_that_the_environment_refused_is_refused_in_a_replay() -> None:
    way_out, events = gated(RefusingDesk("unavailable"))
    way_out.recorder.step.begin(1)
    with pytest.raises(CallError, match="no"):
        way_out.submit(RIGHT)

    tape = Tape(records_of(events)["t"], is_replay=True)
    desk = ToolWorld(LOOKUP, looked_up)
    replayed = GatedExit(Recorder("t", desk, events.append, tape=tape), "")
    replayed.recorder.step.begin(1)
    with pytest.raises(CallError, match="no"):
        replayed.submit(RIGHT)
    assert (replayed.is_closed, desk.answers) == (False, [])


WITH_UNREAD = {
    "/books/dune.txt": "it says by Herbert",
    "/never/read.txt": "it says by nobody",
}
UNSENDABLE = {
    "no text": {"answer": "  "},
    "an unknown outcome": {"outcome": "OUTCOME_FINE"},
    "giving up": {"outcome": "OUTCOME_ERR_INTERNAL"},
}


def test_the_fallback_is_the_last_sendable_submission_without_what_was_never_accessed() -> (
    None
):
    way_out, events = gated(Library())
    way_out.recorder.calls.make("read", {"path": "/books/dune.txt"})
    for changed in ({"answer": "41"}, {}, *UNSENDABLE.values()):
        given = {
            "answer": "42",
            "outcome": "OUTCOME_OK",
            "refs_why": WITH_UNREAD,
        } | changed
        way_out.recorder.step.begin(len(events) + 1)
        assert not way_out.submit(Submission(**given)).accepted
    last = way_out.fallback("the time is up")

    assert (last.message, last.outcome, last.refs) == (
        "42",
        "OUTCOME_OK",
        ("/books/dune.txt",),
    )
    assert (last.fallback, last.failed) == (True, ("4",))
    internal = way_out.fallback("the time is up", repeats_last=False)
    assert (internal.message, internal.outcome) == (
        "No answer was reached: the time is up.",
        "OUTCOME_ERR_INTERNAL",
    )
    assert (internal.fallback, internal.failed, internal.refs) == (True, (), ())


CASE = Case("Until when may loan-02 be kept? Answer in German.", "Name the fee, too.")


def submission() -> tuple[Submission, Calls]:
    calls = Calls()
    calls.read("/docs/Loans.md")
    calls.evidence_log.record_script("until = harness.read('/docs/Loans.md')", "")
    return Submission(
        answer="Until May.",
        outcome="OUTCOME_OK",
        refs_why={"/docs/Loans.md": "the loan"},
    ), calls


@pytest.mark.parametrize(
    ("reply", "found"),
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
    reply: str, found: list[str]
) -> None:
    assert quoted_in(reply, [CASE.instruction, CASE.rules]) == found


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        ('{"against": ["Answer in German."]}', "reject"),
        ('{"against": ["nowhere at all"]}', "pass"),
        (ModelError("down"), "not_applicable"),
    ],
)
def test_what_is_quoted_is_one_objection_and_a_model_that_fails_is_none(
    reply: object, result: str
) -> None:
    def ask(request: ModelRequest) -> Reply:
        if isinstance(reply, Exception):
            raise reply
        return Reply(text=str(reply))

    given, calls = submission()
    verdict = review_of(ask, given, calls.evidence, CASE)

    assert (verdict.key, verdict.enforcement, verdict.result) == (
        "review",
        "ask",
        result,
    )
    assert ("`Answer in German.`" in verdict.reason) is (result == "reject")


ANSWER = """
text = harness.read("/a.md").content
scratchpad.cite("/a.md", "the line on loan-02 names May", "until May")
scratchpad["answer"] = "Until May."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "May" in sp["answer"])
"""
AGAIN = 'harness.answer(scratchpad, lambda sp: "May" in sp["answer"])\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
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
    mended = AGAIN.replace(
        "harness.answer", 'scratchpad["answer"] = "Bis Mai."\nharness.answer'
    ).replace('"May"', '"Mai"')
    replies = "".join(
        f"[[reply]]\nstate = 's'\ncode = {json.dumps(code)}\n"
        for code in (ANSWER, mended)
    )
    (tmp_path / "model.toml").write_text(replies, encoding="utf-8")
    said = json.dumps({"against": ["Answer in German.", "made up by the reader"]})
    (tmp_path / "reader.toml").write_text(
        f"[[reply]]\nrole = 'reviewer'\ntext = {json.dumps(said)}\n", encoding="utf-8"
    )
    (tmp_path / "controlplane.toml").write_text(
        "[profiles.reader]\nmodel = 'scripted:reader.toml'\n", encoding="utf-8"
    )
    assert inside("trust", cwd=tmp_path).code == 0
    return tmp_path


RUN = ("run", "--benchmark", "folder:tasks", "--model", "scripted:model.toml")


def test_a_second_reader_sends_an_answer_back_once_and_a_replay_takes_it_from_the_record(
    folder: Path,
) -> None:
    plain = inside(*RUN, "--json", cwd=folder)
    assert plain.json["trials"][0]["score"] == 0.0
    read = inside(*RUN, "--role", "review=reader", "--json", cwd=folder)
    assert read.code == 0, read.err
    (trial,) = read.json["trials"]
    assert (trial["score"], trial["rejections"]) == (1.0, {"review": 1}), read.err
    assert read.json["roles"]["reviewer"]["replies"] == 1
    shown = inside("replay", "last", "--trial", trial["trial_id"], cwd=folder).out
    assert "A second reader asks how the answer fits `Answer in German.`." in shown
    assert "made up by the reader" not in shown
    verified = inside("replay", "last", "--verify", cwd=folder)
    assert verified.code == 0, verified.out + verified.err


def test_judge_plays_a_second_reader_over_scored_answers_and_says_what_it_took(
    folder: Path,
) -> None:
    inside(*RUN, "--json", cwd=folder)
    judged = inside(
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
    assert (
        "second reader: 1 requests"
        in inside("judge", "last", "--role", "review=reader", cwd=folder).out
    )
    wrong = inside("judge", "last", "--role", "solve=x", cwd=folder)
    assert (wrong.code, "give review=MODEL" in wrong.err) == (2, True)


BOOK = "/docs/Loans.md"
COUNT = Case(
    "How many loans are open? Answer with the number only, <COUNT:%d>.",
    "Cite what you read.",
    "/AGENTS.MD",
    1,
)


@dataclass
class Verify:
    is_callable: bool = True
    takes_one_argument: bool = True

    def ask(self, blanked: bool) -> object:
        raise AssertionError("gate 7 asks, and only in the parent")


OWN, HANGING = (
    "tests.agent.gated_exit.test_gated_exit:OWN_PACK",
    "tests.agent.gated_exit.test_gated_exit:HANGING_PACK",
)


def demands_the_rules(handed_in: Submission, evidence: Evidence, case: Case) -> Opinion:
    return Objection(
        demands=(case.rules_path,), missing_message="{paths} is not cited."
    )


def hangs(handed_in: Submission, evidence: Evidence, case: Case) -> Opinion:
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


def handed_in(**parts: object) -> Submission:
    given = {
        "answer": "7",
        "outcome": "OUTCOME_OK",
        "refs_why": {BOOK: "the book of loans"},
    } | parts
    return Submission.from_scratchpad(given, Verify())


SUBMISSIONS = {
    "plain": handed_in(),
    "not a function": Submission.from_scratchpad(
        {"answer": "7"}, Verify(is_callable=False)
    ),
    "two arguments": Submission.from_scratchpad(
        {"answer": "7"}, Verify(takes_one_argument=False)
    ),
    "no script": Submission(answer="7", outcome="OUTCOME_OK", refs=[BOOK, "/never"]),
    "unread": handed_in(refs_why={"/never/read.md": "something that was never read"}),
    "foreign parts": handed_in(facts={"a": object(), "b": [1, {2}]}, tokens=[object()]),
    "keys with a dollar": handed_in(facts={"$foreign": "set", "$dict": {"$x": 1}}),
    "replaced surrogates": handed_in(
        answer="a\ufffdb", refs_why={"/a\ufffd": "b\ufffd and more"}
    ),
    "changes": handed_in(changes=[{"path": "/new.txt", "action": "write"}]),
    "denied": handed_in(outcome="OUTCOME_DENIED_SECURITY", answer="It is done."),
    "internal": handed_in(outcome="OUTCOME_ERR_INTERNAL"),
    "nested": handed_in(facts=[[[[[[[1]]]]]]]),
}


@pytest.mark.parametrize("name", SUBMISSIONS)
@pytest.mark.parametrize("rule_sets", [(OWN,), ("ecom", OWN)])
def test_a_worker_finds_what_this_process_finds(
    own_server: ForkServer, name: str, rule_sets: tuple[str, ...]
) -> None:
    calls = trial()
    view, given = calls.evidence_log.view(), SUBMISSIONS[name]
    here = judge_here_or_in_worker(None, given, view, COUNT, rule_sets)
    with Worker(own_server) as worker:
        assert judge_here_or_in_worker(worker, given, view, COUNT, rule_sets) == here
        calls.read("/later.md")
        again = calls.evidence_log.view()
        expected = judge_here_or_in_worker(None, given, again, COUNT, rule_sets)
        assert (
            judge_here_or_in_worker(worker, given, again, COUNT, rule_sets) == expected
        )


def test_a_submission_beyond_any_size_is_sent_back_with_the_bound() -> None:
    calls = trial()
    for refs, said in (
        ({f"/{number}": "why" for number in range(1_001)}, "1001 paths"),
        ({"/" * 5_000: "why"}, "5000"),
    ):
        (verdict,) = judge_here_or_in_worker(
            None, handed_in(refs_why=refs), calls.evidence_log.view(), COUNT, ()
        )
        assert (verdict.result, verdict.enforcement) == ("reject", "block")
        assert said in verdict.reason


def test_a_rule_of_the_users_own_that_hangs_costs_the_answer_nothing(
    own_server: ForkServer,
) -> None:
    calls = trial()
    with Worker(own_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        found = judge_here_or_in_worker(
            worker, handed_in(), calls.evidence_log.view(), COUNT, ("ecom", HANGING)
        )
    *others, failed = found

    assert others == [
        *judge_here_or_in_worker(
            None, handed_in(), calls.evidence_log.view(), COUNT, ("ecom",)
        )
    ]
    assert (failed.name, failed.result) == (HANGING, "not_applicable")
    assert "0.3 s of CPU" in failed.reason


def test_a_submission_made_to_be_slow_takes_a_bounded_time_on_the_trials_own_thread() -> (
    None
):
    calls = trial()
    pairs = [f"{one}{other}" for one in "bcdfghjk" for other in "lmnpqrst"]
    calls.see("/long.txt", f"w1 {' '.join(pairs)} " * 4_000)
    words = " ".join(f"{one}-{other}" for one in pairs[:20] for other in pairs[30:50])
    slow = {f"/long.txt#{number}": f"{number} {words}" for number in range(900)}
    began = time.thread_time()
    judge_here_or_in_worker(
        None, handed_in(refs_why=slow), calls.evidence_log.view(), COUNT, ("ecom",)
    )

    assert time.thread_time() - began < 15
