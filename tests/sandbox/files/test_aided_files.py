from collections import UserDict

import pytest

from sandbox import Aide, ForkServer
from sandbox.files import AidedFiles
from sandbox.interface import CallError, plain_result
from sandbox.interface.limits import AideLimits

MODULE = "tests.sandbox.file_world"
FILES = {f"/d/{number:03}.md": f"file {number}\nline of {number}\n" for number in range(100)} | {"/a.md": "alpha"}


class Counted(UserDict):
    """Counts how often a text is taken."""

    taken = 0

    def __getitem__(self, key):
        self.taken += 1
        return super().__getitem__(key)


@pytest.fixture(scope="module")
def server():
    with ForkServer([MODULE]) as running:
        yield running


@pytest.fixture
def world(server):
    with Aide(server) as aide:
        yield AidedFiles(aide, MODULE, Counted(FILES), directories=("/empty",), data={"n": 1})


def read(world, path):
    return world.call("read", {"path": path})["content"]


def test_reading_one_file_takes_one_text(world):
    assert read(world, "/a.md") == "alpha"
    assert world._base.taken == 1


def test_a_search_takes_each_text_once(world):
    found = world.call("search", {"pattern": "of 9", "limit": 0})["matches"]
    assert [one["text"] for one in found] == ["line of 9", *(f"line of 9{digit}" for digit in range(10))]
    world.call("search", {"pattern": "of 1"})
    assert world._base.taken <= len(FILES) + 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "/a.md"},
        {"path": "/d/007.md", "start_line": 0, "end_line": 0},
        {"path": "/d/007.md", "start_line": 2, "end_line": 0},
        {"path": "/d//007.md"},
        {"path": "/d"},
        {"path": "/no.md"},
        {"path": "/a.md", "other": 0},
        {"path": 7},
        {"path": "/changed.md"},
        {"path": "/d/001.md"},
    ],
    ids=str,
)
def test_what_is_served_here_is_what_the_aide_returns(world, arguments):
    world.call("write", {"path": "/changed.md", "content": "new"})
    world.call("delete", {"path": "/d/001.md"})
    outcomes = []
    for world.serves_whole_files in (False, True):
        try:
            outcomes.append(world.call("read", arguments))
        except CallError as error:
            outcomes.append((error.code, error.message))
    assert outcomes[0] == outcomes[1]


def test_a_whole_file_is_served_without_the_aide(world):
    world.serves_whole_files = True
    assert read(world, "/a.md") == "alpha"
    assert world._aide._child is None


def test_a_result_with_parts_is_bounded_and_needs_no_copy(world):
    given = world.call("forge", {"reply": [{"entries": [{"n": [1.5, None]}]}, []]})
    assert plain_result("forge", lambda: given) == {"entries": [{"n": [1.5, None]}]}
    assert plain_result("forge", lambda: given)["entries"] is given["entries"]
    for entries, fault in (([[]] * 1_300, "more than 10000 values"), ([0] * 10_001, "more than 10000 values")):
        with pytest.raises(CallError, match=f"the result of forge holds {fault}"):
            world.call("forge", {"reply": [{"entries": entries}, []]})
    deep = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(CallError, match="nested deeper than 100 levels"):
        world.call("forge", {"reply": [{"x": deep}, []]})


def test_directories_and_data_arrive(world):
    assert [entry["name"] for entry in world.call("list", {"path": "/"})["entries"]] == ["a.md", "d", "empty"]
    assert world.call("data", {}) == {"data": {"n": 1}}


def test_changes_are_kept_here_and_outlive_the_process(world):
    world.call("write", {"path": "/new.md", "content": "new"})
    world.call("delete", {"path": "/a.md"})
    assert world.changes == {"/new.md": "new", "/a.md": None}
    with pytest.raises(CallError):
        world.call("write", {"path": "/lost.md", "content": "die"})
    assert world.changes == {"/new.md": "new", "/a.md": None}
    assert read(world, "/new.md") == "new"
    for gone in ("/a.md", "/lost.md"):
        with pytest.raises(CallError, match="not_found"):
            read(world, gone)


def test_a_call_that_fails_changes_nothing(world):
    with pytest.raises(CallError, match="failed_precondition"):
        world.call("write", {"path": "/a.md", "content": "x", "if_match_sha256": "0" * 64})
    assert not world.changes


def test_a_pattern_that_never_ends_costs_one_call(server):
    with Aide(server, limits=AideLimits(call_cpu_s=0.3)) as aide:
        world = AidedFiles(aide, MODULE, FILES)
        world.call("write", {"path": "/x.md", "content": "a" * 60 + "b"})
        with pytest.raises(CallError, match=r"0.3 s of CPU"):
            world.call("search", {"pattern": "(a|a)*c"})
        assert read(world, "/x.md").startswith("aaa")


@pytest.mark.parametrize("reply", [None, [], [{}], ["x", []], [{}, [["/a", 1]]], [{}, [["/a"]]], [{}, {"/a": "x"}]])
def test_what_is_no_result_is_an_internal_error(world, reply):
    with pytest.raises(CallError, match="internal"):
        world.call("forge", {"reply": reply})
    assert not world.changes


def test_a_text_that_has_gone_is_a_missing_file(server):
    base = dict(FILES)
    with Aide(server) as aide:
        world = AidedFiles(aide, MODULE, base)
        read(world, "/a.md")
        del base["/d/050.md"]
        assert world.call("search", {"pattern": "of 49", "limit": 0})["matches"]


def test_what_no_change_concerns_is_told_at_the_start_and_answered_here(server):
    known = [["stat", {"path": "/a.md"}, {"kind": "known"}], ["stat", {"path": "/a.md", "n": []}, {"kind": "other"}]]
    with Aide(server) as aide:
        world = AidedFiles(aide, MODULE, FILES, data={"constant": known})
        assert world.call("stat", {"path": "/a.md"})["is_dir"] is False  # nothing was told before the first call
        first = world.call("stat", {"path": "/a.md"})
        assert first == {"kind": "known"}
        first["kind"] = "changed"
        assert world.call("stat", {"path": "/a.md"}) == {"kind": "known"}
        assert world.call("stat", {"path": "/a.md", "n": []}) == {"kind": "other"}
        assert world.call("stat", {"path": "/d/007.md"})["is_dir"] is False
        with pytest.raises(CallError):
            world.call("stat", {"path": ["/a.md"]})


@pytest.mark.parametrize(
    "told",
    [
        "known",
        [["stat", {"path": "/a.md"}]],
        [["stat", {"path": ["/a.md"]}, {"kind": "known"}]],
        [["stat", {"path": "/a.md"}, {"kind": {"a": "part"}}]],
    ],
)
def test_what_cannot_be_known_at_the_start_is_not_believed(server, told):
    with Aide(server) as aide:
        world = AidedFiles(aide, MODULE, FILES, data={"constant": told})
        for _ in range(2):
            assert world.call("stat", {"path": "/a.md"})["is_dir"] is False
