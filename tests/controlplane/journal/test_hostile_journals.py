"""A journal of anybody is read within bounds or refused
in one line, and no text of anybody steers the terminal."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from controlplane.command_line import cli
from controlplane.errors import JournalDamaged, UsageError
from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from controlplane.journal.journal_reader import Journal, name_in, open_journal
from controlplane.journal.text_references import key_of
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.terminal_text import HIDDEN
from tests.support import scored_journal
from tests.support.command import ROOT, CommandRunner, check_error_line, run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK
from tests.support.scored_journal import RUN_OPENED

SAMPLE = ROOT / "runs/sample.jsonl"
MB = 1_000_000
HEAD: list[dict[str, object] | bytes] = [
    RUN_OPENED.model_dump(),
    {
        "at_ms": 1,
        "type": "run_started",
        "run_id": "x",
        "trials": [{"trial_id": "t", "task_id": "k"}],
    },
]
TEXT = "x" * (MB // 2)
STORED: dict[str, object] = {
    "at_ms": 1,
    "type": "text",
    "key": key_of(TEXT),
    "text": TEXT,
}


def chained(*events: dict[str, object] | bytes) -> bytes:
    """Return a journal that begins with `HEAD`, as any other, and goes on with `events`.

    An event as bytes is JSON as it stands, which `json_of` could not write.
    """
    lines = []
    previous_hash = GENESIS
    for event in (*HEAD, *events):
        text = event if isinstance(event, bytes) else json_of(event)
        line, previous_hash = line_of(text, previous_hash)
        lines.append(line)
    return b"".join(lines)


def called(result: bytes) -> bytes:
    """Return the line of a call with this result."""
    return (
        b'{"at_ms":1,"type":"call","trial_id":"t","step":1,"number":0,"operation":"o","arguments":{},"result":{"a":%b}}'
        % result
    )


def noticed(text: str, **others: object) -> dict[str, object]:
    return {"at_ms": 1, "type": "notice", "trial_id": "t", "text": text, **others}


REFERENCE = "@text:" + key_of(TEXT)
HOSTILE: dict[str, Callable[[], bytes]] = {
    "deep.jsonl": lambda: chained(called(b"[" * (MB // 20) + b"]" * (MB // 20))),
    "deep-beside-a-surrogate.jsonl": lambda: chained(
        called(b'["\\ud800",' + b"[" * 50_000 + b"]" * 50_001)
    ),
    "objects.jsonl": lambda: chained(called(b"[" + b"{}," * (MB // 3) + b"0]")),
    "many-objects.jsonl": lambda: chained(
        called(b"[" + b'{"a":1},' * (MB // 9) + b"0]")
    ),
    "numbers.jsonl": lambda: chained(called(b"[" + b"1.5," * (MB // 4) + b"0]")),
    "long-numbers.jsonl": lambda: chained(
        called(b"[" + b",".join([b"9" * 4_000] * (MB // 4_100)) + b"]")
    ),
    "one-text-in-a-line.jsonl": lambda: chained(
        STORED, called(json.dumps([REFERENCE] * 10_000).encode())
    ),
    "one-text-in-many-lines.jsonl": lambda: chained(
        STORED, *[noticed(REFERENCE)] * 2_000
    ),
    "calls-named-often.jsonl": lambda: chained(
        called(b'"a"'),
        {
            "at_ms": 1,
            "type": "step",
            "trial_id": "t",
            "step": 1,
            "calls": [0] * (MB // 4),
        },
    ),
    "short-lines.jsonl": lambda: chained(
        *[{"at_ms": 1, "type": "run_notice", "text": "a"}] * (MB // 130)
    ),
    "trials.jsonl": lambda: chained(
        {
            "at_ms": 1,
            "type": "run_started",
            "run_id": "x",
            "trials": [{"trial_id": str(n)} for n in range(MB // 24)],
        }
    ),
    "long-trial-id.jsonl": lambda: chained(
        {"at_ms": 1, "type": "notice", "trial_id": "y" * (MB // 2), "text": "a"}
    ),
    "steps.jsonl": lambda: chained(
        *(
            {"at_ms": 1, "type": "step", "trial_id": "t", "step": n, "calls": []}
            for n in range(MB // 150)
        )
    ),
    "no-line.jsonl": lambda: b'{"prev":"' + b"0" * MB,
}
READING_ALONE = """
import contextlib, os, resource, sys, time
from pathlib import Path
from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import glance_at, open_journal
from controlplane.view.results.result_json import print_result

def show(path):
    try:
        with contextlib.redirect_stdout(open(os.devnull, "w")):
            print_result(glance_at(path), path)
    except ControlPlaneError:
        pass

def read(path):
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
    started_s = time.process_time()
    action(path)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
    print("measured", path.name, grown_kb / 1024, time.process_time() - started_s)

sample, *hostile_journals = map(Path, sys.argv[1:])
show(sample)
read(sample)
for path in hostile_journals:
    for action in (show, read):
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            measure(action, path)
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert status == 0, path
"""
"""A program that reads journals, each twice and each time in a process of its own.

Its arguments are a sample, which it reads first so that all is imported, and the
journals. For each reading it prints a line of the word "measured", the name of the
journal, and how many MiB of memory and seconds of CPU time the reading took.
"""
MOST_GROWTH_MIB = 64
MOST_CPU_S = 20


@pytest.mark.second_tier
def test_a_megabyte_takes_little_memory_and_time(tmp_path: Path) -> None:
    paths = []
    for name, content in HOSTILE.items():
        path = tmp_path / name
        path.write_bytes(content())
        assert path.stat().st_size < 1.1 * MB
        paths.append(path)

    reading = subprocess.run(
        [sys.executable, "-c", READING_ALONE, SAMPLE, *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert reading.returncode == 0, reading.stderr[-2_000:]
    lines = reading.stdout.splitlines()
    measurements = [line.split() for line in lines if line.startswith("measured ")]
    assert len(measurements) == 2 * len(HOSTILE)
    for _, name, growth_mib, cpu_s in measurements:
        assert float(growth_mib) <= MOST_GROWTH_MIB, name
        assert float(cpu_s) <= MOST_CPU_S, name


# Parts of events, which a test completes and changes.
ASKED = {"type": "model_asked", "step": 1, "role": "solve", "messages": 0}
REPLIED = {"type": "model_replied", "step": 1, "reply": ""}
CALLED = {"type": "call", "step": 1, "operation": "o", "arguments": {}, "result": {}}
STARTED = {
    "type": "trial_started",
    "task_id": "k",
    "instruction": "",
    "tool_schema": "{}",
}


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        (ASKED | {"at_ms": 10**16}, "at_ms.* less than"),
        (ASKED | {"at_ms": -(10**30)}, "at_ms.* greater than"),
        (ASKED | {"step": 10**40}, "step.* less than"),
        ({"type": "score", "score": 1e300, "details": []}, "score.* less than"),
        ({"type": "score", "score": 1, "details": ["no", 5]}, "line 4"),
        (CALLED | {"number": -1}, "line 4"),
        ({"type": "step", "step": -1, "calls": []}, "line 4"),
        ({"type": "step", "step": 1, "calls": [3]}, "do not name lines before it"),
        (REPLIED | {"cost_usd": -1e6}, "line 4"),
        (REPLIED | {"usage": {"completion_tokens": -(10**6)}}, "line 4"),
        (REPLIED | {"usage": {"prompt_tokens": 10**400}}, "line 4"),
        (
            {
                "type": "conversation_opened",
                "system": "",
                "first_message": [{}],
                "solver": "cited",
            },
            "line 4",
        ),
        ({"type": "unheard"}, "there is no event 'unheard'"),
        (
            noticed(f"@text:{'0' * len(key_of(TEXT))}"),
            "a text that no earlier line holds",
        ),
        (STARTED | {"now": "<b>&"}, "line 4: now: "),
        (STARTED | {"now": "1970-13-45T99:99"}, "line 4: now: "),
    ],
)
def test_a_line_that_no_run_writes_is_damage(
    fields: dict[str, object], fault: str, tmp_path: Path
) -> None:
    """The line is the fourth: behind the run's start and a call that is under way."""
    started_call = {
        "at_ms": 1,
        "type": "call",
        "state": "under_way",
        "trial_id": "t",
        "step": 1,
        "number": 0,
        "operation": "o",
        "arguments": {},
    }
    line = {"at_ms": 1, "type": fields["type"], "trial_id": "t"} | fields
    path = tmp_path / "r.jsonl"
    path.write_bytes(chained(started_call, line))

    with pytest.raises(JournalDamaged):
        [list(trial.events()) for trial in open_journal(path).trials.values()]
    with pytest.raises(JournalDamaged, match=fault):
        list(Journal(path).read_on())


def with_steering_text(value: Any, field: str) -> Any:
    """Return a value of an event with signs that clear a terminal and turn the direction
    of a line, behind every text of the fields of this name."""
    if isinstance(value, list):
        return [with_steering_text(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {name: with_steering_text(item, field) for name, item in value.items()}
    if isinstance(changed.get(field), str):
        changed[field] += "\x1b[2J\u202e"
    return changed


@pytest.mark.parametrize("command", [("show",), ("replay", "--trial", "calendar")])
@pytest.mark.parametrize("field", ["task_id", "outcome", "name", "operation"])
def test_no_text_of_a_journal_steers_the_terminal(
    field: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    opened, *events = [json.loads(line) for line in SAMPLE.read_bytes().splitlines()]
    changed_events = [with_steering_text(event, field) for event in events]
    path = tmp_path / "r.jsonl"
    path.write_bytes(scored_journal.chained_lines([opened, *changed_events]))

    shown = run_in_process(command[0], path, *command[1:], cwd=tmp_path)

    assert shown.code == 0, shown.err
    assert "\x1b" not in shown.out
    assert "\u202e" not in shown.out


def test_one_bad_journal_leaves_the_list_of_runs_whole(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "good.jsonl").write_bytes(SAMPLE.read_bytes())
    os.mkfifo(runs / "pipe.jsonl")
    (runs / "device.jsonl").symlink_to("/dev/zero")
    (runs / "folder.jsonl").mkdir()
    (runs / "loop.jsonl").symlink_to(runs / "loop.jsonl")
    for name in ("deep.jsonl", "no-line.jsonl"):
        (runs / name).write_bytes(HOSTILE[name]())
    listed = run_in_process("runs", "--json", cwd=tmp_path)

    assert listed.code == 0, listed.err
    assert "good" in listed.out


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
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
def test_a_journal_path_without_a_file_is_not_waited_for(
    command: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    make(tmp_path / "r.jsonl")
    ended = run_in_process(*command.split(), tmp_path / "r.jsonl", cwd=tmp_path)

    assert ended.code == UsageError.exit_code, ended.err
    assert "a pipe or a device" in ended.err
    assert name_in(tmp_path / "r.jsonl") == ""


DECLARATION = (
    '{"operations": [{"name": "find", "parameters": [{"name": "order", "type": "any",'
    ' "schema": SCHEMA}], "fields": [], "summary": ""}], "executables": [],'
    ' "rules_document": "", "initial_calls": []}'
)


def test_a_declaration_of_an_environment_is_read() -> None:
    declared = DECLARATION.replace("SCHEMA", '{"type": "string"}')
    (operation,) = tool_schema_from_text(declared).operations

    assert [parameter.name for parameter in operation.parameters] == ["order"]


@pytest.mark.parametrize(
    "declared",
    [
        *(
            "",
            "[]",
            "{}",
            "5",
            '{"operations": 5}',
            '{"operations": [{"name": 1}]}',
            "[" * 100_000,
        ),
        DECLARATION.replace("SCHEMA", "true"),
        DECLARATION.replace("SCHEMA", "[1]"),
        DECLARATION.replace("SCHEMA", '"string"'),
        DECLARATION.replace("SCHEMA", "null").replace('"order"', "5"),
        '{"operations": [], "executables": [5], "rules_document": "", "initial_calls": []}',
        '{"operations": [], "executables": [], "rules_document": 5, "initial_calls": []}',
        '{"operations": [], "executables": [], "rules_document": "", "initial_calls": [{}]}',
        '{"operations": [], "executables": [], "rules_document": "", "initial_calls": [], "named_files": {"roots": 5}}',
    ],
)
def test_a_malformed_declaration_of_an_environment_is_damage(declared: str) -> None:
    with pytest.raises(
        JournalDamaged, match="declaration of its environment is malformed"
    ):
        tool_schema_from_text(declared)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    assert run_in_process("run", *PHONEBOOK, cwd=folder).code == 0
    return next(folder.glob("runs/*.jsonl"))


def cut_in_a_line(data: bytes) -> bytes:
    return data[:-30]


def without_a_line(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[:5] + lines[6:])


def with_a_changed_first_line(data: bytes) -> bytes:
    return data.replace(b'"phonebook', b'"Phonebook', 1).replace(
        b"run_opened", b"run_Opened", 1
    )


def with_a_changed_byte(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    lines[7] = lines[7].replace(b'"at_ms":1', b'"at_ms":2', 1)
    return b"".join(lines)


WRONG_JOURNALS = [
    (lambda data: b"a letter to a friend\n", 2, "is not a journal"),
    (lambda data: b'{"type": "run_opened"}\n', 2, "is not a journal"),
    (lambda data: b"", 2, "is not a journal: it holds no whole line of one"),
    (lambda data: data[:40], 2, "is not a journal"),
    (without_a_line, 5, "is damaged at line 6: it does not follow the line before it"),
    (
        with_a_changed_first_line,
        5,
        "is damaged at line 1",
        "its bytes do not match its hash",
    ),
    (with_a_changed_byte, 5, "is damaged at line 8", "its bytes do not match its hash"),
    (lambda data: cut_in_a_line(data) + b"and more\n", 5, "is damaged at line"),
]


@pytest.mark.parametrize(
    "verb",
    [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)],
    ids=str,
)
@pytest.mark.parametrize(
    ("spoil", "code", "says"),
    [(journal[0], journal[1], journal[2:]) for journal in WRONG_JOURNALS],
)
def test_a_file_that_is_no_journal_or_a_damaged_one(
    spoil: Callable[[bytes], bytes],
    code: int,
    says: tuple[str, ...],
    verb: tuple[str, ...],
    finished: Path,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    data = spoil(finished.read_bytes())
    (tmp_path / "it.jsonl").write_bytes(data)
    check_error_line(run_command_here(*verb, "it.jsonl"), code, "it.jsonl", *says)

    assert (tmp_path / "it.jsonl").read_bytes() == data


def test_a_journal_whose_last_line_was_cut_is_read_and_gone_on_with(
    finished: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    (tmp_path / "it.jsonl").write_bytes(cut_in_a_line(finished.read_bytes()))
    replayed = run_command_here("replay", "it.jsonl", "--verify")

    assert replayed.code == 0, replayed.err
    assert "the last line was cut off" in replayed.out
    assert run_command_here("resume", "it.jsonl").code in (0, 1)


FOREIGN = "x\x1b[31m\x1b]8;;http://h\x07L\x1b]8;;\x07 \u202egnp\u2066 \x9b1m\x85z"
"""A colour, a link, directions, and what 8-bit terminals obey."""
STEERING = {chr(code) for code in HIDDEN} - {"\n", "\t"}
CODE = f"""print({FOREIGN!r})
scratchpad["answer"], scratchpad["outcome"] = {FOREIGN!r}, "OUTCOME_OK"
def verify(sp):
    raise ValueError({FOREIGN!r})
harness.answer(scratchpad, verify)
"""


def commands(
    group: click.Group = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        yield (*path, name), command


COMMANDS = dict(commands())
SERVERS = ("view", "serve", "mcp")
"""Commands that stay, unless they are called wrongly."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose run, files and configuration hold foreign text throughout."""
    folder = tmp_path_factory.mktemp("foreign")
    fields = {"state": FOREIGN, "plan": [FOREIGN], "code": CODE}
    reply = [
        "[[reply]]",
        "done = true",
        *(f"{name} = {json.dumps(value)}" for name, value in fields.items()),
        "",
    ]
    (folder / "replies.toml").write_text("\n".join(reply * 2))
    words = (
        "--benchmark",
        "tests.support.phonebook",
        "--model",
        f"scripted:{folder}/replies.toml",
    )
    run_in_process("run", *words, "--max-steps", "2", "ada", cwd=folder)
    assert list(folder.glob("runs/*.jsonl"))
    (folder / "files").mkdir()
    (folder / "files" / f"{FOREIGN.replace('/', '_')}.md").write_text(FOREIGN)
    (folder / "hostile.toml").write_text(
        f"{json.dumps(FOREIGN)} = 1\n[profiles.{json.dumps(FOREIGN)}]\nmodel = {json.dumps(FOREIGN)}\n"
    )
    return folder


def steering(words: tuple[str, ...], folder: Path) -> set[str]:
    """Return what could steer a terminal in what a command prints, within some seconds."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 5)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            played = {
                "MODEL_ID": f"scripted:{folder}/replies.toml",
                "CONTROLPLANE_BENCHMARK": "tests.support.phonebook",
            }
            result = run_in_process(
                *words,
                cwd=folder,
                HOME=str(folder),
                XDG_STATE_HOME=str(folder),
                **played,
            )
            return STEERING & {*result.out, *result.err}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return set()


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_no_command_lets_foreign_text_steer_a_terminal(
    path: tuple[str, ...], place: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "here"
    shutil.copytree(place, folder)
    takes = [
        param for param in COMMANDS[path].params if isinstance(param, click.Argument)
    ]
    (file,) = (folder / "files").iterdir()
    given = [(FOREIGN,) * max(len(takes), 1)]
    if path[0] not in SERVERS:
        given += [
            (),
            *(
                (word,) * len(takes)
                for word in ("last", str(file), str(folder / "files"))
            ),
        ]
        given += [
            (FOREIGN, str(folder / "files")),
            (str(file), str(folder / "files")),
            ("last", "--trial", "ada-0"),
            ("last", "--json"),
        ]
    options = [
        (FOREIGN,) * len(takes) + (param.opts[-1], FOREIGN)
        for param in COMMANDS[path].params
        if isinstance(param, click.Option) and not param.is_flag
    ]
    tried = [
        *((*path, *words) for words in (*given, *options)),
        ("--config", "hostile.toml", *path, *given[0]),
    ]
    found = {words: signs for words in tried if (signs := steering(words, folder))}

    assert found == {}
