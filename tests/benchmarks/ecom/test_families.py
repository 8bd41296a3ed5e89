"""The families of the shop's tasks: kinds of requests, such as the checkout of a basket.

A family generates tasks from seeds, each with the truth by which answers are graded. The tests show
that right answers score 1 and typical mistakes less, that a script with a right answer passes
the command `run`, and how many tasks a run has of each family.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.task_ids import is_task_id, task_ids
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED, WorldSettings
from tests.benchmarks.ecom.mistakes.all_mistakes import all_mistakes
from tests.benchmarks.ecom.solutions.reference_scripts import (
    reference_script,
    scripted_replies,
)
from tests.benchmarks.ecom.solutions.reference_solutions import reference_of
from tests.benchmarks.ecom.solutions.wrong_solutions import answer_with
from tests.benchmarks.ecom.variant_ids import variant_ids
from tests.benchmarks.ecom.variants import generate_variant, task_of
from tests.support.command import CommandResult, run_in_process, run_python


class TestScores:
    """Right answers score 1, and typical mistakes less, in every variant of a family.

    A variant is one case of a family, such as `basket-checkout: one line is short`. A right answer
    is made from the truth of a task, by which the grader scores it.
    """

    @pytest.mark.parametrize("variant_id", variant_ids())
    def test_a_right_answer_scores_one(self, variant_id: str) -> None:
        task = generate_variant(variant_id, seed="0")
        environment = EcomEnvironment(workspace_of(task.world))

        answer_with(reference_of(task.truth.family), environment, task.truth)

        reference_grade = grade(task.truth, environment)
        assert reference_grade.score == 1.0, (task.instruction, reference_grade.details)
        # The details are faults; those of a plan of deliveries say how good it is.
        if not task.truth.measure:
            assert not reference_grade.details

    @pytest.mark.parametrize("variant_id", variant_ids())
    def test_every_mistake_scores_less_and_is_explained(self, variant_id: str) -> None:
        """A mistake is a wrong answer, such as one that cites too little or changes too much."""
        task = generate_variant(variant_id, seed="0")
        workspace = workspace_of(task.world)

        # The mistakes by their names: {"another outcome": a wrong solution, ...}
        mistakes = all_mistakes(task.truth)

        least_count = 6  # Every family allows at least so many.
        assert len(mistakes) >= least_count, mistakes.keys()
        for name, mistake in mistakes.items():
            environment = EcomEnvironment(workspace)
            answer_with(mistake, environment, task.truth)
            mistake_grade = grade(task.truth, environment)
            assert mistake_grade.score < 1.0, (name, environment.submission)
            assert mistake_grade.details, name


def trial_id_in_run(task_id: str, *, seed: int, profile: str = "prod") -> str:
    """Return the id of a trial in a run with this seed: `sku-lookup.3-r0-s1-prod-00000000`."""
    trial_id = TrialId(task_id, repeat=0, seed=seed, profile=profile, token="00000000")
    return str(trial_id)


def run_tasks(
    tasks: list[str], *, script: Path, seed: int, setting: str = ""
) -> CommandResult:
    """Run tasks in the folder of `script`, a file with the replies of a scripted model."""
    options = ["--model", f"scripted:{script}", "--seed", str(seed), "--json"]
    if setting:
        options += ["--set", setting]
    return run_in_process("run", *tasks, *options, cwd=script.parent)


def tasks_of_the_short_run() -> list[str]:
    """Return twelve tasks of different kinds: `["archive-fraud.1", "calendar-date.1", ...]`.

    A run begins with one task of each family. Every third of them is taken, to save time.
    """
    first_tasks = task_ids()[: len(FAMILIES)]
    return list(first_tasks[::3])


def tasks_with_different_requests(
    candidates: list[str], settings: WorldSettings
) -> list[str]:
    """Return the tasks without those whose request is the same as that of an earlier one.

    The scripted model chooses its reply by the request, so each request may come only once.
    """
    task_of_request: dict[str, str] = {}
    for task_id in candidates:
        request = task_of(trial_id_in_run(task_id, seed=1), settings).instruction
        task_of_request.setdefault(request, task_id)
    return list(task_of_request.values())


class TestRunOfReferenceScripts:
    """A run in which each task is solved by a right script scores 1.

    A model solves a task by a script, such as `harness.read(path="/docs/stock.md")`, which the
    sandbox executes. Here the model is scripted: it takes its scripts from a file.
    """

    def test_a_run_of_reference_scripts_scores_one(
        self, tmp_path: Path, heavy: bool
    ) -> None:
        """No check stops a right answer, or a right call more than once.

        1. Each task is solved here, and the calls for it are written as a script into a file.
        2. A run of the same tasks reads its scripts from this file.

        `heavy` is True in the long variant of the test suite, which plays all tasks.
        """
        if heavy:
            candidates = list(task_ids())
        else:
            candidates = tasks_of_the_short_run()
        # The run below gets the same setting, and so the same requests.
        settings = WorldSettings(wordings="known")
        played_tasks = tasks_with_different_requests(candidates, settings)
        trial_ids = [trial_id_in_run(task_id, seed=1) for task_id in played_tasks]
        script = tmp_path / "references.toml"
        script.write_text(scripted_replies(trial_ids, settings), encoding="utf-8")

        run = run_tasks(played_tasks, script=script, seed=1, setting="wordings=known")

        assert run.code == 0, run.err
        failed_trials = [trial for trial in run.json["trials"] if trial["score"] < 1.0]
        assert failed_trials == []


def write_script(path: Path, code: str) -> None:
    """Write the file of a scripted model that gives this code in each reply."""
    path.write_text(f"[[reply]]\ncode = '''\n{code}\n'''\n", encoding="utf-8")


class TestRunsOfWrongScripts:
    """What is wrong with a script is told to the model before its answer is submitted.

    The scripted model repeats its script, and so never gets better.
    """

    def test_an_answer_that_claims_a_change_but_makes_none_is_sent_back(
        self, tmp_path: Path
    ) -> None:
        """The script is right, except that it does not run the checkout that its answer claims.

        The answer is rejected before it is submitted, so that the model could still run the tool.
        """
        _request, right_script = reference_script(
            trial_id_in_run("basket-checkout.1", seed=3)
        )
        lines = right_script.splitlines()
        (checkout,) = [
            line
            for line in lines
            if line.startswith("harness.exec(path='/bin/checkout'")
        ]
        lines.remove(checkout)
        script = tmp_path / "claim.toml"
        write_script(script, "\n".join(lines))

        run = run_tasks(["basket-checkout.1"], script=script, seed=3)

        assert run.code == 0
        assert run.json["rejections"]
        assert run.json["score"] == 0.0

    def test_a_cut_read_tells_the_model_how_to_get_the_rest(
        self, tmp_path: Path
    ) -> None:
        """In the profile `hard`, the file of a branch is longer than one call returns.

        1. A script reads the file, of which it gets the beginning.
        2. The next message to the model, in the journal of the run, says how to read the rest.
        """
        hard = replace(PLAYED, profile="hard")
        trial_id = trial_id_in_run("staff-count.1", seed=3, profile="hard")
        world = task_of(trial_id, hard).world
        first_store, *_ = world.stores.values()
        path = world.path(first_store)
        script = tmp_path / "cut.toml"
        write_script(script, f"print(harness.read({path!r}).truncated)")

        run = run_tasks(
            ["staff-count.1"], script=script, seed=3, setting="profile=hard"
        )

        assert run.code == 0
        (journal,) = (tmp_path / "runs").glob("*.jsonl")
        assert (
            f"{path} goes on: harness.tools.read_all(path) gives the rest."
            in journal.read_text(encoding="utf-8")
        )


class TestTaskIds:
    """A task's id has the name of its family and a number from 1 on: `archive-fraud.2`.

    A family is a kind of tasks. By its id and a seed, a task is generated again and again.
    """

    def test_a_default_run_has_a_hundred_tasks_in_the_shares_of_the_families(
        self,
    ) -> None:
        """Each family declares how many tasks it has in a default run; some have none.

        A task's id begins with its family: `archive-fraud.2`.
        """
        families_of_tasks = [task_id.rpartition(".")[0] for task_id in task_ids()]
        expected_counts = {}
        for name, family in FAMILIES.items():
            if family.task_count > 0:
                expected_counts[name] = family.task_count

        assert len(task_ids()) == 100
        assert len(set(task_ids())) == 100
        assert Counter(families_of_tasks) == expected_counts

    def test_families_are_listed_by_name(self) -> None:
        """The order of the families decides that of the tasks in a run."""
        assert list(FAMILIES) == sorted(FAMILIES)

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("", id="empty"),
            pytest.param("sku-lookup", id="without a number"),
            pytest.param("sku-lookup.0", id="number 0"),
            pytest.param("sku-lookup.01", id="leading zero"),
            pytest.param("sku-lookup.10000", id="more than four digits"),
            pytest.param("nothing.1", id="unknown family"),
        ],
    )
    def test_no_task_is_generated_for_a_text_that_is_no_task_id(
        self, text: str
    ) -> None:
        """An id has the name of a family and a number from 1 on: `sku-lookup.3`."""
        assert not is_task_id(text)
        with pytest.raises(KeyError):
            generate_task(text, "0")


class TestImports:
    """A script that breaks out of its sandbox finds no right answers in its process."""

    def test_nothing_that_knows_a_truth_is_loaded_with_the_environment(self) -> None:
        """The process that serves a script imports the environment, and no truth of a task."""
        program = (
            "import json, sys, controlplane.benchmarks.ecom.shop_environment\n"
            "print(json.dumps(sorted(sys.modules)))\n"
        )

        loaded_modules = run_python("-c", program).json

        # The parts of the benchmark that generate right answers, or hold them
        for part in ("tasks", "solutions", "ecom_benchmark", "world"):
            package = f"controlplane.benchmarks.ecom.{part}"
            for module in loaded_modules:
                assert module != package
                assert not module.startswith(f"{package}.")
