"""`show --json` prints an object for other programs, which the reference describes."""

import re
from pathlib import Path

from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.command import ROOT, run_in_process
from tests.support.recorded_run import RecordedRun


def test_the_object_has_the_score_the_end_and_the_rejections(tmp_path: Path) -> None:
    journal_of_trials(
        tmp_path / "runs/first.jsonl",
        [
            ReportedTrial("alpha", score=1.0),
            # Gate 4 sends two answers back.
            ReportedTrial("beta", score=0.0, rejected_answers=2),
        ],
    )

    shown = run_in_process("show", "last", "--json", cwd=tmp_path)

    assert shown.json["score"] == 0.5
    assert shown.json["ended"] == "finished"
    assert shown.json["rejections"] == {"4": 2}


def test_the_object_counts_the_rejections_of_a_rule(recorded: RecordedRun) -> None:
    """In a run that was played, the rule "wording" of gate 6 has sent an answer of each of the 25
    trials back."""
    shown = recorded.run_command("show", "first", "--json")

    assert shown.json["score"] == 0.8
    assert shown.json["ended"] == "finished"
    assert shown.json["rejections"] == {"6/wording": 25}


def test_the_object_has_the_documented_fields_in_their_order(
    recorded: RecordedRun,
) -> None:
    """The reference has a table of the fields of the run, and then one of those of a trial."""
    reference = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    _, _, rest = reference.partition("### One result object")
    section, _, _ = rest.partition("\n### ")
    documented_fields = []
    for first_cell in re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE):
        documented_fields += re.findall(r"`(\w+)`", first_cell)

    shown = recorded.run_command("show", "first", "--json")

    fields_of_run = list(shown.json)
    fields_of_trial = list(shown.json["trials"][0])
    assert [*fields_of_run, *fields_of_trial] == documented_fields
