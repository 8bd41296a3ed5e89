"""`judge` shows what other gates or another grader would have made of recorded answers.

Gates are checks of a submitted answer, which may send it back to the model. `judge last --gates
none` runs the recorded scripts again with other gates, and prints which right and wrong answers
these would have stopped. `judge last --grader` grades the recorded answers again.
"""

import re
import shutil
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.benchmarks.ecom.tasks.grader import Grade, grade
from controlplane.errors import JournalDamaged, UsageError
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import RunOpened
from tests.support.command import (
    ROOT,
    CommandRunner,
    check_error_line,
    run_controlplane,
    run_in_process,
)
from tests.support.recorded_run import RecordedRun
from tests.support.scored_journal import read_events
from tests.support.strict_rule_set import NAME as STRICT_RULE_SET

SAMPLE_JOURNAL = ROOT / "runs/sample.jsonl"
"""A journal in the repository: one trial of three steps, calendar-date.1."""
RUN_OF_TWO_ANSWERS = (
    "run",
    "calendar-date.1",
    "--model",
    f"scripted:{ROOT}/docs/examples/rejection.toml",
    "--json",
)
"""A trial whose model first submits the wrong answer "In a week it is 24-11-2027.", which cites
a file that it has not read, and then the right answer "24-11-2027"."""


@pytest.fixture(scope="module")
def runs_of_two_answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the journals of two runs with the same replies.

    gated.jsonl: gate 4 (citations were read) rejected the first answer; the second has score 1.
    free.jsonl: without gates the first answer was sent, which ended the trial; it has score 0.
    """
    folder = tmp_path_factory.mktemp("judged")
    runs = folder / "runs"
    runs.mkdir()

    gated = run_in_process(*RUN_OF_TWO_ANSWERS, cwd=folder)
    (folder / gated.json["journal"]).rename(runs / "gated.jsonl")

    no_gates = ("--gates", "none", "--rule-sets", "none")
    free = run_in_process(*RUN_OF_TWO_ANSWERS, *no_gates, cwd=folder)
    (folder / free.json["journal"]).rename(runs / "free.jsonl")
    return runs


SHOP_RULE_SET = "controlplane.benchmarks.shop.rule_set:RULE_SET"
"""The rules that the runs were judged by, beside the eight gates."""


@pytest.mark.parametrize(
    ("journal", "options", "expected_effects"),
    [
        pytest.param(
            "free.jsonl",
            (),
            [("stopped", 0.0)],
            id="all gates reject the answer that was sent without gates",
        ),
        pytest.param(
            "free.jsonl",
            ("--gates", "none"),
            [("as before", 0.0)],
            id="no gates, as in the run",
        ),
        pytest.param(
            "gated.jsonl",
            ("--rule-sets", STRICT_RULE_SET),
            [("other verdicts", None), ("stopped", 1.0)],
            id="a rule against both answers",
        ),
        pytest.param(
            "gated.jsonl",
            ("--gates", "none", "--rule-sets", STRICT_RULE_SET),
            [("other verdicts", None), ("stopped", 1.0)],
            id="a rule against both answers, without gates",
        ),
        pytest.param(
            "gated.jsonl",
            ("--gates", "2", "--rule-sets", SHOP_RULE_SET),
            [("let through", None), ("as before", 1.0)],
            id="gate 2 alone, and not gate 4, which rejected the first answer",
        ),
    ],
)
def test_judge_reports_the_effect_of_other_gates_on_each_answer(
    journal: str,
    options: tuple[str, ...],
    expected_effects: list[tuple[str, float | None]],
    runs_of_two_answers: Path,
    run_command_here: CommandRunner,
) -> None:
    """The journals have these answers; one that was rejected has no score, or None:

    free.jsonl    "In a week it is 24-11-2027."   accepted without gates   score 0
    gated.jsonl   "In a week it is 24-11-2027."   rejected by gate 4       no score
                  "24-11-2027"                    accepted                 score 1

    "stopped": the other gates reject what was accepted. "let through": they accept what was
    rejected. "other verdicts": it is rejected as before, but not by the same gates.
    `STRICT_RULE_SET` has one rule, no-2027, which rejects every answer with a date in 2027.
    """
    path = runs_of_two_answers / journal

    judged = run_command_here("judge", str(path), "--json", *options)

    effects = []
    for submission in judged.json["submissions"]:
        effects.append((submission["effect"], submission["score"]))
    assert effects == expected_effects


def test_judge_sums_up_a_folder_by_right_and_wrong_answers(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The rule no-2027 rejects all three answers of the two journals. Two of them were accepted.

    The table has a row for each rule: it rejects one answer that is right and one that is wrong.
    """
    judged = run_command_here(
        "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET
    )

    summary = "3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)"
    assert summary in judged.out
    rows = [line.split() for line in judged.out.splitlines()]
    # The columns are: stops right, stops wrong, stops unscored, no longer rejects.
    assert ["strict/no-2027", "1", "1", "0", "0"] in rows


def test_judge_sums_up_a_folder_as_json(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The rule no-2027 would have stopped one right answer and one wrong one."""
    judged = run_command_here(
        "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET, "--json"
    )

    (rule,) = [
        gate for gate in judged.json["gates"] if gate["name"] == "strict/no-2027"
    ]
    assert rule["stops_right"] == 1
    assert rule["stops_wrong"] == 1


def test_judge_names_a_damaged_journal_of_a_folder_and_judges_the_others(
    runs_of_two_answers: Path, tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """A changed line no longer fits the hash that the next line has of it."""
    folder = tmp_path / "mixed"
    shutil.copytree(runs_of_two_answers, folder)
    damaged_journal = folder / "free.jsonl"
    content = damaged_journal.read_bytes()
    damaged_journal.write_bytes(content.replace(b"In a week", b"In a wxxk"))

    judged_folder = run_command_here("judge", str(folder))
    judged_journal = run_command_here("judge", str(damaged_journal))

    assert judged_folder.code == JournalDamaged.exit_code
    assert "left out: " in judged_folder.err
    assert "2 as before" in judged_folder.out  # The two answers of gated.jsonl.
    assert judged_journal.code == JournalDamaged.exit_code


@pytest.fixture(scope="module")
def shop_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run with two tasks of the shop: a refund, which changes
    files, and the look-up of a date, which does not."""
    folder = tmp_path_factory.mktemp("shop")
    tasks = ("refund-approval.1", "calendar-date.1")
    options = ("--model", "baseline", "--set", "wordings=known", "--json")
    run = run_controlplane("run", *tasks, *options, cwd=folder)
    return folder / run.json["journal"]


def test_the_same_grader_gives_the_same_scores(
    shop_journal: Path, run_command_here: CommandRunner
) -> None:
    """The recorded calls are made again, so that the grader sees the changed files."""
    recorded_calls = []
    for trial in open_journal(shop_journal).trials.values():
        for step in trial.record.step_summaries:
            recorded_calls += step.calls
    assert recorded_calls, "the refund made no call, so this test shows nothing"

    printed = run_command_here("judge", "--grader", str(shop_journal))
    judged = run_command_here("judge", "--grader", str(shop_journal), "--json")

    assert "2 trials graded again, 0 changed" in printed.out
    assert len(judged.json["trials"]) == 2
    for trial in judged.json["trials"]:
        assert trial["after"] == trial["before"]
        assert trial["problem"] == ""


def test_another_grader_gives_other_scores_to_the_same_answers(
    shop_journal: Path,
    run_command_here: CommandRunner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The shop's grader is replaced by one that gives the first answer the score 0.25.

    The journal has two answers, and keeps its scores.
    """
    graded_answers: list[object] = []

    def stricter_grade(truth: object, environment: object) -> Grade:
        graded_answers.append(truth)
        if len(graded_answers) == 1:
            return Grade(0.25, ("too short",))
        return grade(truth, environment)

    monkeypatch.setattr(ecom_benchmark, "grade", stricter_grade)
    journal_before = shop_journal.read_bytes()

    judged = run_command_here("judge", "--grader", str(shop_journal))

    assert "1 changed" in judged.out
    assert "too short" in judged.out
    assert re.search(r"mean score \d\.\d+ before, \d\.\d+ after", judged.out)
    assert shop_journal.read_bytes() == journal_before


def test_a_benchmark_that_cannot_rebuild_its_trials_cannot_be_graded_again(
    recorded: RecordedRun, run_command_here: CommandRunner
) -> None:
    """The benchmark of the run "first" cannot make the data of a trial as they were at its end."""
    refused = run_command_here("judge", "--grader", str(recorded.journal))

    check_error_line(refused, UsageError.exit_code, "cannot rebuild the end state")


def copy_with_other_version_of_worlds(source: Path, folder: Path) -> Path:
    """Copy a journal as if its tasks had been played in another version of the worlds.

    The versions of all parts are in the event that opens the run.
    """
    copy = folder / "other-worlds.jsonl"
    with JournalWriter(copy, create=True) as journal:
        for event in read_events(source):
            if isinstance(event, RunOpened):
                versions = event.versions.model_copy(update={"world": "another"})
                event = event.model_copy(update={"versions": versions})
            journal.write(event)
    return copy


def test_a_run_in_another_version_of_the_worlds_cannot_be_graded_again(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """`--trust` says that the journal, which has been changed, is to be taken as one's own."""
    journal = copy_with_other_version_of_worlds(SAMPLE_JOURNAL, tmp_path)
    refused = run_command_here("judge", "--grader", str(journal), "--trust")

    check_error_line(refused, UsageError.exit_code, "cannot be graded again")
