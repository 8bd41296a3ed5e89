"""The command `controlplane compare`: which runs it takes, what it prints, and how it ends.

    $ controlplane compare good bad --fail-if-worse
    ... the second run is worse ...                   exit code 1

A run may be named with a rerun that has played some of its trials again: `one_wrong+rerun`.
"""

import re
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import ROOT, CommandRunner, check_error_line, run_in_process
from tests.support.journals.scored_journal import Scores, scored_journal

OK = 0

ALL_RIGHT: Scores = {f"t{number}": [1.0] for number in range(8)}
ALL_WRONG: Scores = {f"t{number}": [0.0] for number in range(8)}


@pytest.fixture(autouse=True)
def runs(tmp_path: Path) -> None:
    """Write the runs that the commands compare; each has the name of its file.

    good        8 tasks, t0 to t7, one try each, all right
    bad         the same, all wrong
    one_wrong   the same, t0 wrong, the others right
    rerun       t0 alone, right: a rerun of `one_wrong`
    hidden      8 tasks, whose scores the benchmark does not tell yet
    twice       t0 and t1, two tries each; one try of t0 is wrong
    """
    folder = tmp_path / "runs"
    folder.mkdir()
    scored_journal(folder / "good.jsonl", ALL_RIGHT)
    scored_journal(folder / "bad.jsonl", ALL_WRONG)
    scored_journal(folder / "one_wrong.jsonl", {**ALL_RIGHT, "t0": [0.0]})
    scored_journal(folder / "rerun.jsonl", {"t0": [1.0]}, parent="one_wrong")
    no_scores: Scores = {task: [None] for task in ALL_RIGHT}
    scored_journal(folder / "hidden.jsonl", no_scores)
    two_tries: Scores = {"t0": [1.0, 0.0], "t1": [1.0, 1.0]}
    scored_journal(folder / "twice.jsonl", two_tries, one_world=True)


IS_WORSE = 1
"""The exit code of `compare --fail-if-worse` if the second run is not shown to be as good."""


class TestVerdicts:
    """Two runs of eight tasks are compared, and the second is better, equal, or worse.

    In `good` all tasks are right, in `bad` all are wrong, and in `one_wrong` only t0 is wrong,
    which `rerun` has played again rightly. The scores of `hidden` are not told yet. `twice` has
    two tries of two tasks; one try of t0 is wrong.
    """

    @pytest.mark.parametrize(
        ("first", "second", "verdict"),
        [
            pytest.param("bad", "good", "the second run is better", id="better"),
            pytest.param("good", "good", "no difference shown$", id="equal"),
            pytest.param(
                "good",
                "one_wrong",
                "no difference shown; fewer than 6 tasks changed; about 48 tasks would be enough$",
                id="one of eight tasks is worse",
            ),
            pytest.param(
                "good",
                "one_wrong+rerun",
                "0 better, 0 worse, 8 equal",
                id="equal with a rerun",
            ),
            pytest.param("twice", "twice", "tries differ: t0", id="tries of t0 differ"),
        ],
    )
    def test_compare_accepts_a_run_that_is_not_shown_to_be_worse(
        self, first: str, second: str, verdict: str, run_command_here: CommandRunner
    ) -> None:
        """The exit code is the same with and without `--fail-if-worse`."""
        plain = run_command_here("compare", first, second)
        strict = run_command_here("compare", first, second, "--fail-if-worse")

        assert re.search(verdict, strict.out, re.MULTILINE), strict.out
        assert strict.code == OK
        assert plain.code == OK

    @pytest.mark.parametrize(
        ("first", "second", "verdict"),
        [
            pytest.param("good", "bad", "the second run is worse", id="worse"),
            pytest.param(
                "good",
                "hidden",
                "scores are sealed: 8 of 8 pairs have the same outcome, 8 also the same answer",
                id="hidden scores",
            ),
        ],
    )
    def test_compare_fails_for_a_run_that_may_be_worse_if_it_is_told_to(
        self, first: str, second: str, verdict: str, run_command_here: CommandRunner
    ) -> None:
        """With `--fail-if-worse`, a build can fail because of it. Nothing shows that `hidden`, whose
        scores are not told, is not worse."""
        plain = run_command_here("compare", first, second)
        strict = run_command_here("compare", first, second, "--fail-if-worse")

        assert re.search(verdict, strict.out, re.MULTILINE), strict.out
        assert strict.code == IS_WORSE
        assert plain.code == OK


def documented_fields() -> set[str]:
    """Return the fields of a comparison that the reference lists in the first column of a table.

    | `first`, `second` | the names of the runs |
    """
    reference = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    _, _, after_heading = reference.partition("### Comparisons")
    section, _, _ = after_heading.partition("\n### ")
    fields: set[str] = set()
    for line in section.splitlines():
        if line.startswith("| `"):
            first_column = line.split("|")[1]
            fields.update(re.findall(r"`(\w+)`", first_column))
    return fields


class TestPrintedComparisons:
    """What a comparison prints, as text or as JSON.

    `twice` is a run of two tasks with two tries each, and one try of t0 is wrong. In `good` all of
    eight tasks are right, and in `one_wrong` t0 is wrong.
    """

    def test_compare_tells_how_many_tasks_have_a_right_try_and_only_right_tries(
        self, run_command_here: CommandRunner
    ) -> None:
        """In `twice`, both tasks have a right try (pass@2 is 1), and one has only right tries
        (pass^2 is 0.5)."""
        result = run_command_here("compare", "twice", "twice")

        assert re.search(r"pass@2 1.000 .* pass\^2 0.500", result.out), result.out

    def test_the_json_object_of_a_comparison_has_the_documented_fields(
        self, run_command_here: CommandRunner
    ) -> None:
        """The reference documents every field of `compare --json`, and no other."""
        comparison = run_command_here("compare", "good", "one_wrong", "--json").json

        assert set(comparison) == documented_fields()
        assert comparison["families"][0] == {
            "name": "t0",
            "tasks": 1,
            "first": 1.0,
            "second": 0.0,
        }


class TestRunsThatCannotBeCompared:
    """A name is wrong, a run is no rerun of another, or the results cannot be written.

    `compare good one_wrong+rerun` compares `good` with the run `one_wrong`, in which the trials that
    `rerun` has played again count with their new scores. A *rerun* records which run it belongs to,
    its parent. `bad` is a run of the same eight tasks, but has no parent.
    """

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            pytest.param(["good", "none"], "no run 'none'", id="no such run"),
            pytest.param(
                ["good", "one_wrong+bad"],
                "bad is not a rerun of one_wrong",
                id="not a rerun",
            ),
            pytest.param(
                ["good", "one_wrong+"],
                "no run 'one_wrong+'",
                id="a + without a rerun behind it",
            ),
            pytest.param(
                ["good", "bad", "--junit", "runs"],
                "cannot write runs",
                id="a folder as the file of results",
            ),
        ],
    )
    def test_runs_that_cannot_be_compared_give_an_error_of_one_line(
        self, words: list[str], message: str, run_command_here: CommandRunner
    ) -> None:
        result = run_command_here("compare", *words)

        check_error_line(result, UsageError.exit_code, message)


class TestDifferentSettings:
    """A comparison names the settings in which the two runs differ."""

    def test_hints_that_were_edited_between_two_runs_are_a_difference(
        self, tmp_path: Path
    ) -> None:
        """Both runs name the same file of hints. Its text is part of the prompts, whose hash both
        journals have recorded."""
        for name in ("before", "after"):
            (tmp_path / "hint.md").write_text(f"This is {name}.")
            run = run_in_process(
                "run",
                "calendar-date.1",
                "--hints",
                "hint.md",
                "--name",
                name,
                cwd=tmp_path,
            )
            assert run.code == OK

        comparison = run_in_process("compare", "before", "after", cwd=tmp_path)

        assert re.search(
            r"^settings prompt texts '[0-9a-f]+' → '[0-9a-f]+'$",
            comparison.out,
            re.MULTILINE,
        ), comparison.out
