"""The file tree: deterministic answers, an overlay over
its base, clear refusals, and patterns of RE2 alone."""

import time
from itertools import chain

import pytest

from controlplane.sandbox import FileTree
from controlplane.sandbox.files.search.line_search import LineSearch, SearchedText
from controlplane.sandbox.files.search.re2_patterns import compiled_pattern
from controlplane.sandbox.interface import CallError

BASE = {
    "/AGENTS.MD": "one\ntwo\nthree\n",
    "/docs/a.md": "alpha 5 %\n",
    "/docs/sub/b.json": "{}",
    "/x y.csv": "a,b\n",
}


@pytest.fixture
def tree():
    return FileTree(BASE, directories=["/empty"])


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

    assert tree.paths() == [
        "/AGENTS.MD",
        "/docs/sub/b.json",
        "/new/deep/file.txt",
        "/x y.csv",
    ]
    assert dict(tree.changes) == {
        "/new/deep/file.txt": "x",
        "/docs/a.md": None,
        "/AGENTS.MD": "new",
    }
    assert BASE["/AGENTS.MD"].startswith("one")
    assert tree.stat("/docs")["is_dir"] is True
    tree.write("/docs/a.md", "back")
    assert tree.read("/docs/a.md")["content"] == "back"


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


@pytest.mark.parametrize(
    ("pattern", "remedy"),
    [
        (r"(?<!\w)ada", "no look-around"),
        (r'"id"(?!\s*:)', "no look-around"),
        (r"(\w)\1", "no back references"),
        (r"(?P<x>a)(?P=x)", "no back references"),
        ("a++", "no possessive or atomic groups"),
        ("(?>a)b", "no possessive or atomic groups"),
        (r"end\Z", r"as \z"),
        (r"\u20ac", r"\x{20AC}"),
        ("(", "missing )"),
        ("a{1001}", "the syntax of RE2"),
        ("\ud800", "lone surrogate"),
        ("(?:[ab]{30}c){30}" * 9, "too large"),
        ("a" * 4_001, "at most 4000 characters"),
    ],
)
def test_a_pattern_that_is_not_re2_is_refused_with_a_remedy(pattern, remedy):
    with pytest.raises(CallError) as refused:
        compiled_pattern(pattern)
    assert refused.value.code == "invalid_argument"
    assert remedy in refused.value.message
    assert len(refused.value.message) < 500


def test_a_search_ends_at_its_deadline():
    search, text = LineSearch("(a|b)*a(a|b){300}c", 0.2), b"ab" * 1_000 + b"\n"
    began = time.process_time()

    assert (
        list(chain.from_iterable(search.lines_of(text) for _ in range(100_000))) == []
    )
    assert search.is_late
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    "pattern",
    [
        "a$",
        "^$",
        r"(?i)\bB",
        "(?s)a.*b",
        r"b\z",
        "(?:^|[^a-z])ab",
        "[^a]b",
        r"(?-m)^b$",
    ],
)
def test_many_small_texts_are_searched_as_each_of_them_is(pattern: str) -> None:
    texts = [
        "",
        "ab",
        "a\r\nB",
        "a\n\nb",
        "b",
        "xa\r",
        "ba\nab",
        "\n",
        "a b\nabc",
        "é b",
    ] * 3
    files = [
        SearchedText(f"/{number}", text.encode()) for number, text in enumerate(texts)
    ]
    search = LineSearch(pattern, 10.0)
    together = [
        (text.path, line)
        for text in search.prefiltered(files)
        if text.may_match
        for line in search.lines_of(text.text)
    ]

    assert together == [
        (text.path, line) for text in files for line in search.lines_of(text.text)
    ]
    assert together
