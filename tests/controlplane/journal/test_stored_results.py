"""The long result of a call is stored once, as long texts are.

A trial asks for the tree of its workspace, as does each other trial of the run. The journal has the
tree in a line of its own, and the lines of the calls refer to it:

    {"type": "text", "key": "9f8e...", "text": {"name": "/", "children": [...]}}
    {"type": "call", "operation": "tree", "result": "@text:9f8e..."}
"""

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.events import CallEvent, Noticed
from controlplane.errors import JournalDamaged
from controlplane.journal.journal_lines import json_of
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.run_events import AllottedTrial, JournalEvent, RunStarted
from controlplane.journal.stored_texts import LONG_DATA_BYTES
from tests.support.journals import LONG_TEXT, RUN_OPENED, chained_lines, write_journal


def tree_of(files: int) -> dict[str, Any]:
    """Return the result of `tree` for a folder with this many files."""
    children = [{"name": f"file-{n}.md", "is_dir": False} for n in range(files)]
    return {"name": "/", "is_dir": True, "children": children}


TREE = tree_of(200)
"""About 8,000 bytes of JSON."""


def tree_call(trial_id: str, number: int, result: dict[str, Any]) -> CallEvent:
    return CallEvent(
        operation="tree",
        arguments={},
        trial_id=trial_id,
        step=1,
        number=number,
        result=result,
    )


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def results_in(path: Path) -> list[object]:
    """Return the results of all calls of a journal."""
    events = list(Journal(path).read_on())
    return [event.result for event in events if isinstance(event, CallEvent)]


def test_a_result_that_trials_share_is_stored_once(tmp_path: Path) -> None:
    trial_ids = [f"t{number}" for number in range(10)]
    allotted = tuple(AllottedTrial(trial_id=trial_id) for trial_id in trial_ids)
    events: list[JournalEvent] = [
        RUN_OPENED,
        RunStarted(run_id="x", trials=allotted),
        *[tree_call(trial_id, 0, TREE) for trial_id in trial_ids],
    ]

    path = write_journal(tmp_path / "r.jsonl", events)

    assert path.read_bytes().count(b"file-199.md") == 1
    assert results_in(path) == [TREE] * 10
    with open_journal(path) as journal:
        calls = [
            event
            for trial in journal.trials.values()
            for event in trial.events()
            if isinstance(event, CallEvent)
        ]
    assert [call.result for call in calls] == [TREE] * 10


# After 16 references, a result is stored again, as a text is: readers refuse a small journal that
# stands for a lot of text.


def test_a_result_of_very_many_trials_is_stored_again(tmp_path: Path) -> None:
    events: list[JournalEvent] = [RUN_OPENED]
    for trial in range(40):
        events.append(tree_call(f"t{trial}", 0, TREE))

    path = write_journal(tmp_path / "r.jsonl", events)

    assert path.read_bytes().count(b"file-199.md") == 3
    assert results_in(path) == [TREE] * 40


def test_a_short_result_stays_in_the_line_of_its_call(tmp_path: Path) -> None:
    short = {"stdout": "7" * 150}
    assert len(json_of(short)) < LONG_DATA_BYTES

    path = write_journal(tmp_path / "r.jsonl", [RUN_OPENED, tree_call("t", 0, short)])

    assert lines_of(path)[1]["result"] == short


# A long text in a result has a line of its own already, so its result has none.


def test_a_result_with_a_long_text_refers_to_the_text(tmp_path: Path) -> None:
    result = TREE | {"content": LONG_TEXT}

    path = write_journal(tmp_path / "r.jsonl", [RUN_OPENED, tree_call("t", 0, result)])

    text, call = lines_of(path)[1:]
    assert text["text"] == LONG_TEXT
    assert call["result"] == TREE | {"content": f"@text:{text['key']}"}
    assert results_in(path) == [result]


# A script may print the JSON of a result. That text is another one than the result, although the
# journal has both under the hash of the same bytes.


def test_a_text_that_is_the_json_of_a_result_stays_a_text(tmp_path: Path) -> None:
    text = json_of(TREE).decode()
    events = [RUN_OPENED, tree_call("t", 0, TREE), Noticed(trial_id="t", text=text)]

    path = write_journal(tmp_path / "r.jsonl", events)

    notice = list(Journal(path).read_on())[-1]
    assert isinstance(notice, Noticed)
    assert notice.text == text
    assert results_in(path) == [TREE]


# Whoever reads a result may change it. The next call with the same result has its own.


def test_each_call_has_its_own_result(tmp_path: Path) -> None:
    events = [RUN_OPENED, tree_call("t", 0, TREE), tree_call("t", 1, TREE)]
    path = write_journal(tmp_path / "r.jsonl", events)

    first, second = results_in(path)
    assert isinstance(first, dict)
    first["children"].clear()

    assert second == TREE


# A stranger may write any line, with valid hashes.


def changed_journal(path: Path, **changes: object) -> Path:
    """Write a journal of a call with the tree, its stored result changed, with new hashes."""
    write_journal(path, [RUN_OPENED, tree_call("t", 0, TREE)])
    opened, stored, call = lines_of(path)
    path.write_bytes(chained_lines([opened, stored | changes, call]))
    return path


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        pytest.param(
            {"text": tree_of(201)}, "does not match its key", id="another result"
        ),
        pytest.param({"key": "0" * 32}, "no earlier line holds", id="another key"),
        pytest.param(
            {"text": json_of(TREE).decode()}, "does not match its key", id="a text"
        ),
        pytest.param({"text": [1]}, "does not match its key", id="a list"),
    ],
)
def test_a_changed_result_is_damage(
    changes: dict[str, object], fault: str, tmp_path: Path
) -> None:
    path = changed_journal(tmp_path / "r.jsonl", **changes)

    with pytest.raises(JournalDamaged, match=fault):
        results_in(path)


def test_a_result_where_a_text_belongs_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_journal(path, [RUN_OPENED, tree_call("t", 0, TREE)])
    opened, stored, _ = lines_of(path)
    notice = Noticed(trial_id="t", text=f"@text:{stored['key']}").model_dump()
    path.write_bytes(chained_lines([opened, stored, notice]))

    with pytest.raises(JournalDamaged, match="text: Input should be"):
        list(Journal(path).read_on())
