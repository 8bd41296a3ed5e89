"""Whether and how two runs can be compared."""

from __future__ import annotations

from typing import Final

from controlplane.compared_run import ComparedRun
from controlplane.errors import UsageError
from controlplane.journal.run_events import RunOpened
from controlplane.run_comparison.results import Pairing, SettingDifference


def check_same_worlds(first: ComparedRun, second: ComparedRun) -> None:
    """Raise `UsageError` if the runs played different benchmarks or versions of their worlds."""
    benchmark = first.opened.benchmark.partition(":")[0]
    other_benchmark = second.opened.benchmark.partition(":")[0]
    if benchmark != other_benchmark:
        msg = (
            f"{first.name} is a run of {benchmark}, {second.name} one of {other_benchmark}; "
            "compare runs of one benchmark"
        )
        raise UsageError(msg)
    world = first.opened.versions.world
    other_world = second.opened.versions.world
    if world and other_world and world != other_world:
        msg = (
            f"{first.name} and {second.name} ran with other versions of its worlds "
            f"({world} and {other_world}), so their scores mean different things; "
            "run one of them again"
        )
        raise UsageError(msg)


def comparison_notes(
    first: ComparedRun, second: ComparedRun, pairing: Pairing
) -> list[str]:
    """Return the reasons why the comparison is less certain."""
    notes = []
    if bool(first.opened.versions.world) != bool(second.opened.versions.world):
        notes.append("one of the journals does not name the version of its worlds")
    if pairing == "task":
        notes.append(
            "their worlds differ (another seed, or none): tasks are compared, not single tries"
        )
    if first.scale != second.scale:
        notes.append(
            f"their scores are on other scales: {first.scale}, then {second.scale}"
        )
    for run in (first, second):
        unfinished = [trial for trial in run.trials if not trial.is_over]
        if unfinished:
            count = f"{len(unfinished)} of the {len(run.trials)} trials"
            notes.append(f"{count} of {run.name} are cut off and left out")
    return notes


def pairing_of(first: ComparedRun, second: ComparedRun) -> Pairing:
    """Return "task and world" if the runs played the same worlds, else "task".

    With equal seeds, worlds of the same number are equal, unless the benchmark has changed
    between the runs. Then the instruction in one of the worlds is different.
    """
    if first.opened.setting("seed") != second.opened.setting("seed"):
        return "task"
    instructions = {trial.world: trial.instruction for trial in first.trials}
    for trial in second.trials:
        instruction = instructions.get(trial.world, "")
        # The instruction is empty if the trial did not start.
        are_known = instruction and trial.instruction
        if are_known and instruction != trial.instruction:
            return "task"
    return "task and world"


SETTINGS_WITHOUT_EFFECT: Final = frozenset(
    {"name", "runs_dir", "tasks", "limit", "concurrency", "workers", "poll_time"}
)
"""Settings that do not change how a trial is played: which tasks, where, and how many at once."""


def setting_differences(
    first: RunOpened, second: RunOpened
) -> tuple[SettingDifference, ...]:
    """Return the settings, the model and the prompts that differ between the runs."""
    first_values = _settings_of(first)
    second_values = _settings_of(second)
    differences = []
    for name in first_values | second_values:
        if name in SETTINGS_WITHOUT_EFFECT:
            continue
        value = first_values.get(name)
        other_value = second_values.get(name)
        if value != other_value:
            differences.append(SettingDifference(name, value, other_value))
    return tuple(differences)


def _settings_of(opened: RunOpened) -> dict[str, object]:
    """Return the recorded settings by name, and as further ones the model and the prompts' hash."""
    settings: dict[str, object] = {}
    for setting in opened.settings:
        settings[setting.name] = setting.value
    settings["model"] = opened.model
    settings["prompt texts"] = opened.versions.prompts
    return settings
