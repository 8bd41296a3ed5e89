"""The file tree: deterministic answers, an overlay over its base, and clear refusals."""

import pytest

from sandbox import FileTree
from sandbox.files.file_tree import sha256_of
from sandbox.interface import CallError

BASE = {"/AGENTS.MD": "one\ntwo\nthree\n", "/docs/a.md": "alpha 5 %\n", "/docs/sub/b.json": "{}", "/x y.csv": "a,b\n"}


@pytest.fixture
def tree():
    return FileTree(BASE, directories=["/empty"])


def test_a_read_gives_text_hash_and_type(tree):
    assert tree.read("/AGENTS.MD") == {
        "path": "/AGENTS.MD",
        "content": "one\ntwo\nthree\n",
        "truncated": False,
        "sha256": sha256_of("one\ntwo\nthree\n"),
        "content_type": "text/markdown",
    }


@pytest.mark.parametrize(
    ("start", "end", "content"),
    [
        (1, 1, "one\n"),
        (2, 0, "two\nthree\n"),
        (0, 2, "one\ntwo\n"),
        (3, 9, "three\n"),
        (9, 0, ""),
        (2, 3, "two\nthree\n"),
    ],
)
def test_lines_count_from_one_and_zero_is_open(tree, start, end, content):
    assert tree.read("/AGENTS.MD", start, end)["content"] == content
    assert tree.read("/AGENTS.MD", start, end)["sha256"] == sha256_of(BASE["/AGENTS.MD"])


def test_listings_are_sorted_and_show_empty_directories(tree):
    assert [entry["name"] for entry in tree.list("/")["entries"]] == ["AGENTS.MD", "docs", "empty", "x y.csv"]
    assert tree.list("/empty")["entries"] == []
    assert tree.tree("/", 1)["children"][1] == {"name": "docs", "is_dir": True, "children": []}
    assert tree.tree("/docs", 0)["children"][1]["children"] == [{"name": "b.json", "is_dir": False, "children": []}]
    assert tree.tree("/docs/a.md") == {"name": "a.md", "is_dir": False, "children": []}


@pytest.mark.parametrize(
    ("arguments", "paths", "truncated"),
    [
        (("*.md",), ["/docs/a.md"], False),
        (("*",), ["/AGENTS.MD", "/docs", "/docs/a.md", "/docs/sub", "/docs/sub/b.json", "/empty", "/x y.csv"], False),
        (("*", "/", "dirs"), ["/docs", "/docs/sub", "/empty"], False),
        (("*", "/docs", "files"), ["/docs/a.md", "/docs/sub/b.json"], False),
        (("*", "/", "all", 2), ["/AGENTS.MD", "/docs"], True),
        (("b",), [], False),
    ],
)
def test_find_fits_a_glob_to_base_names(tree, arguments, paths, truncated):
    assert tree.find(*arguments) == {"paths": paths, "truncated": truncated}


def test_search_gives_path_line_and_text(tree):
    assert tree.search(r"t\w+", "/")["matches"] == [
        {"path": "/AGENTS.MD", "line": 2, "text": "two"},
        {"path": "/AGENTS.MD", "line": 3, "text": "three"},
    ]
    assert tree.search("t", "/", 1)["truncated"] is True
    assert tree.search("one", "/AGENTS.MD")["matches"][0]["line"] == 1


def test_writes_and_deletes_stay_in_the_overlay(tree):
    tree.write("/new/deep/file.txt", "x")
    tree.delete("/docs/a.md")
    tree.write("/AGENTS.MD", "new")
    assert tree.paths() == ["/AGENTS.MD", "/docs/sub/b.json", "/new/deep/file.txt", "/x y.csv"]
    assert dict(tree.changes) == {"/new/deep/file.txt": "x", "/docs/a.md": None, "/AGENTS.MD": "new"}
    assert BASE["/AGENTS.MD"].startswith("one")
    assert tree.stat("/docs")["is_dir"] is True
    tree.write("/docs/a.md", "back")
    assert tree.read("/docs/a.md")["content"] == "back"


def test_a_listing_before_and_after_a_change_agree_with_a_fresh_tree(tree):
    tree.tree("/", 0)
    tree.write("/docs/sub/c.txt", "")
    tree.delete("/docs/sub/b.json")
    fresh = FileTree(BASE, directories=["/empty"])
    fresh.write("/docs/sub/c.txt", "")
    fresh.delete("/docs/sub/b.json")
    assert tree.tree("/", 0) == fresh.tree("/", 0)


def test_a_write_with_a_hash_needs_the_present_text(tree):
    sha = tree.read("/docs/a.md")["sha256"]
    tree.write("/docs/a.md", "v2", if_match_sha256=str(sha))
    with pytest.raises(CallError) as caught:
        tree.write("/docs/a.md", "v3", if_match_sha256=str(sha))
    assert caught.value.code == "failed_precondition"
    with pytest.raises(CallError, match="no file"):
        tree.write("/none", "v3", if_match_sha256=str(sha))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/agents.md", "there is no /agents.md; there is /AGENTS.MD"),
        ("/docs/b.md", "there is no /docs/b.md; there is /docs/a.md"),
        ("/docs/zzzz", "there is no /docs/zzzz"),
        ("/nowhere/a.md", "there is no /nowhere/a.md"),
    ],
)
def test_a_missing_path_is_answered_with_what_stands_beside_it(tree, path, said):
    with pytest.raises(CallError) as caught:
        tree.read(path)
    assert caught.value.message == said


def test_case_is_ignored_only_where_asked():
    tree = FileTree(BASE, ignore_case=True)
    assert tree.read("/agents.md")["path"] == "/AGENTS.MD"
    assert tree.resolve("/DOCS/SUB") == "/docs/sub"
    assert tree.find("AGENTS.md")["paths"] == ["/AGENTS.MD"]
    tree.write("/Docs/A.MD", "x")
    assert list(tree.changes) == ["/docs/a.md"]
    assert FileTree(BASE).resolve("/agents.md") is None


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda tree: tree.read("/none"), "not_found"),
        (lambda tree: tree.read("/docs"), "invalid_argument"),
        (lambda tree: tree.read("/AGENTS.MD", 3, 2), "invalid_argument"),
        (lambda tree: tree.read("/AGENTS.MD", -1), "invalid_argument"),
        (lambda tree: tree.list("/AGENTS.MD"), "invalid_argument"),
        (lambda tree: tree.list("/none"), "not_found"),
        (lambda tree: tree.tree("/", -1), "invalid_argument"),
        (lambda tree: tree.find("x", "/none"), "not_found"),
        (lambda tree: tree.find("x", kind="links"), "invalid_argument"),
        (lambda tree: tree.search("("), "invalid_argument"),
        (lambda tree: tree.stat("/none"), "not_found"),
        (lambda tree: tree.write("/docs", "x"), "failed_precondition"),
        (lambda tree: tree.write("/AGENTS.MD/x", "x"), "failed_precondition"),
        (lambda tree: tree.delete("/docs"), "failed_precondition"),
        (lambda tree: tree.delete("/none"), "not_found"),
        (lambda tree: tree.read("/a\x00b"), "invalid_argument"),
    ],
)
def test_a_wrong_call_has_its_code(tree, call, code):
    with pytest.raises(CallError) as caught:
        call(tree)
    assert caught.value.code == code


def test_paths_that_may_not_be_written_are_refused_and_seen_in_stat():
    tree = FileTree(BASE, writable=lambda path: path.startswith("/tmp"))
    assert tree.stat("/docs/a.md")["writable"] is False
    for call in (lambda: tree.write("/docs/a.md", ""), lambda: tree.delete("/docs/a.md")):
        with pytest.raises(CallError) as caught:
            call()
        assert caught.value.code == "permission_denied"
    tree.write("/tmp/x", "")


def test_a_search_returns_no_more_text_than_an_answer_carries():
    tree = FileTree({f"/w/{number}.txt": "a" * 600_000 for number in range(5)})
    found = tree.search("a", "/w", 0)
    assert (len(found["matches"]), found["truncated"]) == (3, True)
