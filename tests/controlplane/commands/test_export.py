"""`export` writes recorded runs in the formats of other programs.

`export last --to trials.csv` writes a table for spreadsheets, with a row for each trial; steps and
calls of operations have tables of their own, also as Parquet. `--to otel.jsonl` writes traces for
OpenTelemetry, and `--to run.eval` a log that Inspect shows.
"""

import csv
import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane import open_journal
from controlplane.errors import UsageError
from controlplane.journal.recorded_trial import RecordedTrial
from tests.support.browser import Browser
from tests.support.command import (
    ROOT,
    CommandRunner,
    check_error_line,
    clean_environment,
    wait_until,
)
from tests.support.scored_journal import scored_journal

SAMPLE = str(ROOT / "runs/sample.jsonl")
"""A journal in the repository: one trial of the task calendar-date.1, which has three steps."""


def trial_of_sample() -> RecordedTrial:
    """Return the one trial of the sample, as the journal's reader gives it."""
    (trial,) = open_journal(Path(SAMPLE)).trials.values()
    return trial


def rows_of_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, as in `[{"task_id": "a", "score": "0.5", ...}]`."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


TableReader = Callable[[str], list[dict[str, str]]]


@pytest.fixture
def table_of_sample(run_command_here: CommandRunner, tmp_path: Path) -> TableReader:
    """A function that exports a table of the sample: "trials", "steps" or "calls".

    `table_of_sample("steps")` returns the rows of `steps.csv`.
    """

    def table(name: str) -> list[dict[str, str]]:
        exported = run_command_here("export", SAMPLE, "--to", f"{name}.csv")
        assert exported.code == 0, exported.err
        return rows_of_csv(tmp_path / f"{name}.csv")

    return table


def test_the_trials_of_several_runs_are_rows_of_one_table(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The sample has one trial; the other run has two of the task "a", the second without a score.

    A world is the generated data that a trial plays in; the seed of a run decides what is in it.
    """
    other = scored_journal(tmp_path / "other.jsonl", {"a": [0.5, None]}, seed=-3)
    exported = run_command_here(
        "export", SAMPLE, str(other), "--to", "out/x-trials.csv"
    )

    assert exported.out.startswith("3 trials in")
    _, first_trial, second_trial = rows_of_csv(tmp_path / "out/x-trials.csv")
    assert first_trial["task_id"] == "a"
    assert first_trial["world"] == "0"
    assert first_trial["score"] == "0.5"
    assert second_trial["task_id"] == "a"
    assert second_trial["world"] == "1"
    assert second_trial["score"] == ""
    assert second_trial["seed"] == "-3"


def test_every_column_of_the_table_of_trials_is_documented(
    table_of_sample: TableReader,
) -> None:
    """The documentation has a table with a row for each column."""
    (row,) = table_of_sample("trials")

    documentation = ""
    for name in ("commands", "reference"):
        documentation += (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    for column in row:
        assert f"| `{column}` |" in documentation


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        pytest.param("=1+1", "'=1+1", id="equals sign"),
        pytest.param("+1", "'+1", id="plus"),
        pytest.param("-1", "'-1", id="minus"),
        pytest.param("@SUM(A1)", "'@SUM(A1)", id="at sign"),
        pytest.param("\uff1d1", "'\uff1d1", id="full-width equals sign"),
        pytest.param("\n =1", "\n '=1", id="after a line break and a space"),
        # A spreadsheet may drop these at the beginning of a cell.
        pytest.param("\t=1", "'\t'=1", id="after a tab"),
        pytest.param("\r=1", "'\r'=1", id="after a carriage return"),
        # A spreadsheet may take these characters, too, for the end of a cell.
        pytest.param("a;=1", "a;'=1", id="after a semicolon"),
        pytest.param(
            "b;\u00a0 -1", "b;\u00a0 '-1", id="after a semicolon and a no-break space"
        ),
        pytest.param("c|=1", "c|'=1", id="after a vertical bar"),
        pytest.param("d\n\v=1", "d\n\v'=1", id="after a vertical tab"),
    ],
)
def test_a_text_that_looks_like_a_formula_is_quoted_in_csv(
    text: str, cell: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A spreadsheet would run a formula, so an apostrophe before it makes it a text.

    Here a task has such a name, as a benchmark from outside may have. The cell `refs`, the cited
    files, looks like no formula, and stays as it is.
    """
    journal = scored_journal(tmp_path / "x.jsonl", {text: [1.0]})
    run_command_here("export", str(journal), "--to", "trials.csv")

    (row,) = rows_of_csv(tmp_path / "trials.csv")

    assert row["task_id"] == cell
    assert row["refs"] == "[]"


def attributes_of(span: dict[str, Any]) -> dict[str, object]:
    """Return a span's attributes: `{"gen_ai.operation.name": "chat", ...}`.

    The file writes each as `{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}`.
    """
    attributes = {}
    for attribute in span["attributes"]:
        (value,) = attribute["value"].values()
        attributes[attribute["key"]] = value
    return attributes


@pytest.fixture
def spans_of_sample(
    run_command_here: CommandRunner, tmp_path: Path
) -> list[dict[str, Any]]:
    """The spans of the sample's one trial: its requests and calls, and last the trial itself.

    A span is what took time. The file has a line for each trial:

        {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": ..., "attributes": ...}, ...]}]}]}
    """
    run_command_here("export", SAMPLE, "--to", "otel.jsonl")
    (line,) = (tmp_path / "otel.jsonl").read_text().splitlines()
    (resource,) = json.loads(line)["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    spans: list[dict[str, Any]] = scope["spans"]
    return spans


def test_the_last_span_is_the_whole_trial_with_its_score(
    spans_of_sample: list[dict[str, Any]],
) -> None:
    """The names are those of OpenTelemetry's conventions for agents."""
    trial_span = spans_of_sample[-1]

    assert attributes_of(trial_span)["gen_ai.operation.name"] == "invoke_agent"
    assert trial_span["events"][0]["name"] == "gen_ai.evaluation.result"


def test_requests_and_calls_are_child_spans_of_the_trial(
    spans_of_sample: list[dict[str, Any]],
) -> None:
    """A request to the model is a span "chat", a call to the environment "execute_tool"."""
    *child_spans, trial_span = spans_of_sample

    span_ids = {span["spanId"] for span in spans_of_sample}
    assert len(span_ids) == len(spans_of_sample), "two spans have the same id"
    for span in child_spans:
        assert span["parentSpanId"] == trial_span["spanId"]
        assert span["traceId"] == trial_span["traceId"]
    operations = {attributes_of(span)["gen_ai.operation.name"] for span in child_spans}
    assert operations == {"chat", "execute_tool"}


def test_child_spans_end_before_the_trial_does(
    spans_of_sample: list[dict[str, Any]],
) -> None:
    """Their times are in nanoseconds since 1970."""
    *child_spans, trial_span = spans_of_sample

    end_of_trial = int(trial_span["endTimeUnixNano"])
    for span in child_spans:
        start = int(span["startTimeUnixNano"])
        end = int(span["endTimeUnixNano"])
        assert start <= end
        assert end <= end_of_trial


@pytest.mark.parametrize("table", ["trials", "steps", "calls"])
def test_a_table_has_the_same_rows_and_columns_in_csv_and_parquet(
    table: str,
    table_of_sample: TableReader,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """DuckDB, a database, reads the Parquet file."""
    duckdb = pytest.importorskip("duckdb")
    rows_in_csv = table_of_sample(table)
    exported = run_command_here("export", SAMPLE, "--to", f"{table}.parquet")
    assert exported.code == 0

    table_in_parquet = duckdb.read_parquet(str(tmp_path / f"{table}.parquet"))

    columns_in_csv = list(rows_in_csv[0])
    assert table_in_parquet.columns == columns_in_csv
    assert len(table_in_parquet.fetchall()) == len(rows_in_csv)


def test_the_table_of_steps_has_the_code_of_each(table_of_sample: TableReader) -> None:
    """The code is the script that the model wrote in the step."""
    exported_code = [row["code"] for row in table_of_sample("steps")]

    assert exported_code == [step.code for step in trial_of_sample().steps]


def test_the_table_of_calls_has_their_operations(table_of_sample: TableReader) -> None:
    """In the sample, a file is read, and a program of the shop is run."""
    operations = {row["operation"] for row in table_of_sample("calls")}

    assert "read" in operations
    assert "exec" in operations


def test_half_a_surrogate_pair_becomes_a_replacement_character_in_parquet(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A model may write half of a character that JSON writes as a pair; Parquet is UTF-8,
    which has no such halves. Here the name of a task ends in one."""
    duckdb = pytest.importorskip("duckdb")
    journal = scored_journal(tmp_path / "x.jsonl", {"a\ud800": [1.0]})

    run_command_here("export", str(journal), "--to", "trials.parquet")

    relation = duckdb.read_parquet(str(tmp_path / "trials.parquet"))
    assert relation.select("task_id").fetchall() == [("a\ufffd",)]


def test_inspect_reads_the_log_of_a_run(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Inspect is a framework for evaluations of models; `inspect_ai.log` reads its logs.

    In such a log, a trial is called a sample.
    """
    inspect_log = pytest.importorskip("inspect_ai.log")
    assert run_command_here("export", SAMPLE, "--to", "run.eval").code == 0

    log = inspect_log.read_eval_log(str(tmp_path / "run.eval"))

    trial = trial_of_sample()
    (logged_trial,) = log.samples
    assert logged_trial.id == trial.task_id
    assert logged_trial.scores["grader"].value == trial.score
    assert logged_trial.output.completion == trial.summary.answer
    first_roles = [message.role for message in logged_trial.messages[:3]]
    assert first_roles == ["system", "user", "assistant"]
    kinds_of_events = {event.event for event in logged_trial.events}
    assert kinds_of_events == {"model", "tool", "score"}


def test_two_runs_do_not_fit_into_one_log_of_inspect(
    run_command_here: CommandRunner,
) -> None:
    """The sample is named twice."""
    pytest.importorskip("inspect_ai.log")
    refused = run_command_here("export", SAMPLE, SAMPLE, "--to", "two.eval")

    check_error_line(refused, UsageError.exit_code, "holds one run")


PAGES_OF_INSPECT_VIEW = {
    "": ["calendar-date.1", "24-11-2027", "MEAN", "1.0"],
    "/samples/sample/calendar-date.1/1/messages": [
        "SYSTEM",
        "USER",
        "ASSISTANT",
        "datetime.timedelta(days=7)",
    ],
    "/samples/sample/calendar-date.1/1/scoring": ["grader", "24-11-2027", "SCORE"],
}
"""The pages about the log of the sample, each with words that it shows."""


def free_port() -> int:
    """Return a port at which no server listens at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def wait_for_words(browser: Browser, url: str, words: list[str]) -> None:
    """Open a page, and wait until it shows all words."""
    browser.send("Page.navigate", url="about:blank")
    browser.send("Page.navigate", url=url)
    browser.wait(
        f"{json.dumps(words)}.every(word => document.body?.innerText.includes(word))"
    )


@pytest.mark.second_tier
def test_inspect_view_shows_samples_messages_and_scores(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """`inspect view`, a program of Inspect, serves the log as web pages.

    A browser without a window opens each page and waits for its words.
    """
    pytest.importorskip("inspect_ai")
    assert run_command_here("export", SAMPLE, "--to", "logs/run.eval").code == 0

    port = free_port()
    inspect = Path(sys.executable).with_name("inspect")
    command = [inspect, "view", "--log-dir", "logs", "--port", str(port)]
    output = tmp_path / "output"
    with Browser() as browser, output.open("wb") as output_file:
        viewer = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=clean_environment(),
            stdout=output_file,
            stderr=output_file,
        )
        try:
            wait_until(lambda: b"Running on" in output.read_bytes())
            browser.size(1280)
            for page, words in PAGES_OF_INSPECT_VIEW.items():
                url = f"http://127.0.0.1:{port}/#/tasks/run.eval{page}"
                wait_for_words(browser, url, words)
        finally:
            viewer.terminate()
            viewer.wait(20)


@pytest.mark.parametrize(
    ("arguments", "message_part"),
    [
        pytest.param(
            (SAMPLE, "--to", "trials.xlsx"),
            "trials.csv, trials.parquet, steps.csv",
            id="a format that does not exist",
        ),
        pytest.param(
            ("none", "--to", "trials.csv"), "no journals in runs", id="no such run"
        ),
        pytest.param(
            (SAMPLE, "--to", "/proc/trials.csv"),
            "cannot write /proc/trials.csv",
            id="a folder where nobody may write",
        ),
    ],
)
def test_an_export_that_cannot_be_written_is_an_error_of_one_line(
    arguments: tuple[str, ...], message_part: str, run_command_here: CommandRunner
) -> None:
    refused = run_command_here("export", *arguments)

    check_error_line(refused, UsageError.exit_code, message_part)
