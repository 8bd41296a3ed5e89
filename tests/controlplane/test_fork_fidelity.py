"""A fork goes the same way as the recorded trial if the model gives the same replies.

`fork last --trial t1 --step 3` repeats steps 1 and 2 from the journal, and rebuilds the world from
the recorded calls. Then the model goes on. With the recorded replies, each step must have the same
output, verdicts and calls again, and the fork must end with the same answer and score.
"""

import json
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.agent.events import varying_fields
from controlplane.journal.recorded_trial import RecordedTrial
from tests.support.command import ROOT, CommandResult, CommandRunner


def trials_of(result: CommandResult) -> list[RecordedTrial]:
    """Return the trials in the journal that a command with `--json` names."""
    return list(open_journal(Path(result.json["journal"])).trials.values())


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
"""The fields that a fork has to repeat; the others are ids, times and costs. `refunded` is True if
a step does not count towards the limit of steps."""


def repeatable_lines(trial: RecordedTrial) -> list[str]:
    """Return what a trial did and said as lines of JSON, without its ids, times and costs.

    They are its prompt, each step with its calls below, its answer and its score:
    `['{"system": ...}', '{"step": 1, ...}', '{"operation": "read", ...}', ..., 'score 1.0, ()']`.
    """
    prompt = trial.record.initial_prompt
    answer = trial.record.answer
    assert prompt is not None
    assert answer is not None
    different_in_every_run = varying_fields()  # names such as "elapsed_ms" and "at_ms"

    lines = [prompt.model_dump_json(include=REPEATED_FIELDS_OF_PROMPT)]
    for step in trial.record.step_summaries:
        lines.append(step.model_dump_json(include=REPEATED_FIELDS_OF_STEP))
        for call in step.calls:
            lines.append(call.model_dump_json(exclude=different_in_every_run))
    lines.append(answer.model_dump_json(exclude=different_in_every_run | {"trial_id"}))
    lines.append(f"score {trial.score!r}, {trial.summary.details!r}")
    return lines


def write_replies_of(trial: RecordedTrial, path: Path) -> None:
    """Write the replies of a trial's steps to a file, for the model "scripted:PATH"."""
    replies = []
    for step in trial.steps:
        text = json.dumps(step.reply, ensure_ascii=False)
        replies.append(f"[[reply]]\ntext = {text}\n")
    path.write_text("".join(replies), encoding="utf-8")


def check_fork_equals(
    trial: RecordedTrial, *, step: int, run_command_here: CommandRunner
) -> None:
    """Fork a trial at a step with the replies it had, and assert that it goes the same way.

    The fork also names the trial as its parent, and can be replayed.
    """
    write_replies_of(trial, Path("replies.toml"))
    place = (str(trial.journal.path), "--trial", trial.trial_id, "--step", str(step))
    model = ("--model", "scripted:replies.toml")

    forked = run_command_here("fork", *place, *model, "--json")

    assert forked.code == 0, forked.err
    (fork,) = trials_of(forked)
    assert repeatable_lines(fork) == repeatable_lines(trial), (trial.trial_id, step)
    parent = fork.journal.opened.parent
    assert parent is not None
    assert parent.how == "fork"
    assert parent.run == trial.journal.run
    assert parent.trial_id == trial.trial_id
    assert parent.step == step
    assert run_command_here("replay", "last", "--verify").code == 0


LONG_SCRIPT = ROOT / "tests/support/long_trial.toml"
"""A trial of seven steps: chance, writes, deletions, an error and three submissions."""


@pytest.fixture
def long_trial(run_command_here: CommandRunner) -> RecordedTrial:
    """The trial of a run of one task, in which the model replies with `LONG_SCRIPT`."""
    model = f"scripted:{LONG_SCRIPT}"
    run = run_command_here("run", "calendar-date.1", "--model", model, "--json")
    (trial,) = trials_of(run)
    return trial


class TestForksOfALongTrial:
    """A trial of seven steps is forked at its steps, with the replies that it had.

    It has chance, changes of files, an error, and three answers.
    """

    def test_the_long_trial_has_accepted_and_rejected_answers(
        self, long_trial: RecordedTrial
    ) -> None:
        """It submits answers in steps 3, 6 and 7, which gates (checks of answers) judge. The last
        one is sent although gate 6 objects to it, so that a fork has all of that to repeat."""
        verdict_counts = {step.step: len(step.verdicts) for step in long_trial.steps}

        assert verdict_counts == {1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 1, 7: 1}
        assert long_trial.summary.state == "answered"
        assert set(long_trial.summary.overridden) == {"6/wording"}

    def test_forks_of_a_long_trial_with_the_same_replies_equal_it(
        self, long_trial: RecordedTrial, run_command_here: CommandRunner, heavy: bool
    ) -> None:
        """With `--heavy`, the trial is forked at each step."""
        steps_of_long_trial = range(1, 8)
        forked_steps = steps_of_long_trial if heavy else (3, 4)

        for step in forked_steps:
            check_fork_equals(long_trial, step=step, run_command_here=run_command_here)


class TestForksOfShortTrials:
    """Trials of three tasks, for six seeds, are forked at each of their steps.

    The baseline, a program of the benchmark that solves them by rules, plays in the model's place.
    Its replies are given to each fork again.
    """

    @pytest.mark.heavy
    @pytest.mark.parametrize("seed", range(6))
    def test_forks_of_short_trials_with_the_same_replies_equal_them(
        self, seed: int, run_command_here: CommandRunner
    ) -> None:
        """Each trial is forked at each of its steps. The seed decides names and numbers in the
        tasks."""
        tasks = ("basket-checkout.1", "basket-checkout.2", "calendar-date.1")
        run = run_command_here("run", *tasks, "--seed", str(seed), "--json")

        for trial in trials_of(run):
            for step in range(1, len(trial.steps) + 1):
                check_fork_equals(trial, step=step, run_command_here=run_command_here)
