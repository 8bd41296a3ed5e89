"""`run --role review=reader` shows each accepted answer to a second reader, another model.

The request wants an answer in German. The model answers in English first, and in German after the
reader has quoted "Answer in German." The folder has the task and both models, as replies in files.
"""

from pathlib import Path

from tests.agent.gated_exit.second_reader.german_task import run_task


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
