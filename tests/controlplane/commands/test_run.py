"""`run`, `rerun`, `fork` and `sweep`: what a run
imports and asks first, and what is played again."""

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


class Watchful(EcomBenchmark):
    def start_run(self, request):
        print("imported:", *(SLOW_LIBRARIES & set(sys.modules)))
        return super().start_run(request)


def open_benchmark(argument, settings, context):
    return Watchful()
"""


def test_a_run_without_a_model_reaches_its_benchmark_without_slow_libraries(
    tmp_path: Path,
) -> None:
    (tmp_path / "watchful.py").write_text(BENCHMARK_THAT_PRINTS_IMPORTS)
    command = ("run", "calendar-date.1", "--benchmark", "watchful")
    # In a process of its own, as the libraries are imported in that of the tests.
    run = run_python("-m", "controlplane", *command, cwd=tmp_path)

    assert run.code == 0, run.err
    assert run.out.startswith("imported:\n")


def test_without_a_model_a_run_plays_what_the_player_has_rules_for_and_says_so(
    tmp_path: Path,
) -> None:
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
    refused = run_in_process("run", name, cwd=tmp_path)

    assert refused.code == UsageError.exit_code
    assert f"run {name} --model NAME" in refused.err
    assert not list(tmp_path.glob("runs/*.jsonl"))


def test_the_player_by_rules_plays_every_task_if_it_is_named(tmp_path: Path) -> None:
    run = run_in_process(
        "run", "stock-count.2", "--model", "baseline", "--json", cwd=tmp_path
    )

    assert run.code == 0, run.err
    answer = run.json["trials"][0]["answer"]
    assert "out of range" not in answer
    assert "There is no open basket of yours." in answer


def test_the_platform_is_asked_while_the_models_client_is_still_imported(
    tmp_path: Path,
) -> None:
    """A module "openai" that takes a minute to import stands for the models' client."""
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
        (("--below", "1"), FAILED_TASKS),
        (("--trials", "seat-003", "--trials", "seat-005-t4"), ["seat-003", "seat-005"]),
        (
            ("--below", "1", "--failed", "--trials", "seat-001"),
            ["seat-001", *FAILED_TASKS],
        ),
    ],
)
def test_a_rerun_plays_the_selected_tasks_and_names_its_parent(
    flags: tuple[str, ...],
    expected_tasks: list[str],
    run_command_here: CommandRunner,
    first_run: Path,
) -> None:
    rerun = run_command_here("rerun", "first", *flags, "--name", "again", "--json").json

    assert [trial["task_id"] for trial in rerun["trials"]] == expected_tasks
    opened = open_journal(Path(rerun["journal"])).opened
    assert opened.name == "again"
    assert opened.parent is not None
    assert opened.parent.run == first_run.stem
    assert opened.parent.how == "rerun"
    assert run_command_here("replay", "again", "--verify").code == 0

    # A run and its reruns count as one run, with all of its 25 tasks.
    both_runs = f"{first_run.stem}+again"
    comparison = run_command_here("compare", "first", both_runs, "--json").json
    assert len(comparison["tasks"]) == 25
    assert comparison["unpaired"] == []


@pytest.mark.parametrize(
    ("flags", "message_part"),
    [
        (("--failed",), "list them with: "),
        (("--trials", "seat-999"), "no trial 'seat-999'"),
        (("--base-url", "ftp://x"), "--base-url"),
    ],
)
def test_a_rerun_that_cannot_be_played_is_one_line(
    flags: tuple[str, ...],
    message_part: str,
    run_command_here: CommandRunner,
    first_run: Path,
) -> None:
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
"""What a fork has to repeat in each step."""


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
    """Fork the long trial, and every second time any trial, at random steps."""
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


def test_repeats_tell_how_often_a_trial_succeeds_now(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    forked = run_command_here(*fork_of_first(3), "--repeats", "3")

    success_rate = "which scored 1.00: 3 of 3 tries right now, 1.000 [0.439, 1.000]"
    assert success_rate in forked.out


def test_a_fork_with_another_model_tells_its_success_and_its_parent(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
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


def test_a_fork_is_neither_rerun_nor_forked(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    run_command_here(*fork_of_first(2), "--model", f"scripted:{LONG_SCRIPT}", "--json")

    rerun = run_command_here("rerun", "last")
    forked_again = run_command_here("fork", "last", "--trial", "cal", "--step", "1")

    check_error_line(rerun, UsageError.exit_code, "is a fork")
    check_error_line(forked_again, UsageError.exit_code, "is a fork")


def cached_replies(record: TrialRecord) -> list[bool]:
    """Return for each reply whether it was taken over, so that its cost is not counted."""
    return [reply.cached for step in record.all_steps.whole for reply in step.replies]


NOTE = "Answer with the date alone."


def test_a_note_at_step_1_is_added_to_the_first_message(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    forked = run_command_here(*fork_of_first(1), "--note", NOTE, "--json")
    record = only_trial(forked).record

    assert record.initial_prompt is not None
    assert record.initial_prompt.first_message[-1].endswith(NOTE)
    assert cached_replies(record) == [False, False, False]


def test_a_note_at_a_later_step_is_added_to_the_feedback_before_it(
    original: RecordedTrial, run_command_here: CommandRunner
) -> None:
    forked = run_command_here(*fork_of_first(3), "--note", NOTE, "--json")
    record = only_trial(forked).record

    assert record.initial_prompt is not None
    feedback_after_step_2 = record.step_summaries[1].feedback
    assert feedback_after_step_2[-1].endswith(NOTE)
    assert cached_replies(record) == [True, True, False]


def test_a_fork_with_another_prompt_keeps_the_conversation_after_it(
    original: RecordedTrial, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The other prompt is ours with one heading changed."""
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
    assert "/bin/sql" not in new_prompt.system, "the tool was down"
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
    refused = run_command_here(*fork_of_first(2), "--prompt", "none")

    check_error_line(refused, UsageError.exit_code, "--prompt", "none")


def test_a_fork_at_another_place_is_refused_before_anything_starts(
    original: RecordedTrial,
    run_command_here: CommandRunner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The shop's clock, which the trial called in step 1, gives another time now."""
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


@pytest.mark.parametrize(
    ("options", "offers_functions"), [((), True), (("--parts", "-helpers"), False)]
)
def test_cited_without_helpers_offers_scripts_no_functions(
    options: tuple[str, ...], offers_functions: bool, tmp_path: Path
) -> None:
    model = f"scripted:{REJECTION_SCRIPT}"
    run = run_in_process(
        *("run", "calendar-date.1", "--model", model, "--quiet"),
        *options,
        cwd=tmp_path,
    )

    assert run.code == 0
    (path,) = tmp_path.glob("runs/*.jsonl")
    with open_journal(path) as journal:
        (trial,) = journal.trials.values()
        assert trial.record.started is not None
        tool_schema = tool_schema_from_text(trial.record.started.tool_schema)
    # Operations with `finds` are functions of the benchmark.
    functions = [operation for operation in tool_schema.operations if operation.finds]
    assert bool(functions) == offers_functions
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


def runs_of_sweep(folder: Path, text: str) -> list[str]:
    """Return the labels of the runs that a sweep file of this text asks for."""
    (folder / "s.toml").write_text(text, encoding="utf-8")
    return list(read_sweep(folder / "s.toml"))


def test_axes_are_combined_and_no_run_is_there_twice(tmp_path: Path) -> None:
    assert runs_of_sweep(tmp_path, TWO_AXES) == [
        "base",
        "max_steps=5",
        "max_steps=9",
        "gates=none",
        "gates=none, max_steps=5",
        "gates=none, max_steps=9",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
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
def test_a_fault_in_a_sweep_file_is_told_with_file_and_key(
    text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message) as refusal:
        runs_of_sweep(tmp_path, text)
    assert "s.toml" in str(refusal.value)


SWEEP = """
name = "s"
[base]
benchmark = "tests.support.many_trials:3"
model = "scripted:{script}"
[axes]
gates = ["none"]
"""


@pytest.fixture
def sweep(tmp_path: Path, script: Path) -> Path:
    path = tmp_path / "s.toml"
    path.write_text(SWEEP.format(script=script), encoding="utf-8")
    return path


def contents_by_name(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_sweep_lists_its_runs_without_playing_them(
    sweep: Path, run_command_here: CommandRunner
) -> None:
    listed = run_command_here("sweep", "s.toml", "--dry-run")

    assert listed.out.splitlines() == [
        "s-base-cae6  base",
        "s-gates-none-42a3  gates=none",
    ]


def test_a_sweep_plays_its_runs_compares_them_and_plays_none_again(
    sweep: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Sweep three times: play, print what is recorded, and tell it as JSON."""
    result = run_command_here("sweep", "s.toml", "--json").json

    base, without_gates = result["runs"]
    assert base["label"] == "base"
    assert without_gates["label"] == "gates=none"
    assert result["finished"]
    # Without gates the second turn's answer, which is not a number, leaves the trial.
    assert base["second_mean"]["mean"] == 1.0
    assert without_gates["second_mean"]["mean"] == 0.0
    worse_tasks = [
        task["task"] for task in without_gates["tasks"] if task["change"] == "worse"
    ]
    assert worse_tasks == ["seat-001", "seat-002", "seat-003"]

    printed = run_command_here("sweep", "s.toml").out
    assert "gates=none" in printed
    assert printed.count("0 better, 3 worse, 0 equal · difference -1.000") == 1

    journals = contents_by_name(tmp_path / "runs")
    assert run_command_here("sweep", "s.toml", "--json").json == result
    assert contents_by_name(tmp_path / "runs") == journals


def test_a_run_that_was_cut_off_is_resumed_and_one_that_is_missing_is_played(
    sweep: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    whole_sweep = run_command_here("sweep", "s.toml", "--json").json
    base = tmp_path / "runs/s-base-cae6.jsonl"
    lines = base.read_bytes().splitlines(keepends=True)
    base.write_bytes(b"".join(lines[: len(lines) // 2]))
    (tmp_path / "runs/s-gates-none-42a3.jsonl").unlink()

    mended_sweep = run_command_here("sweep", "s.toml", "--quiet", "--json").json

    means = [run["second_mean"] for run in mended_sweep["runs"]]
    assert means == [run["second_mean"] for run in whole_sweep["runs"]]
    assert run_command_here("replay", "s-base", "--verify").code == 0


SETTINGS_THAT_CANNOT_RUN = [
    (
        'gates = ["none", "9"]',
        "s.toml, gates=9: --gates: '9' is not a gate",
    ),
    (
        'gates = ["none"]\nparts = ["+evidence-store"]',
        "s.toml, parts=+evidence-store: --parts '+evidence-store': the solver 'cited' has",
    ),
]


@pytest.mark.parametrize(("axes", "message_part"), SETTINGS_THAT_CANNOT_RUN)
def test_a_run_that_could_not_begin_is_told_before_the_first_one_costs_anything(
    axes: str,
    message_part: str,
    sweep: Path,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    text = sweep.read_text(encoding="utf-8")
    sweep.write_text(text.replace('gates = ["none"]', axes), encoding="utf-8")

    refused = run_command_here("sweep", "s.toml")

    check_error_line(refused, UsageError.exit_code, message_part)
    assert not (tmp_path / "runs").exists()


def span_of_trials(journal: Path) -> tuple[int, int]:
    """Return when a run's first trial started and its last one ended, in milliseconds."""
    lines = journal.read_text("utf-8").splitlines()
    times = []
    for line in lines:
        event = json.loads(line)
        if event["type"] in ("trial_started", "trial_ended"):
            times.append(event["at_ms"])
    return min(times), max(times)


def test_the_runs_of_a_sweep_play_at_the_same_time(
    sweep: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    text = sweep.read_text(encoding="utf-8")
    slow_tasks = "set = {seconds = '0.3'}\n[axes]"
    sweep.write_text(text.replace("[axes]", slow_tasks), encoding="utf-8")

    assert run_command_here("sweep", "s.toml", "--quiet").code == 0

    base_start, base_end = span_of_trials(tmp_path / "runs/s-base-cae6.jsonl")
    other_start, other_end = span_of_trials(tmp_path / "runs/s-gates-none-42a3.jsonl")
    assert base_start < other_end
    assert other_start < base_end
