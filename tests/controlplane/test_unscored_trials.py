"""Trials that are over and have no score for good, because their grader gave none.

    mean score 1.000 over 1 of 3 trials · 2 without a score (the score 2 is not from 0 to 1 ×2)

They stand beside each mean, and count as 0 in `--fail-under` and `compare`. A score that is only
sealed (not told yet) counts as nothing.
"""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from controlplane.journal.run_events import AllottedTrial, RunStarted
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.score_scale import RecordedScale
from tests.controlplane.comparison.command.scored_runs import scores, write_run
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.command import CommandResult, CommandRunner, run_in_process
from tests.support.run_summaries import end_trial, run_with_trials

REASON = "the score 2 is not from 0 to 1"


def ended_run(given: list[float | str | None]) -> RunSummary:
    """Return a run whose trials have these scores; a text is why there is none."""
    names = [f"t{number}" for number in range(len(given))]
    summary = run_with_trials(names, started=len(names))
    for name, score in zip(names, given, strict=True):
        if isinstance(score, str):
            end_trial(summary, name, score=None, unscored=score)
        else:
            end_trial(summary, name, score=score)
    return summary


@pytest.mark.parametrize(
    ("given", "limit_text", "reaches"),
    [
        pytest.param([0.7] * 9, "7/10", True, id="0.7, whose sum is rounded"),
        pytest.param([1.0, 1.0, 1.0, 1.0, 0.0], "4/5", True, id="four of five"),
        pytest.param([1.0, 1.0, 0.0], "6667/10000", False, id="two of three"),
        pytest.param([1.0, REASON], "1/2", True, id="one without a score"),
        pytest.param([1.0, REASON], "51/100", False, id="which counts as 0"),
        pytest.param([1.0, None], "1/1", True, id="a sealed one is not counted"),
    ],
)
def test_the_score_that_a_limit_meets_is_exact_and_counts_missing_ones(
    given: list[float | str | None], limit_text: str, reaches: bool
) -> None:
    score = ended_run(given).limited_score

    assert score is not None
    numerator, denominator = map(int, limit_text.split("/"))
    assert (score.numerator * denominator >= numerator * score.denominator) == reaches


def test_a_benchmarks_own_score_counts_no_more_than_its_trials() -> None:
    summary = ended_run([1.0, REASON])
    summary.run_score = 1.0

    assert summary.limited_score == 0.5


@pytest.mark.parametrize(
    ("scale", "counted"),
    [((0.0, 1.0), 0.0), ((-1.0, 1.0), -1.0), ((None, None), 0.0), (None, 0.0)],
)
def test_a_missing_score_counts_no_more_than_the_lowest(
    scale: RecordedScale | None, counted: float
) -> None:
    summary = RunSummary()
    trial = AllottedTrial(trial_id="t", task_id="t")
    fold_event(summary, RunStarted(run_id="r", trials=(trial,), scale=scale))
    end_trial(summary, "t", score=None, unscored="why")

    assert summary.trials["t"].counted_score == counted


def test_an_older_journal_without_a_scale_is_on_that_of_its_scores() -> None:
    assert str(ended_run([0.0, 1.0]).scale) == "from 0 to 1"
    assert str(ended_run([0.0, 85.0]).scale) == "any number"


def play(folder: Path, *options: str) -> CommandResult:
    """Play four tasks whose graders give 1, 2, 2, and a number that no float holds."""
    (folder / "graded.py").write_text(
        "from controlplane import Task, TaskList\n"
        "tasks = [Task(f't.{n}', 'Look.', grade=lambda end, given=given: given)\n"
        "         for n, given in enumerate([1, 2, 2, 10**400])]\n"
        "def open_benchmark(argument, settings, context):\n"
        "    return TaskList(tasks, citations='none').opened()\n"
    )
    (folder / "replies.toml").write_text(
        "[[reply]]\nwhen = \"\"\ncode = '''\n"
        'scratchpad["answer"], scratchpad["outcome"] = "x", "OUTCOME_OK"\n'
        "harness.answer(scratchpad, lambda sp: True)\n'''\n"
    )
    return run_in_process(
        "run",
        "--benchmark=graded",
        "--model=scripted:replies.toml",
        "--gates=none",
        *options,
        cwd=folder,
    )


def test_a_run_tells_how_many_trials_have_no_score_and_why(tmp_path: Path) -> None:
    run = play(tmp_path, "--fail-under=0.26", "--junit=r.xml")

    shown = " ".join(run.out.split())
    assert "mean score 1.000 over 1 of 4 trials · 3 without a score" in shown
    assert f"({REASON} ×2; the score 1{'0' * 39}… is no finite number)" in shown
    assert run.code == 1
    assert (
        "the mean score 0.250 is lower than 0.26: 3 trials without a score counted as 0"
        in run.err
    )
    junit = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert junit.get("errors") == "3"

    # The same is told wherever the mean is shown.
    shown_json = run_in_process("show", "last", "--json", cwd=tmp_path).json
    assert shown_json["mean_score"] == 1.0
    assert shown_json["scale"] == [0.0, 1.0]
    assert shown_json["trials_unscored"] == 3
    assert shown_json["unscored"][REASON] == 2
    assert shown_json["families"]["t"]["unscored"] == 3
    assert "1.000 (3 without)" in run_in_process("runs", cwd=tmp_path).out
    run_in_process("report", "last", "-o", "r.html", cwd=tmp_path)
    assert f"3 without a score ({REASON} ×2" in (tmp_path / "r.html").read_text()


def test_trials_below_a_score_are_also_those_without_one(tmp_path: Path) -> None:
    play(tmp_path)

    rerun = run_in_process("rerun", "last", "--below=0.5", "--json", cwd=tmp_path)

    tasks = [trial["task_id"] for trial in rerun.json["trials"]]
    assert tasks == ["t.1", "t.2", "t.3"]


def test_a_run_that_reaches_its_limit_with_missing_scores_passes(
    tmp_path: Path,
) -> None:
    assert play(tmp_path, "--fail-under=0.25").code == 0


def test_compare_counts_missing_scores_as_0_and_names_them(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    write_run(tmp_path, "before", scores(1))
    write_run(tmp_path, "after", scores(1, t3="no reward", t4="no reward"))

    printed = run_command_here("compare", "before", "after").out
    compared = run_command_here("compare", "before", "after", "--json").json
    strict = run_command_here("compare", "before", "after", "--fail-if-worse")

    assert "counted as 0 t3, t4: without a score in one of the runs" in printed
    assert "2 of its trials without a score" in printed
    assert compared["second_mean"]["mean"] == 0.75
    assert compared["second_unscored"] == 2
    assert compared["counted_as_0"] == compared["lost_scores"] == ["t3", "t4"]
    assert not compared["is_sealed"]
    assert strict.code == 1


def test_a_mean_on_another_scale_says_so_wherever_it_is_shown(tmp_path: Path) -> None:
    trials = [ReportedTrial("a.1", score=-5.0), ReportedTrial("b.1", score=1e15)]
    (tmp_path / "runs").mkdir()
    for name in ("a", "b"):
        path = tmp_path / f"runs/{name}.jsonl"
        journal_of_trials(path, trials, name=name, scale=(None, None))

    shown = run_in_process("show", "a", cwd=tmp_path).out
    compared = run_in_process("compare", "a", "b", cwd=tmp_path).out
    listed = run_in_process("runs", cwd=tmp_path).out
    run_in_process("report", "a", "b", "-o", "r.html", cwd=tmp_path)

    assert "mean score 5e+14 (scale: any number) over 2 of 2 trials" in shown
    assert "(scale: any number)" in compared
    assert "(any number)" in listed
    assert "scale: any number" in (tmp_path / "r.html").read_text()
