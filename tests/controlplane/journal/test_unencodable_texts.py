"""Texts that cannot be encoded, or steer a terminal, are shown
visibly by every command that reads journals, whoever wrote them."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task
from controlplane.journal.journal_lines import GENESIS, line_of
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.text_references import REFERENCE, key_of
from tests.controlplane.report.viewed import serving_view
from tests.support.command import run_controlplane as command_line
from tests.support.command import wait_until

EVIL_TEXTS = {
    "high half of a pair": "a\ud83d!",
    "low half of a pair": "\udc00b",
    "halves in the wrong order": "\udc00\ud83d",
    "byte of a file name": "caf\udce9",
    "controls": "\x00\x1b[31m\u202e\ufeff\u2028",
}
SCRIPT = """
[[reply]]
code = '''
print(harness.read("/a.txt").content)
scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
'''
"""
# Each gets the stranger's journal behind its first word, and the own one as {journal}.
COMMANDS = (
    "show",
    "show --json",
    "replay",
    "replay --trial evil",
    "replay --trial evil --json",
    "replay --verify",
    "judge",
    "judge --json",
    "compare {journal}",
    "report -o page.html",
    "export --to trials.csv",
    "export --to steps.csv",
    "export --to calls.csv",
    "export --to otel.jsonl",
)
# Control characters except tab and line feed, marks that turn the direction of a line,
# and halves of surrogate pairs.
STEERING_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]")
FIELDS_OF_STRANGERS = (
    "text",
    "answer",
    "output",
    "reply",
    "reason",
    "details",
    "instruction",
    "code",
)
"""Fields of events with texts of models, scripts and graders."""


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the journal of a small run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies.toml").write_text(SCRIPT)
    task = Task(
        "evil",
        "Read a.txt.",
        files={"/a.txt": "It is blue."},
        grade=lambda end: (0.5, ["no"]),
    )
    return controlplane.run([task], model="scripted:replies.toml", gates="none").journal


def with_texts(value: Any, evil: str) -> Any:
    """Return fields of an event with `evil` behind every text of `FIELDS_OF_STRANGERS`.

    With the evil text "!", `{"answer": "done", "step": 1}` is `{"answer": "done!", "step": 1}`.
    """
    if isinstance(value, list):
        return [with_texts(item, evil) for item in value]
    if not isinstance(value, dict):
        return value

    changed = {}
    for name, field in value.items():
        changed[name] = with_texts(field, evil)
        if name not in FIELDS_OF_STRANGERS:
            continue
        if name == "details" and isinstance(field, list):
            changed[name] = [f"{line}{evil}" for line in field]
        elif isinstance(field, str) and not field.startswith(REFERENCE):
            changed[name] = field + evil
    return changed


def changed_keys(events: list[dict[str, Any]], evil: str) -> dict[str, str]:
    """Return the old and the new key of each stored text that gets `evil` behind it.

    The key of a text is its hash, so a changed text has another one. The tool schema,
    which has "operations", stays as it is: it is JSON, and only the product writes it.
    """
    new_keys = {}
    for event in events:
        if event["type"] == "text" and '"operations"' not in event["text"]:
            new_keys[event["key"]] = key_of(event["text"] + evil)
    return new_keys


def strangers_journal(journal: Path, evil: str) -> Path:
    """Write `theirs.jsonl`, a valid journal with the events of `journal`, in whose texts,
    stored ones included, somebody has written `evil`."""
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    new_keys = changed_keys(events, evil)

    previous_hash = GENESIS
    data = b""
    for event in events:
        # `line_of` writes these three anew.
        fields = {
            name: value
            for name, value in event.items()
            if name not in ("prev", "hash", "mark")
        }
        is_kept_text = event["type"] == "text" and event["key"] not in new_keys
        if not is_kept_text:
            fields = with_texts(fields, evil)
        line = json.dumps(fields, separators=(",", ":"))
        # References to a text are anywhere in the later events.
        for old_key, new_key in new_keys.items():
            line = line.replace(old_key, new_key)
        chained_line, previous_hash = line_of(line.encode(), previous_hash)
        data += chained_line

    path = Path("theirs.jsonl")
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_every_command_shows_the_texts_of_a_strangers_journal(
    evil: str, journal: Path, tmp_path: Path
) -> None:
    theirs = strangers_journal(journal, evil)
    for command in COMMANDS:
        subcommand, *options = command.format(journal=theirs).split()
        result = command_line(subcommand, theirs, *options, cwd=tmp_path)
        assert "Error:" not in result.err, command
        assert "damaged" not in result.err, command
        assert not STEERING_CHARACTERS.search(result.out + result.err), command

    assert not STEERING_CHARACTERS.search((tmp_path / "page.html").read_text())


def texts_in(value: Any) -> list[str]:
    """Return every text in a JSON value, names of fields included."""
    if isinstance(value, str):
        return [value]
    texts = []
    if isinstance(value, dict):
        for name, field in value.items():
            texts += [name, *texts_in(field)]
    elif isinstance(value, list):
        for item in value:
            texts += texts_in(item)
    return texts


def test_every_page_shows_the_texts_of_strangers_journals(
    journal: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    for number, evil in enumerate(EVIL_TEXTS.values()):
        strangers_journal(journal, evil).rename(folder / f"evil-{number}.jsonl")
    name_that_is_no_text = folder / os.fsdecode(b"caf\xe9.jsonl")
    name_that_is_no_text.write_bytes((folder / "evil-0.jsonl").read_bytes())

    with serving_view(folder) as view:
        wait_until(lambda: len(view.rows()) == len(EVIL_TEXTS) + 1)
        assert not STEERING_CHARACTERS.search(view.text("/"))
        for number in range(len(EVIL_TEXTS)):
            for page in ("", "/trial-1-1.json", "/trial-1-1/requests.json"):
                answer = view.get(f"/runs/evil-{number}{page}")
                assert answer.status == 200, (number, page)
                text = answer.body.decode()
                texts = texts_in(json.loads(text)) if page else [text]
                for shown in texts:
                    assert not STEERING_CHARACTERS.search(shown), (number, page)
        assert view.get("/runs/caf%E9").status in (200, 404)

    for words in (("runs", "--runs-dir", folder), ("show", name_that_is_no_text)):
        result = command_line(*words, cwd=tmp_path)
        assert result.code == 0, result.err
        assert not STEERING_CHARACTERS.search(result.out + result.err)


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_a_run_over_such_texts_is_recorded_and_replayed(
    evil: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies.toml").write_text(SCRIPT)
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
        output = opened.trials[run["evil"].trial_id].steps[0].output
    assert "a text that is stored apart" in output
    output.encode()
    assert command_line("replay", run.journal, "--verify", cwd=tmp_path).code == 0
