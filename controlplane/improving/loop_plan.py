"""The plan of a new improvement loop, and the settings with which a loop goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from controlplane.benchmark import BenchmarkError
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import Resolved
from controlplane.errors import UsageError
from controlplane.improving.candidates import edited_files
from controlplane.improving.loop_budget import LIMITS
from controlplane.improving.loop_lines import LoopOpened
from controlplane.improving.loop_record import LoopRecord
from controlplane.improving.worlds import SplitRequest, split_worlds
from controlplane.journal.journal_files import new_run_id


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """The options of a new loop, besides the settings of its runs."""

    proposer: str
    """A model's name, or `command:` and a program."""
    edits: tuple[str, ...]
    """The files that may change; empty for prompt texts and hints."""
    worlds: SplitRequest
    """How the worlds are divided: to learn from, to check changes on, and for the proof."""
    proposals: int
    """The largest number of proposals."""
    batch: int
    """The number of trials that a proposer sees before it proposes a change."""
    seed: int


def plan_loop(options: LoopOptions, resolved: Resolved) -> LoopOpened:
    """Return the plan of a new loop. Raises `UsageError`."""
    files = edited_files(options.edits, resolved.settings)
    try:
        train, check, final = split_worlds(resolved.settings, options.worlds)
    except BenchmarkError as error:
        raise as_command_error(error) from error
    return LoopOpened(
        loop=new_run_id("improve"),
        settings=resolved.settings.model_dump(mode="json"),
        sources=dict(resolved.sources),
        origins=dict(files.origins),
        texts=dict(files.texts),
        proposer=options.proposer,
        train=tuple(train),
        check=tuple(check),
        final=tuple(final),
        proposals=options.proposals,
        batch=options.batch,
        seed=options.seed,
    )


def continued_settings(record: LoopRecord, changes: Mapping[str, Any]) -> RunSettings:
    """Return the settings with which a loop continues: its own ones, with new limits.

    Raises `UsageError` for any other change.
    """
    for name in changes:
        if name not in LIMITS:
            msg = (
                f"--{name.replace('_', '-')}: a loop goes on with its own settings; "
                "only its limits can change"
            )
            raise UsageError(msg)
    return RunSettings.model_validate(record.plan.settings | dict(changes))


def parse_parts(parts: Sequence[str | None]) -> tuple[str, str, str]:
    """Return the values of --train, --check and --final; an option that is not given is empty."""
    train, check, final = (part or "" for part in parts)
    return train, check, final
