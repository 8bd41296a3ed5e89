"""A journal with the user's mark on every event is acted on;
any other is only read, unless the user trusts it.
"""

import json
import os
import re
import stat
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.own_marks import ends_with_mark
from controlplane.journal.state_files import state_path
from controlplane.journal.user_key import KEY_FILE, made_key, own_key
from controlplane.sandbox.interface import bounds
from tests.support.command import ROOT, run_in_process
from tests.support.scored_journal import chained_lines

SCRIPT = """
[[reply]]
state = "answer"
code = '''
print(harness.count().number)
scratchpad["answer"], scratchpad["outcome"] = "7", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: True)
'''
"""
# A module that leaves a trace when it is imported.
EVIL = "from pathlib import Path\nPath('imported').touch()\n"


@pytest.fixture(autouse=True)
def not_imported_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the module `evil`, which a test may have imported, be imported anew."""
    monkeypatch.delitem(sys.modules, "evil", raising=False)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run that this user has made."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "script.toml").write_text(SCRIPT, encoding="utf-8")
    words = (
        "run",
        "--benchmark",
        "tests.support.many_trials:2",
        "--model",
        f"scripted:{folder / 'script.toml'}",
    )
    ended = run_in_process(
        *words, "--isolation", "language,process", "--step-time", "50", cwd=folder
    )
    assert ended.code == 0, ended.err
    return next((folder / "runs").glob("*.jsonl"))


def rewritten(
    source: Path,
    path: Path,
    change: Callable[[dict[str, Any]], object],
    key: bytes | None = None,
) -> Path:
    """Write to `path` the events of a journal, with `change` called on each, as a new
    chain of lines. Only with a `key` are they marked."""
    events = [json.loads(line) for line in source.read_bytes().splitlines()]
    for event in events:
        change(event)
    path.write_bytes(chained_lines(events, key=key))
    return path


def unchanged(fields: dict[str, Any]) -> None:
    """Change nothing."""


def with_settings(**values: object) -> Callable[[dict[str, Any]], None]:
    """Return a function that changes settings in a run's first event, for `rewritten`.

    `with_settings(model="evil")` changes the setting and the field `model`.
    """

    def change(fields: dict[str, Any]) -> None:
        if fields["type"] != "run_opened":
            return
        for name, value in values.items():
            if name in fields:
                fields[name] = value
        for setting in fields["settings"]:
            if setting["name"] not in values:
                continue
            value = values[setting["name"]]
            setting["value"] = ",".join(value) if isinstance(value, list) else value

    return change


def cut_in_last_trial(source: Path, path: Path) -> Path:
    """Write a journal up to the start of its last trial, which is then open."""
    lines = source.read_bytes().splitlines(keepends=True)
    starts = [
        number for number, line in enumerate(lines) if b'"type":"trial_started"' in line
    ]
    path.write_bytes(b"".join(lines[: starts[-1] + 1]))
    return path


def test_a_key_is_made_once_and_only_its_user_may_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert own_key() is None

    key = made_key()

    assert key is not None
    assert made_key() == key
    assert own_key() == key
    key_path = state_path(KEY_FILE)
    assert stat.S_IMODE(key_path.stat().st_mode) == 0o600
    assert list(key_path.parent.iterdir()) == [key_path]


def test_a_key_that_others_may_read_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made_key()
    state_path(KEY_FILE).chmod(0o640)

    assert own_key() is None
    assert made_key() is None


def test_a_key_file_that_is_a_pipe_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made_key()
    state_path(KEY_FILE).unlink()
    os.mkfifo(state_path(KEY_FILE))

    assert own_key() is None
    assert made_key() is None


# The journals that `foreign_journal` writes.
KINDS = ("unmarked", "marked by another", "rewritten", "resumed by another", "added to")


def foreign_journal(kind: str, source: Path, path: Path) -> Path:
    """Write to `path` a journal that is not this user's own, or not in all its lines.

    Of this user's journal `source`, an "unmarked" copy has no marks, one "marked by
    another" those of another key. One that is "rewritten" has another score and no marks
    from there on. "resumed by another" and "added to" have an unmarked line at the end.
    """
    data = source.read_bytes()
    events = [json.loads(line) for line in data.splitlines()]
    match kind:
        case "unmarked":
            return rewritten(source, path, unchanged)
        case "marked by another":
            return rewritten(source, path, unchanged, key=b"k" * 32)
        case "rewritten":
            types = [event["type"] for event in events]
            first_score = types.index("score")
            lines = data.splitlines(keepends=True)
            unmarked_events = events[first_score:]
            for event in unmarked_events:
                if event["type"] == "score":
                    event["score"] = 0.5
            data = b"".join(lines[:first_score])
        case "resumed by another":
            (opened,) = [event for event in events if event["type"] == "run_opened"]
            resumed = {
                "prev": events[-1]["hash"],
                "at_ms": 1,
                "type": "run_resumed",
                "versions": opened["versions"],
                "model": "evil",
            }
            unmarked_events = [resumed]
        case "added to":
            notice = {"at_ms": 1, "type": "run_notice", "text": "behind the end"}
            unmarked_events = [notice]
        case _:
            raise ValueError(kind)

    last_hash = json.loads(data.splitlines()[-1])["hash"]
    path.write_bytes(data + chained_lines(unmarked_events, last_hash))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_a_journal_without_the_users_mark_on_every_event_is_only_read(
    kind: str, recorded: Path, tmp_path: Path
) -> None:
    foreign = foreign_journal(kind, recorded, tmp_path / "foreign.jsonl")
    before = foreign.read_bytes()
    with open_journal(foreign) as journal:
        first_trial_id = next(iter(journal.trials))
        fault = journal.fault_of_marks

    assert re.fullmatch(r"you did not write its line \d+ here", fault), fault
    assert run_in_process("show", foreign, cwd=tmp_path).code == 0
    verified = run_in_process("replay", foreign, "--verify", cwd=tmp_path)
    assert verified.code == 0, verified.err
    assert f"not verified, as {fault}: settings" in verified.out

    # The run is over: these have nothing to do.
    for command in (("resume",), ("submit", "--force"), ("poll",)):
        run_in_process(command[0], foreign, *command[1:], cwd=tmp_path)
        assert foreign.read_bytes() == before, command

    for command in (
        ("rerun",),
        ("fork", "--trial", first_trial_id, "--step", "1"),
        ("judge", "--grader"),
    ):
        refused = run_in_process(command[0], foreign, *command[1:], cwd=tmp_path)
        assert refused.code == UsageError.exit_code, command
        assert f"can only be read: {fault}; if you trust" in refused.err, command


def foreign_open_journal(kind: str, recorded: Path, folder: Path) -> Path:
    """Write somebody else's journal of a run that is not over, its last line torn.

    Only a command that continues the run may cut the torn line off.
    """
    open_run = cut_in_last_trial(recorded, folder / "open.jsonl")
    foreign = foreign_journal(kind, open_run, folder / "foreign.jsonl")
    last_hash = json.loads(foreign.read_bytes().splitlines()[-1])["hash"]
    with foreign.open("ab") as file:
        file.write(f'{{"prev":"{last_hash}","at_ms":'.encode())
    return foreign


CONTINUING = (("resume",), ("submit", "--force"))


@pytest.mark.parametrize("kind", ["unmarked", "resumed by another"])
@pytest.mark.parametrize("command", CONTINUING)
def test_an_open_run_is_not_continued_if_its_journal_is_not_trusted(
    command: tuple[str, ...], kind: str, recorded: Path, tmp_path: Path
) -> None:
    foreign = foreign_open_journal(kind, recorded, tmp_path)
    before = foreign.read_bytes()

    refused = run_in_process(command[0], foreign, *command[1:], cwd=tmp_path)

    assert refused.code == UsageError.exit_code, refused.err
    assert "--trust" in refused.err
    assert foreign.read_bytes() == before


@pytest.mark.parametrize("command", CONTINUING)
def test_an_open_run_is_continued_if_its_journal_is_trusted(
    command: tuple[str, ...], recorded: Path, tmp_path: Path
) -> None:
    foreign = foreign_open_journal("unmarked", recorded, tmp_path)

    continued = run_in_process(
        command[0], foreign, *command[1:], "--trust", cwd=tmp_path
    )

    assert continued.code == 0, continued.err
    with open_journal(foreign) as journal:
        assert journal.summary.submitted
        assert not journal.is_own


@pytest.fixture
def journal_naming_evil(recorded: Path, tmp_path: Path) -> Path:
    """Somebody else's journal that names the module `evil`, which is beside it."""
    (tmp_path / "evil.py").write_text(EVIL, encoding="utf-8")
    changes = with_settings(benchmark="evil", agent="evil", rule_sets=["evil:RULE_SET"])
    return rewritten(recorded, tmp_path / "foreign.jsonl", changes)


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (("show",), 0, ""),
        (
            ("replay", "--verify"),
            0,
            "rules of evil:RULE_SET, which only --trust imports",
        ),
        (("judge",), UsageError.exit_code, ""),
        (("export", "--to", "otel.jsonl"), 0, ""),
    ],
)
def test_no_module_that_somebody_elses_journal_names_is_imported(
    command: tuple[str, ...],
    code: int,
    message: str,
    journal_naming_evil: Path,
    tmp_path: Path,
) -> None:
    result = run_in_process(
        command[0],
        journal_naming_evil,
        *command[1:],
        cwd=tmp_path,
        PYTHONPATH=str(tmp_path),
    )

    assert result.code == code, result.err
    assert message in result.out
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize("command", [("replay", "--verify"), ("judge",)])
def test_a_module_that_a_trusted_journal_names_is_imported(
    command: tuple[str, ...], journal_naming_evil: Path, tmp_path: Path
) -> None:
    run_in_process(
        command[0],
        journal_naming_evil,
        *command[1:],
        "--trust",
        cwd=tmp_path,
        PYTHONPATH=str(tmp_path),
    )

    assert (tmp_path / "imported").exists()


def test_an_answer_accepted_in_a_step_that_the_sandbox_ended_is_not_verified_without_marks(
    tmp_path: Path,
) -> None:
    def killed(fields: dict[str, Any]) -> None:
        if fields["type"] == "step":
            fields.update(ending="killed", output="forged")

    foreign = rewritten(ROOT / "runs/sample.jsonl", tmp_path / "foreign.jsonl", killed)
    with open_journal(foreign) as journal:
        trials = ", ".join(journal.trials)
    verified = run_in_process("replay", foreign, "--verify", cwd=tmp_path)

    assert verified.code == 0, verified.err
    assert (
        f"the accepted answers of {trials}, given in steps that a limit ended"
        in verified.out
    )


def test_a_line_of_an_own_journal_behind_anothers_makes_it_no_own_one(
    recorded: Path, tmp_path: Path
) -> None:
    lines = recorded.read_bytes().splitlines(keepends=True)
    borrowed = tmp_path / "borrowed.jsonl"
    borrowed.write_bytes(
        (ROOT / "runs/sample.jsonl").read_bytes() + b"".join(lines[-2:])
    )

    assert ends_with_mark(recorded)
    assert not ends_with_mark(borrowed)


def test_the_end_of_a_journal_without_lines_is_read_within_a_bound(
    recorded: Path, tmp_path: Path
) -> None:
    assert ends_with_mark(recorded)
    sparse = tmp_path / "r.jsonl"
    with sparse.open("wb") as file:
        file.truncate(1 << 30)
    tracemalloc.start()
    assert not ends_with_mark(sparse)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * bounds.MOST_LINE_BYTES


def test_last_never_names_somebody_elses_journal(
    recorded: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    own = runs / recorded.name
    own.write_bytes(recorded.read_bytes())
    os.utime(own, (1, 1))
    for kind in KINDS:
        foreign_journal(kind, recorded, runs / f"{kind.split()[0]}.jsonl")

    assert (
        run_in_process("show", "last", "--json", cwd=tmp_path).json["run"] == own.stem
    )
    own.unlink()
    refused = run_in_process("show", "last", cwd=tmp_path)
    assert refused.code == UsageError.exit_code, refused.err
    assert "you wrote none of the journals" in refused.err
