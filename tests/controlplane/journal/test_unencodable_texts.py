"""Texts that cannot be encoded, or that steer a terminal, in journals, runs and pages.

A model, a script or a grader may write half of a surrogate pair, which has no UTF-8, or an escape
sequence that clears the screen. Every command that reads journals shows such texts in a visible
form, and a run over them is recorded and replayed like any other.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task
from controlplane.journal.journal_lines import GENESIS, line_of
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.text_references import REFERENCE, key_of
from tests.controlplane.report.running_view import RunningView, serving_view
from tests.support.command import run_controlplane, wait_until
from tests.support.scored_journal import CHAIN_FIELDS

EVIL_TEXTS = {
    "high half of a pair": "a\ud83d!",
    "low half of a pair": "\udc00b",
    "halves in the wrong order": "\udc00\ud83d",
    "byte of a file name": "caf\udce9",
    "controls": "\x00\x1b[31m\u202e\ufeff\u2028",
}
"""Texts that cannot be encoded in UTF-8, or that steer a terminal, by what they are."""

STEERING_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]")
"""Finds control characters except tab and line feed, marks that turn the direction of a line, and
halves of surrogate pairs."""

# --- A small run, and a stranger's copy of its journal with evil texts ---

REPLIES = """
[[reply]]
code = '''
print(harness.read("/a.txt").content)
scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
'''
"""
"""The model: a script that reads a file and answers."""

FIELDS_WITH_FREE_TEXT = (
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
    """The journal of a small run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies.toml").write_text(REPLIES)
    task = Task(
        "evil",
        "Read a.txt.",
        files={"/a.txt": "It is blue."},
        grade=lambda end: (0.5, ["no"]),
    )
    run = controlplane.run([task], model="scripted:replies.toml", gates="none")
    return run.journal


def with_evil_texts(value: Any, evil: str) -> Any:
    """Return an event, or a value in it, with `evil` behind its texts.

    With the evil text "!", `{"answer": "done", "step": 1}` is `{"answer": "done!", "step": 1}`.
    Only the fields `FIELDS_WITH_FREE_TEXT` change, at any depth.
    """
    if isinstance(value, list):
        return [with_evil_texts(item, evil) for item in value]
    if not isinstance(value, dict):
        return value

    changed: dict[str, Any] = {}
    for name, field in value.items():
        if name in FIELDS_WITH_FREE_TEXT and isinstance(field, str):
            changed[name] = with_evil_end(field, evil)
        elif name == "details" and isinstance(field, list):
            # The lines that a grader wrote.
            changed[name] = [line + evil for line in field]
        else:
            changed[name] = with_evil_texts(field, evil)
    return changed


def with_evil_end(text: str, evil: str) -> str:
    """Return a text with `evil` behind it; a reference to a stored text, `@text:HASH`, as it is."""
    if text.startswith(REFERENCE):
        return text
    return text + evil


def is_tool_schema(event: dict[str, Any]) -> bool:
    """Return True for the text that declares what scripts can call: JSON, which no model wrote."""
    return event["type"] == "text" and '"operations"' in event["text"]


def write_strangers_journal(journal: Path, evil: str) -> Path:
    """Write `theirs.jsonl`: the events of `journal` with evil texts, in a valid chain of hashes.

    A long text has a line of its own, `{"type": "text", "key": HASH, "text": ...}`, and later lines
    refer to it as `@text:HASH`. A changed text has another hash, so that these references change.
    """
    new_keys: dict[str, str] = {}
    previous_hash = GENESIS
    data = b""
    for line in journal.read_text().splitlines():
        event = json.loads(line)
        for name in CHAIN_FIELDS:
            event.pop(name, None)
        if not is_tool_schema(event):
            event = with_evil_texts(event, evil)
        if event["type"] == "text":
            new_keys[event["key"]] = key_of(event["text"])

        new_line = json.dumps(event, separators=(",", ":"))
        for old_key, new_key in new_keys.items():
            new_line = new_line.replace(old_key, new_key)
        chained_line, previous_hash = line_of(new_line.encode(), previous_hash)
        data += chained_line

    path = Path("theirs.jsonl")
    path.write_bytes(data)
    return path


# --- Commands that read a stranger's journal ---


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_every_command_shows_evil_texts_in_a_visible_form(
    evil: str, journal: Path, tmp_path: Path
) -> None:
    """An evil text has half of a character or a control character in it. A command must not fail at
    it, call the journal damaged, or print the character as it is."""
    theirs = write_strangers_journal(journal, evil)
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
        result = run_controlplane(*command, cwd=tmp_path)
        assert "Error:" not in result.err, command
        assert "damaged" not in result.err, command
        assert not STEERING_CHARACTERS.search(result.out + result.err), command

    page = (tmp_path / "page.html").read_text()
    assert not STEERING_CHARACTERS.search(page)


# --- Pages of a server, and lists of runs ---


@contextmanager
def view_of(folder: Path) -> Iterator[RunningView]:
    """Start a server for the pages of the folder's runs, and wait until it lists all of them."""
    journals = list(folder.iterdir())
    with serving_view(folder) as view:
        wait_until(lambda: len(view.rows()) == len(journals))
        yield view


NUMBERED_EVIL_TEXTS = list(enumerate(EVIL_TEXTS.values()))
"""The same texts, each with the number in the name of its journal."""


@pytest.fixture
def evil_journals(journal: Path, tmp_path: Path) -> Path:
    """A folder with a journal for each evil text: `evil-0.jsonl`, `evil-1.jsonl` and so on."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for number, evil in NUMBERED_EVIL_TEXTS:
        strangers_journal = write_strangers_journal(journal, evil)
        strangers_journal.rename(folder / f"evil-{number}.jsonl")
    return folder


def test_pages_show_evil_texts_in_a_visible_form(evil_journals: Path) -> None:
    """`controlplane view` serves a list of the runs in a folder, and a page for each run."""
    with view_of(evil_journals) as view:
        list_of_runs = view.text("/")
        pages: list[str] = []
        for number, _ in NUMBERED_EVIL_TEXTS:
            page = view.get(f"/runs/evil-{number}")
            assert page.status == 200
            pages.append(page.body.decode())

    for page_text in (list_of_runs, *pages):
        assert not STEERING_CHARACTERS.search(page_text)


def texts_in(value: Any) -> list[str]:
    """Return every text in a JSON value, names of fields included."""
    if isinstance(value, str):
        return [value]
    texts: list[str] = []
    if isinstance(value, dict):
        for name, field in value.items():
            texts.append(name)
            texts += texts_in(field)
    elif isinstance(value, list):
        for item in value:
            texts += texts_in(item)
    return texts


@pytest.mark.parametrize("document", ["trial-1-1.json", "trial-1-1/requests.json"])
def test_json_documents_of_pages_have_evil_texts_in_a_visible_form(
    document: str, evil_journals: Path
) -> None:
    """JSON may write a steering character as an escape, so that its texts are searched."""
    with view_of(evil_journals) as view:
        responses = []
        for number, _ in NUMBERED_EVIL_TEXTS:
            responses.append(view.get(f"/runs/evil-{number}/{document}"))

    for response in responses:
        assert response.status == 200
        for text in texts_in(json.loads(response.body)):
            assert not STEERING_CHARACTERS.search(text)


OK = 0
NOT_FOUND = 404


@pytest.fixture
def journal_with_odd_name(evil_journals: Path) -> Path:
    """One more journal in the folder, whose name is not UTF-8."""
    path = evil_journals / os.fsdecode(b"caf\xe9.jsonl")
    path.write_bytes((evil_journals / "evil-0.jsonl").read_bytes())
    return path


@pytest.mark.usefixtures("journal_with_odd_name")
def test_a_page_of_a_journal_with_an_odd_name_does_not_break(
    evil_journals: Path,
) -> None:
    """The name `café.jsonl` is in Latin-1, and not in UTF-8. The server may show its page or say that
    there is none; it must not fail."""
    with view_of(evil_journals) as view:
        response = view.get("/runs/caf%E9")

    assert response.status in (200, NOT_FOUND)


def test_commands_show_the_odd_name_of_a_journal_in_a_visible_form(
    journal_with_odd_name: Path, evil_journals: Path, tmp_path: Path
) -> None:
    """The name of the file, `café.jsonl`, is in Latin-1, and not in UTF-8."""
    listed = run_controlplane("runs", "--runs-dir", evil_journals, cwd=tmp_path)
    shown = run_controlplane("show", journal_with_odd_name, cwd=tmp_path)

    for result in (listed, shown):
        assert result.code == OK, result.err
        assert not STEERING_CHARACTERS.search(result.out + result.err)


# --- A run over evil texts ---


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_a_run_over_evil_texts_is_recorded_and_replayed(
    evil: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in the instruction, in the file that the model reads, and in the grader's words."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies.toml").write_text(REPLIES)
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
    assert replay.code == OK
