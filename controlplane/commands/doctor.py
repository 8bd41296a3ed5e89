"""`controlplane doctor`: say whether a run would work, and what to do if not."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any, Final

import click

from controlplane.commands.options import AS_JSON
from controlplane.commands.setting_options import given, settings_options
from controlplane.configuration.setting_sources import resolve
from controlplane.doctor.diagnosis import Diagnosis
from controlplane.doctor.examination import examine
from controlplane.view.display_text import one_line

EXAMINED: Final = (
    *(
        "benchmark",
        "set",
        "model",
        "base_url",
        "api_key_env",
        "api",
        "reply_mode",
        "max_output_tokens",
        "model_timeout",
    ),
    *("model_headers", "model_body", "prices", "role", "agent", "walls", "runs_dir", "run_cost", "trial_cost"),
)
STYLES: Final = {"ok": "green", "note": "yellow", "fault": "red"}


@click.command("doctor")
@settings_options(*EXAMINED)
@AS_JSON
def command(*, as_json: bool, **options: Any) -> None:
    """Look at walls, disk, platform, endpoint, reply modes, speed and price, each with its remedy.

    It asks the model one small question in each reply mode, and starts no run. Exit code 0 only if a run would work.
    """
    resolved = resolve(given(options), os.environ, Path.cwd())
    found = []
    for each in examine(resolved.settings, tuple(resolved.profiles)):
        found.append(each)
        if not as_json:
            _print(each)
    works = all(each.state != "fault" for each in found)
    if as_json:
        print(json.dumps({"works": works, "findings": [dataclasses.asdict(each) for each in found]}))
    else:
        print("a run would work" if works else "a run would not work")
    raise SystemExit(0 if works else 1)


def _print(finding: Diagnosis) -> None:
    state = click.style(f"{finding.state:5}", fg=STYLES[finding.state])
    click.echo(f"{state}  {finding.what:10}  {one_line(finding.text)}")
    if finding.remedy and finding.state != "ok":
        click.echo(f"{'':7}{'':10}  → {finding.remedy}")
