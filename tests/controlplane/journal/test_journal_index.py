"""What was written is read back, every change of it is found, and the digest of a journal is that of its events."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import AnswerSent, Noticed
from controlplane.errors import ControlPlaneError, JournalDamaged, NotAJournal
from controlplane.journal.journal_content import open_journal
from controlplane.journal.journal_index import GrowingJournal, glance_at, name_in
from controlplane.journal.journal_lines import GENESIS, JournalWriter, json_of, line_of
from controlplane.journal.run_events import JournalEvent, RunClosed, RunNotice, RunOpened, Scored, TrialFailed, Versions
from controlplane.journal.run_summary import RunSummary
from controlplane.view.run_results import run_totals, trial_result
from tests.controlplane.journal.written_journal import EVENTS, LONG, OPENED, written
from tests.support.command import Result
from tests.support.recorded_events import read_events


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
    for event in read_events(path):
        summary.fold(event)
    return summary


def told_of_trials(look: Callable[[], RunSummary]) -> object:
    try:
        summary = look()
    except ControlPlaneError as error:
        return type(error), str(error)
    return run_totals(summary), [*map(trial_result, summary.trials.values())], summary.notices


def told(look: Callable[[], RunSummary]) -> object:
    try:
        summary = look()
    except ControlPlaneError as error:
        return type(error), str(error)
    trials = [
        (trial.trial_id, trial.state, trial.score, trial.tokens, trial.is_over) for trial in summary.trials.values()
    ]
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
        lambda lines: chained([line.replace(b'"schema_version":2', b'"schema_version":99') for line in lines]),
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


def last_hash(path: Path) -> str:
    with open_journal(path) as journal:
        return journal.index.chain.last_hash


def test_every_byte_edited_anywhere_is_found(tmp_path: Path, heavy: bool) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    whole = path.read_bytes()
    edited = tmp_path / "edited.jsonl"
    for at in range(0, len(whole), 1 if heavy else 7):
        edited.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            with open_journal(edited) as journal:
                is_other_mark = not journal.is_own and list(read_events(edited)) == EVENTS
        except (JournalDamaged, NotAJournal):
            continue
        assert is_other_mark, at


def test_a_journal_cut_anywhere_gives_the_whole_lines_before_the_cut(tmp_path: Path, heavy: bool) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    whole = path.read_bytes()
    first_line = whole.index(b"\n") + 1
    cut = tmp_path / "cut.jsonl"
    for at in range(0, len(whole), 1 if heavy else 7):
        cut.write_bytes(whole[:at])
        if at < first_line:
            with pytest.raises(ControlPlaneError):
                list(read_events(cut))
            continue
        events = list(read_events(cut))
        assert events == EVENTS[: len(events)]
        with open_journal(cut) as journal:
            assert journal.index.chain.torn == (not whole[:at].endswith(b"\n"))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"type": "trial_paused", "at_ms": 1}, "line 2: there is no event 'trial_paused'; is it of a newer version?"),
        ({"type": "run_notice", "at_ms": 1, "text": "t", "until": 2}, "line 2: until: Extra inputs are not permitted"),
        ({"at_ms": 1}, "line 2: Unable to extract tag"),
    ],
)
def test_an_event_that_is_not_known_is_told_in_a_few_words(
    fields: dict[str, object], says: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "r.jsonl", [OPENED])
    path.write_bytes(path.read_bytes() + line_of(json_of(fields), last_hash(path))[0])
    with pytest.raises(JournalDamaged) as raised:
        list(read_events(path))
    assert says in str(raised.value)
    assert len(str(raised.value)) < len(str(path)) + 120


def test_lines_swapped_or_removed_are_found(tmp_path: Path) -> None:
    lines = written(tmp_path / "r.jsonl", EVENTS).read_bytes().splitlines(keepends=True)
    edited = tmp_path / "edited.jsonl"
    for number in range(1, len(lines) - 1):
        for text in (lines[:number] + lines[number + 1 :], [*lines[:number], lines[number + 1], lines[number]]):
            edited.write_bytes(b"".join(text))
            with pytest.raises(JournalDamaged):
                list(read_events(edited))


@given(st.lists(st.text(), max_size=8))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("journal") / "r.jsonl"
    events: list[JournalEvent] = [OPENED, *(Noticed(trial_id="t", text=text * 9) for text in texts)]
    assert list(read_events(written(path, events))) == events


@pytest.mark.parametrize("kept", [1, 2])
def test_a_journal_whose_opening_holds_a_long_text_is_read(kept: int, tmp_path: Path) -> None:
    path = written(tmp_path / "long.jsonl", [OPENED.model_copy(update={"name": LONG})])
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:kept]))
    if kept == 1:  # the text alone is not a journal yet
        with pytest.raises(NotAJournal, match="no whole line"):
            list(read_events(path))
    else:
        assert [[one.name for one in found] for found in (read_events(path), GrowingJournal(path).read_on())] == [
            [LONG]
        ] * 2
