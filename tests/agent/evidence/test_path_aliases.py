"""Names that listings show, and aliases that calls use."""

import pytest

from agent.evidence.path_aliases import PathAliases


def listing(*files: str, folders: tuple[str, ...] = ()) -> dict[str, object]:
    return {"entries": [{"path": path, "is_dir": path in folders} for path in (*files, *folders)]}


@pytest.mark.parametrize(
    ("asked", "result", "shown", "directories"),
    [
        ("/a", listing("/a/X.md", folders=("/a/b",)), ["/a/X.md", "/a/b"], {"/a", "/a/b"}),
        ("/", {"paths": ["/a/x.md", "not a path"], "truncated": False}, ["/a/x.md"], set()),
        ("/", {"matches": [{"path": "/a/x.md", "line": 1, "text": "t"}]}, ["/a/x.md"], set()),
        ("/a", {"path": "/a", "is_dir": True}, [], {"/a"}),
        ("/a", {"path": "/a", "is_dir": False}, [], set()),
        (
            "/a",
            {"name": "a", "is_dir": True, "children": [{"name": "b", "is_dir": True, "children": [{"name": "x.md"}]}]},
            ["/a", "/a/b", "/a/b/x.md"],
            {"/a", "/a/b"},
        ),
    ],
)
def test_every_kind_of_listing_teaches_names(
    asked: str, result: dict[str, object], shown: list[str], directories: set[str]
) -> None:
    known = PathAliases()
    assert known.learn_listing(asked, result) == ()
    assert [path for paths in known.shown.values() for path in paths] == shown
    assert known.directories == directories


def test_a_file_can_not_be_where_a_whole_listing_does_not_show_it() -> None:
    known = PathAliases()
    assert known.may_exist("/a/x.md")
    known.learn_listing("/a", listing("/a/y.md"))
    assert not known.may_exist("/a/x.md")
    assert known.may_exist("/a/y.md")
    assert known.may_exist("/b/x.md")
    known.forget_absences()
    assert known.may_exist("/a/x.md")


@pytest.mark.parametrize("result", [{**listing("/a/y.md"), "truncated": True}, {"paths": ["/a/y.md"]}])
def test_a_part_of_a_folder_proves_no_absence(result: dict[str, object]) -> None:
    known = PathAliases()
    known.learn_listing("/a", result)
    assert known.may_exist("/a/x.md")


def test_a_path_that_was_not_found_is_missing_until_it_is_written() -> None:
    known = PathAliases()
    known.learn_missing("/a/x.md")
    assert not known.may_exist("/a/x.md")
    known.learn_written("/a/x.md")
    assert known.may_exist("/a/x.md")


def test_an_alias_that_is_listed_itself_is_a_file_in_its_own_right() -> None:
    known = PathAliases()
    assert known.learn_reached("/short/x.md", "/long/x.md") == "/long/x.md"
    assert known.right("/short/x.md") == "/long/x.md"
    known.learn_listing("/short", listing("/short/x.md"))
    assert known.right("/short/x.md") == "/short/x.md"


def test_an_alias_stays_settled_when_a_tool_may_have_made_files() -> None:
    known = PathAliases()
    known.learn_listing("/short", listing())
    known.learn_listing("/long", listing("/long/x.md"))
    known.settle("/short/x.md")
    known.forget_absences()
    assert known.right("/short/x.md") == "/long/x.md"


def test_two_namesakes_settle_nothing() -> None:
    known = PathAliases()
    known.settle("/short/x.md")
    known.learn_listing("/a", listing("/a/x.md"))
    known.learn_listing("/b", listing("/b/x.md"))
    assert known.learn_listing("/short", listing()) == ()
    assert known.right("/short/x.md") == "/short/x.md"
