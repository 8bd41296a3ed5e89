"""Odd and evil lines of journals are read, called damage, or shown in a visible form.

Sound lines are read, and numbers out of bounds, values of other types and malformed declarations
are damage. Journals with odd names are listed and shown. Runs over evil texts are recorded and
replayed, and no command prints such a character as it is.
"""

import json
import os
from http import HTTPStatus
from pathlib import Path

import pytest

import controlplane
from controlplane import Task
from controlplane.errors import JournalDamaged
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.stored_texts import key_of
from controlplane.journal.tool_schema_text import tool_schema_from_text
from tests.controlplane.journal.foreign.evil_journal import (
    EVIL_TEXTS,
    READS_A_FILE,
    STEERING_CHARACTERS,
    write_strangers_journal,
)
from tests.controlplane.journal.foreign.journal_bytes import journal_of
from tests.controlplane.report.hostile_journal import ReportedTrial, journal_of_trials
from tests.controlplane.report.listed_runs import serving_view
from tests.support.command import run_controlplane, run_in_process

# A journal with one event behind its beginning, and two ways to read it.
#
# For example:
#
#     path = journal_with('{"at_ms": 1, "type": "notice", "trial_id": "t", "text": ""}', folder)
#     read_all_trials(path)        raises JournalDamaged if the line is odd


def journal_with(event: str, folder: Path) -> Path:
    """Write a journal: two lines that start the run of the trial `t`, and the JSON of this event."""
    path = folder / "r.jsonl"
    path.write_bytes(journal_of(event.encode()))
    return path


def read_all_trials(path: Path) -> None:
    """Read every event, trial by trial, as most commands do."""
    for trial in open_journal(path).trials.values():
        list(trial.events())


def read_all_lines(path: Path) -> None:
    """Read every event, line by line, as `show --follow` does."""
    list(Journal(path).read_on())


# A line of a journal with a negative count, or one that no run reaches, is damage.
#
# A stranger may write any line, with valid hashes. The journal is then refused:
#
#     {"type": "step", "step": -1, ...}    ->    r.jsonl is damaged at line 3: step: Input should be
#                                                greater than ...


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        pytest.param(
            '{"at_ms":1,"type":"model_asked","trial_id":"t",'
            '"step":10000000000000000000000000000000000000000,"role":"solve","messages":0}',
            "line 3: step: Input should be less than",
            id="huge step",
        ),
        pytest.param(
            '{"at_ms":1,"type":"step","trial_id":"t","step":-1,"calls":[]}',
            "line 3: step: Input should be greater than",
            id="negative step",
        ),
        pytest.param(
            '{"at_ms":1,"type":"call","trial_id":"t","step":1,"number":-1,"operation":"o",'
            '"arguments":{},"result":{}}',
            "line 3: number: Input should be greater than",
            id="negative number of a call",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_replied","trial_id":"t","step":1,"reply":"",'
            '"usage":{"completion_tokens":-1000000}}',
            "line 3: completion_tokens: Input should be greater than",
            id="negative tokens",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_replied","trial_id":"t","step":1,"reply":"",'
            '"usage":{"prompt_tokens":1' + "0" * 400 + "}}",
            "line 3: prompt_tokens: Input should be less than",
            id="more tokens than a float can have",
        ),
    ],
)
def test_a_number_out_of_bounds_is_damage_of_odd_counts(
    event: str, fault: str, tmp_path: Path
) -> None:
    path = journal_with(event, tmp_path)

    with pytest.raises(JournalDamaged):
        read_all_trials(path)
    with pytest.raises(JournalDamaged, match=fault):
        read_all_lines(path)


# A line of a journal with a time, score or cost that no run has is damage, and the journal is refused.
#
# A stranger may write any line, with valid hashes:
#
#     {"type": "score", "score": 1e300, ...}    ->    r.jsonl is damaged at line 3: score: Input should
#                                                     be less than ...


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        pytest.param(
            '{"at_ms":10000000000000000,"type":"model_asked","trial_id":"t","step":1,'
            '"role":"solve","messages":0}',
            "line 3: at_ms: Input should be less than",
            id="time in the far future",
        ),
        pytest.param(
            '{"at_ms":-1000000000000000000000000000000,"type":"model_asked","trial_id":"t",'
            '"step":1,"role":"solve","messages":0}',
            "line 3: at_ms: Input should be greater than",
            id="time in the far past",
        ),
        pytest.param(
            '{"at_ms":1,"type":"score","trial_id":"t","score":1e300,"details":[]}',
            "line 3: score: Input should be less than",
            id="huge score",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_replied","trial_id":"t","step":1,"reply":"",'
            '"cost_usd":-1000000}',
            "line 3: cost_usd: Input should be greater than",
            id="negative cost",
        ),
    ],
)
def test_a_number_out_of_bounds_is_damage(
    event: str, fault: str, tmp_path: Path
) -> None:
    path = journal_with(event, tmp_path)

    with pytest.raises(JournalDamaged):
        read_all_trials(path)
    with pytest.raises(JournalDamaged, match=fault):
        read_all_lines(path)


# A line of a journal with a value of another type, or a reference to nothing, is damage.
#
# A stranger may write any line:
#
#     {"type": "step", "calls": [3], ...}    ->    its calls do not name lines before it
#
# Each event here is line 3 of a journal that is right otherwise: `journal_with` writes it there.


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        pytest.param(
            '{"at_ms":1,"type":"score","trial_id":"t","score":1,"details":["no",5]}',
            "1: Input should be an instance of str",  # item 1 of `details`, the 5
            id="number among the reasons of a score",
        ),
        pytest.param(
            '{"at_ms":1,"type":"conversation_opened","trial_id":"t","system":"",'
            '"first_message":[{}]}',
            "0: Input should be an instance of str",  # item 0 of `first_message`
            id="object for the text of a message",
        ),
        pytest.param(
            '{"at_ms":1,"type":"step","trial_id":"t","step":1,"calls":[3]}',
            "its calls do not name lines before it",
            id="step with a call that was not made",
        ),
        # A line refers to a long text of an earlier line by its hash.
        pytest.param(
            f'{{"at_ms":1,"type":"notice","trial_id":"t","text":"@text:{key_of("lost")}"}}',
            "it refers to a text that no earlier line holds",
            id="reference to no text",
        ),
        pytest.param(
            '{"at_ms":1,"type":"trial_started","trial_id":"t","task_id":"k","instruction":"",'
            '"now":"<b>&","tool_schema":"{}"}',
            "now: ",
            id="clock without a time",
        ),
        pytest.param(
            '{"at_ms":1,"type":"trial_started","trial_id":"t","task_id":"k","instruction":"",'
            '"now":"1970-13-45T99:99","tool_schema":"{}"}',
            "now: ",
            id="clock with an impossible time",
        ),
    ],
)
def test_an_odd_value_is_damage(event: str, fault: str, tmp_path: Path) -> None:
    path = journal_with(event, tmp_path)

    with pytest.raises(JournalDamaged, match=f"line 3: {fault}"):
        read_all_lines(path)
    # Trial by trial, some events are found by their byte, and named by it.
    with pytest.raises(JournalDamaged, match=f"(line 3|byte [0-9]+): {fault}"):
        read_all_trials(path)


# Lines of a journal as a run writes them are read.
#
# A journal is the record of a run, a file with an event in each line. The odd lines of the other tests
# in this folder differ from these by one field.


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(
            '{"at_ms":1,"type":"trial_started","trial_id":"t","task_id":"k","instruction":"",'
            '"now":"2026-04-22T09:30:00+00:00","tool_schema":"{}"}',
            id="start of the trial",
        ),
        pytest.param(
            '{"at_ms":1,"type":"conversation_opened","trial_id":"t","system":"",'
            '"first_message":["a"]}',
            id="first message",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_asked","trial_id":"t","step":1,"role":"solve","messages":0}',
            id="request to the model",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_replied","trial_id":"t","step":1,"reply":""}',
            id="reply",
        ),
        pytest.param(
            '{"at_ms":1,"type":"call","trial_id":"t","step":1,"number":1,"operation":"o",'
            '"arguments":{},"result":{}}',
            id="call",
        ),
        pytest.param(
            '{"at_ms":1,"type":"step","trial_id":"t","step":1,"calls":[]}', id="step"
        ),
        pytest.param(
            '{"at_ms":1,"type":"score","trial_id":"t","score":1,"details":[]}',
            id="score",
        ),
        pytest.param(
            '{"at_ms":1,"type":"notice","trial_id":"t","text":""}', id="notice"
        ),
    ],
)
def test_a_sound_line_is_read(event: str, tmp_path: Path) -> None:
    """The odd lines below differ from these by one field."""
    path = journal_with(event, tmp_path)

    read_all_trials(path)
    assert len(list(Journal(path).read_on())) == 3


# The declaration of an environment, in a stranger's journal.
#
# The event `trial_started` of a journal has a tool schema: a text in JSON that declares what scripts
# can call in the trial's environment. A stranger may write any text in its place.
#
#     {"operations": [{"name": "find", "parameters": [{"name": "order", "schema": ...}], ...}], ...}


def schema_with(**changes: object) -> str:
    """Return a tool schema without operations, with some of its fields changed."""
    fields = {"operations": [], "executables": [], "rules_document": ""}
    return json.dumps({**fields, "initial_calls": [], **changes})


def schema_with_parameter(*, name: object, schema: object) -> str:
    """Return a tool schema of one operation with one parameter, of this name and JSON schema."""
    parameter = {"name": name, "type": "any", "schema": schema}
    operation = {"name": "find", "parameters": [parameter], "fields": []}
    return schema_with(operations=[operation | {"summary": ""}])


def test_a_declaration_of_an_environment_is_read() -> None:
    """So the next test finds only the faults that it names."""
    text = schema_with_parameter(name="order", schema={"type": "string"})

    (operation,) = tool_schema_from_text(text).operations

    assert [parameter.name for parameter in operation.parameters] == ["order"]
    assert tool_schema_from_text(schema_with()).operations == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="no JSON"),
        pytest.param("[]", id="a list"),
        pytest.param("{}", id="no fields"),
        pytest.param("5", id="a number"),
        pytest.param('{"operations": 5}', id="operations not a list"),
        pytest.param('{"operations": [{"name": 1}]}', id="name not a text"),
        pytest.param("[" * 100_000, id="deep JSON"),
        pytest.param(
            schema_with_parameter(name="order", schema=True), id="schema true"
        ),
        pytest.param(
            schema_with_parameter(name="order", schema=[1]), id="schema a list"
        ),
        pytest.param(
            schema_with_parameter(name="order", schema="string"), id="schema a text"
        ),
        pytest.param(
            schema_with_parameter(name=5, schema=None), id="parameter without name"
        ),
        pytest.param(schema_with(executables=[5]), id="executable a number"),
        pytest.param(schema_with(rules_document=5), id="rules document a number"),
        pytest.param(schema_with(initial_calls=[{}]), id="empty initial call"),
        pytest.param(schema_with(named_files={"roots": 5}), id="roots a number"),
    ],
)
def test_a_malformed_declaration_of_an_environment_is_damage(text: str) -> None:
    with pytest.raises(
        JournalDamaged, match="declaration of its environment is malformed"
    ):
        tool_schema_from_text(text)


# A journal whose file name is no UTF-8: `café.jsonl` in Latin-1, the bytes `caf\xe9.jsonl`.
#
# Linux takes any bytes as a name. Python holds the byte as `\udce9`, half of a surrogate pair.

ODD_NAME = os.fsdecode(b"caf\xe9.jsonl")


def write_journal_with_odd_name(folder: Path) -> Path:
    """Write the journal of a run, and return its path."""
    journal = journal_of_trials(folder / "own.jsonl", [ReportedTrial("alpha")])
    return journal.rename(folder / ODD_NAME)


def test_a_page_of_a_journal_with_an_odd_name_does_not_break(tmp_path: Path) -> None:
    """The server may show the page or say that there is none; it must not fail."""
    write_journal_with_odd_name(tmp_path)

    with serving_view(tmp_path) as view:
        response = view.get("/runs/caf%E9")

    assert response.status in (HTTPStatus.OK, HTTPStatus.NOT_FOUND)


def test_runs_lists_a_journal_with_an_odd_name(tmp_path: Path) -> None:
    write_journal_with_odd_name(tmp_path)

    listed = run_controlplane("runs", "--runs-dir", tmp_path, cwd=tmp_path)

    assert listed.code == 0, listed.err
    assert not STEERING_CHARACTERS.search(listed.out + listed.err)


def test_show_shows_a_journal_with_an_odd_name(tmp_path: Path) -> None:
    journal = write_journal_with_odd_name(tmp_path)

    shown = run_controlplane("show", journal, cwd=tmp_path)

    assert shown.code == 0, shown.err
    assert not STEERING_CHARACTERS.search(shown.out + shown.err)


# A run over evil texts is recorded and replayed like any other.
#
# Half of a surrogate pair, which has no UTF-8, or an escape sequence that clears the screen may be in the
# instruction of a task, in the file that the model reads, and in the grader's words.


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_a_run_over_evil_texts_is_recorded_and_replayed(
    evil: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies.toml").write_text(READS_A_FILE)
    long_text = evil + "a text that is stored apart " * 20
    task = Task(
        "evil",
        f"Read a.txt {evil}",
        files={"/a.txt": long_text},
        grade=lambda end: (0.5, [evil, long_text]),
    )

    run = controlplane.run([task], model="scripted:replies.toml", gates="none")

    assert run["evil"].score == 0.5
    with open_journal(run.journal) as opened:
        first_step = opened.trials[run["evil"].trial_id].steps[0]
    assert "a text that is stored apart" in first_step.output
    first_step.output.encode()  # It can be encoded in UTF-8.
    replay = run_controlplane("replay", run.journal, "--verify", cwd=tmp_path)
    assert replay.code == 0


# Every command that reads journals shows evil texts in a visible form.
#
# A model, a script or a grader may write half of a surrogate pair, which has no UTF-8, or an
# escape sequence that clears the screen. A command must not fail at it, call the journal damaged,
# or print the character as it is.


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_every_command_shows_evil_texts_in_a_visible_form(
    evil: str, small_journal: Path, tmp_path: Path
) -> None:
    theirs = write_strangers_journal(small_journal, evil, tmp_path / "theirs.jsonl")
    commands = [
        ["show", theirs],
        ["show", theirs, "--json"],
        ["replay", theirs],
        ["replay", theirs, "--trial", "evil"],
        ["replay", theirs, "--trial", "evil", "--json"],
        ["replay", theirs, "--verify"],
        ["judge", theirs],
        ["judge", theirs, "--json"],
        ["compare", theirs, theirs],
        ["report", theirs, "-o", "page.html"],
        ["export", theirs, "--to", "trials.csv"],
        ["export", theirs, "--to", "steps.csv"],
        ["export", theirs, "--to", "calls.csv"],
        ["export", theirs, "--to", "otel.jsonl"],
    ]

    for command in commands:
        result = run_in_process(*command, cwd=tmp_path)
        assert "Error:" not in result.err, command
        assert "damaged" not in result.err, command
        assert not STEERING_CHARACTERS.search(result.out + result.err), command

    page = (tmp_path / "page.html").read_text()
    assert not STEERING_CHARACTERS.search(page)
