"""The runs that a sweep has played before.

A sweep plays a run for each combination of settings. If it was interrupted and starts again,
a run whose journal exists is continued, but only if it is the same run.
"""

from __future__ import annotations

from controlplane.configuration.run_settings import settings_with
from controlplane.configuration.setting_uses import Use
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.lifecycle.resources.run_prompts import prompts_named_by
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.lifecycle.run_refusals import refuse_if_running
from controlplane.sweep.sweep_file import SETTINGS_OF_THE_SWEEP


def recorded_part(run: RunPlan) -> RunSummary | None:
    """Return what the journal of a run has so far, as totals; None if the run has not begun.

    Raises `UsageError` if the journal belongs to another user, or if its settings or
    prompt texts differ.
    """
    path = run.path
    if not path.exists():
        return None
    refuse_if_running(path)
    with open_journal(path) as journal:
        summary = journal.summary
        # The lines of a journal are signed with a key of the user who wrote it.
        fault_of_signatures = journal.fault_of_marks
    if fault_of_signatures:
        fault = f"but {fault_of_signatures}"
    else:
        fault = _difference_from(summary, run)
    if fault:
        msg = f"{path} already exists, {fault}; give the sweep another name, or remove that journal"
        raise UsageError(msg)
    return summary


def _difference_from(summary: RunSummary, run: RunPlan) -> str:
    """Return the first difference between a recorded run and a new one; empty if there is none."""
    assert summary.opened is not None
    may_differ = {
        "benchmark",  # a benchmark may record more options than the user gave
        "set",
        "concurrency",  # these two say where trials run, not what they do
        "workers",
        *SETTINGS_OF_THE_SWEEP,
        *settings_with(Use.SPENDING),  # limits may be raised to continue
    }
    recorded = {}
    for setting in summary.opened.settings:
        if setting.name not in may_differ:
            recorded[setting.name] = setting.value
    settings = run.spec.settings
    for name, value in settings.model_dump(mode="json").items():
        if name in recorded and recorded[name] != value:
            return f"with {name} = {recorded[name]!r} instead of {value!r}"

    files = [name for name in (settings.prompt, settings.hints) if name]
    if files and prompts_named_by(settings).digest != summary.opened.versions.prompts:
        return f"and its prompt texts differ from those in {' and '.join(files)} now"
    return ""
