"""A second reader, a model, reads each accepted answer, and may send it back once.

It objects by quoting a line of the request, the rules or a cited file, and an invented quotation
does not count. If it fails, the answer is sent. A replay takes reviews from the record, and
`judge` tells what a reader would have stopped.
"""

from pathlib import Path

import pytest

from controlplane.agent.model import ModelError, ModelRequest, Reply
from controlplane.agent.second_reader import quoted_in, review_of
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from tests.gates.judged_scratchpads import CallsOfTrial
from tests.support.command import CommandResult, run_in_process

# A task whose answer must be in German, a model, and a second reader, with replies from files.
#
# 1. The model answers in English: "Until May." The gates, which check answers, accept the answer.
# 2. The second reader, if there is one, quotes "Answer in German." So the answer is sent back.
# 3. The model answers "Bis Mai." The second reader is not asked again, and the answer is sent.
#
# `run_task(folder, "--role", "review=reader")` runs the task with the second reader.

TASK_FILE = """
instruction = "Until when may loan-02 be kept? Answer in German."
trees = ["world"]  # the folder with the files of the task
[expected]
outcome = "OUTCOME_OK"
contains = ["Mai"]  # the answer must have this word
free = ["/"]  # any file may be cited
"""

# Each reply is a script, which hands the answer in, with a function that checks it.
MODEL_FILE = """
[[reply]]
state = "working"
code = '''
text = harness.read("/a.md").content
scratchpad.cite("/a.md", reason="the line on loan-02 names May", quote="until May")
scratchpad["answer"] = "Until May."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "May" in sp["answer"])
'''

[[reply]]
state = "working"
code = '''
scratchpad["answer"] = "Bis Mai."
harness.answer(scratchpad, lambda sp: "Mai" in sp["answer"])
'''
"""

# The second reader always gives this reply. No text has the second quotation, so it is dropped.
SECOND_READER_FILE = """
[[reply]]
role = "reviewer"
text = '{"against": ["Answer in German.", "made up by the reader"]}'
"""


def write_german_task(folder: Path) -> None:
    """Write the task and both models into a folder, and a configuration with the model `reader`."""
    world = folder / "tasks" / "loan" / "world"
    world.mkdir(parents=True)
    (world / "a.md").write_text("loan-02 may be kept until May, and loan-03 never.\n")
    (world.parent / "task.toml").write_text(TASK_FILE)
    (folder / "model.toml").write_text(MODEL_FILE)
    (folder / "reader.toml").write_text(SECOND_READER_FILE)
    configuration = '[profiles.reader]\nmodel = "scripted:reader.toml"\n'
    (folder / "controlplane.toml").write_text(configuration)
    # A configuration file counts only after the user has confirmed it.
    assert run_in_process("trust", cwd=folder).code == 0


def run_task(folder: Path, *options: str) -> CommandResult:
    """Run the task of the folder with these further options. Its result is JSON, in `.json`."""
    run = ("run", "--benchmark", "folder:tasks", "--model", "scripted:model.toml")
    return run_in_process(*run, *options, "--json", cwd=folder)


@pytest.fixture
def folder(tmp_path: Path, shared_fork_servers: None) -> Path:
    """A folder with a task, both models, and a configuration that names the reader.

    The commands of all tests share the processes from which sandboxes are forked.
    """
    write_german_task(tmp_path)
    return tmp_path


# The verdict of a second reader on an answer in English to a request that wants German.
#
#     review('{"against": ["Answer in German."]}').result == "reject"
#
# The reader is a model that reads an accepted answer before it is sent, and quotes what speaks against
# it. The answer "Until May." cites the file `/docs/Loans.md`.


def review(reply: str | ModelError) -> Verdict:
    """Return the verdict of a reader with this reply on the answer "Until May.".

    An error instead of a reply is raised, as if the reader's model were down.
    """

    def ask_reader(request: ModelRequest) -> Reply:
        if isinstance(reply, ModelError):
            raise reply
        return Reply(text=reply)

    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "A loan runs 21 days.")
    submission = Submission(
        answer="Until May.",
        outcome="OUTCOME_OK",
        refs_why={"/docs/Loans.md": "a loan runs 21 days"},
    )
    case = Case(
        instruction="Until when may loan-02 be kept? Answer in German.",
        rules="Name the fee, too.",
    )
    return review_of(ask_reader, submission, calls.evidence, case)


# `judge --role review=reader` shows the answers of a finished run to a second reader.
#
# A second reader is a model that quotes what speaks against an answer. `judge` counts the answers that it
# would have stopped. The run had no second reader, and has sent one answer, in English. The request says
# "Answer in German.", which the second reader quotes.
#
# The folder has a configuration that calls this model `reader`. Its replies are in `reader.toml`.


def test_judge_counts_the_answers_that_a_second_reader_would_stop(folder: Path) -> None:
    run_task(folder)

    judged = run_in_process(
        "judge", "last", "--role", "review=reader", "--json", cwd=folder
    )

    assert judged.code == 0, judged.err
    assert judged.json["counts"] == {"stopped": 1}
    assert judged.json["second_reader"]["requests"] == 1


def test_judge_tells_right_answers_that_are_stopped_from_wrong_ones(
    folder: Path,
) -> None:
    """The answer is wrong, since its score in the run was 0. The model of the second reader may
    also be named without the configuration."""
    run_task(folder)
    model_without_configuration = "scripted:reader.toml"

    judged = run_in_process(
        "judge",
        "last",
        "--role",
        f"review={model_without_configuration}",
        "--json",
        cwd=folder,
    )

    (review,) = judged.json["gates"]
    assert review == {
        "name": "review",
        "stops_right": 0,
        "stops_wrong": 1,
        "stops_unscored": 0,  # stopped answers without a score
        "rejects_no_more": 0,  # answers that only the run has rejected
    }


def test_judge_prints_the_number_of_requests_to_the_second_reader(folder: Path) -> None:
    """A second reader costs a request for each answer."""
    run_task(folder)

    judged = run_in_process("judge", "last", "--role", "review=reader", cwd=folder)

    assert "second reader: 1 requests" in judged.out


def test_judge_refuses_a_model_for_another_role(folder: Path) -> None:
    """`judge` asks only a second reader, whose role is `review`. A model for `solve` is of no
    use."""
    run_task(folder)

    refused = run_in_process("judge", "last", "--role", "solve=x", cwd=folder)

    assert refused.code == 2
    assert "give review=MODEL" in refused.err


# What a second reader, a model that reads an answer before it is sent, quotes against the answer.
#
# The reader quotes lines of the request, the rules or the cited files: `{"against": ["Answer in
# German."]}`. `quoted_in(reply, texts)` returns the quotations of a reply that occur in one of the texts.
# Others are dropped, because the reader made them up.


def test_quotations_may_be_from_several_texts() -> None:
    reply = '{"against": ["Name the fee, too.", "Answer in German."]}'
    texts = ["When is it due? Answer in German.", "Name the fee, too."]

    assert quoted_in(reply, texts) == ["Name the fee, too.", "Answer in German."]


def test_a_quotation_may_have_other_blanks_and_another_case() -> None:
    reply = '{"against": ["Answer in  german."]}'

    assert quoted_in(reply, ["Answer in German."]) == ["Answer in  german."]


def test_a_reply_may_have_words_around_its_json() -> None:
    reply = 'Here: {"against": ["Answer in German."]} as asked'

    assert quoted_in(reply, ["Answer in German."]) == ["Answer in German."]


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
    assert quoted_in(reply, ["Answer in German."]) == []


# A replay of a run with a second reader shows what the reader quoted, and does not ask it again.
#
# The reader is a model that reads an accepted answer before it is sent, and quotes what speaks against
# it. Here it has quoted "Answer in German.", and "made up by the reader", which is in no text.


def test_a_replay_shows_only_the_quotations_that_the_request_has(folder: Path) -> None:
    run = run_task(folder, "--role", "review=reader")
    (trial,) = run.json["trials"]

    replay = run_in_process("replay", "last", "--trial", trial["trial_id"], cwd=folder)

    assert "A second reader asks how the answer fits `Answer in German.`." in replay.out
    assert "made up by the reader" not in replay.out


def test_a_replay_takes_the_review_from_the_record(folder: Path) -> None:
    """`replay --verify` runs all scripts again and fails if anything differs from the
    record."""
    run = run_task(folder, "--role", "review=reader")
    assert run.code == 0, run.err

    verified = run_in_process("replay", "last", "--verify", cwd=folder)

    assert verified.code == 0, verified.out + verified.err


# `run --role review=reader` shows each accepted answer to a second reader, another model.
#
# The request wants an answer in German. The model answers in English first, and in German after the
# reader has quoted "Answer in German." The folder has the task and both models, as replies in files.


def test_without_a_second_reader_the_wrong_answer_is_sent(folder: Path) -> None:
    """The gates see nothing wrong with an answer in English. The task does, so the score is
    0."""
    run = run_task(folder)

    (trial,) = run.json["trials"]
    assert trial["score"] == 0.0


def test_a_second_reader_sends_the_answer_back(folder: Path) -> None:
    """The model then answers in German, which is right."""
    run = run_task(folder, "--role", "review=reader")

    assert run.code == 0, run.err
    (trial,) = run.json["trials"]
    assert trial["rejections"] == {"review": 1}
    assert trial["score"] == 1.0, run.err


def test_a_second_reader_is_asked_once_a_trial(folder: Path) -> None:
    """It would object to the answer in German as well, since its reply is always the same."""
    run = run_task(folder, "--role", "review=reader")

    assert run.json["roles"]["reviewer"]["replies"] == 1


# The verdict of a second reader, a model that reads an accepted answer before it is sent.
#
# The verdict is "reject" if the reader quotes a line that is in the request, the rules or a cited
# file: `{"against": ["Answer in German."]}`. The answer is then sent back, once. `review(reply)`
# is the verdict on an answer in English, "Until May.", of a reader with this reply.


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("Answer in German.", id="of the request"),
        pytest.param("Name the fee, too.", id="of the rules"),
        pytest.param("A loan runs 21 days.", id="of a cited file"),
    ],
)
def test_a_reader_objects_by_quoting_a_line(line: str) -> None:
    verdict = review(f'{{"against": ["{line}"]}}')

    assert verdict.result == "reject"
    assert f"`{line}`" in verdict.reason  # The model is told which line it is.


def test_a_reader_that_makes_its_quotation_up_does_not_object() -> None:
    verdict = review('{"against": ["Nowhere at all."]}')

    assert verdict.result == "pass"
    assert verdict.reason == ""


def test_an_answer_is_not_lost_if_the_reader_fails() -> None:
    verdict = review(ModelError("down"))

    assert verdict.result == "not_applicable"
    assert verdict.reason == "the second reader failed: down"


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param('{"against": ["Answer in German."]}', id="it objects"),
        pytest.param('{"against": []}', id="it does not object"),
        pytest.param(ModelError("down"), id="it fails"),
    ],
)
def test_an_answer_may_be_sent_in_spite_of_the_reader(reply: str | ModelError) -> None:
    """`ask`: the answer goes back to the model, and is sent if it is handed in again."""
    verdict = review(reply)

    assert verdict.key == "review"  # the reader's name in reports
    assert verdict.enforcement == "ask"
