"""Searching all files for the passages that match some words best: the best one comes first.

`harness.passages("keep loan-02")` in a script returns paragraphs with their file and line. The
files are three short texts about loans of keys, and a script may write others below `docs`.
"""

from controlplane.benchmarks.files.files_environment import FilesEnvironment


def write_text(environment: FilesEnvironment, path: str, content: str) -> None:
    """Write a file as a script does, in place of the old one if there is one."""
    arguments = {"path": path, "content": content, "if_match_sha256": ""}
    environment.call("write", arguments)


def test_best_passage_comes_first(loan_files: FilesEnvironment) -> None:
    """One paragraph is about loan-02."""
    result = loan_files.call("passages", {"words": "keep loan-02", "limit": 3})

    best_match, *_ = result["matches"]
    assert best_match["path"] == "/docs/loans.md"


def test_passages_beyond_the_limit_make_the_result_truncated(
    loan_files: FilesEnvironment,
) -> None:
    """Two files have the word."""
    write_text(loan_files, "/docs/a.md", "zebra\n")
    write_text(loan_files, "/docs/b.md", "zebra\n")

    one_passage = loan_files.call("passages", {"words": "zebra", "limit": 1})
    two_passages = loan_files.call("passages", {"words": "zebra", "limit": 2})

    assert one_passage["truncated"] is True
    assert two_passages["truncated"] is False


def test_text_that_a_script_wrote_is_found(loan_files: FilesEnvironment) -> None:
    """What a script writes is kept apart from the files on disk, and is searched with them."""
    write_text(loan_files, "/docs/desk.md", "zebra\n")

    passages = loan_files.call("passages", {"words": "zebra", "limit": 3})
    search = loan_files.call("search", {"pattern": "zebra", "root": "/", "limit": 0})

    assert passages["matches"] == [
        {"path": "/docs/desk.md", "line": 1, "text": "zebra"}
    ]
    assert passages["truncated"] is False
    assert search["matches"]
    assert loan_files.changes == {"/docs/desk.md": "zebra\n"}
