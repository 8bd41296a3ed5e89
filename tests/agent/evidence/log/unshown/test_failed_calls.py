"""A call that failed, or found nothing, has not shown its file, so the file cannot be cited.

A call fails with an error or with an exit code other than 0. One that found nothing returns an empty
text.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_program_that_failed_has_not_shown_its_file() -> None:
    """With an exit code of 1, what it printed may be an error message."""
    trial = CitingTrial()
    trial.run(
        "/bin/show",
        "/docs/Secret.md",
        stdout="The archive opens at seven.",
        exit_code=1,
    )

    assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_file_that_could_not_be_executed_is_not_citable_as_run() -> None:
    """126 is the exit code of a shell for a file that is not a program."""
    trial = CitingTrial()
    trial.run("/docs/Secret.md", exit_code=126)

    assert not trial.can_cite("/docs/Secret.md", reason="the command was called")


def test_a_file_whose_reading_failed_is_not_citable() -> None:
    """The call was made, but it returned an error instead of the text."""
    trial = CitingTrial()
    trial.fail("read", {"path": "/docs/Secret.md"}, code="internal")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_read_behind_the_end_of_a_file_shows_nothing() -> None:
    """Reading from line 1,000,000 on succeeds, and returns an empty text."""
    trial = CitingTrial()
    trial.call(
        "read",
        {"path": "/docs/Secret.md", "start_line": 1_000_000, "end_line": 0},
        {"path": "/docs/Secret.md", "content": "", "truncated": False},
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_match_of_a_search_without_text_shows_nothing() -> None:
    """The search names the file but shows only blanks."""
    trial = CitingTrial()
    match = {"path": "/docs/Secret.md", "line": 1, "text": "  "}
    trial.call("search", {"pattern": ".", "root": "/"}, {"matches": [match]})

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
