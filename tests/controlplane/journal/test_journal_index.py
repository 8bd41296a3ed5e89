"""The digest of a journal equals the summary of the whole journal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.events import AnswerSent
from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_index import glance_at, name_in
from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from controlplane.journal.journal_reader import read_events
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import RunClosed, RunNotice, RunOpened, Scored, TrialFailed, Versions
from controlplane.journal.run_summary import RunSummary
from controlplane.view.result_json import result_object
from tests.support.command import Result


def chained(lines: list[bytes]) -> bytes:
    """Return the lines with a new hash chain."""
    data, previous = b"", GENESIS
    for each in lines:
        fields = {name: value for name, value in json.loads(each).items() if name not in ("prev", "hash")}
        line, previous = line_of(json_of(fields), previous)
        data += line
    return data


def whole_summary(path: Path) -> RunSummary:
    summary = RunSummary()
    for each in read_events(path):
        summary.fold(each)
    return summary


def told_of_trials(look: Callable[[], RunSummary]) -> object:
    try:
        summary = look()
    except ControlPlaneError as error:
        return type(error), str(error)
    return result_object(summary, Path("any.jsonl")), summary.notices


def told(look: Callable[[], RunSummary]) -> object:
    try:
        summary = look()
    except ControlPlaneError as error:
        return type(error), str(error)
    trials = [(each.trial_id, each.state, each.score, each.tokens, each.is_over) for each in summary.trials.values()]
    run = (summary.run_id, summary.submitted, summary.state, summary.run_score, summary.closed, summary.last_ms)
    return run, trials, summary.mean_score, summary.tokens, summary.cost_usd


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: b"".join(lines),
        lambda lines: b"".join(lines[: len(lines) // 2]),
        lambda lines: b"".join(lines[:-1]) + lines[-1][:50],
        lambda lines: b"".join(lines)[:-1],
        lambda lines: b"".join([*lines[:5], *lines[6:]]),
        lambda lines: b"".join([*lines[:9], lines[9].replace(b'"at_ms":1', b'"at_ms":2'), *lines[10:]]),
        lambda lines: b"".join([lines[0].replace(b'"at_ms":1', b'"at_ms":2'), *lines[1:]]),
        lambda lines: b"".join(lines[:4]) + b"and more\n",
        lambda lines: b"".join(lines[:4]) + b"and more",
        lambda lines: lines[0][:40],
        lambda lines: b"a letter to a friend\n",
        lambda lines: b'{"prev":"none"}\n',
        lambda lines: b"",
        lambda lines: chained(lines),
        lambda lines: chained(lines[1:]),
        lambda lines: chained([each.replace(b'"schema_version":2', b'"schema_version":99') for each in lines]),
        lambda lines: chained([*lines[:-1], lines[-1].replace(b'"exit_code"', b'"leave_code"')]),
    ],
)
def test_it_says_what_reading_all_of_it_says(
    change: Callable[[list[bytes]], bytes], recorded: tuple[Path, Result], tmp_path: Path
) -> None:
    lines = next((recorded[0] / "runs").glob("*.jsonl")).read_bytes().splitlines(keepends=True)
    path = tmp_path / "changed.jsonl"
    path.write_bytes(change(lines))
    assert told(lambda: glance_at(path)) == told(lambda: whole_summary(path))
    looked = told_of_trials(lambda: glance_at(path, at_trials=True))
    assert looked == told_of_trials(lambda: whole_summary(path))


def test_a_file_that_is_not_there_is_said_alike(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    assert told(lambda: glance_at(path)) == told(lambda: whole_summary(path))


def test_the_name_of_a_run_is_read_from_its_first_line(recorded: tuple[Path, Result], tmp_path: Path) -> None:
    assert name_in(next((recorded[0] / "runs").glob("*.jsonl"))) == "first"
    assert name_in(tmp_path / "none.jsonl") == ""
    for line in ("hello", "[1]", "5", "null", '{"type": 1}', '{"prev":"0"}', '{"a":' * 100_000):
        (tmp_path / "letter.jsonl").write_text(f"{line}\n")
        assert name_in(tmp_path / "letter.jsonl") == ""


def test_long_texts_of_how_a_run_was_opened_and_ended_are_in_their_place(tmp_path: Path) -> None:
    name, error = "a long name " * 20, "a long error " * 20
    versions = Versions(controlplane="1", python="3.11", gates="g", prompts="p")
    path = tmp_path / "long.jsonl"
    with JournalWriter(path, create=True) as journal:
        journal.write(RunOpened(run="r", name=name, benchmark="b", model="m", settings=(), versions=versions))
        journal.write(RunNotice(text=error))
        journal.write(RunClosed(how="failed", exit_code=3, error=error))
    glance = glance_at(path)
    assert glance.opened is not None
    assert (glance.opened.name, glance.error, name_in(path)) == (name, error, name)


def test_long_texts_of_trials_are_in_their_place_where_trials_are_looked_at(tmp_path: Path) -> None:
    long = "a long text " * 20
    versions = Versions(controlplane="1", python="3.11", gates="g", prompts="p")
    path = tmp_path / "long.jsonl"
    with JournalWriter(path, create=True) as journal:
        journal.write(RunOpened(run="r", name="", benchmark="b", model="m", settings=(), versions=versions))
        journal.write(RunNotice(text=long))
        journal.write(AnswerSent(trial_id="t", step=1, message=long, outcome="OUTCOME_OK", refs=(f"/{long}",)))
        journal.write(Scored(trial_id="t", score=0.0, details=(long, "short")))
        journal.write(TrialFailed(trial_id="t", phase="end", error=long))
    looked = told_of_trials(lambda: glance_at(path, at_trials=True))
    assert looked == told_of_trials(lambda: whole_summary(path))
    assert "@text" not in str(looked)
