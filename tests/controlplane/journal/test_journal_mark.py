"""The mark: a signature with a user's key on each line of a journal that this user's runs wrote.

Only a journal with this user's mark on every line is acted on, such as resumed. Any other may come
from a stranger: it names programs and modules to run. It can be read, and no more, unless the user
says `--trust`. Its hashes prove nothing, since anybody can compute them.
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

# --- The key ---


@pytest.fixture
def new_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the user's state folder, in which the key is, be new and empty."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.mark.usefixtures("new_state_folder")
def test_a_key_is_made_once_and_only_its_user_may_read_it() -> None:
    """`made_key` makes the key if there is none, and `own_key` only reads it."""
    assert own_key() is None

    key = made_key()

    assert key is not None
    assert made_key() == key
    assert own_key() == key
    key_path = state_path(KEY_FILE)
    assert stat.S_IMODE(key_path.stat().st_mode) == 0o600
    assert list(key_path.parent.iterdir()) == [key_path]


@pytest.mark.usefixtures("new_state_folder")
def test_a_key_that_others_may_read_is_not_used() -> None:
    """Others could sign journals with it. None is then signed."""
    made_key()
    state_path(KEY_FILE).chmod(0o640)

    assert own_key() is None
    assert made_key() is None


@pytest.mark.usefixtures("new_state_folder")
def test_a_key_file_that_is_a_pipe_is_not_read() -> None:
    """Reading it would never end."""
    made_key()
    state_path(KEY_FILE).unlink()
    os.mkfifo(state_path(KEY_FILE))

    assert own_key() is None
    assert made_key() is None


# --- A journal of this user, and its copies by a stranger ---

REPLIES = """
[[reply]]
state = "answer"
code = '''
print(harness.count().number)
scratchpad["answer"], scratchpad["outcome"] = "7", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: True)
'''
"""
"""The model: a script that counts and answers."""

FIRST_TRIAL = "seat-001-t0"
"""The id of the run's first trial."""

OK = 0
SAMPLE = ROOT / "runs/sample.jsonl"
"""A journal that the makers of the product wrote, and not this user."""


@pytest.fixture(scope="module")
def own_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run of two trials that this user has made."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "replies.toml").write_text(REPLIES, encoding="utf-8")
    run = run_in_process(
        "run",
        "--benchmark",
        "tests.support.many_trials:2",
        "--model",
        f"scripted:{folder / 'replies.toml'}",
        "--isolation",
        "language,process",
        "--step-time",
        "50",
        cwd=folder,
    )
    assert run.code == OK, run.err
    (journal,) = (folder / "runs").glob("*.jsonl")
    assert FIRST_TRIAL in open_journal(journal).trials
    return journal


def events_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def with_lines_behind(data: bytes, events: list[dict[str, Any]]) -> bytes:
    """Return a journal with further events, chained to its last line, and without marks."""
    last_hash = events_of(data)[-1]["hash"]
    return data + chained_lines(events, last_hash)


# Each of these functions takes a journal of this user, and returns one that is not this user's own,
# or not in all its lines.


def unmarked(data: bytes) -> bytes:
    """Somebody wrote all its lines again, without marks."""
    return chained_lines(events_of(data))


def marked_by_another(data: bytes) -> bytes:
    """Somebody wrote all its lines again, with a key of their own."""
    return chained_lines(events_of(data), key=b"k" * 32)


def with_another_score(data: bytes) -> bytes:
    """Somebody changed a score, and wrote all lines from there on again."""
    lines = data.splitlines(keepends=True)
    events = events_of(data)
    types = [event["type"] for event in events]
    first_score = types.index("score")
    unmarked_events = events[first_score:]
    for event in unmarked_events:
        if event["type"] == "score":
            event["score"] = 0.5
    return with_lines_behind(b"".join(lines[:first_score]), unmarked_events)


def resumed_by_another(data: bytes) -> bytes:
    """Somebody added a line by which the run goes on with another model."""
    (opened,) = [event for event in events_of(data) if event["type"] == "run_opened"]
    resumed = {
        "at_ms": 1,
        "type": "run_resumed",
        "versions": opened["versions"],
        "model": "evil",
    }
    return with_lines_behind(data, [resumed])


def with_a_notice_at_the_end(data: bytes) -> bytes:
    """Somebody added a harmless line."""
    notice = {"at_ms": 1, "type": "run_notice", "text": "behind the end"}
    return with_lines_behind(data, [notice])


Forge = Callable[[bytes], bytes]
ALL_FORGERIES: list[Forge] = [
    unmarked,
    marked_by_another,
    with_another_score,
    resumed_by_another,
    with_a_notice_at_the_end,
]
"""All ways to forge a journal that these tests try."""


@pytest.fixture
def foreign_journal(
    request: pytest.FixtureRequest, own_journal: Path, tmp_path: Path
) -> Path:
    """A forged journal of a finished run; the test's parameter is the function that forges it."""
    forge: Forge = request.param
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(forge(own_journal.read_bytes()))
    return path


each_forgery = pytest.mark.parametrize("foreign_journal", ALL_FORGERIES, indirect=True)
"""Runs a test with each kind of forged journal: all lines written again without the user's mark,
some of them, a line added, and so on."""


# --- What can be done with a stranger's journal of a finished run ---
#
# The reader says which line of a journal is the first without this user's mark:
# `fault_of_marks` is "you did not write its line 12 here", or "" if all lines have the mark.


@each_forgery
def test_a_journal_with_an_unmarked_line_can_be_read(
    foreign_journal: Path, tmp_path: Path
) -> None:
    """`show` prints it as any other."""
    with open_journal(foreign_journal) as journal:
        fault = journal.fault_of_marks

    assert re.fullmatch(r"you did not write its line \d+ here", fault), fault
    assert run_in_process("show", foreign_journal, cwd=tmp_path).code == OK


@each_forgery
def test_a_replay_says_what_it_cannot_verify_without_marks(
    foreign_journal: Path, tmp_path: Path
) -> None:
    """A replay runs the recorded scripts again. What it cannot compute, such as the settings of the
    run, only a mark proves."""
    with open_journal(foreign_journal) as journal:
        fault = journal.fault_of_marks

    replay = run_in_process("replay", foreign_journal, "--verify", cwd=tmp_path)

    assert replay.code == OK, replay.err
    assert f"not verified, as {fault}: settings" in replay.out


@each_forgery
@pytest.mark.parametrize(
    "command", [("resume",), ("submit", "--force"), ("poll",)], ids=" ".join
)
def test_commands_that_continue_a_run_leave_a_forged_journal_as_it_is(
    command: tuple[str, ...], foreign_journal: Path, tmp_path: Path
) -> None:
    """`resume`, `submit` and `poll` would add lines to it. This run is over, so that they have nothing
    to do, whether they are refused or not."""
    bytes_before = foreign_journal.read_bytes()
    verb, *options = command

    run_in_process(verb, foreign_journal, *options, cwd=tmp_path)

    assert foreign_journal.read_bytes() == bytes_before


@each_forgery
@pytest.mark.parametrize(
    "command",
    [
        ("rerun",),
        ("fork", "--trial", FIRST_TRIAL, "--step", "1"),
        ("judge", "--grader"),
    ],
    ids=" ".join,
)
def test_no_new_run_is_made_from_a_forged_journal(
    command: tuple[str, ...], foreign_journal: Path, tmp_path: Path
) -> None:
    """`rerun` repeats a run, `fork` plays a trial on from one of its steps, and `judge --grader` scores
    its answers again. All three would take the benchmark and the model from the journal."""
    with open_journal(foreign_journal) as journal:
        fault = journal.fault_of_marks
    verb, *options = command

    refused = run_in_process(verb, foreign_journal, *options, cwd=tmp_path)

    assert refused.code == UsageError.exit_code
    assert f"can only be read: {fault}; if you trust" in refused.err


# --- A stranger's journal of a run that is not over ---


def foreign_journal_of_open_run(forge: Forge, own_journal: Path, folder: Path) -> Path:
    """Write a forged journal of a run that was interrupted in its last trial.

    | line | what is there |
    |---|---|
    | the first lines | the user's journal up to the start of its last trial, forged by `forge` |
    | the last line | `{"prev":"09af...","at_ms":`, half of a line, as after a crash |

    A command that continues the run first cuts the half line off. So the file is the same
    afterwards only if the command has left it alone.
    """
    lines = own_journal.read_bytes().splitlines(keepends=True)
    last_start = 0
    for index, line in enumerate(lines):
        if b'"type":"trial_started"' in line:
            last_start = index
    forged = forge(b"".join(lines[: last_start + 1]))
    last_hash = events_of(forged)[-1]["hash"]
    half_line = f'{{"prev":"{last_hash}","at_ms":'
    path = folder / "foreign.jsonl"
    path.write_bytes(forged + half_line.encode())
    return path


CONTINUING_COMMANDS = [("resume",), ("submit", "--force")]
"""The commands that would act on an open run."""


@pytest.mark.parametrize("forge", [unmarked, resumed_by_another])
@pytest.mark.parametrize("command", CONTINUING_COMMANDS, ids=" ".join)
def test_an_open_run_is_not_continued_if_its_journal_is_not_trusted(
    command: tuple[str, ...], forge: Forge, own_journal: Path, tmp_path: Path
) -> None:
    """The last trial is open, so that there is something to continue. In the first case, a stranger
    wrote all lines again, without this user's mark; in the second, they added a line by which the
    run goes on with another model. Not a byte of either journal changes."""
    foreign = foreign_journal_of_open_run(forge, own_journal, tmp_path)
    bytes_before = foreign.read_bytes()
    verb, *options = command

    refused = run_in_process(verb, foreign, *options, cwd=tmp_path)

    assert refused.code == UsageError.exit_code, refused.err
    assert "--trust" in refused.err
    assert foreign.read_bytes() == bytes_before


@pytest.mark.parametrize("command", CONTINUING_COMMANDS, ids=" ".join)
def test_an_open_run_is_continued_if_its_journal_is_trusted(
    command: tuple[str, ...], own_journal: Path, tmp_path: Path
) -> None:
    """A stranger wrote the journal's lines again, without this user's mark. The user says `--trust`,
    which holds for this command: the journal does not become the user's own."""
    foreign = foreign_journal_of_open_run(unmarked, own_journal, tmp_path)
    verb, *options = command

    continued = run_in_process(verb, foreign, *options, "--trust", cwd=tmp_path)

    assert continued.code == OK, continued.err
    with open_journal(foreign) as journal:
        assert journal.summary.submitted
        assert not journal.is_own


# --- Modules that a stranger's journal names ---


def name_module_evil(run_opened: dict[str, Any]) -> None:
    """Change the event that opens a run: its benchmark, agent and rules are in the module `evil`.

    The event names them in fields of its own and in its settings, a list such as
    `[{"name": "agent", "value": "evil"}]`.
    """
    run_opened["benchmark"] = "evil"
    run_opened["rule_sets"] = ["evil:RULE_SET"]
    evil_settings = {
        "benchmark": "evil",
        "agent": "evil",
        "rule_sets": "evil:RULE_SET",
    }
    for setting in run_opened["settings"]:
        name = setting["name"]
        if name in evil_settings:
            setting["value"] = evil_settings[name]


@pytest.fixture
def journal_naming_evil(
    own_journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A stranger's journal that names the module `evil`, which is beside it.

    The module leaves the file `imported` if it is imported.
    """
    monkeypatch.delitem(sys.modules, "evil", raising=False)  # of another test
    (tmp_path / "evil.py").write_text(
        "from pathlib import Path\nPath('imported').touch()\n", encoding="utf-8"
    )
    events = events_of(own_journal.read_bytes())
    (run_opened,) = [event for event in events if event["type"] == "run_opened"]
    name_module_evil(run_opened)
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(chained_lines(events))
    return path


@pytest.mark.parametrize(
    ("command", "expected_code", "message"),
    [
        pytest.param(("show",), OK, "", id="show"),
        pytest.param(
            ("replay", "--verify"),
            OK,
            "rules of evil:RULE_SET, which only --trust imports",
            id="replay",
        ),
        pytest.param(("judge",), UsageError.exit_code, "", id="judge"),
        pytest.param(("export", "--to", "otel.jsonl"), OK, "", id="export"),
    ],
)
def test_no_module_that_a_strangers_journal_names_is_imported(
    command: tuple[str, ...],
    expected_code: int,
    message: str,
    journal_naming_evil: Path,
    tmp_path: Path,
) -> None:
    """The module `evil` leaves the file `imported` if it is imported. `show`, `replay` and `export`
    work without it; `judge` judges answers by the rules in it, and is refused."""
    verb, *options = command

    result = run_in_process(
        verb, journal_naming_evil, *options, cwd=tmp_path, PYTHONPATH=str(tmp_path)
    )

    assert result.code == expected_code, result.err
    assert message in result.out
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize("command", [("replay", "--verify"), ("judge",)], ids=" ".join)
def test_a_module_that_a_trusted_journal_names_is_imported(
    command: tuple[str, ...], journal_naming_evil: Path, tmp_path: Path
) -> None:
    """The option `--trust` allows it. The module `evil` leaves the file `imported`."""
    verb, *options = command

    run_in_process(
        verb,
        journal_naming_evil,
        *options,
        "--trust",
        cwd=tmp_path,
        PYTHONPATH=str(tmp_path),
    )

    assert (tmp_path / "imported").exists()


# --- What a forger could try ---
#
# Each line of a journal has the hash of the line before, and a mark, which is a signature with the
# user's key. A forger does not have the key, so that the marks are missing or wrong. But anybody can
# compute the hashes: `chained_lines(events)` makes lines with valid hashes and without marks.


def test_a_replay_does_not_verify_answers_whose_script_is_said_to_have_been_killed(
    tmp_path: Path,
) -> None:
    """`replay --verify` runs the recorded scripts again and compares their outputs. It cannot repeat
    a script that the sandbox has killed at a time limit. So a forger says that all scripts were
    killed, and invents their outputs. The replay says that it has not verified these answers."""
    events = events_of(SAMPLE.read_bytes())
    for event in events:
        if event["type"] == "step":
            event["ending"] = "killed"
            event["output"] = "forged"
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(chained_lines(events))
    with open_journal(forged) as journal:
        trial_ids = ", ".join(journal.trials)

    replay = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert replay.code == OK, replay.err
    assert (
        f"the accepted answers of {trial_ids}, given in steps that a limit ended"
        in replay.out
    )


def test_lines_copied_from_the_users_journal_do_not_mark_a_strangers_journal(
    own_journal: Path, tmp_path: Path
) -> None:
    """The last two lines of the user's journal are copied behind a stranger's. Both have the user's
    mark. But each line has the hash of the line before it, and the first copied line has another."""
    own_lines = own_journal.read_bytes().splitlines(keepends=True)
    forged = tmp_path / "forged.jsonl"
    copied_lines = b"".join(own_lines[-2:])
    forged.write_bytes(SAMPLE.read_bytes() + copied_lines)

    assert ends_with_mark(own_journal)
    assert not ends_with_mark(forged)


@pytest.mark.usefixtures("own_journal")
def test_a_huge_file_without_lines_is_searched_for_a_mark_in_little_memory(
    tmp_path: Path,
) -> None:
    """Without a key of the user, which the run has made, no file would be searched."""
    huge_file = tmp_path / "r.jsonl"
    with huge_file.open("wb") as file:
        file.truncate(1 << 30)  # 1 GiB that takes no room on the disk

    tracemalloc.start()
    has_mark = ends_with_mark(huge_file)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert not has_mark
    assert peak_bytes < 3 * bounds.MOST_LINE_BYTES


# --- The name "last" ---


@pytest.fixture
def foreign_runs(own_journal: Path, tmp_path: Path) -> Path:
    """A folder `runs` with a forged journal of each kind."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for forge in ALL_FORGERIES:
        forged = runs / f"{forge.__name__}.jsonl"
        forged.write_bytes(forge(own_journal.read_bytes()))
    return runs


def test_last_is_the_users_own_run_although_others_are_newer(
    own_journal: Path, foreign_runs: Path, tmp_path: Path
) -> None:
    """`show last` must not show a stranger's run, which a user may take for their own."""
    copy_of_own = foreign_runs / own_journal.name
    copy_of_own.write_bytes(own_journal.read_bytes())
    os.utime(copy_of_own, (1, 1))  # the oldest of all

    shown = run_in_process("show", "last", "--json", cwd=tmp_path)

    assert shown.json["run"] == own_journal.stem


@pytest.mark.usefixtures("foreign_runs")
def test_last_names_no_run_if_all_are_of_others(tmp_path: Path) -> None:
    """The folder has journals, all of them forged."""
    refused = run_in_process("show", "last", cwd=tmp_path)

    assert refused.code == UsageError.exit_code, refused.err
    assert "you wrote none of the journals" in refused.err
