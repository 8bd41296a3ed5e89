"""How a user continues a run that stopped at a limit of its costs: by a command, or by a call.

`controlplane resume kept/20261127-one.jsonl --run-cost 4` continues the run of this journal with a
higher limit. A run that a Python program started is continued by a call in that program.
"""

from pathlib import Path

from controlplane.configuration.continuation import resume_text

JOURNAL = Path("kept/20261127-one.jsonl")


def test_a_run_of_the_command_line_is_continued_by_a_command() -> None:
    """The text names the journal, and the option with the higher limit."""
    text = resume_text(JOURNAL, "folder:tasks", ("--run-cost", "4"))

    assert text.endswith("resume kept/20261127-one.jsonl --run-cost 4")


def test_a_run_of_a_program_is_continued_by_a_call() -> None:
    """The benchmark `python:tasks` is the list of tasks that the program passed to `run`."""
    text = resume_text(JOURNAL, "python:tasks", ("--max-tokens-run", "4000"))

    assert text == (
        "controlplane.run(TASKS, resume='kept/20261127-one.jsonl', max_tokens_run=4000)"
    )
