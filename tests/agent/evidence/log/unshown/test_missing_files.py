"""A folder, or a file that does not exist, cannot be cited, whatever a program prints.

A citation has a path and a reason. `/bin/show FILE` prints files; but that a file does not exist was
shown by a listing of its folder, or by an error.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_folder_is_not_citable() -> None:
    """The listing has shown that `/docs` is a folder."""
    trial = CitingTrial()
    trial.list("/docs", "/docs/Loans.md")
    trial.run("/bin/show", "/docs", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs", reason="the vault opens at noon")


def test_a_file_that_its_folder_does_not_list_is_not_citable() -> None:
    """The listing of `/docs` shows that the file does not exist, whatever the program
    prints."""
    trial = CitingTrial()
    trial.list("/docs", "/docs/Loans.md")
    trial.run("/bin/show", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_file_that_was_not_found_is_not_citable() -> None:
    """The error `not_found` shows that the file does not exist, whatever the program prints."""
    trial = CitingTrial()
    trial.fail("read", {"path": "/docs/Secret.md"}, code="not_found")
    trial.run("/bin/show", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
