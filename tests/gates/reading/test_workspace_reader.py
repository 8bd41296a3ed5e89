"""A rule reads by calls whose answers come from elsewhere, and what is not whole is not known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gates.reading import DoesNotApply, ReadCall, Reader, Unanswered, Unread

READ = ReadCall("read", {"path": "/a.txt"})
LISTED = [{"name": "a", "path": "/d/a", "is_dir": False}, {"name": "b", "path": "/d/b", "is_dir": True}]
MATCH = {"path": "/d/a", "line": 3, "text": "three"}
RUN = {"path": "/bin/sql", "args": ["-x"], "stdin": "select"}
READS: dict[str, tuple[Callable[[Reader], object], ReadCall, dict[str, object], object]] = {
    "read": (lambda reader: reader.read("/a.txt"), READ, {"content": "text", "truncated": False}, "text"),
    "list": (lambda r: r.list("/d"), ReadCall("list", {"path": "/d"}), {"entries": LISTED}, ("/d/a", "/d/b")),
    "find": (
        lambda reader: reader.find("*.md", "/d"),
        ReadCall("find", {"name": "*.md", "root": "/d", "kind": "files", "limit": 0}),
        {"paths": ["/d/a.md"], "truncated": False},
        ("/d/a.md",),
    ),
    "search": (
        lambda reader: reader.search("t.*", "/d"),
        ReadCall("search", {"pattern": "t.*", "root": "/d", "limit": 0}),
        {"matches": [MATCH], "truncated": False},
        (("/d/a", "three"),),
    ),
    "stat": (lambda reader: reader.stat("/d"), ReadCall("stat", {"path": "/d"}), {"is_dir": True}, {"is_dir": True}),
    "run": (
        lambda reader: reader.run("/bin/sql", "-x", stdin="select"),
        ReadCall("exec", RUN),
        {"stdout": "1\n", "stderr": "", "exit_code": 0},
        "1\n",
    ),
}


@pytest.mark.parametrize("name", READS)
def test_a_rule_ends_at_what_is_not_known_and_goes_on_when_it_is(name: str) -> None:
    read, call, result, value = READS[name]
    with pytest.raises(Unanswered) as asked:
        read(Reader())
    assert [each.key for each in asked.value.calls] == [call.key]
    assert read(Reader({call.key: result})) == value


@pytest.mark.parametrize("name", ["read", "find", "search"])
def test_what_came_back_cut_off_is_not_known(name: str) -> None:
    read, call, result, _ = READS[name]
    with pytest.raises(DoesNotApply, match="cut off"):
        read(Reader({call.key: result | {"truncated": True}}))


def test_a_tool_that_failed_is_no_empty_result() -> None:
    read, call, result, _ = READS["run"]
    with pytest.raises(DoesNotApply, match="/bin/sql ended with exit code 2"):
        read(Reader({call.key: result | {"stdout": "", "exit_code": 2}}))


def test_a_failed_call_is_told_with_its_code() -> None:
    reader = Reader({READ.key: Unread("there is no /a.txt", "not_found")})
    for _ in range(2):
        with pytest.raises(Unread, match=r"there is no /a\.txt") as missing:
            reader.read("/a.txt")
        assert missing.value.code == "not_found"


def test_calls_that_are_asked_for_together_are_missing_together() -> None:
    calls = [ReadCall("read", {"path": f"/{each}"}) for each in "abc"]
    with pytest.raises(Unanswered) as asked:
        Reader({calls[1].key: {"content": "b", "truncated": False}}).read_all(["/a", "/b", "/c"])
    assert [each.arguments["path"] for each in asked.value.calls] == ["/a", "/c"]


def test_the_order_of_arguments_makes_no_other_call() -> None:
    assert ReadCall("find", {"name": "a", "root": "/"}).key == ReadCall("find", {"root": "/", "name": "a"}).key
    assert ReadCall("find", {"name": "a"}).key != ReadCall("find", {"name": "b"}).key


def test_a_rule_that_catches_every_exception_still_waits() -> None:
    def careless() -> str:
        try:
            return Reader().read("/a.txt")
        except Exception:  # noqa: BLE001 - a careless rule
            return "caught"

    with pytest.raises(Unanswered):
        careless()
