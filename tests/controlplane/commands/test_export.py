"""`export` writes tables and spans that other programs take."""

import csv
import json
from pathlib import Path

import pytest

from controlplane import open_journal
from tests.support.command import ROOT, Type, check_line
from tests.support.scored_journal import scored_journal

SAMPLE = ROOT / "runs/sample.jsonl"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def attributes(span: dict[str, list[dict[str, object]]]) -> dict[str, object]:
    return {str(attribute["key"]): next(iter(dict(attribute["value"]).values())) for attribute in span["attributes"]}


def test_trials_of_several_runs_are_rows_with_the_documented_columns(type_in: Type, tmp_path: Path) -> None:
    other = scored_journal(tmp_path / "other.jsonl", {"a": [0.5, None]}, seed=-3)
    assert type_in("export", str(SAMPLE), str(other), "--to", "out/x-trials.csv").out.startswith("3 trials in")
    rows = table(tmp_path / "out/x-trials.csv")
    assert [(row["task_id"], row["try_number"], row["score"]) for row in rows[-2:]] == [
        ("a", "0", "0.5"),
        ("a", "1", ""),
    ]
    assert rows[-1]["seed"] == "-3"
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert [column for column in rows[0] if f"| `{column}` |" not in page] == []


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\n =1", "\uff1d1", "\t=1", "\r=1"])
def test_a_text_like_a_formula_stays_a_text(text: str, type_in: Type, tmp_path: Path) -> None:
    type_in("export", str(scored_journal(tmp_path / "x.jsonl", {text: [1.0]})), "--to", "trials.csv")
    (row,) = table(tmp_path / "trials.csv")
    assert (row["task_id"], row["refs"]) == (f"'{text}", "[]")


def test_spans_form_a_tree_for_each_trial_and_lie_within_it(type_in: Type, tmp_path: Path) -> None:
    type_in("export", str(SAMPLE), "--to", "otel.jsonl")
    lines = (tmp_path / "otel.jsonl").read_text().splitlines()
    journal = open_journal(SAMPLE)
    assert len(lines) == sum(trial.has_begun for trial in journal.trials.values())
    for line in lines:
        (resource,) = json.loads(line)["resourceSpans"]
        (scope,) = resource["scopeSpans"]
        *inner, root = scope["spans"]
        assert attributes(root)["gen_ai.operation.name"] == "invoke_agent"
        assert root["events"][0]["name"] == "gen_ai.evaluation.result"
        assert {each["parentSpanId"] for each in inner} == {root["spanId"]}
        assert len({span["spanId"] for span in scope["spans"]}) == len(scope["spans"])
        assert {attributes(each)["gen_ai.operation.name"] for each in inner} == {"chat", "execute_tool"}
        for each in inner:
            assert each["traceId"] == root["traceId"]
            assert int(each["startTimeUnixNano"]) <= int(each["endTimeUnixNano"]) <= int(root["endTimeUnixNano"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((str(SAMPLE), "--to", "trials.xlsx"), "trials.csv, otel.jsonl"),
        (("none", "--to", "trials.csv"), "no journals in runs"),
        ((str(SAMPLE), "--to", "/proc/trials.csv"), "cannot write /proc/trials.csv"),
    ],
)
def test_an_export_that_cannot_be_written_is_one_line(words: tuple[str, ...], says: str, type_in: Type) -> None:
    check_line(type_in("export", *words), 2, says)
