"""The path by which a file is cited is found at once if a call has read the file by this path.

A script cites a file by a path, which may be another name of the file, an *alias*: `/Loans.md` for
`/docs/Loans.md`. `path_if_reached(path)` returns the file's own path if a call has read `path`, or the
file of which `path` is an alias. Otherwise it returns None, and other code searches all evidence.
"""

import pytest

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import CitedPaths, KnownPaths
from controlplane.agent.evidence.paths.seen_texts import SeenTexts

PATHS_OF_READS = ("/docs/Loans.md", "/DOCS/loans.md", "/docs", "/loans-2.md")
"""The paths by which calls have read something."""

FILES_OF_ALIASES = {
    "/Loans.md": "/docs/Loans.md",  # was read
    "/loans-2.md": "/docs/Loans.md",  # was read
    "/loans-3.md": "/loans-2.md",  # was read
    "/loans-4.md": "/loans-3.md",  # was not read
}
"""Each alias, with the path of its file, which may be an alias as well."""


def cited_paths_of_trial() -> CitedPaths:
    """Return the paths of a trial that has made these reads, and has listed the folder `/`."""
    accessed = AccessedPaths(SeenTexts(most_bytes=1_000))
    known = KnownPaths()
    entries = [
        {"path": "/docs", "is_dir": True},
        {"path": "/mails", "is_dir": True},
        {"path": "/docs/Loans.md", "is_dir": False},
    ]
    known.learn_listing("/", {"entries": entries})
    for alias, file_path in FILES_OF_ALIASES.items():
        known.aliases.learn_file(alias, file_path)
    for path in PATHS_OF_READS:
        accessed.add_action(path, "read")
    return CitedPaths(accessed, known)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/docs/Loans.md", id="the listed path"),
        pytest.param("docs//Loans.md", id="the same path, not canonical"),
        pytest.param("/Loans.md", id="an alias of a path that was read"),
        pytest.param("/loans-3.md", id="an alias of an alias that was read"),
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
        pytest.param("/docs/LOANS.md", id="a spelling that no call has used"),
        pytest.param("/mails", id="a folder that no call has read"),
        pytest.param("/loans-4.md", id="an alias of an alias that was not read"),
    ],
)
def test_the_path_of_no_call_is_left_to_the_search_of_all_evidence(path: str) -> None:
    assert cited_paths_of_trial().path_if_reached(path) is None
