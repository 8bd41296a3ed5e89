"""How a recorded run is continued, and the higher limit with which it is."""

from pathlib import Path

from controlplane.configuration.continuation import resume_text

JOURNAL = Path("kept/20261127-one.jsonl")


def test_a_run_of_a_named_benchmark_is_continued_by_a_command() -> None:
    text = resume_text(JOURNAL, "folder:tasks", ("--run-cost", "4"))
    assert text.endswith("resume kept/20261127-one.jsonl --run-cost 4")


def test_a_run_of_a_program_is_continued_by_its_program() -> None:
    text = resume_text(JOURNAL, "python:tasks", ("--max-tokens-run", "4000"))
    expected = (
        "controlplane.run(TASKS, resume='kept/20261127-one.jsonl', max_tokens_run=4000)"
    )

    assert text == expected
