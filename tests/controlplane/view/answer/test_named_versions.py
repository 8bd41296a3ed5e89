"""Below an answer, the user is told that a cited file has a newer version in the same folder.

    /fees.md, cited    ->    there is a newer version: /fees (corrected).md

A family is a list of versions of a file, with the newest first.
"""

from controlplane.view.answer.newer_versions import NewerVersion, newer_versions


def test_the_newer_versions_of_cited_files_are_named() -> None:
    """The question does not ask for an older version."""
    newer = newer_versions(
        [["/loans-2025.md", "/loans-2023.md"], ["/fees (corrected).md", "/fees.md"]],
        {"/loans-2023.md", "/fees.md"},
        "How long is a loan?",
    )

    assert newer == [
        NewerVersion("/loans-2023.md", "/loans-2025.md"),
        NewerVersion("/fees.md", "/fees (corrected).md"),
    ]


def test_a_newer_version_that_is_cited_too_is_not_named() -> None:
    """The answer is based on both."""
    cited_files = {"/fees.md", "/fees (corrected).md"}

    assert (
        newer_versions(
            [["/fees (corrected).md", "/fees.md"]], cited_files, "What is due?"
        )
        == []
    )
