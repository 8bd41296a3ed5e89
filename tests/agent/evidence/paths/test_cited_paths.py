"""The path by which a file is cited is found at once, without the whole evidence of the trial.

A script cites a file by a path, which may differ from the file's own: `/Loans.md` may be an alias of
`/docs/Loans.md`. `path_if_reached(path)` returns the file's own path if that is clear from what calls
have read and listed, and else None.
"""

import pytest

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.seen_texts import SeenTexts


def cited_paths_of_trial() -> CitedPaths:
    """Return the paths of a trial that has read `/docs/Loans.md`, its folder, and `/3.md`.

    A listing has shown the file and the folders `/docs` and `/mails`. `/1.md` is an alias of an alias
    of an alias of the file.
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
    for path, file_path in aliases:
        known.aliases.learn_file(path, file_path)
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
