"""An answer leaves a trial once, and only if the gates let it out; a second reader quotes what speaks against it."""

import json
from pathlib import Path

import pytest

from agent.events import AgentEvent, AnswerDone, CallFailure, SubmissionJudged
from agent.evidence import Environment, Recorder
from agent.model import ModelError, ModelRequest, Reply
from agent.submission import GatedExit, SecondReader, quoted_in
from gates.submission import Case, Submission
from sandbox.interface import CallError
from tests.gates.sample_trials import Calls
from tests.support.command import inside
from tests.support.library import Library
from tests.support.phonebook import Desk

RIGHT = Submission(answer="42", outcome="OUTCOME_OK", refs=())
WRONG = Submission(answer="42", outcome="OUTCOME_FINE", refs=())


class RefusingDesk(Desk):
    """Refuses every answer with a code."""

    def __init__(self, code: str) -> None:
        super().__init__(0)
        self.code = code

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise CallError(self.code, "no")


def gated(desk: Environment) -> tuple[GatedExit, list[AgentEvent]]:
    events: list[AgentEvent] = []
    return GatedExit(Recorder("t", desk, events.append), "What is the number? Answer with `%d` only."), events


def test_a_rejected_answer_stays_inside_and_another_may_follow() -> None:
    desk = Desk(0)
    way_out, events = gated(desk)
    assert not way_out.submit(WRONG).accepted
    assert [type(event) for event in events] == [SubmissionJudged]
    assert (way_out.is_closed, desk.answers) == (False, [])
    assert way_out.submit(RIGHT).accepted
    assert desk.answers == [("42", "OUTCOME_OK")]


@pytest.mark.parametrize(("code", "is_taken"), [("already_exists", True), ("unavailable", False)])
def test_an_answer_that_was_given_before_counts_as_taken_and_a_failure_does_not(code: str, is_taken: bool) -> None:
    way_out, events = gated(RefusingDesk(code))
    if is_taken:
        way_out.submit(RIGHT)
    else:
        with pytest.raises(CallError, match="no"):
            way_out.submit(RIGHT)
    assert (way_out.is_closed, way_out.is_answered) == (is_taken, is_taken)
    assert way_out.accepted is not None
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert done.error == CallFailure(code=code, message="no")


WITH_UNREAD = {"/books/dune.txt": "it says by Herbert", "/never/read.txt": "it says by nobody"}
UNSENDABLE = {
    "no text": {"answer": "  "},
    "an unknown outcome": {"outcome": "OUTCOME_FINE"},
    "giving up": {"outcome": "OUTCOME_ERR_INTERNAL"},
}


def test_the_fallback_is_the_last_sendable_submission_without_what_was_never_accessed() -> None:
    way_out, events = gated(Library())
    way_out.recorder.call("read", {"path": "/books/dune.txt"})
    for changed in ({"answer": "41"}, {}, *UNSENDABLE.values()):
        given = {"answer": "42", "outcome": "OUTCOME_OK", "refs_why": WITH_UNREAD} | changed
        way_out.recorder.begin_step(len(events) + 1)
        assert not way_out.submit(Submission(**given)).accepted
    last = way_out.fallback("the time is up")
    assert (last.message, last.outcome, last.refs) == ("42", "OUTCOME_OK", ("/books/dune.txt",))
    assert (last.fallback, last.failed) == (True, ("4",))
    internal = way_out.fallback("the time is up", repeats_last=False)
    assert (internal.message, internal.outcome) == ("No answer was reached: the time is up.", "OUTCOME_ERR_INTERNAL")
    assert (internal.fallback, internal.failed, internal.refs) == (True, (), ())


CASE = Case("Until when may loan-02 be kept? Answer in German.", "Name the fee, too.")


def submission() -> tuple[Submission, Calls]:
    calls = Calls()
    calls.read("/docs/Loans.md")
    calls.evidence_log.record_script("until = harness.read('/docs/Loans.md')", "")
    return Submission(answer="Until May.", outcome="OUTCOME_OK", refs_why={"/docs/Loans.md": "the loan"}), calls


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
def test_a_quotation_that_stands_in_no_text_is_dropped(reply: str, found: list[str]) -> None:
    assert quoted_in(reply, [CASE.instruction, CASE.rules]) == found


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        ('{"against": ["Answer in German."]}', "reject"),
        ('{"against": ["nowhere at all"]}', "pass"),
        (ModelError("down"), "not_applicable"),
    ],
)
def test_what_is_quoted_is_one_objection_and_a_model_that_fails_is_none(reply: object, result: str) -> None:
    def ask(request: ModelRequest) -> Reply:
        if isinstance(reply, Exception):
            raise reply
        return Reply(text=str(reply))

    given, calls = submission()
    verdict = SecondReader(ask).verdict(given, calls.evidence, CASE)
    assert (verdict.key, verdict.enforcement, verdict.result) == ("review", "ask", result)
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
    (task / "world" / "a.md").write_text("loan-02 may be kept until May, and loan-03 never.\n", encoding="utf-8")
    (task / "task.toml").write_text(
        'instruction = "Until when may loan-02 be kept? Answer in German."\n'
        'trees = ["world"]\n[expected]\noutcome = "OUTCOME_OK"\ncontains = ["Mai"]\nfree = ["/"]\n',
        encoding="utf-8",
    )
    mended = AGAIN.replace("harness.answer", 'scratchpad["answer"] = "Bis Mai."\nharness.answer').replace(
        '"May"', '"Mai"'
    )
    replies = "".join(f"[[reply]]\nstate = 's'\ncode = {json.dumps(code)}\n" for code in (ANSWER, mended))
    (tmp_path / "model.toml").write_text(replies, encoding="utf-8")
    said = json.dumps({"against": ["Answer in German.", "made up by the reader"]})
    (tmp_path / "reader.toml").write_text(
        f"[[reply]]\nrole = 'reviewer'\ntext = {json.dumps(said)}\n", encoding="utf-8"
    )
    (tmp_path / "controlplane.toml").write_text("[profiles.reader]\nmodel = 'scripted:reader.toml'\n", encoding="utf-8")
    assert inside("trust", cwd=tmp_path).code == 0
    return tmp_path


RUN = ("run", "--benchmark", "folder:tasks", "--model", "scripted:model.toml")


def test_a_second_reader_sends_an_answer_back_once_and_a_replay_takes_it_from_the_record(folder: Path) -> None:
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


def test_judge_plays_a_second_reader_over_scored_answers_and_says_what_it_took(folder: Path) -> None:
    inside(*RUN, "--json", cwd=folder)
    judged = inside("judge", "last", "--role", "review=scripted:reader.toml", "--json", cwd=folder)
    assert judged.code == 0, judged.err
    assert judged.json["counts"] == {"stopped": 1}
    assert judged.json["gates"] == [
        {"name": "review", "stops_right": 0, "stops_wrong": 1, "stops_unscored": 0, "rejects_no_more": 0}
    ]
    assert judged.json["second_reader"]["requests"] == 1
    assert "second reader: 1 requests" in inside("judge", "last", "--role", "review=reader", cwd=folder).out
    wrong = inside("judge", "last", "--role", "solve=x", cwd=folder)
    assert (wrong.code, "give review=MODEL" in wrong.err) == (2, True)
