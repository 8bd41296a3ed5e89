"""`fork` goes on with a recorded trial at one of its steps.

`fork last --trial t1 --step 3` repeats steps 1 and 2 from the journal, without asking a model, and
rebuilds the world as it was. From step 3 on a model replies again: the same or another one, with
another prompt, or with a note of the user. `--repeats 10` shows how often the trial succeeds now.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from controlplane import open_journal
from controlplane.agent.events import varying_fields
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.recorded_trial import RecordedTrial
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
)

LONG_SCRIPT = ROOT / "tests/support/long_trial.toml"
"""A trial of seven steps: chance, writes, deletions, an error and three submissions."""
STEPS_OF_LONG_TRIAL = range(1, 8)

REPEATED_FIELDS_OF_PROMPT = {"system", "first_message", "rules"}
REPEATED_FIELDS_OF_STEP = {
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
"""The fields that a fork has to repeat if the model replies as it did; the others are ids, times
and costs. `refunded` is True if a step does not count towards the limit of steps."""


def repeatable_content(trial: RecordedTrial) -> dict[str, Any]:
    """Return what a trial did and said, without its ids, times and costs.

    The texts are JSON: `{"prompt": '{"system": ...}', "steps": ['{"step": 1, ...}', ...],
    "calls": [(1, '{"operation": "read", ...}'), ...], "answer": ..., "score": 1.0, ...}`.
    """
    prompt = trial.record.initial_prompt
    answer = trial.record.answer
    assert prompt is not None
    assert answer is not None

    different_in_every_run = varying_fields()  # names such as "elapsed_ms" and "at_ms"
    steps = []
    calls = []
    for step in trial.record.step_summaries:
        steps.append(step.model_dump_json(include=REPEATED_FIELDS_OF_STEP))
        for call in step.calls:
            call_text = call.model_dump_json(exclude=different_in_every_run)
            calls.append((step.step, call_text))

    return {
        "prompt": prompt.model_dump_json(include=REPEATED_FIELDS_OF_PROMPT),
        "steps": steps,
        "calls": calls,
        "answer": answer.model_dump_json(exclude=different_in_every_run | {"trial_id"}),
        "score": trial.score,
        "details": trial.summary.details,
    }


def model_with_replies_of(trial: RecordedTrial) -> str:
    """Write a trial's replies to replies.toml, and return the name of the model that gives them:
    "scripted:replies.toml"."""
    replies = []
    for step in trial.steps:
        text = json.dumps(step.reply, ensure_ascii=False)
        replies.append(f"[[reply]]\ntext = {text}\n")
    Path("replies.toml").write_text("".join(replies), encoding="utf-8")
    return "scripted:replies.toml"


def trials_of(result: CommandResult) -> list[RecordedTrial]:
    """Return the trials in the journal that a command with `--json` names."""
    return list(open_journal(Path(result.json["journal"])).trials.values())


def only_trial(result: CommandResult) -> RecordedTrial:
    """Return the trial of a run of one trial, from the journal that the command names."""
    (trial,) = trials_of(result)
    return trial


def check_fork_equals(
    trial: RecordedTrial, *, step: int, run_command_here: CommandRunner
) -> None:
    """Fork a trial at a step with the replies it had, and assert that it goes the same way.

    The fork also names the trial as its parent, and can be replayed.
    """
    place = ("--trial", trial.trial_id, "--step", str(step))
    model = ("--model", model_with_replies_of(trial))
    forked = run_command_here("fork", str(trial.journal.path), *place, *model, "--json")

    assert forked.code == 0, forked.err
    forked_content = repeatable_content(only_trial(forked))
    assert forked_content == repeatable_content(trial), (trial.trial_id, step)

    parent = open_journal(Path(forked.json["journal"])).opened.parent
    assert parent is not None
    assert parent.how == "fork"
    assert parent.run == trial.journal.run
    assert parent.trial_id == trial.trial_id
    assert parent.step == step
    assert run_command_here("replay", "last", "--verify").code == 0


def test_forks_of_a_long_trial_with_the_same_replies_equal_it(
    run_command_here: CommandRunner, heavy: bool
) -> None:
    """A fork repeats the steps before its own from the record, and rebuilds the world from the
    recorded calls. Then the model goes on, here with the replies that it gave the first time.
    """
    run = run_command_here(
        "run", "calendar-date.1", "--model", f"scripted:{LONG_SCRIPT}", "--json"
    )
    trial = only_trial(run)

    # Gates judge the answers in steps 3, 6 and 7. The last is sent, although gate 6 objects to it.
    verdict_counts = {step.step: len(step.verdicts) for step in trial.steps}
    assert verdict_counts == {1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 1, 7: 1}
    assert trial.summary.state == "answered"
    assert set(trial.summary.overridden) == {"6/wording"}

    forked_steps = STEPS_OF_LONG_TRIAL if heavy else (3, 4)
    for step in forked_steps:
        check_fork_equals(trial, step=step, run_command_here=run_command_here)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(6))
def test_forks_of_short_trials_with_the_same_replies_equal_them(
    seed: int, run_command_here: CommandRunner
) -> None:
    """Each trial is forked at each of its steps. The seed decides names and numbers in the tasks."""
    tasks = ("basket-checkout.1", "basket-checkout.2", "calendar-date.1")
    run = run_command_here("run", *tasks, "--seed", str(seed), "--json")

    for trial in trials_of(run):
        for step in range(1, len(trial.steps) + 1):
            check_fork_equals(trial, step=step, run_command_here=run_command_here)


REJECTION_SCRIPT = ROOT / "docs/examples/rejection.toml"
"""Three replies: a script reads the clock, the next submits an answer that a gate (a check of
answers) rejects, and the last one submits the right answer, for a score of 1."""


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
    """The trial of three steps in the run "first", whose journal is in the working folder."""
    shutil.copytree(runs_of_rejection, tmp_path / "runs")
    (path,) = Path("runs").glob("*.jsonl")
    (trial,) = open_journal(path).trials.values()
    return trial


@pytest.fixture
def fork_original(
    original: RecordedTrial, run_command_here: CommandRunner
) -> CommandRunner:
    """A function that forks the trial of three steps: `fork_original("--step", "2", "--json")`."""

    def fork(*options: str) -> CommandResult:
        return run_command_here("fork", "first", "--trial", "calendar", *options)

    return fork


def test_a_fork_with_repeats_prints_how_often_the_trial_succeeds_now(
    fork_original: CommandRunner,
) -> None:
    """The last step is played three times, and is right each time: a share of 1.000. Behind it is
    its confidence interval of 95 %, by the method of Wilson."""
    forked = fork_original("--step", "3", "--repeats", "3")

    success_rate = "which scored 1.00: 3 of 3 tries right now, 1.000 [0.439, 1.000]"
    assert success_rate in forked.out


def test_a_fork_with_another_model_prints_its_success_and_its_parent_as_json(
    fork_original: CommandRunner,
    original: RecordedTrial,
    run_command_here: CommandRunner,
) -> None:
    """The other model replies from step 2 on, and does not solve the task, so the share of right
    tries ("mean") is 0. The parent is the forked trial, whose score is 1."""
    forked = fork_original(
        "--step", "2", "--model", f"scripted:{LONG_SCRIPT}", "--json"
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
    fork_original: CommandRunner, run_command_here: CommandRunner
) -> None:
    """The trial of a fork begins in the middle. The user is to fork the run "first" again instead."""
    fork_original("--step", "2", "--model", f"scripted:{LONG_SCRIPT}", "--json")

    rerun = run_command_here("rerun", "last")
    forked_again = run_command_here("fork", "last", "--trial", "cal", "--step", "1")

    check_error_line(rerun, UsageError.exit_code, "is a fork")
    check_error_line(forked_again, UsageError.exit_code, "is a fork")


def cached_replies(record: TrialRecord) -> list[bool]:
    """Return for each reply of a fork whether it is a copy from the forked trial.

    `[True, False]`: the model was asked for the second reply only, and only that one costs money.
    """
    cached = []
    for step in record.whole_steps:
        for reply in step.replies:
            cached.append(reply.cached)
    return cached


NOTE = "Answer with the date alone."
"""A text of the user that a fork shows to the model, to see what it changes."""


def test_a_note_at_step_1_is_added_to_the_first_message(
    fork_original: CommandRunner,
) -> None:
    """Nothing before step 1 could be repeated, so the model is asked for all three replies."""
    forked = fork_original("--step", "1", "--note", NOTE, "--json")
    record = only_trial(forked).record

    assert record.initial_prompt is not None
    assert record.initial_prompt.first_message[-1].endswith(NOTE)
    assert cached_replies(record) == [False, False, False]


def test_a_note_at_a_later_step_is_added_to_the_feedback_before_it(
    fork_original: CommandRunner,
) -> None:
    """Feedback is what the model is told after a step. The note stands before step 3, so it is in
    the feedback of step 2, and the replies of steps 1 and 2 are copies."""
    forked = fork_original("--step", "3", "--note", NOTE, "--json")
    record = only_trial(forked).record

    assert record.initial_prompt is not None
    feedback_after_step_2 = record.step_summaries[1].feedback
    assert feedback_after_step_2[-1].endswith(NOTE)
    assert cached_replies(record) == [True, True, False]


def with_other_heading(system_prompt: str) -> str:
    return system_prompt.replace("# The answer", "# An answer")


def replies_of(trial: RecordedTrial) -> list[str]:
    return [step.reply for step in trial.record.step_summaries]


def test_a_fork_with_another_prompt_keeps_the_conversation_after_it(
    fork_original: CommandRunner,
    original: RecordedTrial,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """`--prompt mine` names a folder of prompts: a copy of the product's own with one heading changed.

    A prompt describes the shop's tool /bin/sql only if the tool worked when the trial began. It did
    not work in the recorded trial, so the fork's prompt does not describe it either.
    """
    shutil.copytree(ROOT / "prompts", tmp_path / "mine")
    system_file = tmp_path / "mine" / "system.md"
    system_file.write_text(with_other_heading(system_file.read_text("utf-8")), "utf-8")

    forked = only_trial(fork_original("--step", "2", "--prompt", "mine", "--json"))

    old_prompt = original.record.initial_prompt
    new_prompt = forked.record.initial_prompt
    assert old_prompt is not None
    assert new_prompt is not None
    assert "/bin/sql" not in new_prompt.system
    assert new_prompt.system == with_other_heading(old_prompt.system)
    assert new_prompt.system != old_prompt.system
    assert new_prompt.first_message == old_prompt.first_message
    assert replies_of(forked) == replies_of(original)
    assert run_command_here("replay", "last", "--verify").code == 0


def test_a_fork_with_a_missing_prompt_is_refused(fork_original: CommandRunner) -> None:
    """`--prompt none` names a folder that does not exist."""
    refused = fork_original("--step", "2", "--prompt", "none")

    check_error_line(refused, UsageError.exit_code, "--prompt", "none")


def test_a_fork_is_refused_if_its_world_cannot_be_rebuilt(
    fork_original: CommandRunner,
    original: RecordedTrial,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To rebuild the world, the recorded calls are made again, and have to give the same results.

    Here the shop's clock /bin/date, which the trial called in step 1, gives another time. The fork
    is refused before it starts, so it has no journal.
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
    refused = fork_original("--step", "2")

    check_error_line(
        refused,
        ReplayDiverged.exit_code,
        "cannot be rebuilt as it was",
        "gives another result",
    )
    assert sorted(journal_folder.glob("*.jsonl")) == journals_before
