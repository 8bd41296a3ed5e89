"""`controlplane rerun`: play trials of a recorded run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from controlplane.commands.arguments.consent import consent_for
from controlplane.commands.arguments.options import QUIET, TRUST, about_a_run
from controlplane.commands.arguments.setting_options import (
    OF_THE_RUN,
    given_options,
    settings_options,
)
from controlplane.commands.arguments.tool_options import tool_options
from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_settings import settings_with
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle.conducting import conduct_new
from controlplane.lifecycle.run_plan import TrialChoice, rerun_plan
from controlplane.view.progress.run_display import RunView

LIMITS = settings_with(Use.SPENDING)
"""Settings that limit what a run spends. The user may choose other ones than in RUN."""


@click.command("rerun")
@about_a_run
@click.option(
    "--failed",
    is_flag=True,
    help="Play trials that did not start, or ended in a fallback.",
)
@click.option(
    "--below",
    type=click.FloatRange(0, 1),
    help="Play trials with a lower score than this.",
)
@click.option(
    "--trials",
    multiple=True,
    metavar="TRIAL",
    help="Play trials by id or task; may be repeated.",
)
@settings_options("name")
@settings_options("base_url", "isolation", *LIMITS, shown_default=OF_THE_RUN)
@tool_options
@TRUST
@QUIET
def rerun_command(
    path: Path,
    *,
    failed: bool,
    below: float | None,
    trials: tuple[str, ...],
    tools: dict[str, Any],
    is_trusted: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Play trials of RUN again, in the same worlds, into a new journal that names RUN
    as its parent.

    Without an option that chooses trials it plays all of them; with several, all trials
    that any of them chooses. The settings are those of RUN. In `compare`, RUN+RERUN
    means RUN with these trials instead of its own.
    """
    choice = TrialChoice(trials, failed, below)
    consent = consent_for(tools, is_trusted=is_trusted)
    with open_journal(path) as journal:
        plan = rerun_plan(journal, choice, given_options(options), consent)
    _, code = conduct_new(plan, RunView(quiet=quiet, as_json=as_json))
    raise SystemExit(code)
