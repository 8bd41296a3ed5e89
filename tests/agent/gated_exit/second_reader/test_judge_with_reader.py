"""`judge --role review=reader` shows the answers of a run that is over to a second reader.

It says which ones the reader, a model, would have stopped. The run had no reader, so it has sent a
wrong answer, in English. The reader quotes "Answer in German." against it.
"""

from pathlib import Path

from tests.agent.gated_exit.second_reader.german_task import run_task
from tests.support.command import run_in_process


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
    """The answer had the score 0, so the check `review` would have stopped a wrong one."""
    run_task(folder)

    judged = run_in_process(
        "judge", "last", "--role", "review=scripted:reader.toml", "--json", cwd=folder
    )

    (review,) = judged.json["gates"]
    assert review == {
        "name": "review",
        "stops_right": 0,
        "stops_wrong": 1,
        "stops_unscored": 0,  # answers without a score
        "rejects_no_more": 0,  # answers that only the run rejected
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
