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

from controlplane.journal.journal_reader import open_journal
from controlplane.journal.own_marks import ends_with_mark
from controlplane.journal.state_files import state_path
from controlplane.journal.user_key import KEY_FILE, made_key, own_key
from controlplane.sandbox.interface import bounds
from tests.support.command import ROOT, inside
from tests.support.scored_journal import chained

SCRIPT = """
[[reply]]
state = "answer"
code = '''
print(harness.count().number)
scratchpad["answer"], scratchpad["outcome"] = "7", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: True)
'''
"""
EVIL = "from pathlib import Path\nPath('imported').touch()\n"


@pytest.fixture(autouse=True)
def not_imported_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module was imported by no other test."""
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
    ended = inside(
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
    """Write a journal, changed, in a new chain, marked by `key`."""
    events = [json.loads(line) for line in source.read_bytes().splitlines()]
    for event in events:
        change(event)
    path.write_bytes(chained(events, key=key))
    return path


def unchanged(fields: dict[str, Any]) -> None:
    """Change nothing."""


def with_settings(**values: object) -> Callable[[dict[str, Any]], None]:
    """Return what changes the settings and the other fields of the first event."""

    def change(fields: dict[str, Any]) -> None:
        if fields["type"] == "run_opened":
            fields.update(
                {name: value for name, value in values.items() if name in fields}
            )
            for setting in fields["settings"]:
                value = values.get(setting["name"], setting["value"])
                setting["value"] = ",".join(value) if isinstance(value, list) else value

    return change


def cut(source: Path, path: Path) -> Path:
    """Write a journal up to the start of its last trial, which is then open."""
    lines = source.read_bytes().splitlines(keepends=True)
    last = max(
        number for number, line in enumerate(lines) if b'"type":"trial_started"' in line
    )
    path.write_bytes(b"".join(lines[: last + 1]))
    return path


def test_a_key_is_its_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert own_key() is None
    key = made_key()
    assert key is not None
    assert (key, key) == (made_key(), own_key())
    assert stat.S_IMODE(state_path(KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in state_path(KEY_FILE).parent.iterdir()] == [
        Path(KEY_FILE).name
    ]
    state_path(KEY_FILE).chmod(0o640)
    assert (own_key(), made_key()) == (None, None)
    state_path(KEY_FILE).unlink()
    os.mkfifo(state_path(KEY_FILE))
    assert (own_key(), made_key()) == (None, None)


def foreign_of(kind: str, source: Path, path: Path) -> Path:
    """Write a journal that is not this user's own, or no longer."""
    data, previous = (
        source.read_bytes(),
        json.loads(source.read_bytes().splitlines()[-1])["hash"],
    )
    opened = next(
        fields
        for fields in map(json.loads, data.splitlines())
        if fields["type"] == "run_opened"
    )
    resumed = {
        "at_ms": 1,
        "type": "run_resumed",
        "versions": opened["versions"],
        "model": "evil",
    }
    match kind:
        case "unmarked":
            return rewritten(source, path, unchanged)
        case "marked by another":
            return rewritten(source, path, unchanged, b"k" * 32)
        case "rewritten":
            at = data.index(b'"type":"score"')
            begin = data.rindex(b"\n", 0, at) + 1
            kept = data[:begin]
            return _extended(path, kept, [*map(json.loads, data[begin:].splitlines())])
        case "resumed by another":
            return _extended(path, data, [{"prev": previous, **resumed}])
        case _:
            return _extended(
                path,
                data,
                [{"at_ms": 1, "type": "run_notice", "text": "behind the end"}],
            )


def _extended(path: Path, data: bytes, events: list[dict[str, Any]]) -> Path:
    """Write `data` and further lines, unmarked, that follow its chain."""
    for event in events:
        if event["type"] == "score":
            event["score"] = 0.5
    path.write_bytes(data + chained(events, json.loads(data.splitlines()[-1])["hash"]))
    return path


KINDS = ("unmarked", "marked by another", "rewritten", "resumed by another", "added to")
ACTING = (
    ("resume",),
    ("submit", "--force"),
    ("poll",),
    ("rerun",),
    ("fork", "--trial", "TRIAL", "--step", "1"),
    ("judge", "--grader"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_journal_without_the_users_mark_on_every_event_is_only_read(
    kind: str, recorded: Path, tmp_path: Path
) -> None:
    foreign = foreign_of(kind, recorded, tmp_path / "foreign.jsonl")
    before = foreign.read_bytes()
    with open_journal(foreign) as journal:
        trial, fault = next(iter(journal.trials)), journal.fault_of_marks

    assert re.fullmatch(r"you did not write its line \d+ here", fault), fault
    assert inside("show", foreign, cwd=tmp_path).code == 0
    verified = inside("replay", foreign, "--verify", cwd=tmp_path)
    assert (verified.code, f"not verified, as {fault}: settings" in verified.out) == (
        0,
        True,
    ), verified.err
    for command, *words in ACTING:
        given = (trial if word == "TRIAL" else word for word in words)
        ended = inside(command, foreign, *given, cwd=tmp_path)
        if command in (
            "resume",
            "submit",
            "poll",
        ):
            # The run is over: there is nothing to do.
            assert foreign.read_bytes() == before
            continue
        assert (
            ended.code,
            f"can only be read: {fault}; if you trust" in ended.err,
        ) == (2, True), (
            command,
            ended.err,
        )


@pytest.mark.parametrize("kind", ["unmarked", "resumed by another"])
@pytest.mark.parametrize("command", [("resume",), ("submit", "--force")])
def test_an_open_run_is_continued_only_if_its_journal_is_trusted(
    command: tuple[str, ...], kind: str, recorded: Path, tmp_path: Path
) -> None:
    foreign = foreign_of(
        kind, cut(recorded, tmp_path / "open.jsonl"), tmp_path / "foreign.jsonl"
    )
    last = json.loads(foreign.read_bytes().splitlines()[-1])["hash"]
    with foreign.open("ab") as file:
        # a torn line, which only who continues may cut off
        file.write(f'{{"prev":"{last}","at_ms":'.encode())
    before = foreign.read_bytes()
    refused = inside(command[0], foreign, *command[1:], cwd=tmp_path)

    assert (refused.code, "--trust" in refused.err, foreign.read_bytes() == before) == (
        2,
        True,
        True,
    ), refused.err
    if kind == "unmarked":
        assert inside(
            command[0], foreign, *command[1:], "--trust", cwd=tmp_path
        ).code in (0, 1)
        with open_journal(foreign) as journal:
            assert (journal.summary.submitted, journal.is_own) == (True, False)


@pytest.mark.parametrize(
    "words",
    [("show",), ("replay", "--verify"), ("judge",), ("export", "--to", "otel.jsonl")],
)
def test_no_module_that_somebody_elses_journal_names_is_imported(
    words: tuple[str, ...], recorded: Path, tmp_path: Path
) -> None:
    (tmp_path / "evil.py").write_text(EVIL, encoding="utf-8")
    changes = with_settings(benchmark="evil", agent="evil", rule_sets=["evil:RULE_SET"])
    foreign = rewritten(recorded, tmp_path / "foreign.jsonl", changes)
    ended = inside(
        words[0], foreign, *words[1:], cwd=tmp_path, PYTHONPATH=str(tmp_path)
    )

    assert (ended.code, (tmp_path / "imported").exists()) == (
        2 if words == ("judge",) else 0,
        False,
    ), ended.err
    if words == ("replay", "--verify"):
        assert "rules of evil:RULE_SET, which only --trust imports" in ended.out
    if words[0] in ("judge", "replay"):
        inside(
            words[0],
            foreign,
            *words[1:],
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
    verified = inside("replay", foreign, "--verify", cwd=tmp_path)

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
        foreign_of(kind, recorded, runs / f"{kind.split()[0]}.jsonl")

    assert inside("show", "last", "--json", cwd=tmp_path).json["run"] == own.stem
    own.unlink()
    refused = inside("show", "last", cwd=tmp_path)
    assert (refused.code, "you wrote none of the journals" in refused.err) == (
        2,
        True,
    ), refused.err
