"""The second reader: a model that reads an accepted answer before it is sent.

The reader looks for a line of the request, the rules or the cited files that speaks against the
answer, and quotes it: `{"against": ["Answer in German."]}`. The answer is then sent back, once. A
quotation that occurs in none of these texts is dropped, because the reader made it up.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.agent.model import ModelError, ModelRequest, Reply
from controlplane.agent.second_reader import quoted_in, review_of
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from tests.gates.sample_trials import CallsOfTrial
from tests.support.command import CommandResult, run_in_process

CASE = Case(
    instruction="Until when may loan-02 be kept? Answer in German.",
    rules="Name the fee, too.",
)

# The quotations in a reply
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "quotations"),
    [
        pytest.param(
            '{"against": ["Answer in  german."]}',
            ["Answer in  german."],
            id="other blanks and another case",
        ),
        pytest.param(
            'Here: {"against": ["Name the fee, too.", "Answer in German."]} as asked',
            ["Name the fee, too.", "Answer in German."],
            id="words around the JSON",
        ),
    ],
)
def test_quotations_from_the_request_and_the_rules_are_kept(
    reply: str, quotations: list[str]
) -> None:
    """The sentence "Answer in German." is in the request, "Name the fee, too." is in the rules."""
    assert quoted_in(reply, [CASE.instruction, CASE.rules]) == quotations


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param('{"against": ["It is wrong, says the file."]}', id="made up"),
        pytest.param('{"against": ["German"]}', id="too short to be a quotation"),
        pytest.param('{"against": []}', id="none"),
        pytest.param('{"against": "Answer in German."}', id="text, not a list"),
        pytest.param(
            '{"against": [7, null, {"a": "Answer in German."}]}', id="not texts"
        ),
        pytest.param('{"verdict": "no"}', id="another key"),
        pytest.param("Answer in German.", id="not JSON"),
        pytest.param("[" * 50_000, id="brackets"),
        pytest.param("", id="empty"),
    ],
)
def test_a_reply_without_a_real_quotation_has_none(reply: str) -> None:
    """The sentence "Answer in German." is in the request, "Name the fee, too." is in the rules."""
    assert quoted_in(reply, [CASE.instruction, CASE.rules]) == []


# The verdict on one answer
# --------------------------------------------------------------------------------------------------------------


def reader_that_replies(text: str) -> Callable[[ModelRequest], Reply]:
    """Return a second reader with this reply."""

    def reader(request: ModelRequest) -> Reply:
        return Reply(text=text)

    return reader


def review_by(second_reader: Callable[[ModelRequest], Reply]) -> Verdict:
    """Return a reader's verdict on the answer "Until May.", although German was asked for."""
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


def test_a_reader_objects_with_what_it_quotes() -> None:
    """The reason of the verdict is what the model is told: which line of its request speaks against
    the answer."""
    reader = reader_that_replies('{"against": ["Answer in German."]}')

    verdict = review_by(reader)

    assert verdict.result == "reject"
    assert "`Answer in German.`" in verdict.reason


def test_a_reader_that_makes_its_quotation_up_does_not_object() -> None:
    """Neither the request nor the rules nor the cited file has the quoted words."""
    reader = reader_that_replies('{"against": ["nowhere at all"]}')

    verdict = review_by(reader)

    assert verdict.result == "pass"
    assert "`Answer in German.`" not in verdict.reason


def test_a_reader_that_fails_does_not_object() -> None:
    """If the reader's model is down, the answer is not lost."""

    def failing_reader(request: ModelRequest) -> Reply:
        raise ModelError("down")

    verdict = review_by(failing_reader)

    assert verdict.result == "not_applicable"
    assert "`Answer in German.`" not in verdict.reason


# Runs with a second reader
#
# The model of a run replies with scripts that are given in advance: first it answers in English, and if
# that is sent back, in German. The second reader's reply is given, too: it objects to both answers. But
# an answer is sent back only once.
# --------------------------------------------------------------------------------------------------------------

TASK = """
instruction = "Until when may loan-02 be kept? Answer in German."
trees = ["world"]  # the folder with the files of the task
[expected]
outcome = "OUTCOME_OK"
contains = ["Mai"]  # the answer must have this word
free = ["/"]  # any file may be cited
"""
# A script hands its answer in by `harness.answer`, with a function that checks it.
# The model's first reply is this script.
ENGLISH_ANSWER = """
text = harness.read("/a.md").content
scratchpad.cite("/a.md", "the line on loan-02 names May", "until May")
scratchpad["answer"] = "Until May."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "May" in sp["answer"])
"""
# Its second reply, if the first answer is sent back. The rest of the scratchpad is still there.
GERMAN_ANSWER = """
scratchpad["answer"] = "Bis Mai."
harness.answer(scratchpad, lambda sp: "Mai" in sp["answer"])
"""
REVIEW = {"against": ["Answer in German.", "made up by the reader"]}
"""What the second reader replies. Only the first quotation is in the request."""


def scripted_model(*scripts: str) -> str:
    """Return the TOML file of a model that replies with these scripts, one after the other."""
    replies = ""
    for script in scripts:
        replies += f"[[reply]]\nstate = 's'\ncode = {json.dumps(script)}\n"
    return replies


def scripted_reader(reply: object) -> str:
    """Return the TOML file of a second reader (its role is `reviewer`) that always gives this reply.

    The reply is JSON, and stands in the file as a string.
    """
    reply_text = json.dumps(reply)
    toml_string = json.dumps(reply_text)
    return f"[[reply]]\nrole = 'reviewer'\ntext = {toml_string}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a task, a model, and a second reader.

    A command names the reader as `reader`, which is a profile in the configuration file.
    """
    world = tmp_path / "tasks" / "loan" / "world"
    world.mkdir(parents=True)
    files = {
        "tasks/loan/world/a.md": "loan-02 may be kept until May, and loan-03 never.\n",
        "tasks/loan/task.toml": TASK,
        "model.toml": scripted_model(ENGLISH_ANSWER, GERMAN_ANSWER),
        "reader.toml": scripted_reader(REVIEW),
        "controlplane.toml": "[profiles.reader]\nmodel = 'scripted:reader.toml'\n",
    }
    for path, text in files.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    # A configuration file counts only after the user has confirmed it.
    assert run_in_process("trust", cwd=tmp_path).code == 0
    return tmp_path


REVIEWED = ("--role", "review=reader")
"""The option by which answers are shown to the second reader."""


def run_task(folder: Path, *options: str) -> CommandResult:
    """Run the task of the folder with these further options. Its result is JSON, in `.json`."""
    return run_in_process(
        "run",
        "--benchmark",
        "folder:tasks",
        "--model",
        "scripted:model.toml",
        *options,
        "--json",
        cwd=folder,
    )


def test_without_a_second_reader_the_wrong_answer_is_sent(folder: Path) -> None:
    """The request wants an answer in German. The gates see nothing wrong with one in English."""
    run = run_task(folder)

    (trial,) = run.json["trials"]
    assert trial["score"] == 0.0


def test_a_second_reader_sends_the_answer_back_once(folder: Path) -> None:
    """The model then answers in German, which is right. The reader is not asked about this answer."""
    run = run_task(folder, *REVIEWED)

    assert run.code == 0, run.err
    (trial,) = run.json["trials"]
    assert trial["score"] == 1.0, run.err
    assert trial["rejections"] == {"review": 1}
    assert run.json["roles"]["reviewer"]["replies"] == 1


def test_a_replay_shows_only_the_quotations_that_the_request_has(folder: Path) -> None:
    """The reader has quoted "Answer in German.", which is in the request, and "made up by the reader",
    which is in no text."""
    run = run_task(folder, *REVIEWED)
    (trial,) = run.json["trials"]

    replay = run_in_process("replay", "last", "--trial", trial["trial_id"], cwd=folder)

    assert "A second reader asks how the answer fits `Answer in German.`." in replay.out
    assert "made up by the reader" not in replay.out


def test_a_replay_takes_the_review_from_the_record(folder: Path) -> None:
    """`replay --verify` runs all scripts again and fails if anything differs from the record."""
    run = run_task(folder, *REVIEWED)
    assert run.code == 0, run.err

    verified = run_in_process("replay", "last", "--verify", cwd=folder)

    assert verified.code == 0, verified.out + verified.err


# `controlplane judge`: what a second reader would have stopped in a run that had none
#
# In each test, the run has ended with the wrong answer, in English. `judge last` shows this answer to
# the reader.
# --------------------------------------------------------------------------------------------------------------


def test_judge_counts_the_answers_that_a_second_reader_would_stop(folder: Path) -> None:
    """The run sent a wrong answer (its score is 0), which the reader would have stopped. So this gate,
    `review`, stops one wrong answer and no right one."""
    run_task(folder)

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


def test_judge_prints_the_number_of_requests_to_the_second_reader(folder: Path) -> None:
    """A second reader costs a request for each answer."""
    run_task(folder)

    judged = run_in_process("judge", "last", *REVIEWED, cwd=folder)

    assert "second reader: 1 requests" in judged.out


def test_judge_refuses_a_model_for_another_role(folder: Path) -> None:
    """`judge` asks only a second reader, whose role is `review`. A model for `solve` is of no use."""
    run_task(folder)

    refused = run_in_process("judge", "last", "--role", "solve=x", cwd=folder)

    usage_error = 2
    assert refused.code == usage_error
    assert "give review=MODEL" in refused.err
