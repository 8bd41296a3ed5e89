"""`judge --role review=reader` shows the answers of a finished run to a second reader.

A second reader is a model that quotes what speaks against an answer. `judge` counts the answers that it
would have stopped. The run had no second reader, and has sent one answer, in English. The request says
"Answer in German.", which the second reader quotes.

The folder has a configuration that calls this model `reader`. Its replies are in `reader.toml`.
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
