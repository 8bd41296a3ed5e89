"""`show` and `runs`: one run told in short, and the journals of a folder, broken ones too."""

import json
import re
import shutil
import signal
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from controlplane.agent.events import Event, event_classes
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import SCHEMA_VERSION, Score
from tests.controlplane.report.reported_run import ReportedTrial, journal_of_trials
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    run_controlplane,
    run_in_process,
    start_controlplane,
    write_config,
)
from tests.support.many_trials import wait_for_turns
from tests.support.terminal import Terminal


def test_the_report_shows_the_worst_twenty_and_counts_the_rest(
    recorded: tuple[Path, CommandResult],
) -> None:
    done = run_in_process("show", "first", cwd=recorded[0], COLUMNS="80")
    title, *lines = [line.rstrip() for line in done.out.splitlines()]

    assert title.startswith(
        "first · tests.support.many_trials:25 · scripted:crowd.toml  2"
    )
    assert lines[0].split() == ["trial", "score", "outcome", "steps", "time"]
    wrong = ["seat-005", "seat-010", "seat-015", "seat-020", "seat-025"]
    assert [line.split()[0] for line in lines[1:10:2]] == wrong
    assert re.search(r"0\.00  OK +3 +\d+(\.\d)? m?s$", lines[1])
    assert lines[2] == "  expected 8; answered 7"
    assert lines[26] == "5 more trials"
    assert lines[27:29] == [
        "mean score 0.800 over 25 of 25 trials",
        "sent back by gate 6 (wording) ×25",
    ]
    assert max(len(line) for line in lines[:29]) <= 80
    assert re.search(r"^next .* replay \S+ --trial seat-005$", lines[30])
    assert re.search(r" show \S+ --all$", lines[31])


@pytest.mark.parametrize(
    ("columns", "ends"),
    [("45", ["", "…"]), ("80", ["", "expected 7"]), ("140", ["expected 7"])],
)
def test_long_reasons_take_two_lines_below_their_trial(
    columns: str, ends: list[str], tmp_path: Path
) -> None:
    (tmp_path / "short.toml").write_text(
        "[[reply]]\nstate = 'count'\ncode = 'harness.count()'\n"
    )
    crowd = (
        "--benchmark",
        "tests.support.many_trials:3",
        "--model",
        "scripted:short.toml",
    )
    done = run_in_process("run", *crowd, "--quiet", cwd=tmp_path, COLUMNS=columns)
    _, _, *rows = done.out.partition("\nmean score")[0].splitlines()

    assert max(map(len, rows)) <= int(columns)
    count = 1 + len(ends)
    assert len(rows) == 3 * count
    for at in range(0, len(rows), count):
        assert re.match(r"seat-00\d +0\.00  (\w+) +\d  +\d+(\.\d)? m?s$", rows[at])
        assert rows[at + 1].startswith("  the model failed")
        assert all(
            row.endswith(end)
            for row, end in zip(rows[at + 1 : at + count], ends, strict=True)
        )


def test_a_screen_of_24_lines_holds_why_trials_failed_and_what_to_type_next(
    tmp_path: Path,
) -> None:
    trials = [
        ReportedTrial(f"family{at}.{number}", at / 20, ("not it",))
        for at in range(20)
        for number in range(4)
    ]
    journal_of_trials(tmp_path / "runs" / "many.jsonl", trials, name="many")
    with Terminal("show", "many", cwd=tmp_path, columns=80, rows=24) as terminal:
        assert terminal.finish() == 0
        text = terminal.text
    parts = (
        "many · ",
        "family0.0",
        "not it",
        "more trials",
        "mean score 0.475",
        "0.00  family0 ×4",
        "next ",
        " --all",
    )

    assert [part for part in parts if part not in text] == []


def test_the_run_prints_the_same_report_and_few_lines_of_progress(
    recorded: tuple[Path, CommandResult],
) -> None:
    folder, done = recorded
    assert done.out == run_in_process("show", "first", cwd=folder).out
    lines = done.err.splitlines()
    assert re.match(r"run 2\S+: 25 trials$", lines[0])
    assert re.match(r"25 of 25 trials over after 0:\d\d, mean score 0.800$", lines[-1])
    assert len(lines) <= 12


def test_a_terminal_without_unicode_gets_question_marks(
    recorded: tuple[Path, CommandResult],
) -> None:
    step = ("replay", "first", "--trial", "seat-005", "--step", "2")
    done = run_controlplane(*step, cwd=recorded[0], PYTHONIOENCODING="ascii")

    assert (done.code, done.err) == (0, "")
    assert re.search(r"^gates \? .* sent back", done.out, re.MULTILINE)


def test_a_run_that_goes_on_elsewhere_is_to_be_followed_not_resumed(
    script: Path, tmp_path: Path
) -> None:
    flags = (
        "--benchmark",
        "tests.support.many_trials:3",
        "--model",
        f"scripted:{script}",
        "--set",
        "seconds=30",
    )
    with start_controlplane("run", *flags, cwd=tmp_path) as running:
        wait_for_turns(tmp_path, 3)
        shown = run_in_process("show", "last", cwd=tmp_path).out
        running.kill()
        running.communicate(timeout=30)

    assert re.search(r"^next .* show 2\S+ --follow", shown, re.MULTILINE)
    assert " resume " not in shown
    assert shown.count(" running ") == 3
    shown = run_in_process("show", "last", cwd=tmp_path).out
    assert re.search(r"^next .* resume 2", shown, re.MULTILINE)
    assert shown.count(" open ") == shown.count("cut off") == 3


def test_the_json_object_has_the_documented_fields(
    recorded: tuple[Path, CommandResult],
) -> None:
    found = run_in_process("show", "first", "--json", cwd=recorded[0]).json
    page = (
        (ROOT / "docs/reference.md")
        .read_text(encoding="utf-8")
        .partition("### One result object")[2]
        .partition("\n### ")[0]
    )
    documented = re.findall(
        r"`(\w+)`", " ".join(re.findall(r"^\| (`.+?`) \|", page, re.MULTILINE))
    )

    assert documented == [*found, *found["trials"][0]]
    assert (found["score"], found["ended"], found["rejections"]) == (
        0.8,
        "finished",
        {"6/wording": 25},
    )


def test_a_trial_that_repeats_what_is_refused_ends_early_and_says_why(
    tmp_path: Path,
) -> None:
    (tmp_path / "stuck.toml").write_text(
        "[[reply]]\nstate = 'look'\ncode = 'x = ('\n" * 9
    )
    crowd = (
        "--benchmark",
        "tests.support.many_trials:1",
        "--model",
        "scripted:stuck.toml",
    )
    ran = run_in_process("run", *crowd, "--quiet", cwd=tmp_path, COLUMNS="")

    assert ran.code == 0
    shown = run_in_process("show", "last", cwd=tmp_path, COLUMNS="").out
    assert re.search(
        r"\b5 +\d+(\.\d)? m?s\n  the model wrote the same script 5 times in a row, each time r",
        shown,
    )


def test_json_lines_are_the_journals_events_with_their_texts(
    recorded: tuple[Path, CommandResult],
) -> None:
    done = run_in_process("show", "first", "--follow", "--json", cwd=recorded[0])
    events = [json.loads(line) for line in done.out.splitlines()]

    assert (events[0]["type"], events[-1]["type"]) == ("run_opened", "run_closed")
    opened = next(event for event in events if event["type"] == "conversation_opened")
    assert opened["system"].startswith("You solve one task")


def test_a_running_run_is_followed_to_its_end(script: Path, tmp_path: Path) -> None:
    flags = (
        "--benchmark",
        "tests.support.many_trials:3",
        "--model",
        f"scripted:{script}",
        "--set",
        "seconds=0.4",
    )
    with start_controlplane("run", *flags, cwd=tmp_path) as running:
        wait_for_turns(tmp_path)
        done = run_in_process("show", "last", "--follow", cwd=tmp_path)
        running.communicate(timeout=30)

    assert "mean score 1.000 over 3 of 3 trials" in done.out


def test_a_run_whose_process_is_gone_is_not_waited_for(
    script: Path, tmp_path: Path
) -> None:
    flags = (
        "--benchmark",
        "tests.support.many_trials:3",
        "--model",
        f"scripted:{script}",
        "--set",
        "seconds=30",
    )
    with start_controlplane("run", *flags, cwd=tmp_path) as running:
        wait_for_turns(tmp_path)
        assert "running" in run_in_process("runs", cwd=tmp_path).out
        running.send_signal(signal.SIGKILL)
        running.communicate(timeout=30)
    done = run_in_process("show", "last", "--follow", cwd=tmp_path)

    assert done.err.strip() == "the process of this run is gone; the journal ends here"
    assert "cut off" in run_in_process("runs", cwd=tmp_path).out


LONG = ROOT / "tests/support/long_trial.toml"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(
        (ROOT / "docs" / f"journal-{SCHEMA_VERSION}.schema.json").read_text("utf-8")
    )
    return made


def faults(schema: dict[str, Any], journal: Path) -> list[str]:
    """What is wrong with the lines of a journal, each looked
    at under the schema of its type, which is quicker."""
    names = [variant["$ref"].rpartition("/")[2] for variant in schema["oneOf"]]
    whole = Draft202012Validator(schema)
    kinds = {
        schema["$defs"][name]["properties"]["type"]["const"]: schema["$defs"][name]
        for name in names
    }
    under = {
        kind: whole.evolve(schema={**each, "$defs": schema["$defs"]})
        for kind, each in kinds.items()
    }
    return [
        f"{line['type']} {fault.json_path}: {fault.message}"
        for line in map(json.loads, journal.read_text(encoding="utf-8").splitlines())
        for fault in under[line["type"]].iter_errors(line)
    ]


def test_every_line_of_a_run_is_valid(
    schema: dict[str, Any], tmp_path: Path, run_command_here: CommandRunner
) -> None:
    words = ("calendar-date.1", "--model", f"scripted:{LONG}", "--json")
    journal = tmp_path / run_command_here("run", *words).json["journal"]

    assert len(journal.read_text(encoding="utf-8").splitlines()) > 40
    assert faults(schema, journal) == []


def filled(annotation: Any) -> Any:
    """Return a value of a type, with every field and one element where there can be any."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        given = {
            name: each
            for name, each in annotation.model_fields.items()
            if name != "type"
        }
        times = {name: "2026-01-05T09:00:00" for name in given if name == "now"}
        return annotation(
            **{name: filled(each.annotation) for name, each in given.items()} | times
        )
    if origin is tuple:
        return tuple(filled(argument) for argument in inner if argument is not ...)
    if origin is Literal:
        return inner[0]
    if origin is dict:
        return (
            {"security": 0.5}
            if inner[1] is Score
            else {"a": [1, "@text:", None], "prev": {}}
        )
    if inner:  # a union, whose other members are null
        return filled(inner[0])
    return {str: "x" * 300, int: 1, float: 0.5, bool: True}.get(
        annotation, {"type": "thinking"}
    )


@pytest.mark.parametrize("kind", event_classes(), ids=lambda each: each.__name__)
def test_every_kind_of_event_is_valid(
    kind: type[Event], schema: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "one.jsonl"
    event = filled(kind)
    with JournalWriter(path, create=True) as writer:
        writer.write(event)
        writer.write(
            kind(
                **{
                    name: getattr(event, name)
                    for name, each in kind.model_fields.items()
                    if each.is_required()
                }
            )
        )

    assert faults(schema, path) == []


@pytest.mark.parametrize(
    "change",
    [
        {"type": "unheard_of"},
        {"hash": "short"},
        {"text": 7},
        {"more": True},
        {"prev": None},
    ],
)
def test_another_line_is_not_valid(
    change: dict[str, object], schema: dict[str, Any]
) -> None:
    line = {
        "prev": "0" * 32,
        "at_ms": 1,
        "type": "run_notice",
        "text": "one",
        "hash": "1" * 32,
    }
    whole = Draft202012Validator(schema)

    assert whole.is_valid(line)
    assert not whole.is_valid(line | change)


@pytest.fixture
def shelf(recorded: tuple[Path, CommandResult], tmp_path: Path) -> Path:
    """Journals of every kind: killed, torn, damaged, foreign, empty, finished."""
    whole = (
        next((recorded[0] / "runs").glob("*.jsonl"))
        .read_bytes()
        .splitlines(keepends=True)
    )
    runs = tmp_path / "runs"
    runs.mkdir()
    types = [json.loads(line)["type"] for line in whole]
    first_end, step = types.index("trial_ended"), types.index("step")
    changed = whole[step].replace(b'"done":', b'"dont":')
    kinds = {
        "killed": whole[: first_end + 1],
        "torn": [*whole[:first_end], whole[first_end][:100]],
        "damaged": [*whole[:step], changed, *whole[step + 1 :]],
        "foreign": [b"hello\n"],
        "empty": [],
        "whole": whole,
    }
    for day, (name, lines) in enumerate(kinds.items(), start=1):
        (runs / f"2026010{day}-120000-{name}.jsonl").write_bytes(b"".join(lines))
    return tmp_path


def test_each_journal_is_a_line_newest_first_within_80_columns(shelf: Path) -> None:
    done = run_in_process("runs", cwd=shelf, COLUMNS="80")
    assert done.code == 0
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert lines[0].split() == [
        "run",
        "benchmark",
        "model",
        "trials",
        "score",
        "age",
        "ended",
    ]
    assert max(map(len, lines)) <= 80
    # Several runs have the same name, so the list shows another.
    assert [line.split()[0] for line in lines[1:]] == [
        f"2026010{day}-120000" for day in range(6, 0, -1)
    ]
    assert [re.split(r"  +", line)[-1] for line in lines[1:]] == [
        "finished",
        "no journal",
        "no journal",
        "damaged",
        "cut off",
        "cut off",
    ]
    assert re.search(r"25 +0.800", lines[1])
    assert re.search(r" 1/25 ", lines[6])
    assert re.search(r"damaged at line \d+", done.err)
    assert done.err.count("is not a journal") == 2


def test_of_many_journals_the_newest_are_listed_and_the_rest_is_counted(
    recorded: tuple[Path, CommandResult], tmp_path: Path
) -> None:
    source = next((recorded[0] / "runs").glob("*.jsonl"))
    (tmp_path / "runs").mkdir()
    for number in range(25):
        shutil.copy(source, tmp_path / "runs" / f"20260101-{number:06}-crowd.jsonl")
    done = run_in_process("runs", cwd=tmp_path)

    assert len(done.out.splitlines()) == 22
    assert re.search(r"and 5 older: .* runs --all$", done.out.strip())
    assert len(run_in_process("runs", "--all", cwd=tmp_path).out.splitlines()) == 26


def test_a_run_is_found_by_its_name_a_beginning_of_its_id_or_last(
    recorded: tuple[Path, CommandResult],
) -> None:
    for word in ("last", "first", "2"):
        assert (
            run_in_process("show", word, "--json", cwd=recorded[0]).json["name"]
            == "first"
        )
    check_error_line(
        run_in_process("show", "frist", cwd=recorded[0]), 2, "did you mean 'first'?"
    )


def test_a_broken_configuration_is_met_only_where_it_is_asked_for_the_folder(
    recorded: tuple[Path, CommandResult], tmp_path: Path
) -> None:
    journal = next((recorded[0] / "runs").glob("*.jsonl"))
    for text, says in (
        ("[run]\nruns_dir = 3\n", "runs_dir"),
        ("[run\n", "is not TOML"),
    ):
        write_config(tmp_path / "controlplane.toml", text)
        for command in (("runs",), ("show", "last")):
            done = run_in_process(*command, cwd=tmp_path)
            assert done.code == 2
            assert says in done.err
        assert (
            f" replay {journal} " in run_in_process("show", journal, cwd=tmp_path).out
        )
        assert (
            run_in_process("runs", "--runs-dir", journal.parent, cwd=tmp_path).code == 0
        )
