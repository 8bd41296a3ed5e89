"""A folder benchmark served as the platform's runtime `pcm`, played there as any benchmark of the platform."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.bitgn.server import ServerOptions
from controlplane import BenchmarkContext, RunRequest, TaskSelection
from controlplane.configuration.named_modules import open_benchmark
from sandbox.interface import CallError
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.benchmarks.bitgn.served_benchmark import KEY, wire
from tests.support.command import ROOT
from tests.support.in_process_command import inside
from tests.support.running_server import running_server
from tests.support.server_faults import Faults

pytestmark = pytest.mark.usefixtures("short_backoff", "shared_fork_servers")

TASK = """
instruction = "File the note of the inbox under /archive, and correct its second line to 'due: May'."
clock = 2027-03-11T09:30:00Z
[expected]
outcome = "OUTCOME_OK"
contains = ["/archive/note.md"]
references = ["/archive/note.md"]
tolerated = ["/inbox/note.md"]
[[expected.change]]
path = "/inbox/note.md"
deleted = true
[[expected.change]]
path = "/archive/note.md"
text = "# Note\\ndue: May\\nby: Ada\\n"
"""
SCRIPT = '''
[[reply]]
state = "file it"
code = """
assert harness.context().time.startswith("2027-03-11T09:30:00"), harness.context().time
(note,) = [entry.path for entry in harness.list("/inbox").entries if not entry.is_dir]
assert harness.find("note*", kind="files").paths == [note] and harness.search("by: A").matches[0].path == note
harness.read(note)
harness.mkdir("/archive")
harness.move(note, "/archive/note.md")
harness.write("/archive/note.md", "due: May", start_line=2, end_line=2)
assert harness.read("/archive/note.md").content == "# Note\\\\ndue: May\\\\nby: Ada\\\\n"
for failing, arguments in ((harness.read, ["/inbox/note.md"]), (harness.move, ["/none", "/other"])):
    try:
        failing(*arguments)
        raise AssertionError("it is gone")
    except FileNotFoundError:
        pass
scratchpad["answer"], scratchpad["outcome"] = "It is filed as /archive/note.md.", "OUTCOME_OK"
scratchpad["changes"] = [{"path": "/archive", "action": "write"}, {"path": "/inbox/note.md", "action": "delete"},
                         {"path": "/archive/note.md", "action": "write"}]
scratchpad.cite("/archive/note.md", "the note, which was moved there and corrected")
def verify(sp):
    return harness.read("/archive/note.md").content.split("\\\\n")[1] == "due: May" and "/archive" in sp["answer"]
harness.answer(scratchpad, verify)
"""
'''


@contextmanager
def served(folder: Path, *tasks: str) -> Iterator[str]:
    opened = open_benchmark(f"folder:{folder}", {}, BenchmarkContext())
    options = ServerOptions(api_key=KEY, aide_modules=opened.aide_modules, selection=TaskSelection(tasks))
    with running_server(opened.benchmark, options) as server:
        yield server.url


def played(url: str, replies: Path, cwd: Path, *options: str):
    words = ("run", "--benchmark", "bitgn:folder", "--set", "runtime=pcm", "--set", f"host={url}", "--json")
    return inside(*words, "--model", f"scripted:{replies}", *options, cwd=cwd, BITGN_API_KEY=KEY)


def test_a_task_that_moves_files_is_played_graded_and_replayed(tmp_path):
    (tmp_path / "tasks/file-note/files/inbox").mkdir(parents=True)
    (tmp_path / "tasks/file-note/files/inbox/note.md").write_text("# Note\ndue: April\nby: Ada\n")
    (tmp_path / "tasks/file-note/task.toml").write_text(TASK)
    (tmp_path / "replies.toml").write_text(SCRIPT)
    with served(tmp_path / "tasks") as url:
        run = played(url, tmp_path / "replies.toml", tmp_path)
    assert run.code == 0, run.err + run.out
    (trial,) = run.json["trials"]
    assert (trial["score"], trial["steps"]) == (1.0, 1), Path(tmp_path, run.json["journal"]).read_text()
    again = inside("replay", "last", "--verify", "--json", cwd=tmp_path)
    assert (again.code, again.json["agrees"]) == (0, True), again.out


def test_a_task_without_tools_is_played_by_the_replies_that_play_it_in_its_folder(tmp_path):
    with served(ROOT / "docs/examples/library", "overdue-loans") as url:
        run = played(url, ROOT / "docs/examples/library.toml", tmp_path)
    assert [trial["score"] for trial in run.json["trials"]] == [1.0], run.err


CHANGES = [
    ("Move", "move", {"path": "/docs/guide.md", "to": "/docs/new.md"}, ["write /docs/new.md", "delete /docs/guide.md"]),
    ("Delete", "delete", {"path": "/docs/guide.md"}, ["delete /docs/guide.md"]),
    ("Write", "write", {"path": "/docs/guide.md", "content": "new"}, ["write /docs/guide.md"]),
]


@pytest.mark.parametrize("fault", ["reset_before", "reset_after"])
@pytest.mark.parametrize(("method", "operation", "arguments", "effects"), CHANGES)
def test_a_change_whose_reply_was_lost_happens_once(fault, method, operation, arguments, effects):
    benchmark = ShelfBenchmark()
    faults = Faults(methods=frozenset({method}), **{fault: 0.5}, seed=3)
    with wire(benchmark, faults=faults, runtime="pcm") as wired:
        run = wired.remote.start_run(RunRequest("a run"))
        for head in run.trials:
            wired.remote.start_trial(head.trial_id).environment.call(operation, arguments)
            shelf = benchmark.shelves[wired.server.own_id(head.trial_id)]
            assert shelf.effects == dict.fromkeys(effects, 1)
        assert wired.server.faults.made[fault] > 0


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        ("move", {"path": "/none", "to": "/b"}, "not_found"),
        ("move", {"path": "/AGENTS.MD", "to": "/docs/guide.md"}, "already_exists"),
        ("mkdir", {"path": "/AGENTS.MD"}, "already_exists"),
        ("write", {"path": "/AGENTS.MD", "content": "x", "start_line": 3, "end_line": 2}, "invalid_argument"),
        ("exec", {"path": "/bin/date"}, "unimplemented"),
    ],
)
def test_an_impossible_call_is_refused_and_changes_nothing(operation, arguments, code):
    benchmark = ShelfBenchmark()
    with wire(benchmark, runtime="pcm") as wired:
        head = wired.remote.start_run(RunRequest("a run")).trials[0]
        with pytest.raises(CallError) as raised:
            wired.remote.start_trial(head.trial_id).environment.call(operation, arguments)
        assert raised.value.code == code
        assert not any(shelf.effects for shelf in benchmark.shelves.values())
