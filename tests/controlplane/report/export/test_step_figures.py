"""A figure of a step is one field of `StepFacts`, and appears wherever steps are shown or exported."""

import csv
import json
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pytest

from controlplane.facts.step_facts import StepFacts, fact, figure, step_facts
from controlplane.facts.trial_facts import TrialRow
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.report.packed_data import packed_data
from tests.support.command import CommandRunner
from tests.support.product_files import ROOT

SAMPLE = str(ROOT / "runs/sample.jsonl")
"""A journal in the repository, of one trial with three steps."""


@pytest.fixture(scope="module")
def facts() -> list[StepFacts]:
    """The facts of the steps of the sample."""
    with open_journal(Path(SAMPLE)) as journal:
        (trial,) = journal.trials.values()
        return [step_facts(step) for step in trial.record.whole_steps]


def test_the_table_of_steps_has_every_fact(
    facts: list[StepFacts], run_command_here: CommandRunner
) -> None:
    run_command_here("export", SAMPLE, "--to", "steps.csv")

    with Path("steps.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[3:] == [each.name for each in fields(StepFacts)]
    assert [row["elapsed_ms"] for row in rows] == [
        str(step.elapsed_ms) for step in facts
    ]


def test_json_has_the_figures_of_each_step(
    facts: list[StepFacts], run_command_here: CommandRunner
) -> None:
    replayed = run_command_here(
        "replay", SAMPLE, "--trial", "calendar-date.1", "--json"
    )

    steps = json.loads(replayed.out)["steps"]
    assert [step["figures"] for step in steps] == [step.figures for step in facts]


def test_pages_show_the_text_of_the_figures(
    facts: list[StepFacts], run_command_here: CommandRunner
) -> None:
    shown = run_command_here("replay", SAMPLE, "--trial", "calendar-date.1", "--full")

    for step in facts:
        assert step.figures_text in shown.out


def test_the_span_of_a_trial_has_an_event_with_the_figures_of_each_step(
    facts: list[StepFacts], run_command_here: CommandRunner
) -> None:
    run_command_here("export", SAMPLE, "--to", "otel.jsonl")

    *_, line = Path("otel.jsonl").read_text("utf-8").splitlines()
    (resource,) = json.loads(line)["resourceSpans"]
    trial_span: dict[str, Any] = resource["scopeSpans"][0]["spans"][-1]
    events = [e for e in trial_span["events"] if e["name"] == "controlplane.step"]
    attributes = {attribute["key"] for attribute in trial_span["attributes"]}
    assert {
        "controlplane.trial.steps",
        "controlplane.trial.score",
        "controlplane.trial.elapsed_ms",
    } <= attributes
    assert len(events) == len(facts)
    for event, step in zip(events, facts, strict=True):
        names = {attribute["key"] for attribute in event["attributes"]}
        known = [name for name, value in step.figures.items() if value is not None]
        assert names == {
            "controlplane.step",
            *(f"controlplane.step.{name}" for name in known),
        }


def test_a_log_of_inspect_has_the_figures_of_each_step(
    facts: list[StepFacts], run_command_here: CommandRunner
) -> None:
    inspect_log = pytest.importorskip("inspect_ai.log")
    run_command_here("export", SAMPLE, "--to", "run.eval")

    (sample,) = inspect_log.read_eval_log("run.eval").samples
    infos = [event.data for event in sample.events if event.event == "info"]
    assert infos == [step.figures for step in facts]
    assert set(sample.metadata) == {each.name for each in fields(TrialRow)}


def test_figures_are_written_as_a_reader_expects_them(facts: list[StepFacts]) -> None:
    costly = replace(
        facts[0],
        code="x",
        prompt_tokens=900,
        completion_tokens=30,
        cost_usd=0.02,
        elapsed_ms=12.0,
        peak_memory_bytes=31_000_000,
        tokens_are_estimated=True,
        refunded=True,
    )

    shown = costly.figures_text.split(" · ")
    for text in (
        "~900 + 30 tokens",
        "$0.0200",
        "script 12 ms",
        "up to 31 MB of memory",
        "not counted against --max-steps",
    ):
        assert text in shown


# A figure that is added.


@dataclass(frozen=True, slots=True)
class _StepFactsWithNews(StepFacts):
    """The facts of a step with one more field, as somebody would add it."""

    luck: int = field(metadata=figure(lambda _: "luck 7771") | fact(lambda _: 7771))


def test_a_new_field_is_in_every_rendering(
    run_command_here: CommandRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controlplane.facts.step_facts.StepFacts", _StepFactsWithNews)
    trial = ("replay", SAMPLE, "--trial", "calendar-date.1")

    # The terminal, and a report's pages
    assert run_command_here(*trial, "--full").out.count("luck 7771") == 3
    run_command_here("report", SAMPLE, "-o", "report.html")
    (page,) = packed_data(Path("report.html").read_text("utf-8")).values()
    assert json.dumps(page["pages"]).count("luck 7771") == 3

    # JSON
    steps = json.loads(run_command_here(*trial, "--json").out)["steps"]
    assert [step["figures"]["luck"] for step in steps] == [7771] * 3

    # Tables
    run_command_here("export", SAMPLE, "--to", "steps.csv")
    with Path("steps.csv").open(encoding="utf-8", newline="") as file:
        assert [row["luck"] for row in csv.DictReader(file)] == ["7771"] * 3
    duckdb = pytest.importorskip("duckdb")
    run_command_here("export", SAMPLE, "--to", "steps.parquet")
    assert duckdb.sql("select luck from 'steps.parquet'").fetchall() == [(7771,)] * 3

    # Spans
    run_command_here("export", SAMPLE, "--to", "otel.jsonl")
    spans = Path("otel.jsonl").read_text("utf-8")
    attribute = {"key": "controlplane.step.luck", "value": {"intValue": "7771"}}
    assert spans.count(json.dumps(attribute)) == 3

    # Inspect
    inspect_log = pytest.importorskip("inspect_ai.log")
    run_command_here("export", SAMPLE, "--to", "run.eval")
    (sample,) = inspect_log.read_eval_log("run.eval").samples
    infos = [event.data for event in sample.events if event.event == "info"]
    assert [info["luck"] for info in infos] == [7771] * 3
