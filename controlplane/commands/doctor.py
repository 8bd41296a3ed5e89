"""`controlplane doctor`: checks whether a run would work here, and what to do if not.

It checks everything that a run with these settings needs, one thing after another, and
starts no run. It asks a model one small question in each reply mode to learn what
works, how fast, and at what cost.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any, Final

import click

from controlplane.commands.arguments.options import AS_JSON
from controlplane.commands.arguments.setting_options import (
    given_options,
    settings_options,
)
from controlplane.commands.diagnosis.diagnosis import Diagnosis
from controlplane.commands.diagnosis.examination import examine
from controlplane.configuration.setting_sources import resolve
from controlplane.terminal_text import one_line, say

STYLES: Final = {"ok": "green", "note": "yellow", "unknown": "yellow", "fault": "red"}
CONCLUSIONS: Final = {
    True: "a run would work",
    False: "a run would not work",
    None: "whether a run would work cannot be known",
}


@click.command("doctor")
@settings_options(
    "benchmark",
    "set",
    "model",
    "base_url",
    "api",
    "reply_mode",
    "max_output_tokens",
    "model_timeout",
    "initial_prompt_chars",
    "prices",
    "role",
    "agent",
    "isolation",
    "runs_dir",
    "run_cost",
    "trial_cost",
)
@AS_JSON
def doctor_command(*, as_json: bool, **options: Any) -> None:
    """Check isolation, disk, platform, endpoint, reply modes, speed and price, and name
    remedies.

    It asks the model one small question in each reply mode, and one of 4,000
    characters, and starts no run. A benchmark with containers starts one. Exit code 0 only
    if a run would work.
    """
    resolved = resolve(given_options(options), os.environ, Path.cwd())
    findings = []
    for finding in examine(resolved.settings):
        findings.append(finding)
        if not as_json:
            _say_finding(finding)
    states = {finding.state for finding in findings}
    works: bool | None = "fault" not in states
    if works and "unknown" in states:
        works = None
    if as_json:
        shown = [dataclasses.asdict(finding) for finding in findings]
        print(json.dumps({"works": works, "findings": shown}))
    else:
        say(CONCLUSIONS[works])
    raise SystemExit(0 if works else 1)


def _say_finding(finding: Diagnosis) -> None:
    state = click.style(f"{finding.state:5}", fg=STYLES[finding.state])
    say(f"{state}  {finding.what:13}  {one_line(finding.text)}", is_styled=True)
    if finding.remedy and finding.state != "ok":
        say(f"{'':7}{'':13}  → {finding.remedy}")
