"""A run says by which option the user can declare that an operation only reads.

The benchmark of words does not declare whether its operation `define` changes something.
"""

from pathlib import Path

from tests.support.command import run_in_process


def test_a_run_names_the_operations_of_which_nothing_says_that_they_only_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "replies.toml").write_text("[[reply]]\ncode = 'print(1)'\n")

    run = run_in_process(
        "run",
        "otter",
        "--benchmark=tests.controlplane.word_benchmark",
        "--set=score=1",
        "--model=scripted:replies.toml",
        cwd=tmp_path,
    )

    printed_text = " ".join(f"{run.out} {run.err}".split())
    assert "--reads define" in printed_text
