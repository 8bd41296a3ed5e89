"""Journals that a stranger wrote to do harm, and files that are not journals.

A journal is a file of JSON lines, one for each event of a run. Anybody may send one. It is read
with little memory and time, or refused in one line: `r.jsonl is damaged at line 4: ...`. No pipe or
device is waited for, and no command changes such a file.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged, NotAJournal, UsageError
from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from controlplane.journal.journal_reader import Journal, name_in, open_journal
from controlplane.journal.text_references import key_of
from controlplane.journal.tool_schema_text import tool_schema_from_text
from tests.support.command import ROOT, CommandRunner, check_error_line, run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.scored_journal import RUN_OPENED

SAMPLE = ROOT / "runs/sample.jsonl"
"""The journal of a small run, which is part of the repository."""

Event = dict[str, object] | bytes
"""The fields of an event; or its JSON, if it is JSON that the product would not write."""

# --- Journals of one megabyte that are hard to read ---

MB = 1_000_000

RUN_STARTED = {
    "at_ms": 1,
    "type": "run_started",
    "run_id": "x",
    "trials": [{"trial_id": "t", "task_id": "k"}],
}
"""The event with which a run of the trial `t` starts."""


def journal_of(*events: Event) -> bytes:
    """Return a journal of a run of one trial, t, with these events behind its start."""
    lines: list[bytes] = []
    previous_hash = GENESIS
    for event in (RUN_OPENED.model_dump(), RUN_STARTED, *events):
        text = event if isinstance(event, bytes) else json_of(event)
        line, previous_hash = line_of(text, previous_hash)
        lines.append(line)
    return b"".join(lines)


def call_with_result(result: bytes) -> bytes:
    """Return the JSON of a call with this result: `call_with_result(b"[1,2]")`."""
    return (
        b'{"at_ms":1,"type":"call","trial_id":"t","step":1,"number":0,"operation":"o",'
        b'"arguments":{},"result":{"a":%b}}' % result
    )


def notice_with_text(text: str) -> Event:
    return {"at_ms": 1, "type": "notice", "trial_id": "t", "text": text}


LONG_TEXT = "x" * (MB // 2)
STORED_TEXT: Event = {
    "at_ms": 1,
    "type": "text",
    "key": key_of(LONG_TEXT),
    "text": LONG_TEXT,
}
"""A line with a text, to which later lines may refer instead of repeating it."""
REFERENCE = f"@text:{key_of(LONG_TEXT)}"
"""A reference to that text, which stands for it in a later line."""

# Each of these journals repeats one thing, and has at most a megabyte. `MB // 9` is how often nine
# bytes fit into it. In most of them, a call has returned what is repeated.


def deep_list() -> bytes:
    """A list in a list, 50,000 levels deep."""
    depth = MB // 20
    return journal_of(call_with_result(b"[" * depth + b"]" * depth))


def deep_list_beside_a_surrogate() -> bytes:
    """A list with half of a surrogate pair and a deep list: `["\\ud800", [[[...]]]]`.

    The fast JSON reader does not take such a half, so that a slower one reads the line.
    """
    depth = 50_000
    return journal_of(
        call_with_result(b'["\\ud800",' + b"[" * depth + b"]" * depth + b"]")
    )


def many_empty_objects() -> bytes:
    """A list of 333,333 objects: `[{},{},...]`."""
    return journal_of(call_with_result(b"[" + b"{}," * (MB // 3) + b"0]"))


def many_objects() -> bytes:
    """A list of 111,111 objects with a field: `[{"a":1},{"a":1},...]`."""
    return journal_of(call_with_result(b"[" + b'{"a":1},' * (MB // 9) + b"0]"))


def many_numbers() -> bytes:
    """A list of 250,000 numbers."""
    return journal_of(call_with_result(b"[" + b"1.5," * (MB // 4) + b"0]"))


def long_numbers() -> bytes:
    """A list of numbers of 4,000 digits: `[999...,999...]`."""
    numbers = [b"9" * 4_000] * (MB // 4_100)
    return journal_of(call_with_result(b"[" + b",".join(numbers) + b"]"))


def one_text_often_in_a_line() -> bytes:
    """A list of 10,000 references to a text of half a megabyte, which stand for 5 GB."""
    references = json_of([REFERENCE] * 10_000)
    return journal_of(STORED_TEXT, call_with_result(references))


def one_text_in_many_lines() -> bytes:
    """2,000 lines refer to a text of half a megabyte, so that they stand for 1 GB."""
    return journal_of(STORED_TEXT, *[notice_with_text(REFERENCE)] * 2_000)


def one_call_often_in_a_step() -> bytes:
    """A step names its calls by their numbers. This one names the call 0 250,000 times."""
    step = {
        "at_ms": 1,
        "type": "step",
        "trial_id": "t",
        "step": 1,
        "calls": [0] * (MB // 4),
    }
    return journal_of(call_with_result(b'"a"'), step)


def many_short_lines() -> bytes:
    """A line with its hashes has about 130 bytes."""
    notice = {"at_ms": 1, "type": "run_notice", "text": "a"}
    return journal_of(*[notice] * (MB // 130))


def many_trials() -> bytes:
    """The start of a run with 40,000 trials."""
    trials = [{"trial_id": str(number)} for number in range(MB // 24)]
    return journal_of(
        {"at_ms": 1, "type": "run_started", "run_id": "x", "trials": trials}
    )


def long_trial_id() -> bytes:
    """A notice about a trial whose id has half a megabyte."""
    return journal_of(
        {"at_ms": 1, "type": "notice", "trial_id": "y" * (MB // 2), "text": "a"}
    )


def many_steps() -> bytes:
    """The ends of thousands of steps."""
    steps: list[Event] = []
    for number in range(MB // 150):
        steps.append(
            {"at_ms": 1, "type": "step", "trial_id": "t", "step": number, "calls": []}
        )
    return journal_of(*steps)


def line_without_end() -> bytes:
    return b'{"prev":"' + b"0" * MB


HOSTILE_JOURNALS: list[Callable[[], bytes]] = [
    deep_list,
    deep_list_beside_a_surrogate,
    many_empty_objects,
    many_objects,
    many_numbers,
    long_numbers,
    one_text_often_in_a_line,
    one_text_in_many_lines,
    one_call_often_in_a_step,
    many_short_lines,
    many_trials,
    long_trial_id,
    many_steps,
    line_without_end,
]
"""Functions that return the bytes of a journal each."""

# A program that reads journals and measures it: `program.py sample.jsonl deep_list.jsonl ...`. It
# reads each but the sample in two ways: only what `show` prints, and every event. For each reading,
# it prints the memory that this took in MiB, and how many lines of Python it executed:
#
#     measured deep_list.jsonl 4.5 1200
MEASURING_PROGRAM = """
import contextlib, os, resource, sys
from pathlib import Path
from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import glance_at, open_journal
from controlplane.view.results.result_json import print_result
from tests.support.executed_work import executed_lines

def show(path):
    try:
        with contextlib.redirect_stdout(open(os.devnull, "w")):
            print_result(glance_at(path), path)
    except ControlPlaneError:
        pass

def read_every_event(path):
    try:
        with open_journal(path) as journal:
            for trial in journal.trials.values():
                trial.record
                for event in trial.events():
                    pass
    except ControlPlaneError as error:
        assert len(str(error)) < 1_000
        print(type(error).__name__)

def measure(action, path):
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lines = executed_lines(lambda: action(path))
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
    print("measured", path.name, grown_kb / 1024, lines)

sample, *hostile_journals = map(Path, sys.argv[1:])
# The first readings import modules, which takes memory. The sample is read for this.
show(sample)
read_every_event(sample)
for path in hostile_journals:
    for action in (show, read_every_event):
        # In a process of its own, since the peak of a process's memory never falls.
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            measure(action, path)
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert status == 0, path
"""

MAX_GROWTH_MIB = 64
MAX_LINES = 50_000_000
"""What reading one of the journals may cost. An honest one of a megabyte costs far less."""


@pytest.mark.second_tier
def test_a_megabyte_of_any_content_takes_little_memory_and_work(tmp_path: Path) -> None:
    """1. Each function of `HOSTILE_JOURNALS`, such as `deep_list`, gives a file of a megabyte.
    2. `MEASURING_PROGRAM` reads each file in two ways, and prints a line for each reading:
       `measured deep_list.jsonl 4.5 1200`.
    3. No reading took more than `MAX_GROWTH_MIB`, or executed more than `MAX_LINES`.
    """
    paths: list[Path] = []
    for content in HOSTILE_JOURNALS:
        path = tmp_path / f"{content.__name__}.jsonl"
        path.write_bytes(content())
        assert path.stat().st_size < 1.1 * MB
        paths.append(path)

    program = subprocess.run(
        [sys.executable, "-c", MEASURING_PROGRAM, SAMPLE, *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert program.returncode == 0, program.stderr[-2_000:]
    measurements: list[str] = []
    for line in program.stdout.splitlines():
        if line.startswith("measured "):
            measurements.append(line)
    assert len(measurements) == 2 * len(HOSTILE_JOURNALS)
    for measurement in measurements:
        _, name, growth_mib, executed_lines = measurement.split()
        assert float(growth_mib) <= MAX_GROWTH_MIB, name
        assert int(executed_lines) <= MAX_LINES, name


# --- Lines that no run writes ---

SOUND_FIELDS: dict[str, dict[str, object]] = {
    "trial_started": {
        "task_id": "k",
        "instruction": "",
        "now": "2026-04-22T09:30:00+00:00",
        "tool_schema": "{}",
    },
    "conversation_opened": {"system": "", "first_message": ["a"]},
    "model_asked": {"step": 1, "role": "solve", "messages": 0},
    "model_replied": {"step": 1, "reply": ""},
    "call": {"step": 1, "number": 1, "operation": "o", "arguments": {}, "result": {}},
    "step": {"step": 1, "calls": []},
    "score": {"score": 1, "details": []},
    "notice": {"text": ""},
}
"""The fields that an event of each type needs; the tests below change one of them."""

CALL_UNDER_WAY: Event = {
    "at_ms": 1,
    "type": "call",
    "state": "under_way",
    "trial_id": "t",
    "step": 1,
    "number": 0,
    "operation": "o",
    "arguments": {},
}
"""A call that has not returned."""


def journal_with_fourth_line(event: Event, folder: Path) -> Path:
    """Write a journal: two lines that start the run, a call that is under way, and this event."""
    path = folder / "r.jsonl"
    path.write_bytes(journal_of(CALL_UNDER_WAY, event))
    return path


def read_all_trials(path: Path) -> None:
    """Read every event of a journal, trial by trial."""
    for trial in open_journal(path).trials.values():
        list(trial.events())


@pytest.mark.parametrize("event_type", SOUND_FIELDS)
def test_a_line_with_sound_fields_is_read(event_type: str, tmp_path: Path) -> None:
    """So the next test finds only the one field that it changes."""
    event: Event = {
        "at_ms": 1,
        "type": event_type,
        "trial_id": "t",
        **SOUND_FIELDS[event_type],
    }
    path = journal_with_fourth_line(event, tmp_path)

    read_all_trials(path)
    assert len(list(Journal(path).read_on())) == 4


UNKNOWN_REFERENCE = f"@text:{'0' * len(key_of(LONG_TEXT))}"
"""A reference to a stored text, `@text:HASH`, that the journal does not have."""


@pytest.mark.parametrize(
    ("event_type", "field", "odd_value", "fault"),
    [
        pytest.param(
            "model_asked", "at_ms", 10**16, "at_ms.* less than", id="far future"
        ),
        pytest.param(
            "model_asked", "at_ms", -(10**30), "at_ms.* greater than", id="far past"
        ),
        pytest.param("model_asked", "step", 10**40, "step.* less than", id="huge step"),
        pytest.param("score", "score", 1e300, "score.* less than", id="huge score"),
        pytest.param("score", "details", ["no", 5], "line 4", id="reason not a text"),
        pytest.param("call", "number", -1, "line 4", id="negative number of a call"),
        pytest.param("step", "step", -1, "line 4", id="negative step"),
        pytest.param(
            "step",
            "calls",
            [3],
            "do not name lines before it",
            id="step with a call that was not made",
        ),
        pytest.param("model_replied", "cost_usd", -1e6, "line 4", id="negative cost"),
        pytest.param(
            "model_replied",
            "usage",
            {"completion_tokens": -(10**6)},
            "line 4",
            id="negative tokens",
        ),
        pytest.param(
            "model_replied",
            "usage",
            {"prompt_tokens": 10**400},
            "line 4",
            id="tokens too many for a float",
        ),
        pytest.param(
            "conversation_opened",
            "first_message",
            [{}],
            "line 4",
            id="message with an object for a text",
        ),
        pytest.param(
            "notice",
            "type",
            "unheard",
            "there is no event 'unheard'",
            id="unknown type",
        ),
        pytest.param(
            "notice",
            "text",
            UNKNOWN_REFERENCE,
            "a text that no earlier line holds",
            id="reference to no text",
        ),
        pytest.param(
            "trial_started",
            "now",
            "<b>&",
            "line 4: now: ",
            id="clock without a time",
        ),
        pytest.param(
            "trial_started",
            "now",
            "1970-13-45T99:99",
            "line 4: now: ",
            id="clock with an impossible time",
        ),
    ],
)
def test_a_line_with_an_odd_field_is_damage(
    event_type: str, field: str, odd_value: object, fault: str, tmp_path: Path
) -> None:
    """It is found whether the journal is read trial by trial, or line by line as by `show --follow`."""
    event: Event = {
        "at_ms": 1,
        "type": event_type,
        "trial_id": "t",
        **SOUND_FIELDS[event_type],
        field: odd_value,
    }
    path = journal_with_fourth_line(event, tmp_path)

    with pytest.raises(JournalDamaged):
        read_all_trials(path)
    with pytest.raises(JournalDamaged, match=fault):
        list(Journal(path).read_on())


# --- The declaration of an environment ---


#
# The event `trial_started` of a journal has a tool schema: a text in JSON that declares what scripts
# can call in the trial's environment.


def schema_with(**changes: object) -> str:
    """Return a tool schema without operations, with some of its fields changed."""
    fields = {
        "operations": [],
        "executables": [],
        "rules_document": "",
        "initial_calls": [],
    }
    return json.dumps({**fields, **changes})


STRING_SCHEMA = {"type": "string"}
"""The JSON schema of a text."""


def schema_with_parameter(
    *, name: object = "order", schema: object = STRING_SCHEMA
) -> str:
    """Return a tool schema of one operation with one parameter, of this name and JSON schema."""
    parameter = {"name": name, "type": "any", "schema": schema}
    operation = {
        "name": "find",
        "parameters": [parameter],
        "fields": [],
        "summary": "",
    }
    return schema_with(operations=[operation])


def test_a_declaration_of_an_environment_is_read() -> None:
    """These schemas have no fault, so that the next test finds only the faults that it names."""
    (operation,) = tool_schema_from_text(schema_with_parameter()).operations

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
        pytest.param(schema_with_parameter(schema=True), id="schema true"),
        pytest.param(schema_with_parameter(schema=[1]), id="schema a list"),
        pytest.param(schema_with_parameter(schema="string"), id="schema a text"),
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
    """A journal from a stranger may have any text in place of the declaration. It is called
    damaged."""
    with pytest.raises(
        JournalDamaged, match="declaration of its environment is malformed"
    ):
        tool_schema_from_text(text)


# --- Paths that are not files ---


def make_link_to_endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(os.mkfifo, id="pipe"),
        pytest.param(make_link_to_endless_device, id="endless device"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "show",
        "replay",
        "show --follow",
        "show --follow --json",
        "resume",
        "submit",
        "judge",
    ],
)
def test_a_pipe_or_a_device_is_not_read_as_a_journal(
    command: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    """Reading it would never end."""
    path = tmp_path / "r.jsonl"
    make(path)

    result = run_in_process(*command.split(), path, cwd=tmp_path)

    assert result.code == UsageError.exit_code, result.err
    assert "a pipe or a device" in result.err
    assert name_in(path) == ""


OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial has no answer."""


def test_one_bad_journal_does_not_spoil_the_list_of_runs(tmp_path: Path) -> None:
    """Beside a good journal, the folder has a pipe, a device, a folder, a link to itself, and
    hostile journals. `controlplane runs` lists the good one."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "good.jsonl").write_bytes(SAMPLE.read_bytes())
    os.mkfifo(runs / "pipe.jsonl")
    make_link_to_endless_device(runs / "device.jsonl")
    (runs / "folder.jsonl").mkdir()
    (runs / "loop.jsonl").symlink_to(runs / "loop.jsonl")
    (runs / "deep.jsonl").write_bytes(deep_list())
    (runs / "no-line.jsonl").write_bytes(line_without_end())

    listed = run_in_process("runs", "--json", cwd=tmp_path)

    assert listed.code == OK, listed.err
    assert "good" in listed.out


# --- Files that are not journals, and damaged journals ---


@pytest.fixture(scope="module")
def finished_journal(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of the journal of a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    assert run_in_process("run", *PHONEBOOK_WITH_PLAYER, cwd=folder).code == OK
    (path,) = folder.glob("runs/*.jsonl")
    return path.read_bytes()


# Each of these functions takes the bytes of a journal and returns them with a change. Each line has
# a hash of its own bytes, and the hash of the line before it.


def replaced_by_a_letter(data: bytes) -> bytes:
    return b"a letter to a friend\n"


def replaced_by_other_json(data: bytes) -> bytes:
    return b'{"type": "run_opened"}\n'


def emptied(data: bytes) -> bytes:
    return b""


def cut_in_its_first_line(data: bytes) -> bytes:
    """Nothing is left but the beginning of the first line."""
    return data[:40]


def cut_in_its_last_line(data: bytes) -> bytes:
    return data[:-30]


def without_its_sixth_line(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[:5] + lines[6:])


def changed_in_its_first_line(data: bytes) -> bytes:
    """The type of the first event, `run_opened`, and a name in it have a letter in upper case."""
    data = data.replace(b'"phonebook', b'"Phonebook', 1)
    return data.replace(b"run_opened", b"run_Opened", 1)


def changed_in_its_eighth_line(data: bytes) -> bytes:
    """The event has another time."""
    lines = data.splitlines(keepends=True)
    lines[7] = lines[7].replace(b'"at_ms":1', b'"at_ms":2', 1)
    return b"".join(lines)


def cut_and_followed_by_other_text(data: bytes) -> bytes:
    """Only the last line may be cut. Here, another line follows the cut one."""
    return cut_in_its_last_line(data) + b"and more\n"


@pytest.mark.parametrize(
    "command",
    [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("change", "code", "error_parts"),
    [
        (replaced_by_a_letter, NotAJournal.exit_code, ["is not a journal"]),
        (replaced_by_other_json, NotAJournal.exit_code, ["is not a journal"]),
        (
            emptied,
            NotAJournal.exit_code,
            ["is not a journal: it holds no whole line of one"],
        ),
        (cut_in_its_first_line, NotAJournal.exit_code, ["is not a journal"]),
        (
            without_its_sixth_line,
            JournalDamaged.exit_code,
            ["is damaged at line 6: it does not follow the line before it"],
        ),
        (
            changed_in_its_first_line,
            JournalDamaged.exit_code,
            ["is damaged at line 1", "its bytes do not match its hash"],
        ),
        (
            changed_in_its_eighth_line,
            JournalDamaged.exit_code,
            ["is damaged at line 8", "its bytes do not match its hash"],
        ),
        (
            cut_and_followed_by_other_text,
            JournalDamaged.exit_code,
            ["is damaged at line"],
        ),
    ],
)
def test_a_damaged_journal_is_refused_in_one_line_and_left_as_it_is(
    change: Callable[[bytes], bytes],
    code: int,
    error_parts: list[str],
    command: tuple[str, ...],
    finished_journal: bytes,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """A command that continues a run must not write to a journal whose lines it does not
    understand."""
    path = tmp_path / "it.jsonl"
    path.write_bytes(change(finished_journal))
    bytes_before = path.read_bytes()

    result = run_command_here(*command, "it.jsonl")

    check_error_line(result, code, "it.jsonl", *error_parts)
    assert path.read_bytes() == bytes_before


def test_a_journal_whose_last_line_was_cut_is_replayed_and_resumed(
    finished_journal: bytes, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A kill may cut the last line. That is not damage."""
    (tmp_path / "it.jsonl").write_bytes(cut_in_its_last_line(finished_journal))

    replay = run_command_here("replay", "it.jsonl", "--verify")
    resumed = run_command_here("resume", "it.jsonl")

    assert replay.code == OK, replay.err
    assert "the last line was cut off" in replay.out
    assert resumed.code in (OK, A_TRIAL_FAILED)
