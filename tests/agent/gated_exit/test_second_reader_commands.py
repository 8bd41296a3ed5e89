"""Commands with a second reader: a model that reads an accepted answer before it is sent.

The replies of both models are given in files. The request wants an answer in German:

1. The model answers in English: "Until May." The gates accept it.
2. The second reader quotes "Answer in German." So the answer is sent back, with the quotation.
3. The model answers "Bis Mai." The reader is not asked a second time, and the answer is sent.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import CommandResult, run_in_process

TASK_FILE = """
instruction = "Until when may loan-02 be kept? Answer in German."
trees = ["world"]  # the folder with the files of the task
[expected]
outcome = "OUTCOME_OK"
contains = ["Mai"]  # the answer must have this word
free = ["/"]  # any file may be cited
"""

# Each reply is a script. It writes the answer into the scratchpad, and hands it in by
# `harness.answer`, with a function that checks the answer. The second script only changes the
# answer.
MODEL_FILE = """
[[reply]]
state = "s"
code = '''
text = harness.read("/a.md").content
scratchpad.cite("/a.md", "the line on loan-02 names May", "until May")
scratchpad["answer"] = "Until May."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "May" in sp["answer"])
'''

[[reply]]
state = "s"
code = '''
scratchpad["answer"] = "Bis Mai."
harness.answer(scratchpad, lambda sp: "Mai" in sp["answer"])
'''
"""

# The reader's role is `reviewer`. It always gives this reply. The second quotation is in no text.
READER_FILE = """
[[reply]]
role = "reviewer"
text = '{"against": ["Answer in German.", "made up by the reader"]}'
"""

# Commands can name the reader as `reader`.
CONFIGURATION_FILE = """
[profiles.reader]
model = "scripted:reader.toml"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the task, both models, and a configuration that names the reader."""
    world = tmp_path / "tasks" / "loan" / "world"
    world.mkdir(parents=True)
    loans = "loan-02 may be kept until May, and loan-03 never.\n"
    (world / "a.md").write_text(loans, encoding="utf-8")
    (world.parent / "task.toml").write_text(TASK_FILE, encoding="utf-8")
    (tmp_path / "model.toml").write_text(MODEL_FILE, encoding="utf-8")
    (tmp_path / "reader.toml").write_text(READER_FILE, encoding="utf-8")
    configuration = tmp_path / "controlplane.toml"
    configuration.write_text(CONFIGURATION_FILE, encoding="utf-8")
    # A configuration file counts only after the user has confirmed it.
    assert run_in_process("trust", cwd=tmp_path).code == 0
    return tmp_path


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


def run_task_with_reader(folder: Path) -> CommandResult:
    """Run the task, and show each accepted answer to the second reader."""
    return run_task(folder, "--role", "review=reader")


class TestRunsWithReader:
    """`run --role review=reader` shows each accepted answer to a second reader.

    The model answers in English first, and in German after the reader has quoted "Answer in
    German."
    """

    def test_without_a_second_reader_the_wrong_answer_is_sent(
        self, folder: Path
    ) -> None:
        """The gates see nothing wrong with an answer in English. The task does, so the score is
        0."""
        run = run_task(folder)

        (trial,) = run.json["trials"]
        assert trial["score"] == 0.0

    def test_a_second_reader_sends_the_answer_back(self, folder: Path) -> None:
        """The model then answers in German, which is right."""
        run = run_task_with_reader(folder)

        assert run.code == 0, run.err
        (trial,) = run.json["trials"]
        assert trial["rejections"] == {"review": 1}
        assert trial["score"] == 1.0, run.err

    def test_a_second_reader_is_asked_once_a_trial(self, folder: Path) -> None:
        """It would object to the answer in German as well, since its reply is always the same."""
        run = run_task_with_reader(folder)

        assert run.json["roles"]["reviewer"]["replies"] == 1


class TestReplaysWithReader:
    """A replay shows what the reader quoted, and does not ask it again.

    The reader has quoted "Answer in German.", and "made up by the reader", which is in no text.
    """

    def test_a_replay_shows_only_the_quotations_that_the_request_has(
        self, folder: Path
    ) -> None:
        run = run_task_with_reader(folder)
        (trial,) = run.json["trials"]

        replay = run_in_process(
            "replay", "last", "--trial", trial["trial_id"], cwd=folder
        )

        assert (
            "A second reader asks how the answer fits `Answer in German.`."
            in replay.out
        )
        assert "made up by the reader" not in replay.out

    def test_a_replay_takes_the_review_from_the_record(self, folder: Path) -> None:
        """`replay --verify` runs all scripts again and fails if anything differs from the
        record."""
        run = run_task_with_reader(folder)
        assert run.code == 0, run.err

        verified = run_in_process("replay", "last", "--verify", cwd=folder)

        assert verified.code == 0, verified.out + verified.err


def judge_by_reader(folder: Path) -> CommandResult:
    """Show the answer of the last run to the second reader. The result is JSON, in `.json`."""
    role = "review=scripted:reader.toml"
    return run_in_process("judge", "last", "--role", role, "--json", cwd=folder)


class TestJudge:
    """`judge` shows the answers of a run that is over to a second reader.

    It says which ones the reader would have stopped. The run had no reader, so it has sent the
    wrong answer, in English.
    """

    def test_judge_counts_the_answers_that_a_second_reader_would_stop(
        self, folder: Path
    ) -> None:
        run_task(folder)

        judged = judge_by_reader(folder)

        assert judged.code == 0, judged.err
        assert judged.json["counts"] == {"stopped": 1}
        assert judged.json["second_reader"]["requests"] == 1

    def test_judge_tells_right_answers_that_are_stopped_from_wrong_ones(
        self, folder: Path
    ) -> None:
        """The answer had the score 0, so the check `review` would have stopped a wrong one."""
        run_task(folder)

        judged = judge_by_reader(folder)

        (review,) = judged.json["gates"]
        assert review == {
            "name": "review",
            "stops_right": 0,
            "stops_wrong": 1,
            "stops_unscored": 0,  # answers without a score
            "rejects_no_more": 0,  # answers that only the run rejected
        }

    def test_judge_prints_the_number_of_requests_to_the_second_reader(
        self, folder: Path
    ) -> None:
        """A second reader costs a request for each answer."""
        run_task(folder)

        judged = run_in_process("judge", "last", "--role", "review=reader", cwd=folder)

        assert "second reader: 1 requests" in judged.out

    def test_judge_refuses_a_model_for_another_role(self, folder: Path) -> None:
        """`judge` asks only a second reader, whose role is `review`. A model for `solve` is of no
        use."""
        run_task(folder)

        refused = run_in_process("judge", "last", "--role", "solve=x", cwd=folder)

        usage_error = 2
        assert refused.code == usage_error
        assert "give review=MODEL" in refused.err
