"""The command `controlplane compare`: which runs it takes, what it prints, and how it ends.

    $ controlplane compare before after --fail-if-worse
    ... the second run is worse ...                   exit code 1

A run may be named with a rerun that has played some of its trials again: `after+rerun`.
"""

import re
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import CommandRunner, check_error_line, run_in_process
from tests.support.journals.scored_journal import Scores, scored_journal

OK = 0
IS_WORSE = 1
"""The exit code of `compare --fail-if-worse` if the second run is not shown to be as good."""

TASKS = ("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7")


def scores(score: float | None, **exceptions: float) -> Scores:
    """Return the scores of a run of eight tasks: `scores(1, t0=0)` has only t0 wrong."""
    return {task: [exceptions.get(task, score)] for task in TASKS}


def write_run(folder: Path, name: str, scores: Scores, parent: str = "") -> None:
    """Write the journal of a run with these scores; with a `parent`, it is a rerun of that run."""
    (folder / "runs").mkdir(exist_ok=True)
    scored_journal(folder / f"runs/{name}.jsonl", scores, parent=parent)


class TestVerdicts:
    """Two runs of eight tasks are compared. The exit code without `--fail-if-worse` is always 0."""

    @pytest.mark.parametrize(
        ("before", "after", "verdict", "strict_code"),
        [
            pytest.param(
                scores(0), scores(1), "the second run is better", OK, id="all are right"
            ),
            pytest.param(scores(1), scores(1), "no difference shown$", OK, id="equal"),
            pytest.param(
                scores(1),
                scores(1, t0=0),
                "no difference shown; fewer than 6 tasks changed; about 48 tasks would be enough$",
                OK,
                id="one of eight is wrong",
            ),
            pytest.param(
                scores(1),
                scores(0),
                "the second run is worse",
                IS_WORSE,
                id="all are wrong",
            ),
            # Nothing shows that a run is not worse if the benchmark tells no scores yet.
            pytest.param(
                scores(1),
                scores(None),
                "scores are sealed: 8 of 8 pairs have the same outcome, 8 also the same answer",
                IS_WORSE,
                id="hidden scores",
            ),
        ],
    )
    def test_compare_fails_if_the_second_run_may_be_worse(
        self,
        before: Scores,
        after: Scores,
        verdict: str,
        strict_code: int,
        tmp_path: Path,
        run_command_here: CommandRunner,
    ) -> None:
        write_run(tmp_path, "before", before)
        write_run(tmp_path, "after", after)

        plain = run_command_here("compare", "before", "after")
        strict = run_command_here("compare", "before", "after", "--fail-if-worse")

        assert plain.code == OK
        assert strict.code == strict_code
        assert re.search(verdict, strict.out, re.MULTILINE), strict.out

    def test_a_rerun_replaces_the_trials_that_it_has_played_again(
        self, tmp_path: Path, run_command_here: CommandRunner
    ) -> None:
        write_run(tmp_path, "before", scores(1))
        write_run(tmp_path, "after", scores(1, t0=0))
        write_run(tmp_path, "rerun", {"t0": [1.0]}, parent="after")

        plain = run_command_here("compare", "before", "after+rerun")
        strict = run_command_here("compare", "before", "after+rerun", "--fail-if-worse")

        assert plain.code == OK
        assert strict.code == OK
        assert "0 better, 0 worse, 8 equal" in strict.out


class TestSeveralTries:
    """A run has two tries of each of two tasks, and one try of t0 is wrong."""

    def test_compare_names_tasks_whose_tries_differ_and_their_pass_rates(
        self, tmp_path: Path, run_command_here: CommandRunner
    ) -> None:
        (tmp_path / "runs").mkdir()
        tries = {"t0": [1.0, 0.0], "t1": [1.0, 1.0]}
        scored_journal(tmp_path / "runs/twice.jsonl", tries, one_world=True)

        plain = run_command_here("compare", "twice", "twice")
        strict = run_command_here("compare", "twice", "twice", "--fail-if-worse")

        assert plain.code == OK
        assert strict.code == OK
        assert "tries differ: t0" in plain.out
        # pass@2: both tasks have a right try. pass^2: one of two has only right tries.
        assert re.search(r"pass@2 1.000 .* pass\^2 0.500", plain.out), plain.out


class TestRunsThatCannotBeCompared:
    """A name is wrong, a run is no rerun of another, or the results cannot be written."""

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            pytest.param(["before", "none"], "no run 'none'", id="no such run"),
            pytest.param(
                ["before", "after+before"],
                "before is not a rerun of after",
                id="not a rerun",
            ),
            pytest.param(
                ["before", "after+"],
                "no run 'after+'",
                id="a + without a rerun behind it",
            ),
            pytest.param(
                ["before", "after", "--junit", "runs"],
                "cannot write runs",
                id="a folder as the file of results",
            ),
        ],
    )
    def test_runs_that_cannot_be_compared_give_an_error_of_one_line(
        self,
        words: list[str],
        message: str,
        tmp_path: Path,
        run_command_here: CommandRunner,
    ) -> None:
        write_run(tmp_path, "before", scores(1))
        write_run(tmp_path, "after", scores(1))

        result = run_command_here("compare", *words)

        check_error_line(result, UsageError.exit_code, message)


def test_hints_that_were_edited_between_two_runs_are_a_difference(
    tmp_path: Path,
) -> None:
    """Both runs name the same file of hints. Its text is part of the prompts, whose hash both
    journals have recorded."""
    play = ("run", "calendar-date.1", "--hints", "hint.md")
    (tmp_path / "hint.md").write_text("Answer in English.")
    assert run_in_process(*play, "--name", "before", cwd=tmp_path).code == OK
    (tmp_path / "hint.md").write_text("Answer in Dutch.")
    assert run_in_process(*play, "--name", "after", cwd=tmp_path).code == OK

    comparison = run_in_process("compare", "before", "after", cwd=tmp_path)

    assert re.search(
        r"^settings prompt texts '[0-9a-f]+' → '[0-9a-f]+'$",
        comparison.out,
        re.MULTILINE,
    ), comparison.out
