"""Which trials a run has, and what its mean scores say of trials without a score.

Tasks can be limited and repeated, also if the platform allots the trials. A benchmark that makes
other trials is refused. Means have intervals that theory confirms, and each task weighs the same.
Trials without a score are counted and named wherever a mean stands, and count as 0 for a limit.
"""

import math
import random
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from controlplane import (
    BenchmarkError,
    Description,
    ListedTask,
    PlannedTrial,
    RunRequest,
    StartedRun,
    TaskSelection,
    TaskTry,
    start_selected_run,
)
from controlplane.facts.run_facts import run_facts, score_interval
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import AllottedTrial, RunStarted
from controlplane.journal.totals.run_summary import RunSummary, fold_event
from controlplane.score_scale import RecordedScale
from controlplane.score_statistics import bootstrap_interval, mean_interval
from tests.controlplane.report.hostile_journal import ReportedTrial, journal_of_trials
from tests.controlplane.scored_runs import scores, write_run
from tests.support.command import CommandResult, CommandRunner, run_in_process
from tests.support.journals import scored_journal
from tests.support.phonebook import Phonebook
from tests.support.run_summaries import end_trial, run_with_trials

# A phone book that makes the trials of its argument, whatever it is asked for.
#
# For example:
#
#     benchmark = CarelessBenchmark([PlannedTrial("1", "ada")])
#     start_selected_run(benchmark, TaskSelection(limit=2), name="", seed=0)    raises BenchmarkError


class CarelessBenchmark(Phonebook):
    """A phone book that makes the trials of its argument, whatever it is asked for."""

    def __init__(self, trials: list[PlannedTrial]) -> None:
        super().__init__(delay_s=0.0)
        self.trials = tuple(trials)

    def start_run(self, request: RunRequest) -> StartedRun:
        return StartedRun("careless", self.trials)


# A platform allots the trials of a run by itself, and does not say which task each trial has.
#
# The platform lists four tasks. A user may ask for three of the four trials, whichever they are. A user may
# not ask for the task dates.1 or for all tasks `dates.*`, since nobody knows which trials have them.

TRIALS_WITHOUT_TASKS = [
    PlannedTrial("t0"),
    PlannedTrial("t1"),
    PlannedTrial("t2"),
    PlannedTrial("t3"),
]


class AllottingPlatform(CarelessBenchmark):
    """A platform that lists its tasks. Each of its runs has the trials with which it was made."""

    def describe(self, preview_seed: int | None = None) -> Description:
        task_ids = ("dates.1", "sums.1", "dates.2", "sums.2")
        tasks = tuple(ListedTask(task_id) for task_id in task_ids)
        return Description("platform", "", tasks, allots_trials=True)


def test_trials_that_do_not_name_their_tasks_can_be_limited() -> None:
    platform = AllottingPlatform(TRIALS_WITHOUT_TASKS)

    run = start_selected_run(platform, TaskSelection(limit=3), name="", seed=0)

    assert len(run.trials) == 3


@pytest.mark.parametrize(
    "selected_name",
    [
        pytest.param("dates.1", id="a task"),
        pytest.param("dates", id="a family: dates.1 and dates.2"),
    ],
)
def test_trials_that_do_not_name_their_tasks_cannot_be_selected_by_name(
    selected_name: str,
) -> None:
    platform = AllottingPlatform(TRIALS_WITHOUT_TASKS)
    selection = TaskSelection(names=(selected_name,))

    with pytest.raises(
        BenchmarkError, match="does not say which trial has which task"
    ) as error:
        start_selected_run(platform, selection, name="", seed=0)

    assert error.value.code == "failed_precondition"


# A benchmark that makes other trials than it was asked for is refused.
#
# It is asked for the first two tasks of a phone book, ada and grace. Otherwise answers would be counted
# for tasks that nobody asked for.

# Trials, each with its id and its task.
ADA = PlannedTrial("1", "ada")


GRACE = PlannedTrial("2", "grace")


EDSGER = PlannedTrial("3", "edsger")


GRACE_WITH_ADAS_ID = PlannedTrial("1", "grace")


@pytest.mark.parametrize(
    "trials",
    [
        pytest.param([], id="none"),
        pytest.param([ADA], id="too few"),
        pytest.param([ADA, GRACE, EDSGER], id="too many"),
        pytest.param([GRACE, ADA], id="in another order"),
        pytest.param([ADA, GRACE_WITH_ADAS_ID], id="two with one id"),
    ],
)
def test_a_benchmark_that_makes_other_trials_than_it_was_asked_for_is_refused(
    trials: list[PlannedTrial],
) -> None:
    benchmark = CarelessBenchmark(trials)

    with pytest.raises(
        BenchmarkError, match="was asked for 2 trials and made"
    ) as error:
        start_selected_run(benchmark, TaskSelection(limit=2), name="", seed=0)

    assert error.value.code == "internal"


# `run --limit 2 --repeats 3` takes the first two tasks of a benchmark, and each of them three times.
#
# The product selects tasks and repeats, so that this means the same for every benchmark. Here the
# benchmark lists the tasks a.1, b.1, a.2 and c.


def counted_tries(tries: tuple[TaskTry, ...]) -> dict[str, int]:
    """Return how often each task is tried: `{"a.1": 2, "b.1": 2}`."""
    counts: dict[str, int] = {}
    for task_try in tries:
        counts[task_try.task_id] = counts.get(task_try.task_id, 0) + 1
    return counts


@pytest.mark.parametrize(
    ("limit", "repeats", "expected_tries"),
    [
        pytest.param(1, 1, {"a.1": 1}, id="one task once"),
        pytest.param(2, 3, {"a.1": 3, "b.1": 3}, id="two tasks three times"),
        pytest.param(3, 2, {"a.1": 2, "b.1": 2, "a.2": 2}, id="three tasks twice"),
        pytest.param(
            9, 2, {"a.1": 2, "b.1": 2, "a.2": 2, "c": 2}, id="limit above all tasks"
        ),
        pytest.param(None, 2, {"a.1": 2, "b.1": 2, "a.2": 2, "c": 2}, id="no limit"),
    ],
)
def test_a_limit_counts_tasks_and_each_is_repeated(
    limit: int | None, repeats: int, expected_tries: dict[str, int]
) -> None:
    """The limit takes the first tasks. It does not count their repeats."""
    tries = TaskSelection(limit=limit, repeats=repeats).tries(
        ["a.1", "b.1", "a.2", "c"]
    )

    assert counted_tries(tries) == expected_tries


def test_repeats_of_a_task_are_numbered_and_in_the_same_world() -> None:
    """A world is the generated content of a task, such as a phone book with other names. A run
    may play a task in several worlds; repeats play it several times in one."""
    tries = TaskSelection(limit=1, repeats=3).tries(["a.1", "b.1", "a.2", "c"])

    repeat_numbers = [task_try.copy for task_try in tries]
    world_numbers = [task_try.number for task_try in tries]
    assert repeat_numbers == [0, 1, 2]
    assert world_numbers == [0, 0, 0]


# Intervals of mean scores: how far chance may have moved the mean of so few trials.
#
#     mean_interval([1.0] * 8 + [0.0] * 2) -> 0.49 to 0.94
#
# The true share of passed trials is in the interval with a probability of 95 %. Wilson's interval is
# for scores of 0 and 1, and the *bootstrap* for any values: it draws many random samples of them,
# and looks how far the means of the samples differ.


@pytest.mark.parametrize(
    ("passed", "count", "low", "high"),
    # Values from a table of Wilson's intervals.
    [(8, 10, 0.4902, 0.9433), (10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775)],
)
def test_a_share_of_passed_trials_has_wilsons_interval(
    passed: int, count: int, low: float, high: float
) -> None:
    """Wilson's interval of a share is right for few trials, and has a width even if all passed."""
    failed = count - passed
    scores = [1.0] * passed + [0.0] * failed

    interval = mean_interval(scores)

    assert interval is not None
    assert interval.low == pytest.approx(low, abs=0.00005)
    assert interval.high == pytest.approx(high, abs=0.00005)


def test_a_bootstrap_interval_is_as_wide_as_theory_says() -> None:
    """The mean of 400 normal values has the standard error deviation / sqrt(400), and its 95 %
    interval is 1.96 standard errors wide on each side."""
    deviation = 0.1
    random_numbers = random.Random(1)
    values = [random_numbers.gauss(0.5, deviation) for _ in range(400)]

    interval = bootstrap_interval(values)

    assert interval is not None
    standard_error = deviation / math.sqrt(len(values))
    width = interval.high - interval.low
    assert width == pytest.approx(2 * 1.96 * standard_error, rel=0.15)
    assert interval.low < interval.mean < interval.high


def test_a_bootstrap_interval_is_the_same_every_time() -> None:
    """It draws samples at random, always with the same seed."""
    values = [0.1, 0.4, 0.7, 2.0]

    assert bootstrap_interval(values) == bootstrap_interval(values)


def test_no_values_have_no_interval() -> None:
    """A run may have no scores yet."""
    assert bootstrap_interval([]) is None


# Trials that are over and have no score for good, because their grader gave none.
#
#     mean score 1.000 over 1 of 3 trials · 2 without a score (the score 2 is not from 0 to 1 ×2)
#
# They stand beside each mean, and count as 0 in `--fail-under` and `compare`. A score that is only
# sealed (not told yet) counts as nothing.


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
    assert f"({REASON} ×2; the score 1{'0' * 39}… is no number up to 10^15)" in shown
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


# The mean score is over the tasks, as the interval beside it is: a task that was tried more often
# weighs no more.


def test_a_family_and_its_run_have_the_same_mean_score(tmp_path: Path) -> None:
    """The run has one family, with a task of three trials and a task of one."""
    scored_journal(tmp_path / "runs/a.jsonl", {"t.1": [0.0, 0.0, 0.0], "t.2": [1.0]})

    shown = run_in_process("show", "a", "--json", cwd=tmp_path).json

    assert shown["mean_score"] == 0.5
    assert shown["families"]["t"]["mean_score"] == 0.5


def test_a_benchmarks_own_score_of_a_run_stands_without_the_interval_of_the_mean(
    tmp_path: Path,
) -> None:
    """The platform weighs trials, and its score is outside of the interval over tasks."""
    journal = scored_journal(tmp_path / "a.jsonl", {f"t{n}": [0.0] for n in range(9)})

    with open_journal(journal) as opened:
        mean = run_facts(opened.summary, journal)
        opened.summary.run_score = 0.9
        own = run_facts(opened.summary, journal)

    assert mean.interval_of_score == mean.interval
    assert own.score == 0.9
    assert own.interval is not None
    assert own.interval_of_score is None


def test_a_task_that_is_tried_more_often_weighs_no_more(tmp_path: Path) -> None:
    """Over the five trials, the mean would be 0.4."""
    journal = tmp_path / "uneven.jsonl"
    scored_journal(journal, {"t0": [0.0, 0.0, 0.0], "t1": [1.0], "t2": [1.0]})

    with open_journal(journal) as opened:
        trials = opened.summary.trials
        interval = score_interval(opened.summary)

    assert trials.mean_score == pytest.approx(2 / 3)
    assert trials.counted_mean == Fraction(2, 3)
    assert interval is not None
    assert interval.mean == pytest.approx(2 / 3)
    assert interval.low <= 2 / 3 <= interval.high


def test_the_totals_say_that_each_task_weighs_the_same(tmp_path: Path) -> None:
    write_run(tmp_path, "even", scores(1, t0=0))
    scored_journal(tmp_path / "runs/uneven.jsonl", {"t0": [0.0, 0.0], "t1": [1.0]})

    even = run_in_process("show", "even", cwd=tmp_path).out
    uneven = run_in_process("show", "uneven", cwd=tmp_path).out

    assert "mean score 0.875 over 8 of 8 trials\n" in even
    assert (
        "mean score 0.500 over 3 of 3 trials, each task weighing the same\n" in uneven
    )
