"""The path by which a file is cited is found at once, without the whole evidence of the trial.

A script may read thousands of files, and cite each one by the path that it has read. The evidence
is collected anew after each call. If each citation had to search it, the script would take minutes.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from tests.sandbox.declared_calls import TOOL_SCHEMA
from tests.support.executed_work import assert_linear


def cited_paths_of_trial() -> CitedPaths:
    """Return the paths of a trial that has read `/docs/Loans.md`, also as `/Loans.md`.

    A listing has shown the file, its folder, which was read as well, and another folder. `/1.md` is an alias of an alias of an alias.
    """
    accessed = AccessedPaths(SeenTexts(most_bytes=1_000))
    known = KnownPaths()
    entries = [
        {"path": "/docs", "is_dir": True},
        {"path": "/mails", "is_dir": True},
        {"path": "/docs/Loans.md", "is_dir": False},
    ]
    known.learn_listing("/", {"entries": entries})
    aliases = [
        ("/Loans.md", "/docs/Loans.md"),
        ("/3.md", "/docs/Loans.md"),
        ("/2.md", "/3.md"),
        ("/1.md", "/2.md"),
    ]
    for path, result_path in aliases:
        known.aliases.learn_result_path(path, result_path)
    for path in ("/docs/Loans.md", "/DOCS/loans.md", "/docs", "/3.md"):
        accessed.add_action(path, "read")
    return CitedPaths(accessed, known)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/docs/Loans.md", id="the listed path"),
        pytest.param("docs//Loans.md", id="not canonical"),
        pytest.param("/Loans.md", id="an alias"),
        pytest.param("/2.md", id="an alias of an alias"),
        pytest.param("/DOCS/loans.md", id="another spelling that was read"),
    ],
)
def test_the_path_of_a_call_is_found_without_a_search(path: str) -> None:
    assert cited_paths_of_trial().path_if_reached(path) == "/docs/Loans.md"


def test_a_folder_that_was_read_is_cited_by_its_path() -> None:
    """A document of several parts, such as a PDF with pages, is a folder that can be read."""
    assert cited_paths_of_trial().path_if_reached("/docs") == "/docs"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/docs/Loans.md#row=7", id="a part of a file"),
        pytest.param("/docs/LOANS.md", id="not used by a call"),
        pytest.param("/mails", id="a folder that no call has read"),
        pytest.param("/1.md", id="an alias of an alias of an alias"),
    ],
)
def test_an_unclear_path_is_left_to_the_search(path: str) -> None:
    assert cited_paths_of_trial().path_if_reached(path) is None


@pytest.mark.parametrize(
    "folder",
    [pytest.param("/docs", id="listed paths"), pytest.param("/DOCS", id="aliases")],
)
def test_citing_each_file_after_its_read_is_linear(folder: str) -> None:
    """The environment ignores case: a read at `/DOCS/1.md` returns the file `/docs/1.md`."""

    def read_and_cite(count: int) -> None:
        log = EvidenceLog(TOOL_SCHEMA)
        for number in range(count):
            result = {"path": f"/docs/{number}.md", "content": f"fee: {number}"}
            path = f"{folder}/{number}.md"
            log.add_call("read", {"path": path}, result, error=None)
            place = log.citations.check(path, reason="it names the fee")
            assert place.spelling == f"/docs/{number}.md"

    assert_linear(read_and_cite, 100)
