"""A journal that this user wrote keeps its own settings; any other never loosens what this machine allows."""

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.configuration.recorded_settings import settings_here
from controlplane.journal.journal_content import open_journal
from controlplane.journal.journal_lines import GENESIS, KEY_FILE, json_of, key_path, line_of, made_key, own_key
from tests.support.command import Result
from tests.support.in_process_command import inside

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
    words = ("run", "--benchmark", "tests.support.many_trials:2", "--model", f"scripted:{folder / 'script.toml'}")
    ended = inside(*words, "--walls", "language,process", "--step-time", "50", cwd=folder)
    assert ended.code == 0, ended.err
    return next((folder / "runs").glob("*.jsonl"))


def rewritten(source: Path, path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Write a journal, changed, in a new chain."""
    data, previous = b"", GENESIS
    for line in source.read_bytes().splitlines():
        fields = {name: value for name, value in json.loads(line).items() if name not in ("prev", "hash")}
        change(fields)
        new, previous = line_of(json_of(fields), previous)
        data += new
    path.write_bytes(data)
    return path


def unchanged(fields: dict[str, Any]) -> None:
    """Change nothing."""


def with_settings(**values: object) -> Callable[[dict[str, Any]], None]:
    """Return what changes the settings and the other fields of the first event."""

    def change(fields: dict[str, Any]) -> None:
        if fields["type"] == "run_opened":
            fields.update({name: value for name, value in values.items() if name in fields})
            for setting in fields["settings"]:
                setting["value"] = values.get(setting["name"], setting["value"])

    return change


def cut(source: Path, path: Path) -> Path:
    """Write a journal up to the start of its last trial, which is then open."""
    lines = source.read_bytes().splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if b'"type":"trial_started"' in line)
    path.write_bytes(b"".join(lines[: last + 1]))
    return path


def elsewhere(folder: Path) -> dict[str, str]:
    """Return what makes this user another one, whose state folder is in `folder`."""
    return {"XDG_STATE_HOME": str(folder / "state")}


def typed_elsewhere(*words: str | Path, folder: Path, **changes: str) -> Result:
    return inside(*words, cwd=folder, **elsewhere(folder), **changes)


def test_a_key_is_its_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert own_key() is None
    key = made_key()
    assert key is not None
    assert (key, key) == (made_key(), own_key())
    assert stat.S_IMODE(key_path().stat().st_mode) == 0o600
    assert [path.name for path in key_path().parent.iterdir()] == [Path(KEY_FILE).name]
    key_path().chmod(0o640)
    assert (own_key(), made_key()) == (None, None)
    key_path().unlink()
    os.mkfifo(key_path())
    assert (own_key(), made_key()) == (None, None)


def test_a_run_goes_on_without_a_state_folder(tmp_path: Path) -> None:
    ended = inside("run", "--benchmark", "ecom", "--limit", "1", cwd=tmp_path, XDG_STATE_HOME="/proc/none")
    assert ended.code == 0, ended.err
    with open_journal(next((tmp_path / "runs").glob("*.jsonl"))) as journal:
        assert (journal.is_own, journal.opened.mark) == (False, "")


def test_a_journal_of_ones_own_keeps_its_settings(recorded: Path, tmp_path: Path) -> None:
    path = cut(recorded, tmp_path / "open.jsonl")
    with open_journal(path) as journal:
        assert journal.is_own
    ended = inside("resume", path, cwd=tmp_path)
    assert ended.code == 0, ended.err
    with open_journal(path) as journal:
        assert (journal.is_own, journal.summary.notices) == (True, [])
    assert inside("replay", path, "--verify", cwd=tmp_path).code == 0


@pytest.mark.parametrize("command", ["resume", "submit", "poll", "rerun", "judge", "fork"])
def test_a_module_that_a_journal_of_somebody_elses_names_is_not_imported(
    command: str, recorded: Path, tmp_path: Path
) -> None:
    (tmp_path / "evil.py").write_text(EVIL, encoding="utf-8")
    others = {"fork": ("--trial", "t0", "--step", "1"), "submit": ("--force",), "judge": ("--grader",)}.get(command, ())
    path = cut(recorded, tmp_path / "open.jsonl")
    source = path if command in ("resume", "submit", "poll") else recorded

    def change(fields: dict[str, Any]) -> None:
        with_settings(benchmark="evil", agent="evil", packs=["evil:PACK"])(fields)
        if command == "poll" and fields["type"] == "trial_started":
            fields.clear()
            fields.update(at_ms=1, type="run_submitted", forced=True, state="pending", score=None)

    foreign = rewritten(source, tmp_path / "foreign.jsonl", change)
    with open_journal(foreign) as journal:
        trial = next(iter(journal.trials))
    ended = inside(command, foreign, *(trial if word == "t0" else word for word in others), cwd=tmp_path)
    assert (ended.code, (tmp_path / "imported").exists()) == (2, False), ended.err
    assert "--accept benchmark --accept agent --accept rules" in ended.err


@pytest.mark.parametrize("words", [("replay", "--verify"), ("judge",)])
def test_a_rule_pack_of_somebody_elses_journal_is_imported_only_if_it_is_accepted(
    words: tuple[str, ...], recorded: Path, tmp_path: Path
) -> None:
    (tmp_path / "evil.py").write_text(EVIL, encoding="utf-8")
    foreign = rewritten(recorded, tmp_path / "foreign.jsonl", with_settings(packs=["evil:PACK"]))
    ended = inside(words[0], foreign, *words[1:], cwd=tmp_path)
    assert (ended.code, "--accept rules" in ended.err) == (2, True), ended.err
    assert not (tmp_path / "imported").exists()
    ended = inside(words[0], foreign, *words[1:], "--accept", "rules", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (tmp_path / "imported").exists(), ended.err


@pytest.mark.parametrize("command", ["resume", "rerun"])
@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"base_url": "http://127.0.0.1:9/v1"}, "base_url"),
        ({"api_key_env": "AWS_SECRET_ACCESS_KEY"}, "api_key_env"),
        ({"model_headers": {"x-key": "$AWS_SECRET_ACCESS_KEY"}}, "model_headers"),
        ({"model_body": {"provider": {"order": ["elsewhere"]}}}, "model_body"),
        ({"role": {"review": {"model": "m", "base_url": "http://127.0.0.1:9/v1"}}}, "role"),
    ],
)
def test_no_key_goes_where_somebody_elses_journal_says(
    command: str, settings: dict[str, object], names: str, recorded: Path, tmp_path: Path
) -> None:
    path = cut(recorded, tmp_path / "open.jsonl")
    foreign = rewritten(path if command == "resume" else recorded, path, with_settings(**settings, model="m"))
    ended = inside(
        command, foreign, "--accept", "benchmark", cwd=tmp_path, OPENAI_API_KEY="k", AWS_SECRET_ACCESS_KEY="s"
    )
    assert ended.code == 2
    assert ended.err.rstrip().endswith(f"if you trust it: --accept {names}"), ended.err


def test_walls_and_times_are_the_users_own(recorded: Path, tmp_path: Path) -> None:
    path = cut(recorded, tmp_path / "open.jsonl")
    free = {"input": 0.0, "output": 0.0}
    foreign = rewritten(path, path, with_settings(walls="none", step_time=1_000_000.0, workers="threads", prices=free))
    refused = inside("resume", foreign, cwd=tmp_path)
    assert (refused.code, "--accept benchmark" in refused.err) == (2, True), refused.err
    ended = inside("resume", foreign, "--accept", "benchmark", cwd=tmp_path)
    assert ended.code == 0, ended.err
    with open_journal(foreign) as journal:
        assert settings_here(journal, accepted=["benchmark"]).prices is None
        told = journal.summary.notices
    assert "the walls around scripts are language,process,kernel until the run is resumed again" in told
    assert "--accept wals: there is no such setting" in inside("rerun", foreign, "--accept", "wals", cwd=tmp_path).err


def test_another_user_is_asked_and_may_set_the_same_himself(recorded: Path, tmp_path: Path) -> None:
    path = cut(recorded, tmp_path / "open.jsonl")
    refused = typed_elsewhere("resume", path, folder=tmp_path)
    assert (refused.code, "you did not write it on this machine" in refused.err) == (2, True), refused.err
    (tmp_path / "controlplane.toml").write_text('[run]\nbenchmark = "tests.support.many_trials:2"\n', encoding="utf-8")
    ended = typed_elsewhere("resume", path, folder=tmp_path)
    assert ended.code == 0, ended.err


def test_a_journal_of_ones_own_that_was_rewritten_is_found(recorded: Path, tmp_path: Path) -> None:
    def change(fields: dict[str, Any]) -> None:
        if fields["type"] == "score":
            fields["score"] = 0.5

    forged = rewritten(recorded, tmp_path / "forged.jsonl", change)
    with open_journal(forged) as journal:
        assert (journal.opened.mark != "", journal.is_own) == (True, False)
    ended = inside("replay", forged, "--verify", cwd=tmp_path)
    assert (ended.code, "was rewritten" in ended.err) == (5, True), ended.err
    assert inside("show", forged, cwd=tmp_path).code == 0
    assert "it was changed since you wrote it" in inside("rerun", forged, cwd=tmp_path).err


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_line_behind_a_closed_run_of_ones_own_is_found(is_resumed: bool, recorded: Path, tmp_path: Path) -> None:
    data = recorded.read_bytes()
    last = json.loads(data.splitlines()[-1])
    with open_journal(recorded) as journal:
        trial = next(iter(journal.trials))
    added = [{"at_ms": 1, "type": "score", "trial_id": trial, "score": 0.5}]
    if is_resumed:
        opened = next(fields for fields in map(json.loads, data.splitlines()) if fields["type"] == "run_opened")
        added = [{"at_ms": 1, "type": "run_resumed", "versions": opened["versions"]}, *added]
    previous = last["hash"]
    for fields in added:
        line, previous = line_of(json_of(fields), previous)
        data += line
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(data)
    ended = inside("replay", forged, "--verify", cwd=tmp_path)
    said = "whether the last 2 of the lines are yours" if is_resumed else "was rewritten"
    assert (ended.code, said in ended.out + ended.err) == (0 if is_resumed else 5, True), ended.out + ended.err
    with open_journal(forged) as journal:
        assert journal.is_own is is_resumed


def test_a_run_is_opened_once(recorded: Path, tmp_path: Path) -> None:
    lines = recorded.read_bytes().splitlines()
    opening = next(line for line in lines if b'"type":"run_opened"' in line)
    twice = tmp_path / "twice.jsonl"
    twice.write_bytes(b"\n".join([*lines, opening]) + b"\n")
    ended = inside("show", rewritten(twice, tmp_path / "new.jsonl", unchanged), cwd=tmp_path)
    assert (ended.code, "opens the run a second time" in ended.err) == (5, True), ended.err
