"""`run` plays tasks of a benchmark; `rerun`, `fork` and `sweep` play them again.

`run calendar-date.1` lets a model solve a task in a simulated world, its trial, and records each
step in a journal. `rerun last --below 1` plays the failed tasks again, `fork last --step 3` goes
on with a recorded trial at that step, and `sweep s.toml` plays the same tasks under several
settings and compares the scores.
"""

import json
import os
import random
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controlplane import open_journal
from controlplane.agent.events import varying_fields
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmarks.ecom.player import FAMILIES_WITH_RULES
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.sweep.sweep_runs import read_sweep
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
    run_python,
)

BENCHMARK_THAT_PRINTS_IMPORTS = """
import sys

from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark

SLOW_LIBRARIES = {"openai", "httpx2", "rich", "RestrictedPython"}


class ImportPrinter(EcomBenchmark):
    def start_run(self, request):
        print("imported:", *(SLOW_LIBRARIES & set(sys.modules)))
        return super().start_run(request)


def open_benchmark(argument, settings, context):
    return ImportPrinter()
"""
"""The module of a benchmark that prints, when a run starts, which slow libraries are imported."""


def test_a_run_without_a_model_starts_without_importing_slow_libraries(
    tmp_path: Path,
) -> None:
    """Clients for models, for example, take long to import, and are not needed here."""
    (tmp_path / "printer.py").write_text(BENCHMARK_THAT_PRINTS_IMPORTS)
    command = ("run", "calendar-date.1", "--benchmark", "printer")
    # In a process of its own, as the libraries are imported in that of the tests.
    run = run_python("-m", "controlplane", *command, cwd=tmp_path)

    assert run.code == 0, run.err
    no_library_is_named = "imported:\n"
    assert run.out.startswith(no_library_is_named)


def test_a_run_without_a_model_plays_the_tasks_that_its_rules_can_solve(
    tmp_path: Path,
) -> None:
    """The benchmark brings a player, a program without a model that solves some kinds of tasks
    by rules. The run says so, and how to name a model."""
    run = run_in_process("run", "--limit", "12", cwd=tmp_path)

    assert run.code == 0, run.err
    assert "has rules for 34 of 100 tasks" in run.out
    assert "run --model NAME" in " ".join(run.out.split())
    assert "mean score" in run.out
    (path,) = (tmp_path / "runs").glob("*.jsonl")
    with open_journal(path) as journal:
        trials = [trial.summary for trial in journal.trials.values()]
    for trial in trials:
        family, _, _ = trial.task_id.rpartition(".")
        assert family in FAMILIES_WITH_RULES
        assert "Error" not in trial.answer
        assert "out of range" not in trial.answer


@pytest.mark.parametrize("name", ["stock-count", "sku-lookup.3", "stock-count.4"])
def test_a_named_task_without_rules_is_refused_with_the_command_for_a_model(
    tmp_path: Path, name: str
) -> None:
    """The player by rules would fail at these tasks, and the score would mean nothing."""
    refused = run_in_process("run", name, cwd=tmp_path)

    assert refused.code == UsageError.exit_code
    assert f"run {name} --model NAME" in refused.err
    assert not list(tmp_path.glob("runs/*.jsonl"))


def test_the_player_by_rules_plays_any_task_if_it_is_named_as_the_model(
    tmp_path: Path,
) -> None:
    """Its name is "baseline". It has no rules for stock-count, so its answer is wrong."""
    run = run_in_process(
        "run", "stock-count.2", "--model", "baseline", "--json", cwd=tmp_path
    )

    assert run.code == 0, run.err
    answer = run.json["trials"][0]["answer"]
    assert "out of range" not in answer
    assert "There is no open basket of yours." in answer


def test_the_platform_is_asked_while_the_client_for_models_is_being_imported(
    tmp_path: Path,
) -> None:
    """The benchmark is a server, the platform, and the first request to it takes a while.

    A module "openai" that takes a minute to import replaces the client for models. The
    platform gets its first request before that minute is over.
    """
    (tmp_path / "openai.py").write_text("import time; time.sleep(60)")
    words = ("run", "--benchmark", "bitgn:x", "--model", "m", "--rule-sets", "none")
    with socket.create_server(("127.0.0.1", 0)) as platform:
        _, port = platform.getsockname()
        variables = {
            "BITGN_HOST": f"http://127.0.0.1:{port}",
            "BITGN_API_KEY": "k",
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": f"{tmp_path}:{ROOT}",
        }
        run = subprocess.Popen(
            [sys.executable, "-m", "controlplane", *words, "--quiet"],
            cwd=tmp_path,
            env=os.environ | variables,
        )
        try:
            platform.settimeout(30)  # less than the import takes
            connection, _ = platform.accept()
            with connection:
                assert b"/GetBenchmark" in connection.recv(4096)
        finally:
            run.kill()
            run.wait()


FAILED_TASKS = ["seat-005", "seat-010", "seat-015", "seat-020", "seat-025"]
"""The tasks with score 0 in the run "first", which the fixture `recorded` plays."""


@pytest.fixture
def first_run(recorded: tuple[Path, CommandResult], tmp_path: Path) -> Path:
    """The journal of the run "first" of 25 tasks, copied to the working folder."""
    recorded_folder, _ = recorded
    shutil.copytree(recorded_folder / "runs", tmp_path / "runs")
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    return journal


@pytest.mark.parametrize(
    ("flags", "expected_tasks"),
    [
        pytest.param(("--below", "1"), FAILED_TASKS, id="a score below 1"),
        pytest.param(
            ("--trials", "seat-003", "--trials", "seat-005-t4"),
            ["seat-003", "seat-005"],
            id="by the names of a task and of a trial",
        ),
        pytest.param(
            # No trial has failed to end, so --failed adds nothing.
            ("--below", "1", "--failed", "--trials", "seat-001"),
            ["seat-001", *FAILED_TASKS],
            id="what any of three options selects",
        ),
    ],
)
def test_a_rerun_plays_the_selected_tasks_and_names_its_parent(
    flags: tuple[str, ...],
    expected_tasks: list[str],
    run_command_here: CommandRunner,
    first_run: Path,
) -> None:
    """The parent is the run that is repeated; its journal's first event names it."""
    rerun = run_command_here("rerun", "first", *flags, "--name", "again", "--json").json

    assert [trial["task_id"] for trial in rerun["trials"]] == expected_tasks
    opened = open_journal(Path(rerun["journal"])).opened
    assert opened.name == "again"
    assert opened.parent is not None
    assert opened.parent.run == first_run.stem
    assert opened.parent.how == "rerun"
    assert run_command_here("replay", "again", "--verify").code == 0


def test_a_run_and_its_rerun_can_be_compared_as_one_run(
    run_command_here: CommandRunner, first_run: Path
) -> None:
    """`compare` joins runs with a plus sign; together they have all 25 tasks of the first."""
    run_command_here("rerun", "first", "--below", "1", "--name", "again")

    both_runs = f"{first_run.stem}+again"
    comparison = run_command_here("compare", "first", both_runs, "--json").json
    assert len(comparison["tasks"]) == 25
    assert comparison["unpaired"] == []


@pytest.mark.parametrize(
    ("flags", "message_part"),
    [
        pytest.param(("--failed",), "list them with: ", id="no trial failed to end"),
        pytest.param(
            ("--trials", "seat-999"), "no trial 'seat-999'", id="no such trial"
        ),
        pytest.param(
            ("--base-url", "ftp://x"), "--base-url", id="a wrong address of the model"
        ),
    ],
)
def test_a_rerun_that_cannot_be_played_is_refused_and_leaves_no_journal(
    flags: tuple[str, ...],
    message_part: str,
    run_command_here: CommandRunner,
    first_run: Path,
) -> None:
    """The run "first" is over: all 25 trials have ended, five with a wrong answer."""
    refused = run_command_here("rerun", "first", *flags)

    check_error_line(refused, UsageError.exit_code, message_part)
    assert list(first_run.parent.glob("*.jsonl")) == [first_run]


LONG_SCRIPT = ROOT / "tests/support/long_trial.toml"
"""A trial of seven steps: chance, writes, deletions, an error and three submissions."""
SHORT_TASKS = ("basket-checkout.1", "basket-checkout.2", "calendar-date.1")
STEP_FIELDS = {
    "step",
    "reply",
    "code",
    "output",
    "error",
    "ending",
    "scratchpad",
    "verdicts",
    "citations",
    "feedback",
    "refunded",
}
"""The fields of a step that a fork has to repeat; the others are its ids, times and costs."""


def repeatable_content(trial: RecordedTrial) -> list[Any]:
    """Return what a trial did and said, without its ids, times and costs."""
    record = trial.record
    varying = varying_fields()

    initial_prompt = ""
    if record.initial_prompt:
        prompt_fields = {"system", "first_message", "rules"}
        initial_prompt = record.initial_prompt.model_dump_json(include=prompt_fields)
    steps = []
    for step in record.step_summaries:
        content = [step.model_dump_json(include=STEP_FIELDS)]
        for call in step.calls:
            content.append(call.model_dump_json(exclude=varying))
        steps.append(content)
    answer = ""
    if record.answer:
        answer = record.answer.model_dump_json(exclude=varying | {"trial_id"})
    return [initial_prompt, steps, answer, trial.score, trial.summary.details]


def model_with_replies_of(trial: RecordedTrial, folder: Path) -> str:
    """Write a trial's replies as a script, and return the name of the model that gives them."""
    path = folder / "replies.toml"
    replies = []
    for step in trial.steps:
        text = json.dumps(step.reply, ensure_ascii=False)
        replies.append(f"[[reply]]\ntext = {text}\n")
    path.write_text("".join(replies), encoding="utf-8")
    return f"scripted:{path}"


def trials_of(result: CommandResult) -> list[RecordedTrial]:
    """Return the trials in the journal that a command with `--json` names."""
    return list(open_journal(Path(result.json["journal"])).trials.values())


def only_trial(result: CommandResult) -> RecordedTrial:
    (trial,) = trials_of(result)
    return trial


def check_fork_equals(
    trial: RecordedTrial, *, step: int, folder: Path, run_command_here: CommandRunner
) -> None:
    """Fork a trial at a step with the replies it had, and assert that it goes the same way."""
    model = model_with_replies_of(trial, folder)
    place = ("--trial", trial.trial_id, "--step", str(step))
    forked = run_command_here(
        "fork", str(trial.journal.path), *place, "--model", model, "--json"
    )

    assert forked.code == 0, forked.err
    forked_content = repeatable_content(only_trial(forked))
    assert forked_content == repeatable_content(trial), (trial.trial_id, step)
    parent = open_journal(Path(forked.json["journal"])).opened.parent
    assert parent is not None
    assert parent.run == trial.journal.run
    assert parent.how == "fork"
    assert parent.trial_id == trial.trial_id
    assert parent.step == step


def test_forks_with_the_same_replies_equal_the_original(
    run_command_here: CommandRunner, tmp_path: Path, heavy: bool
) -> None:
    """A fork repeats the steps before its own from the record, and rebuilds the world from the
    recorded calls. Then the model goes on, here with the replies that it gave the first time.

    The long trial is forked, and every second time any trial, at random steps.
    """
    random_choices = random.Random(7)
    forks = 50 if heavy else 2
    seeds_of_short_tasks = 6 if heavy else 0

    long_run = run_command_here(
        "run", "calendar-date.1", "--model", f"scripted:{LONG_SCRIPT}", "--json"
    )
    long_trial = only_trial(long_run)
    assert long_trial.summary.state == "answered"
    # Gates judge its submissions in steps 3, 6 and 7.
    verdict_counts = [len(step.verdicts) for step in long_trial.steps]
    assert verdict_counts == [0, 0, 1, 0, 0, 1, 1]
    assert set(long_trial.summary.overridden) == {"6/wording"}

    all_trials = [long_trial]
    for seed in range(seeds_of_short_tasks):
        short_run = run_command_here("run", *SHORT_TASKS, "--seed", str(seed), "--json")
        all_trials += trials_of(short_run)

    for number in range(forks):
        trial = long_trial
        if number % 2 == 1:
            trial = random_choices.choice(all_trials)
        step = random_choices.randint(1, len(trial.steps))
        check_fork_equals(
            trial, step=step, folder=tmp_path, run_command_here=run_command_here
        )
        if number == 0 or heavy:
            assert run_command_here("replay", "last", "--verify").code == 0


REJECTION_SCRIPT = ROOT / "docs/examples/rejection.toml"
"""Three steps: it looks at the clock, gives an answer that a gate rejects, and a right one."""


@pytest.fixture(scope="module")
def runs_of_rejection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `runs` with the run "first", whose one trial plays `REJECTION_SCRIPT`."""
    folder = tmp_path_factory.mktemp("played")
    model = ("--model", f"scripted:{REJECTION_SCRIPT}")
    run = run_in_process(
        "run", "calendar-date.1", *model, "--name", "first", cwd=folder
    )
    assert run.code == 0
    return folder / "runs"


@pytest.fixture
def original(
    runs_of_rejection: Path, tmp_path: Path, run_command_here: CommandRunner
) -> RecordedTrial:
    """The trial of the run "first", in a copy of its journal in the working folder."""
    shutil.copytree(runs_of_rejection, tmp_path / "runs")
    (path,) = Path("runs").glob("*.jsonl")
    (trial,) = open_journal(path).trials.values()
    return trial


def fork_of_first(step: int) -> tuple[str, ...]:
    """Return the words of a command that forks the trial of the run "first" at a step."""
    return ("fork", "first", "--trial", "calendar", "--step", str(step))


def test_a_fork_with_repeats_prints_how_often_the_trial_succeeds_now(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    """The interval behind the share is that of 95 %, by the method of Wilson."""
    forked = run_command_here(*fork_of_first(3), "--repeats", "3")

    success_rate = "which scored 1.00: 3 of 3 tries right now, 1.000 [0.439, 1.000]"
    assert success_rate in forked.out


def test_a_fork_with_another_model_prints_its_success_and_its_parent_as_json(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    """The other model's replies do not solve the task, which had the score 1 before."""
    forked = run_command_here(
        *fork_of_first(2), "--model", f"scripted:{LONG_SCRIPT}", "--json"
    )

    assert forked.json["success"]["mean"] == 0.0
    assert forked.json["parent"] == {
        "run": original.journal.run,
        "trial": original.trial_id,
        "step": 2,
        "score": 1.0,
    }
    assert run_command_here("show", "last").code == 0


def test_a_fork_can_be_neither_rerun_nor_forked(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    """Its trials begin in the middle of another run's trial, which is to be forked instead."""
    run_command_here(*fork_of_first(2), "--model", f"scripted:{LONG_SCRIPT}", "--json")

    rerun = run_command_here("rerun", "last")
    forked_again = run_command_here("fork", "last", "--trial", "cal", "--step", "1")

    check_error_line(rerun, UsageError.exit_code, "is a fork")
    check_error_line(forked_again, UsageError.exit_code, "is a fork")


def cached_replies(record: TrialRecord) -> list[bool]:
    """Return for each reply whether it comes from the parent's record, as in `[True, False]`.

    The model was not asked for it, and its cost is not counted again.
    """
    cached = []
    for step in record.all_steps.whole:
        for reply in step.replies:
            cached.append(reply.cached)
    return cached


NOTE = "Answer with the date alone."
"""A text of the user that a fork shows to the model, to see what it changes."""


def test_a_note_at_step_1_is_added_to_the_first_message(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    """All three replies are new ones: the model may reply otherwise to another first message."""
    forked = run_command_here(*fork_of_first(1), "--note", NOTE, "--json")
    record = only_trial(forked).record

    assert record.initial_prompt is not None
    assert record.initial_prompt.first_message[-1].endswith(NOTE)
    assert cached_replies(record) == [False, False, False]


def test_a_note_at_a_later_step_is_added_to_the_feedback_before_it(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    """Feedback is what the model is told after a step. Two replies are those of the record."""
    forked = run_command_here(*fork_of_first(3), "--note", NOTE, "--json")
    record = only_trial(forked).record

    assert record.initial_prompt is not None
    feedback_after_step_2 = record.step_summaries[1].feedback
    assert feedback_after_step_2[-1].endswith(NOTE)
    assert cached_replies(record) == [True, True, False]


def test_a_fork_with_another_prompt_keeps_the_conversation_after_it(
    original: RecordedTrial, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The other prompt is the product's own with one heading changed.

    The shop's tool /bin/sql, which the prompt would describe, did not work in the recorded
    trial, so it must not appear in the new prompt either.
    """
    shutil.copytree(ROOT / "prompts", tmp_path / "mine")
    system_file = tmp_path / "mine" / "system.md"
    own_text = system_file.read_text("utf-8").replace("# The answer", "# An answer")
    system_file.write_text(own_text, encoding="utf-8")

    forked = only_trial(
        run_command_here(*fork_of_first(2), "--prompt", "mine", "--json")
    )

    old_prompt = original.record.initial_prompt
    new_prompt = forked.record.initial_prompt
    assert old_prompt is not None
    assert new_prompt is not None
    assert "/bin/sql" not in new_prompt.system
    changed_system = old_prompt.system.replace("# The answer", "# An answer")
    assert new_prompt.system == changed_system
    assert new_prompt.system != old_prompt.system
    assert new_prompt.first_message == old_prompt.first_message
    new_replies = [step.reply for step in forked.record.step_summaries]
    assert new_replies == [step.reply for step in original.record.step_summaries]
    assert run_command_here("replay", "last", "--verify").code == 0


def test_a_fork_with_a_missing_prompt_is_refused(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    """`--prompt none` names a folder that does not exist."""
    refused = run_command_here(*fork_of_first(2), "--prompt", "none")

    check_error_line(refused, UsageError.exit_code, "--prompt", "none")


def test_a_fork_is_refused_if_its_world_cannot_be_rebuilt(
    original: RecordedTrial,
    run_command_here: CommandRunner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To rebuild the world, the recorded calls are made again, and have to give the same results.

    Here the shop's clock, which the trial called in step 1, gives another time. The fork is
    refused before it starts, so it has no journal.
    """
    journal_folder = original.journal.path.parent
    journals_before = sorted(journal_folder.glob("*.jsonl"))
    original_call = EcomEnvironment.call

    def call_with_other_time(
        environment: EcomEnvironment, operation: str, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        result = original_call(environment, operation, arguments)
        if "/bin/date" in arguments.values():
            return result | {"stdout": "another time"}
        return result

    monkeypatch.setattr(EcomEnvironment, "call", call_with_other_time)
    refused = run_command_here(*fork_of_first(2))

    check_error_line(
        refused,
        ReplayDiverged.exit_code,
        "cannot be rebuilt as it was",
        "gives another result",
    )
    assert sorted(journal_folder.glob("*.jsonl")) == journals_before


def functions_offered_to_scripts(folder: Path, *options: str) -> list[str]:
    """Run a task with these options, and return the names of the functions of the benchmark
    that its scripts could call, beside operations such as `read`.

    In the recorded schema, a function has a field `finds`, with the place of its code.
    """
    model = f"scripted:{REJECTION_SCRIPT}"
    words = ("run", "calendar-date.1", "--model", model, "--quiet", *options)
    assert run_in_process(*words, cwd=folder).code == 0
    (path,) = folder.glob("runs/*.jsonl")
    with open_journal(path) as journal:
        (trial,) = journal.trials.values()
        assert trial.record.started is not None
        tool_schema = tool_schema_from_text(trial.record.started.tool_schema)
    return [operation.name for operation in tool_schema.operations if operation.finds]


def test_scripts_are_offered_the_functions_of_the_benchmark(tmp_path: Path) -> None:
    """The shop has functions that compute what models often get wrong, such as a stock."""
    assert functions_offered_to_scripts(tmp_path)
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


def test_without_the_part_helpers_scripts_are_offered_no_functions(
    tmp_path: Path,
) -> None:
    """`--parts -helpers` switches a part of the solver off, to measure what it is worth."""
    assert functions_offered_to_scripts(tmp_path, "--parts", "-helpers") == []
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


TWO_AXES = """
name = "s"
tasks = ["calendar-date"]
[base]
seed = 3
gates = "all"
[axes]
gates = ["none", "all"]
max_steps = [5, 9]
"""
"""A sweep file: the tasks, the settings of the base run, and values of two other settings, which
are combined. The value "all" of gates is that of the base run already."""


def runs_of_sweep(folder: Path, text: str) -> list[str]:
    """Return the labels of the runs that a sweep file of this text asks for."""
    (folder / "s.toml").write_text(text, encoding="utf-8")
    return list(read_sweep(folder / "s.toml"))


def test_a_sweep_combines_its_axes_without_repeating_a_run(tmp_path: Path) -> None:
    """Gates are none or those of the base; steps are 5, 9 or those of the base: six runs."""
    assert runs_of_sweep(tmp_path, TWO_AXES) == [
        "base",
        "max_steps=5",
        "max_steps=9",
        "gates=none",
        "gates=none, max_steps=5",
        "gates=none, max_steps=9",
    ]


@pytest.mark.parametrize(
    ("text", "message_pattern"),
    [
        (
            'name = "s"\n[axes]\ngats = ["none"]',
            r"\[axes\] there is no setting 'gats'; did you mean 'gates'",
        ),
        (
            'name = "s"\n[base]\nsed = 1\n[axes]\ngates = ["none"]',
            r"\[base\] there is no setting 'sed'",
        ),
        (
            'name = "s"\n[axes]\nseed = [1, 2]',
            "seed is not allowed there: the runs of a sweep share it",
        ),
        (
            'name = "s"\n[base]\nname = "x"\n[axes]\ngates = ["none"]',
            "name is not allowed there: the sweep sets it",
        ),
        (
            'name = "s"\naxis = 1\n[axes]\ngates = ["none"]',
            "axis: there is no such key; did you mean 'axes'",
        ),
        ('name = "a/b"\n[axes]\ngates = ["none"]', "letters, digits"),
        ('name = "s"', r"a sweep needs variations: give \[axes\] or \[\[runs\]\]"),
        ('name = "s"\n[axes]', "a sweep needs variations"),
        ('name = "s"\n[[runs]]\ngats = "none"', r"\[runs\] there is no setting 'gats'"),
        ('name = "s"\n[[runs]]\nseed = 2', "the runs of a sweep share it"),
        ('name = "s"\n[axes]\nmax_steps = [0]', "s.toml, max_steps=0: --max-steps"),
        ("name = ", "is not TOML"),
    ],
)
def test_a_fault_in_a_sweep_file_is_refused_by_file_and_key(
    text: str, message_pattern: str, tmp_path: Path
) -> None:
    """[base] has the settings of all runs, [axes] values to combine, [[runs]] single runs."""
    with pytest.raises(UsageError, match=message_pattern) as refusal:
        runs_of_sweep(tmp_path, text)

    assert "s.toml" in str(refusal.value)


def sweep_text(script: Path, *, base: str = "", axes: str = 'gates = ["none"]') -> str:
    """Return a sweep file with three tasks for a model that replies with a script's steps.

    `base` is a further setting of all runs, `axes` what the runs differ in. As it is, there are
    two runs: the base with all gates, and one without gates.
    """
    return f"""
name = "s"
[base]
benchmark = "tests.support.many_trials:3"
model = "scripted:{script}"
{base}
[axes]
{axes}
"""


@pytest.fixture
def sweep(tmp_path: Path, script: Path) -> None:
    """The file s.toml in the working folder, with the sweep of two runs."""
    (tmp_path / "s.toml").write_text(sweep_text(script), encoding="utf-8")


BASE_JOURNAL = "runs/s-base-cae6.jsonl"
JOURNAL_WITHOUT_GATES = "runs/s-gates-none-42a3.jsonl"
"""The journals of the two runs. Their names end in a hash of the settings."""


def contents_by_name(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder's files, as in `{"a.jsonl": b"..."}`."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.usefixtures("sweep")
def test_a_dry_run_of_a_sweep_lists_its_runs_without_playing_them(
    run_command_here: CommandRunner,
) -> None:
    """Each line has the name of the run, and in what it differs from the base."""
    listed = run_command_here("sweep", "s.toml", "--dry-run")

    assert listed.out.splitlines() == [
        "s-base-cae6  base",
        "s-gates-none-42a3  gates=none",
    ]


@pytest.mark.usefixtures("sweep")
def test_a_sweep_plays_its_runs_and_compares_them(
    run_command_here: CommandRunner,
) -> None:
    """Each trial has two answers, "OUTCOME_OK" and "7". Gates reject the first, and the second
    is right. Without gates the first one counts, which is wrong."""
    result = run_command_here("sweep", "s.toml", "--json").json

    base, without_gates = result["runs"]
    assert base["label"] == "base"
    assert without_gates["label"] == "gates=none"
    assert result["finished"]
    assert base["second_mean"]["mean"] == 1.0
    assert without_gates["second_mean"]["mean"] == 0.0
    worse_tasks = [
        task["task"] for task in without_gates["tasks"] if task["change"] == "worse"
    ]
    assert worse_tasks == ["seat-001", "seat-002", "seat-003"]


@pytest.mark.usefixtures("sweep")
def test_a_repeated_sweep_prints_the_comparison_and_plays_nothing_again(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The journals of the first sweep stay as they are, byte for byte."""
    result = run_command_here("sweep", "s.toml", "--json").json
    journals = contents_by_name(tmp_path / "runs")

    printed = run_command_here("sweep", "s.toml").out
    repeated_result = run_command_here("sweep", "s.toml", "--json").json

    assert "gates=none" in printed
    assert printed.count("0 better, 3 worse, 0 equal · difference -1.000") == 1
    assert repeated_result == result
    assert contents_by_name(tmp_path / "runs") == journals


@pytest.mark.usefixtures("sweep")
def test_a_repeated_sweep_resumes_a_run_that_was_cut_off_and_plays_a_missing_one(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """After a first sweep, half of one journal is cut off, and the other is deleted."""
    whole_sweep = run_command_here("sweep", "s.toml", "--json").json
    base_journal = tmp_path / BASE_JOURNAL
    lines = base_journal.read_bytes().splitlines(keepends=True)
    first_half = lines[: len(lines) // 2]
    base_journal.write_bytes(b"".join(first_half))
    (tmp_path / JOURNAL_WITHOUT_GATES).unlink()

    repeated_sweep = run_command_here("sweep", "s.toml", "--quiet", "--json").json

    repeated_means = [run["second_mean"] for run in repeated_sweep["runs"]]
    assert repeated_means == [run["second_mean"] for run in whole_sweep["runs"]]
    assert run_command_here("replay", "s-base", "--verify").code == 0


@pytest.mark.parametrize(
    ("axes", "message_part"),
    [
        pytest.param(
            'gates = ["none", "9"]',
            "s.toml, gates=9: --gates: '9' is not a gate",
            id="no such gate",
        ),
        pytest.param(
            'gates = ["none"]\nparts = ["+evidence-store"]',
            "s.toml, parts=+evidence-store: --parts '+evidence-store': the solver 'cited' has",
            id="a part that another solver has",
        ),
    ],
)
def test_a_sweep_is_refused_before_its_first_run_if_any_run_cannot_start(
    axes: str,
    message_part: str,
    script: Path,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """Otherwise the first runs would cost money, and the comparison would never be complete."""
    (tmp_path / "s.toml").write_text(sweep_text(script, axes=axes), encoding="utf-8")

    refused = run_command_here("sweep", "s.toml")

    check_error_line(refused, UsageError.exit_code, message_part)
    assert not (tmp_path / "runs").exists()


def span_of_trials(journal: Path) -> tuple[int, int]:
    """Return when a run's first trial started and its last one ended, in milliseconds."""
    times = []
    for line in journal.read_text("utf-8").splitlines():
        event = json.loads(line)
        if event["type"] in ("trial_started", "trial_ended"):
            times.append(event["at_ms"])
    return min(times), max(times)


def test_the_runs_of_a_sweep_play_at_the_same_time(
    script: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Every call takes 0.3 s, so that each run lasts; then the time of each has a part in
    common with that of the other."""
    slow_calls = "set = {seconds = '0.3'}"
    text = sweep_text(script, base=slow_calls)
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")

    assert run_command_here("sweep", "s.toml", "--quiet").code == 0

    base_start, base_end = span_of_trials(tmp_path / BASE_JOURNAL)
    other_start, other_end = span_of_trials(tmp_path / JOURNAL_WITHOUT_GATES)
    assert base_start < other_end
    assert other_start < base_end
