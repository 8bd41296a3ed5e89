"""`FileTree`: a small file system in memory, which scripts read, write and search.

Changes stay in an overlay over the files it was made of: after `tree.write("/a", "x")`,
`tree.changes` is `{"/a": "x"}`. Errors say what there is instead, searches are line by line with
patterns of RE2 (a library whose patterns cannot backtrack), and all answers are deterministic.
"""

import pytest

from controlplane.sandbox import FileTree
from controlplane.sandbox.files.search.line_search import LineSearch
from controlplane.sandbox.files.search.re2_patterns import compiled_pattern
from controlplane.sandbox.files.search.text_batches import SearchedText
from controlplane.sandbox.interface import CallError

FILES = {
    "/AGENTS.MD": "one\ntwo\nthree\n",
    "/docs/a.md": "alpha 5 %\n",
    "/docs/sub/b.json": "{}",
    "/x y.csv": "a,b\n",
}


@pytest.fixture
def tree():
    """The tree of `FILES`, with an empty folder."""
    return FileTree(FILES, directories=["/empty"])


class TestSearches:
    """A search finds lines, in all files or in one.

    `tree` has the file `/AGENTS.MD` with the lines "one", "two" and "three", and some others.
    """

    def test_a_match_has_its_path_line_number_and_text(self, tree):
        result = tree.search(r"t\w+", "/")

        assert result["matches"] == [
            {"path": "/AGENTS.MD", "line": 2, "text": "two"},
            {"path": "/AGENTS.MD", "line": 3, "text": "three"},
        ]

    def test_a_search_with_more_matches_than_its_limit_says_so(self, tree):
        result = tree.search("t", limit=1)

        assert result["truncated"] is True

    def test_a_single_file_can_be_searched(self, tree):
        result = tree.search("one", "/AGENTS.MD")

        assert result["matches"][0]["line"] == 1


class TestChanges:
    """Changes stay in an overlay over the files that the tree was made of.

    A script writes and deletes, and `tree.changes` has the new text of each path, or None for a
    deleted file. The files that the tree was made of stay as they are.
    """

    def test_changes_stay_in_the_overlay(self, tree):
        """The tree is made of `FILES`, which must stay as they are."""
        tree.write("/new/deep/file.txt", "x")
        tree.delete("/docs/a.md")
        tree.write("/AGENTS.MD", "new")

        assert tree.paths() == [
            "/AGENTS.MD",
            "/docs/sub/b.json",
            "/new/deep/file.txt",
            "/x y.csv",
        ]
        # None marks a deleted file.
        assert dict(tree.changes) == {
            "/new/deep/file.txt": "x",
            "/docs/a.md": None,
            "/AGENTS.MD": "new",
        }
        assert FILES["/AGENTS.MD"].startswith("one")
        assert tree.stat("/docs")["is_dir"] is True

    def test_a_deleted_file_can_be_written_again(self, tree):
        tree.delete("/docs/a.md")

        tree.write("/docs/a.md", "back")

        assert tree.read("/docs/a.md")["content"] == "back"

    def test_a_write_with_a_hash_fails_if_the_text_changed_since_it_was_read(
        self, tree
    ):
        """`if_match_sha256`, the hash of the text that the script has read, keeps it from
        overwriting what it has not seen. The second write comes with the hash of the first text."""
        sha256_when_read = str(tree.read("/docs/a.md")["sha256"])
        tree.write("/docs/a.md", "v2", if_match_sha256=sha256_when_read)

        with pytest.raises(CallError) as refused:
            tree.write("/docs/a.md", "v3", if_match_sha256=sha256_when_read)

        assert refused.value.code == "failed_precondition"

    def test_a_write_with_a_hash_fails_if_there_is_no_file(self, tree):
        """The script has read a file, and writes to another path with the hash of that file."""
        sha256_of_another_file = str(tree.read("/docs/a.md")["sha256"])

        with pytest.raises(CallError, match="no file"):
            tree.write("/none", "v3", if_match_sha256=sha256_of_another_file)


class TestWrongPaths:
    """The error of a wrong call says what there is instead.

    The tree has the files `/AGENTS.MD` and `/docs/a.md`, and the folder `/docs`.
    """

    @pytest.mark.parametrize(
        ("path", "message"),
        [
            ("/agents.md", "there is no /agents.md; there is /AGENTS.MD"),
            ("/docs/b.md", "there is no /docs/b.md; there is /docs/a.md"),
            ("/docs/zzzz", "there is no /docs/zzzz"),
            ("/nowhere/a.md", "there is no /nowhere/a.md"),
        ],
    )
    def test_the_error_of_a_missing_path_names_a_similar_one_beside_it(
        self, tree, path, message
    ):
        """Models often misspell a path by a letter or in its case."""
        with pytest.raises(CallError) as refused:
            tree.read(path)

        assert refused.value.message == message

    @pytest.mark.parametrize(
        ("operation", "arguments", "code"),
        [
            # There is no such file or folder.
            ("read", {"path": "/none"}, "not_found"),
            ("list", {"path": "/none"}, "not_found"),
            ("find", {"name": "x", "root": "/none"}, "not_found"),
            ("stat", {"path": "/none"}, "not_found"),
            ("delete", {"path": "/none"}, "not_found"),
            # The path is that of a folder, or of a file, where the other is needed.
            ("read", {"path": "/docs"}, "invalid_argument"),
            ("list", {"path": "/AGENTS.MD"}, "invalid_argument"),
            ("write", {"path": "/docs", "content": "x"}, "failed_precondition"),
            ("write", {"path": "/AGENTS.MD/x", "content": "x"}, "failed_precondition"),
            ("delete", {"path": "/docs"}, "failed_precondition"),
            # An argument is wrong whatever files there are.
            ("read", {"path": "/a\x00b"}, "invalid_argument"),
            (
                "read",
                {"path": "/AGENTS.MD", "start_line": 3, "end_line": 2},
                "invalid_argument",
            ),
            ("read", {"path": "/AGENTS.MD", "start_line": -1}, "invalid_argument"),
            ("tree", {"root": "/", "level": -1}, "invalid_argument"),
            ("find", {"name": "x", "kind": "links"}, "invalid_argument"),
            ("search", {"pattern": "("}, "invalid_argument"),
        ],
    )
    def test_a_wrong_call_fails_with_the_code_of_its_kind(
        self, tree, operation, arguments, code
    ):
        """A script can tell by the code whether to look elsewhere or to correct its call.

        The tree has the file `/AGENTS.MD` and the folder `/docs`.
        """
        call = getattr(tree, operation)

        with pytest.raises(CallError) as refused:
            call(**arguments)

        assert refused.value.code == code


class TestWrongPatterns:
    """A pattern that RE2 does not have is refused with a remedy.

    Models write patterns of Python's `re`, which has more forms than RE2, the library that
    searches here. RE2's patterns cannot backtrack, so that each search ends soon.
    """

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
    def test_a_pattern_that_re2_does_not_have_is_refused_with_a_remedy(
        self, pattern, remedy
    ):
        """The message is short, and says what to write instead."""
        with pytest.raises(CallError) as refused:
            compiled_pattern(pattern)

        assert refused.value.code == "invalid_argument"
        assert remedy in refused.value.message
        assert len(refused.value.message) < 500


class TestDeadlinesOfSearches:
    """A search ends at its deadline."""

    def test_a_search_ends_at_its_deadline(self):
        """100,000 texts, each of which this pattern takes long to search, get 0.2 s together."""
        search = LineSearch("(a|b)*a(a|b){300}c", timeout_s=0.2)
        text = b"ab" * 1_000 + b"\n"

        matching_lines = []
        for _ in range(100_000):
            matching_lines += search.lines_of(text)

        assert matching_lines == []
        assert search.is_late


SMALL_TEXTS = [
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
]
"""Texts whose begin or end could be mistaken once they stand behind each other."""


def lines_with_path(search: LineSearch, texts: list[SearchedText]) -> list[object]:
    """Return the matching lines of all texts, each with the path of its text."""
    lines = []
    for text in texts:
        for line in search.lines_of(text.text):
            lines.append((text.path, line))
    return lines


class TestManySmallTexts:
    """Many small texts are searched at once, which is faster.

    `prefiltered` joins them to one text and searches it. It returns the texts again, and marks
    those that may have a match (`may_match`).
    """

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
    def test_searching_many_small_texts_at_once_finds_what_searching_each_finds(
        self, pattern: str
    ) -> None:
        """`prefiltered` joins small texts to one and searches it, which is faster. It returns the
        texts again, and marks those that may have a match (`may_match`).

        In the joined text "xa\\r" and "ba\\nab" are neighbours. `a$` must still find the "xa".
        """
        search = LineSearch(pattern, timeout_s=10.0)
        # The texts are repeated, so that the last of them, "é b", also has a neighbour behind it.
        texts = []
        for number, content in enumerate(SMALL_TEXTS * 3):
            texts.append(SearchedText(f"/{number}", content.encode()))

        marked_texts = [text for text in search.prefiltered(texts) if text.may_match]

        lines_of_all_texts = lines_with_path(search, texts)
        assert lines_of_all_texts != []
        assert lines_with_path(search, marked_texts) == lines_of_all_texts
