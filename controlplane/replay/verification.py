"""Verifies trials of a journal: runs them again, and compares everything that is computed anew.

Under the versions of Python, gates and sandbox that were recorded, the first difference is an error.
Under others, differences are collected, and what is known to depend on the version is left out.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controlplane.agent.events import event_classes, type_of
from controlplane.agent.evidence import Difference, ProvenancePolicy
from controlplane.agent.loop import TrialContext
from controlplane.agent.submission import GateSettings, judging_modules
from controlplane.agent.trial_record import TrialRecord
from controlplane.configuration.named_modules import current_versions
from controlplane.configuration.recorded_settings import replay_settings_here
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_reader import Journal, RecordedTrial
from controlplane.journal.run_events import tool_schema_from_text
from controlplane.lifecycle.gate_policies import gate_policy, rule_sets_here
from controlplane.lifecycle.run_resources import loop_settings
from controlplane.lifecycle.run_sandbox import check_isolation
from controlplane.replay.implied_lines import differences_between_lines
from controlplane.replay.rerun import ENDED_BY_SANDBOX, Recording, RerunSettings, rerun
from controlplane.replay.trial_memory import TrialMemory
from controlplane.sandbox import ALL_LAYERS, ForkServer, Layer

# --- What is compared ---

FIELDS_OF_PLACE: Final = frozenset({"type", "at_ms", "trial_id", "step", "number"})
"""Fields that say where an event belongs."""
UNMARKED: Final = (
    "settings, instructions, initial prompt, system texts, rules, replies with the scripts in them, "
    "results of calls, feedback, refunds, texts of fallback answers, usage, costs, times and scores"
)
"""The fields that `only_marked` returns, in words for the user."""


def compared_fields() -> dict[str, tuple[str, ...]]:
    """Return by event the fields that are computed anew and compared: `{"step": ("output", "error", ...), ...}`.

    Scripts and gates compute them, or other lines of the trial imply them.
    """
    compared: dict[str, tuple[str, ...]] = {}
    for kind in event_classes():
        if kind.remade:
            compared[type_of(kind)] = kind.remade
    return compared


def only_marked() -> dict[str, list[str]]:
    """Return by event the fields that are not computed anew (see `Event.remade`).

    A run again cannot show that they are as they were written. The mark shows it, which ends every event's line in a
    journal that this user wrote: it is computed from the line and a key that only this user has. The same holds for
    calls of the initial prompt, steps that a limit ended, and texts of fallback answers.
    """
    marked: dict[str, list[str]] = {}
    for kind in event_classes():
        names = kind.model_fields.keys() - FIELDS_OF_PLACE - set(kind.remade)
        if names:
            marked[type_of(kind)] = sorted(names)
    return marked


# --- Verifying ---


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification."""

    trials: int
    steps: int
    left_out: tuple[str, ...]
    """Parts that were not compared, with reasons."""
    other_versions: tuple[str, ...]
    """Names of parts with another version than recorded: `gates`, `evidence`, `sandbox`."""
    differences: tuple[str, ...]
    """One line for each step that differs under other versions."""
    unmarked: str
    """Why the fields of `only_marked` are not verified; empty if every event's line has this user's mark."""


@dataclass(slots=True)
class _Findings:
    """What was found while trials were run again."""

    steps: int = 0
    ended_steps: int = 0
    """Steps that do not run again: a limit ended them, or they were cut off."""
    unverified_trials: list[str] = field(default_factory=list)
    """Trials that were answered in such a step, in a journal of somebody else."""
    differences: list[str] = field(default_factory=list)


def verify(
    journal: Journal,
    trials: Sequence[str],
    *,
    isolation: frozenset[Layer] = ALL_LAYERS,
    is_trusted: bool = False,
) -> Verification:
    """Run `trials` again in `isolation`, and compare the fields that `compared_fields` names.

    Rules of modules that a journal names are imported if it is this user's own or `is_trusted`.
    Raises `UsageError` if a layer of `isolation` does not work, and `ReplayDiverged` at the first
    difference. Under other versions than recorded, differences of the scripts are collected instead.
    """
    # 1. What differs here from the run that was recorded.
    rule_sets = rule_sets_here(journal, is_trusted=is_trusted)
    versions = other_versions(journal, rule_sets)
    pythons = _other_pythons(journal)
    settings = _rerun_settings(journal, rule_sets, isolation, compare_errors=not pythons)

    # 2. Run the trials again.
    findings = _Findings()
    memory = TrialMemory(journal)
    with ForkServer(judging_modules(rule_sets)) as server:
        for trial_id in trials:
            trial = journal.trials[trial_id]
            for text in _rerun_differences(trial, findings, server, settings):
                if not versions:
                    raise ReplayDiverged(text + _hint_on_python(pythons))
                findings.differences.append(text)
            for difference in differences_between_lines(trial):
                text = _difference_text(trial_id, difference, "and its other lines imply")
                raise ReplayDiverged(text)
            memory.free()

    # 3. Say what was not compared.
    left_out: list[str] = []
    if pythons:
        left_out.append(f"error texts (recorded under Python {pythons})")
    if findings.ended_steps:
        left_out.append(
            f"{findings.ended_steps} of the steps, which a limit ended or which were cut off"
        )
    if findings.unverified_trials:
        names = ", ".join(findings.unverified_trials)
        left_out.append(f"the accepted answers of {names}, given in steps that a limit ended")
    foreign_rule_sets = sorted(set(journal.opened.rule_sets) - set(rule_sets))
    if foreign_rule_sets:
        names = ", ".join(foreign_rule_sets)
        left_out.append(f"rules of {names}, which only --trust imports")
    return Verification(
        trials=len(trials),
        steps=findings.steps,
        left_out=tuple(left_out),
        other_versions=versions,
        differences=tuple(findings.differences),
        unmarked=journal.fault_of_marks,
    )


def _rerun_differences(
    trial: RecordedTrial, findings: _Findings, server: ForkServer, settings: RerunSettings
) -> Iterator[str]:
    """Run a trial again, count its steps, and yield where one differs from its record."""
    recording = recording_of(trial, server, settings.isolation)
    if recording is None:
        return
    _note_ended_steps(findings, trial, recording.record)
    for difference in rerun(recording, server, settings):
        findings.steps += 1
        if difference is not None:
            yield _difference_text(trial.trial_id, difference, "now")


def _note_ended_steps(findings: _Findings, trial: RecordedTrial, record: TrialRecord) -> None:
    """Note the steps of a trial that do not run again, and whether one of them answered it."""
    has_accepted_answer = False
    for step in record.steps:
        if step.ending in ENDED_BY_SANDBOX:
            findings.ended_steps += 1
            for judged in step.verdicts:
                if judged.accepted:
                    has_accepted_answer = True
    if record.pending is not None:
        findings.ended_steps += 1
    if has_accepted_answer and not trial.journal.is_own:
        findings.unverified_trials.append(trial.trial_id)


def recording_of(
    trial: RecordedTrial, server: ForkServer, isolation: frozenset[Layer]
) -> Recording | None:
    """Return a trial's recording; None for a trial that never started.

    Raises `UsageError` if it holds scripts and a layer of `isolation` does not work.
    """
    record = trial.record
    started = record.started
    if started is None:
        return None
    if any(step.code for step in record.steps):
        check_isolation(server, isolation)
    context = TrialContext(
        trial.trial_id, started.task_id, started.instruction, record.now, origin=record.origin
    )
    tool_schema = tool_schema_from_text(started.tool_schema)
    return Recording(context, tool_schema, record, _recorded_provenance(trial.journal))


def _recorded_provenance(journal: Journal) -> ProvenancePolicy:
    """Return what happened to changing calls with values of running text alone.

    If the journal does not say, nothing happened to them.
    """
    setting = journal.setting("provenance")
    with suppress(ValueError):
        return ProvenancePolicy.parse(str(setting or "off"))
    return ProvenancePolicy()


# --- Versions and settings ---


def _other_pythons(journal: Journal) -> str:
    """Return the recorded versions of Python that word errors differently from this one.

    `3.12.4` differs from `3.13.1`, but not from `3.12.9`. Empty if none differs.
    """
    minor_version_here = _minor_version(platform.python_version())
    pythons = set()
    for versions in journal.versions:
        if _minor_version(versions.python) != minor_version_here:
            pythons.add(versions.python)
    return ", ".join(sorted(pythons))


def _minor_version(version: str) -> str:
    """Return a version without its last part: `"3.12.4" -> "3.12"`."""
    return version.rpartition(".")[0]


def _hint_on_python(pythons: str) -> str:
    """Return the hint that a difference may come from another Python; empty under the same one."""
    if not pythons:
        return ""
    return (
        f"; it was recorded under Python {pythons}, and what this one "
        f"({platform.python_version()}) prints can differ: replay it there"
    )


def other_versions(journal: Journal, rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts that have another version than recorded.

    The parts are those that decide verdicts or outputs of scripts. `rule_sets` are the rule sets that
    judge here.
    """
    here = current_versions(rule_sets)
    names: list[str] = []
    for name in ("gates", "evidence", "sandbox"):
        recorded = {getattr(versions, name) for versions in journal.versions}
        if recorded - {getattr(here, name)}:
            names.append(name)
    return tuple(names)


def replay_isolation(isolation: str | None = None) -> frozenset[Layer]:
    """Return the layers that isolate replayed scripts.

    By default these are the layers of the environment variable, of controlplane.toml, or all. Raises
    `UsageError`.
    """
    values = {} if isolation is None else {"isolation": isolation}
    resolved = resolve(values, os.environ, Path.cwd())
    return loop_settings(resolved.settings).isolation


def _rerun_settings(
    journal: Journal,
    rule_sets: tuple[str, ...],
    isolation: frozenset[Layer],
    *,
    compare_errors: bool,
) -> RerunSettings:
    """Return the settings of a rerun, with today's `rule_sets` and this `isolation`."""
    settings = replay_settings_here(journal)
    loop = loop_settings(settings)
    policy = gate_policy(settings.gates, settings.rule_sets, rule_sets)
    if journal.is_own:
        # The language layer is the only one whose absence shows in results of scripts, so it is on
        # or off as it was recorded.
        isolation = isolation - {Layer.LANGUAGE} | loop.isolation & {Layer.LANGUAGE}
    return RerunSettings(GateSettings(policy, rule_sets), loop.limits, isolation, compare_errors)


# --- Texts ---

CHARS_BEFORE_DIFFERENCE: Final = 30
"""Characters that a message shows of both texts before the place where they differ."""
MAX_SHOWN_CHARS: Final = 160
"""Characters that a message shows of each text."""


def _difference_text(trial_id: str, difference: Difference, now: str) -> str:
    """Return a difference in words, with both texts from shortly before they differ.

    `"trial t1, step 3, output: recorded 'total 12', now 'total 13'"`; `now` introduces the second
    text.
    """
    recorded_text = str(difference.recorded)
    text_now = str(difference.now)
    start = max(_common_length(recorded_text, text_now) - CHARS_BEFORE_DIFFERENCE, 0)
    end = start + MAX_SHOWN_CHARS
    place = f"trial {trial_id}"
    if difference.step:
        place += f", step {difference.step}"
    return (
        f"{place}, {difference.field}: "
        f"recorded {recorded_text[start:end]!r}, {now} {text_now[start:end]!r}"
    )


def _common_length(first: str, second: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    length = 0
    for first_char, second_char in zip(first, second, strict=False):
        if first_char != second_char:
            break
        length += 1
    return length
