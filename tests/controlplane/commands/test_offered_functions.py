"""`run` offers the model's scripts the functions of the benchmark, beside files and programs.

The shop has functions that compute what models often get wrong: `harness.tools.stock_at` tells how
many lamps a branch has in stock.
"""

from pathlib import Path

from tests.support.command import run_in_process

PRINT_THE_FUNCTIONS = """
[[reply]]
code = "print(harness.tools)"
"""


def run_script_that_prints_the_functions(folder: Path, *options: str) -> str:
    """Run a task of the shop for one step, and return what its script prints, or its error."""
    (folder / "replies.toml").write_text(PRINT_THE_FUNCTIONS)
    run_in_process(
        "run",
        "calendar-date.1",
        *("--model", "scripted:replies.toml"),
        *("--max-steps", "1"),
        *options,
        cwd=folder,
    )
    verified = run_in_process("replay", "last", "--verify", cwd=folder)
    assert verified.code == 0, verified.out

    replayed = run_in_process(
        "replay", "last", "--trial", "calendar-date.1", "--json", cwd=folder
    )
    (step,) = replayed.json["steps"]
    return f"{step['output']}{step['error']}"


def test_scripts_are_offered_the_functions_of_the_benchmark(tmp_path: Path) -> None:
    printed = run_script_that_prints_the_functions(tmp_path)

    assert printed.startswith("<harness.tools: branches_in, check_basket, ")
    assert ", stock_at, " in printed


def test_without_helpers_scripts_are_offered_no_functions(tmp_path: Path) -> None:
    """`--parts -helpers` switches this part of the solver off, to measure what it is worth."""
    printed = run_script_that_prints_the_functions(tmp_path, "--parts", "-helpers")

    assert "harness has no 'tools'; it has answer, delete, exec, find, " in printed
