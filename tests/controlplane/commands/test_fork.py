"""`fork` goes on with a recorded trial at one of its steps.

`fork last --trial t1 --step 3` repeats steps 1 and 2 from the journal, without asking a model, and
rebuilds the world as it was. From step 3 on a model replies again: the same or another one, with
another prompt, or with a note of the user. `--repeats 10` shows how often the trial succeeds now.
"""

import json
import random
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
    for step in record.whole_steps:
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
