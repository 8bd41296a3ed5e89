"""The commands that a report offers about a run whose one trial has failed.

    commands_about_failure(tmp_path, {"model": "gpt-x"})    ->    [rerun, fork, judge, improve]

The run was called with `--model gpt-x`.
"""

from pathlib import Path

from pydantic import JsonValue

from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import Setting
from controlplane.report.run_facts import run_facts
from controlplane.report.trial_commands import commands_about
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial


def commands_about_failure(folder: Path, settings: dict[str, JsonValue]) -> list[str]:
    """Return the commands that a report offers about a run with these settings, whose one trial,
    of the task alpha.1, has failed: `[rerun, fork, judge, improve]`.

    `commands_about_failure(tmp_path, {"model": "gpt-x"})`: the run was called with `--model gpt-x`.
    """
    recorded_settings = []
    for name, value in settings.items():
        recorded_settings.append(Setting(name=name, value=value, source="flag"))
    path = journal_of_trials(
        folder / "a.jsonl",
        [ReportedTrial("alpha.1", score=0.0)],
        settings=recorded_settings,
    )
    with open_journal(path) as journal:
        run = run_facts(journal, number=0, taken=(), is_running=False)
        return [command.line for command in commands_about(run, run.trials)]
