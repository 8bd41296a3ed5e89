"""Verifies trials of a journal: runs their scripts and gates again, and compares the results.

Under the recorded versions of Python, the gates and the sandbox, the first difference
is an error. Under other versions, differences are collected, and fields known to depend
on the version are ignored.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from controlplane.agent.evidence import ProvenancePolicy
from controlplane.agent.loop import TrialContext
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.submission import GateSettings, judging_modules
from controlplane.configuration.installed_versions import current_versions
from controlplane.configuration.recorded_settings import replay_settings_here
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_reader import Journal, RecordedTrial
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.lifecycle.resources.gate_policies import gate_policy, rule_sets_here
from controlplane.lifecycle.resources.run_limits import loop_settings
from controlplane.lifecycle.resources.run_sandbox import check_isolation
from controlplane.replay.difference_texts import difference_text
from controlplane.replay.implied_lines import differences_between_lines
from controlplane.replay.rerun import ENDED_BY_SANDBOX, Recording, RerunSettings, rerun
from controlplane.replay.trial_memory import TrialMemory
from controlplane.sandbox import ALL_LAYERS, ForkServer, Layer


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification."""

    trials: int
    steps: int
    left_out: tuple[str, ...]
    """The parts that were not compared, with reasons."""
    other_versions: tuple[str, ...]
    """Those of `gates`, `evidence` and `sandbox` whose version differs from the recorded one."""
    differences: tuple[str, ...]
    """One line for each step that differs; empty under the recorded versions."""
    unmarked: str
    """Why the fields that only a signature protects are not verified (`signed_only_fields` lists
    them); empty if this user has signed (marked) the line of every event."""


@dataclass(slots=True)
class _Findings:
    """Counts and differences, collected while trials run again."""

    steps: int = 0
    ended_steps: int = 0
    """Steps that are not run again, because a limit ended them or they were interrupted."""
    unverified_trials: list[str] = field(default_factory=list)
    """Trials whose answer was accepted in such a step, if somebody else wrote the journal."""
    differences: list[str] = field(default_factory=list)


def verify(
    journal: Journal,
    trials: Sequence[str],
    *,
    isolation: frozenset[Layer] = ALL_LAYERS,
    is_trusted: bool = False,
) -> Verification:
    """Run `trials` again, and compare the fields that `compared_fields` returns.

    `isolation` are the layers of the sandbox in which scripts run. Rule sets that users
    wrote are imported only if the journal is this user's own, or `is_trusted`.

    Raises `UsageError` if a layer of `isolation` does not work. Raises `ReplayDiverged`
    at the first difference; under other versions than recorded, differences of scripts
    are collected instead.
    """
    # 1. Find out which versions differ from the recorded ones.
    rule_sets = rule_sets_here(journal, is_trusted=is_trusted)
    changed_parts = other_versions(journal, rule_sets)
    other_pythons = _other_pythons(journal)
    settings = _rerun_settings(
        journal, rule_sets, isolation, compare_errors=not other_pythons
    )

    # 2. Run the trials again.
    findings = _Findings()
    memory = TrialMemory(journal)
    with ForkServer(judging_modules(rule_sets)) as server:
        for trial_id in trials:
            trial = journal.trials[trial_id]
            # This counts the trial's steps in `findings`, and yields the differences.
            for text in _rerun_differences(trial, findings, server, settings):
                # Only under the recorded versions is a difference surely a fault.
                if not changed_parts:
                    raise ReplayDiverged(text + _hint_on_python(other_pythons))
                findings.differences.append(text)
            _check_lines(trial)
            memory.free()

    # 3. List what was not compared.
    left_out = _left_out(findings, other_pythons)
    foreign_rule_sets = sorted(set(journal.opened.rule_sets) - set(rule_sets))
    if foreign_rule_sets:
        names = ", ".join(foreign_rule_sets)
        left_out.append(f"rules of {names}, which only --trust imports")
    return Verification(
        trials=len(trials),
        steps=findings.steps,
        left_out=tuple(left_out),
        other_versions=changed_parts,
        differences=tuple(findings.differences),
        unmarked=journal.fault_of_marks,
    )


def _check_lines(trial: RecordedTrial) -> None:
    """Raise `ReplayDiverged` at the first line that other lines of the trial contradict."""
    for difference in differences_between_lines(trial):
        now = "and its other lines imply"
        raise ReplayDiverged(difference_text(trial.trial_id, difference, now))


def _left_out(findings: _Findings, other_pythons: str) -> list[str]:
    """Return the parts that were not compared, with reasons."""
    left_out: list[str] = []
    if other_pythons:
        left_out.append(f"error texts (recorded under Python {other_pythons})")
    if findings.ended_steps:
        left_out.append(
            f"{findings.ended_steps} of the steps, which a limit ended or which were cut off"
        )
    if findings.unverified_trials:
        names = ", ".join(findings.unverified_trials)
        left_out.append(
            f"the accepted answers of {names}, given in steps that a limit ended"
        )
    return left_out


def _rerun_differences(
    trial: RecordedTrial,
    findings: _Findings,
    server: ForkServer,
    settings: RerunSettings,
) -> Iterator[str]:
    """Run a trial again, and yield a text for each step that differs from its record.

    Counts the steps in `findings`.
    """
    recording = recording_of(trial, server, settings.isolation)
    if recording is None:
        return
    _note_ended_steps(findings, trial, recording.record)
    for difference in rerun(recording, server, settings):
        findings.steps += 1
        if difference is not None:
            yield difference_text(trial.trial_id, difference, "now")


def _note_ended_steps(
    findings: _Findings, trial: RecordedTrial, record: TrialRecord
) -> None:
    """Count the steps of a trial that are not run again.

    If an answer was accepted in such a step, it cannot be verified. In a journal that
    somebody else wrote, this is recorded.
    """
    has_accepted_answer = False
    for step in record.steps:
        if step.ending in ENDED_BY_SANDBOX:
            findings.ended_steps += 1
            for judged in step.verdicts:
                if judged.accepted:
                    has_accepted_answer = True
    if record.all_steps.cut_off is not None:  # An interrupted step, which never ended.
        findings.ended_steps += 1
    if has_accepted_answer and not trial.journal.is_own:
        findings.unverified_trials.append(trial.trial_id)


def recording_of(
    trial: RecordedTrial, server: ForkServer, isolation: frozenset[Layer]
) -> Recording | None:
    """Return what is needed to run a trial again; None if the trial never started.

    Raises `UsageError` if it has scripts, and a layer of `isolation` does not work here.
    """
    record = trial.record
    started = record.started
    if started is None:
        return None
    if any(step.code for step in record.steps):
        check_isolation(server, isolation)
    context = TrialContext(
        trial.trial_id,
        started.task_id,
        started.instruction,
        record.now,
        origin=record.origin,
    )
    tool_schema = tool_schema_from_text(started.tool_schema)
    return Recording(context, tool_schema, record, _recorded_provenance(trial.journal))


def _recorded_provenance(journal: Journal) -> ProvenancePolicy:
    """Return the provenance policy of the run; `off` if the journal does not tell.

    It decides about calls that would change something by a value from untrusted text.
    """
    setting = journal.setting("provenance")
    with suppress(ValueError):
        return ProvenancePolicy.parse(str(setting or "off"))
    return ProvenancePolicy()


# --- Versions and settings ---


def _other_pythons(journal: Journal) -> str:
    """Return the recorded versions of Python whose error texts may differ from those here.

    These are other minor versions: `3.12.4` differs from `3.13.1`, but not from
    `3.12.9`. Empty if there are none.
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
    """Return a hint that another Python may have caused a difference; empty under the same one."""
    if not pythons:
        return ""
    return (
        f"; it was recorded under Python {pythons}, and what this one "
        f"({platform.python_version()}) prints can differ: replay it there"
    )


def other_versions(journal: Journal, rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of `gates`, `evidence` and `sandbox` that have another version than recorded.

    These parts of the program determine verdicts and the outputs of scripts.
    `rule_sets` are the rule sets in use now.
    """
    here = current_versions(rule_sets)
    names: list[str] = []
    for name in ("gates", "evidence", "sandbox"):
        recorded = {getattr(versions, name) for versions in journal.versions}
        if recorded - {getattr(here, name)}:
            names.append(name)
    return tuple(names)


def replay_isolation(isolation: str | None = None) -> frozenset[Layer]:
    """Return the layers of the sandbox that isolate replayed scripts.

    They are those in `isolation` or, without it, in the environment variable or
    controlplane.toml. By default they are all. Raises `UsageError`.
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
    """Return the settings of a rerun with these `rule_sets` and this `isolation`."""
    settings = replay_settings_here(journal)
    loop = loop_settings(settings)
    policy = gate_policy(settings.gates, settings.rule_sets, rule_sets)
    if journal.is_own:
        # Only the language layer influences the results of scripts. So it is on or off
        # as in the run.
        isolation = isolation - {Layer.LANGUAGE}
        if Layer.LANGUAGE in loop.isolation:
            isolation = isolation | {Layer.LANGUAGE}
    return RerunSettings(
        GateSettings(policy, rule_sets), loop.limits, isolation, compare_errors
    )
