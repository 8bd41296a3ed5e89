"""A file can be cited for a text that a call has shown of it.

The file may be read, found by a search, or printed by a program that is declared to print files:
`/bin/show /docs/Secret.md` prints "The archive opens at seven." -> the file can be cited for "it opens
at seven".
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_read_file_is_citable_for_what_it_says() -> None:
    trial = CitingTrial()
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")
    assert not trial.can_cite("/docs/Secret.md", reason="the vault is empty")


def test_a_file_that_a_program_printed_is_citable() -> None:
    trial = CitingTrial()
    trial.run("/bin/show", "/docs/Secret.md", stdout="The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_the_first_of_two_printed_files_is_citable() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/show",
        "/docs/Secret.md",
        "/docs/Loans.md",
        stdout="The archive opens at seven.A loan runs 21 days.",
    )

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_line_that_a_search_showed_makes_its_file_citable() -> None:
    trial = CitingTrial()
    match = {"path": "/docs/Secret.md", "line": 1, "text": "It opens at seven."}
    trial.call("search", {"pattern": "opens", "root": "/"}, {"matches": [match]})

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_an_empty_file_is_citable_for_being_empty() -> None:
    trial = CitingTrial()
    trial.read("/empty.txt", "")

    assert trial.can_cite("/empty.txt", reason="it holds no lines")
