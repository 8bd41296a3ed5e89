"""The page of benchmarks shows `lending.py`, a benchmark of files, and a command that plays it.

Its task is to lend the book otter. The replies of the model are those of `lending.toml`: the first
step answers that the book is lent, without lending it. Gate 6, a check of answers, rejects that.
The second step lends the book and answers, and the answer is accepted.
"""

from tests.documentation.pages import BENCHMARKS_PAGE, EXAMPLES, code_after
from tests.documentation.played_examples.lending_runs import LendingRun


def test_the_page_shows_a_part_of_the_benchmark_of_files() -> None:
    """The part on the page must be what the whole file has, which the other tests play."""
    part = code_after("<!-- part of: docs/examples/lending.py -->", BENCHMARKS_PAGE)

    assert part in (EXAMPLES / "lending.py").read_text("utf-8")


def test_the_command_of_the_page_solves_the_task(lending_run: LendingRun) -> None:
    assert lending_run.result.code == 0, lending_run.result.err
    assert lending_run.result.json["score"] == 1.0


def test_the_initial_prompt_shows_the_files_that_the_benchmark_names(
    lending_run: LendingRun,
) -> None:
    """The benchmark names calls whose results are shown before the first step. The record of the book
    otter, which the task names, is shown, too, and that of heron, since there is room."""
    assert lending_run.initial_prompt is not None
    shown: list[object] = []
    for call in lending_run.initial_prompt.calls:
        # A call of `tree` has no path.
        shown.append(call.arguments.get("path", call.operation))

    assert sorted(shown) == [
        "/AGENTS.md",
        "/bin/lend",
        "/books/heron.json",
        "/books/otter.json",
        "tree",
    ]


def test_the_answer_that_claims_a_change_too_early_is_rejected_by_gate_6(
    lending_run: LendingRun,
) -> None:
    first_step, _ = lending_run.steps

    (rejection,) = first_step.verdicts[0].rejections
    assert rejection.gate == 6


def test_the_answer_after_the_change_cites_the_record_of_the_book(
    lending_run: LendingRun,
) -> None:
    _, second_step = lending_run.steps

    assert second_step.verdicts[0].refs == ("/books/otter.json",)
