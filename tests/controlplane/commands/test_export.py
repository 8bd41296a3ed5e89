"""`export` writes tables and spans that other programs take."""

import csv
import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane import open_journal
from tests.support.browser import Browser
from tests.support.command import (
    ROOT,
    CommandRunner,
    check_error_line,
    clean_environment,
    wait_until,
)
from tests.support.scored_journal import scored_journal

SAMPLE = ROOT / "runs/sample.jsonl"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def attributes(span: dict[str, list[dict[str, object]]]) -> dict[str, object]:
    return {
        str(attribute["key"]): next(iter(dict(attribute["value"]).values()))
        for attribute in span["attributes"]
    }


def test_trials_of_several_runs_are_rows_with_the_documented_columns(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    other = scored_journal(tmp_path / "other.jsonl", {"a": [0.5, None]}, seed=-3)
    assert run_command_here(
        "export", str(SAMPLE), str(other), "--to", "out/x-trials.csv"
    ).out.startswith("3 trials in")
    rows = table(tmp_path / "out/x-trials.csv")
    assert [(row["task_id"], row["world"], row["score"]) for row in rows[-2:]] == [
        ("a", "0", "0.5"),
        ("a", "1", ""),
    ]
    assert rows[-1]["seed"] == "-3"
    page = "".join(
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
        for name in ("commands", "reference")
    )
    assert [column for column in rows[0] if f"| `{column}` |" not in page] == []


FORMULAS = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\n =1",
    "\uff1d1",
    "\t=1",
    "\r=1",
    "a;=1",
    "b;\u00a0 -1",
    "c|=1",
    "d\n\v=1",
)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_like_a_formula_stays_a_text_whatever_separates_cells(
    text: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    run_command_here(
        "export",
        str(scored_journal(tmp_path / "x.jsonl", {text: [1.0]})),
        "--to",
        "trials.csv",
    )
    (row,) = table(tmp_path / "trials.csv")

    assert (row["task_id"].replace("'", ""), row["refs"]) == (text, "[]")
    for cell in re.split(r"[;|\t\r\n\v]", row["task_id"]):
        assert not cell.strip().startswith(("=", "+", "-", "@", "\uff1d"))


def test_spans_form_a_tree_for_each_trial_and_lie_within_it(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    run_command_here("export", str(SAMPLE), "--to", "otel.jsonl")
    lines = (tmp_path / "otel.jsonl").read_text().splitlines()
    journal = open_journal(SAMPLE)

    assert len(lines) == sum(trial.has_begun for trial in journal.trials.values())
    for line in lines:
        (resource,) = json.loads(line)["resourceSpans"]
        (scope,) = resource["scopeSpans"]
        *inner, root = scope["spans"]
        assert attributes(root)["gen_ai.operation.name"] == "invoke_agent"
        assert root["events"][0]["name"] == "gen_ai.evaluation.result"
        assert {span["parentSpanId"] for span in inner} == {root["spanId"]}
        assert len({span["spanId"] for span in scope["spans"]}) == len(scope["spans"])
        assert {attributes(span)["gen_ai.operation.name"] for span in inner} == {
            "chat",
            "execute_tool",
        }
        for span in inner:
            assert span["traceId"] == root["traceId"]
            assert (
                int(span["startTimeUnixNano"])
                <= int(span["endTimeUnixNano"])
                <= int(root["endTimeUnixNano"])
            )


def test_steps_and_calls_are_rows_in_csv_and_parquet(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb")
    for what in ("trials", "steps", "calls"):
        for ending in ("csv", "parquet"):
            assert (
                run_command_here("export", str(SAMPLE), "--to", f"{what}.{ending}").code
                == 0
            )
        rows = table(tmp_path / f"{what}.csv")
        again = duckdb.read_parquet(str(tmp_path / f"{what}.parquet"))
        assert (len(rows), list(rows[0])) == (len(again.fetchall()), again.columns)
    journal = open_journal(SAMPLE)
    (trial,) = journal.trials.values()
    steps = table(tmp_path / "steps.csv")

    assert [row["code"] for row in steps] == [step.code for step in trial.steps]
    assert {row["operation"] for row in table(tmp_path / "calls.csv")} >= {
        "read",
        "exec",
    }


def test_half_of_a_surrogate_pair_is_a_replacement_character_in_parquet(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb")
    run_command_here(
        "export",
        str(scored_journal(tmp_path / "x.jsonl", {"a\ud800": [1.0]})),
        "--to",
        "trials.parquet",
    )

    assert duckdb.read_parquet(str(tmp_path / "trials.parquet")).select(
        "task_id"
    ).fetchall() == [("a\ufffd",)]


def test_inspect_reads_the_log_of_a_run(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    log = pytest.importorskip("inspect_ai.log")
    assert run_command_here("export", str(SAMPLE), "--to", "run.eval").code == 0
    read = log.read_eval_log(str(tmp_path / "run.eval"))
    (sample,) = read.samples
    (trial,) = open_journal(SAMPLE).trials.values()
    assert (sample.id, sample.scores["grader"].value, sample.output.completion) == (
        trial.task_id,
        trial.score,
        trial.summary.answer,
    )
    assert [message.role for message in sample.messages[:3]] == [
        "system",
        "user",
        "assistant",
    ]
    events = {event.event for event in sample.events}
    assert events == {"model", "tool", "score"}
    check_error_line(
        run_command_here("export", str(SAMPLE), str(SAMPLE), "--to", "two.eval"),
        2,
        "holds one run",
    )


@pytest.mark.second_tier
def test_inspect_view_shows_samples_messages_and_scores(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    pytest.importorskip("inspect_ai")
    assert run_command_here("export", str(SAMPLE), "--to", "logs/run.eval").code == 0
    pages = {
        "": ("calendar-date.1", "24-11-2027", "MEAN", "1.0"),
        "/samples/sample/calendar-date.1/1/messages": (
            "SYSTEM",
            "USER",
            "ASSISTANT",
            "datetime.timedelta(days=7)",
        ),
        "/samples/sample/calendar-date.1/1/scoring": ("grader", "24-11-2027", "SCORE"),
    }
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    program = [
        Path(sys.executable).with_name("inspect"),
        "view",
        "--log-dir",
        "logs",
        "--port",
        str(port),
    ]
    with Browser() as browser, (tmp_path / "said").open("wb") as said:
        viewer = subprocess.Popen(
            program, cwd=tmp_path, env=clean_environment(), stdout=said, stderr=said
        )
        try:
            wait_until(
                lambda: b"Running on" in (tmp_path / "said").read_bytes(), within_s=60
            )
            browser.size(1280)
            for page, words in pages.items():
                browser.send("Page.navigate", url="about:blank")
                browser.send(
                    "Page.navigate",
                    url=f"http://127.0.0.1:{port}/#/tasks/run.eval{page}",
                )
                browser.wait(
                    f"{json.dumps(words)}.every(word => document.body?.innerText.includes(word))"
                )
        finally:
            viewer.terminate()
            viewer.wait(20)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((str(SAMPLE), "--to", "trials.xlsx"), "trials.csv, trials.parquet, steps.csv"),
        (("none", "--to", "trials.csv"), "no journals in runs"),
        ((str(SAMPLE), "--to", "/proc/trials.csv"), "cannot write /proc/trials.csv"),
    ],
)
def test_an_export_that_cannot_be_written_is_one_line(
    words: tuple[str, ...], says: str, run_command_here: CommandRunner
) -> None:
    check_error_line(run_command_here("export", *words), 2, says)
