"""A file cannot be cited for a text that the model was not shown, or that another file has.

The first message to the model shows the results of some calls, each cut to its first `shown_chars`
characters.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_text_of_which_only_a_line_break_was_shown_is_not_citable() -> None:
    trial = CitingTrial()
    trial.calls.record(
        "read",
        {"path": "/docs/Secret.md", "start_line": 0, "end_line": 0},  # all lines
        {"content": "\nThe archive opens at seven.", "truncated": False},
        shown_chars=1,  # the line break
    )

    assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")
    # Nor can the file be cited for words that it does not have.
    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_an_output_of_which_nothing_was_shown_is_not_citable() -> None:
    """The first message had no room for the output of this call."""
    trial = CitingTrial()
    trial.calls.record(
        "exec",
        {"path": "/bin/show", "args": ["/docs/Secret.md"], "stdin": ""},
        {"stdout": "The archive opens at seven.", "stderr": "", "exit_code": 0},
        shown_chars=0,
    )

    assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_text_in_a_listing_shows_nothing_of_the_file() -> None:
    """A listing names files. A field `text` in it is not the text of a file."""
    trial = CitingTrial()
    trial.call(
        "list",
        {"path": "/"},
        {"entries": [{"path": "docs/Secret.md", "text": "the vault opens at noon"}]},
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_words_of_another_file_do_not_justify_a_citation() -> None:
    """The script has read both files, and cites one of them for what the other one says."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", "Books marked reserved cannot be renewed.")
    trial.run("/bin/show", "/docs/Secret.md", stdout="The archive opens at seven.")

    assert not trial.can_cite(
        "/docs/Secret.md", reason="books marked reserved cannot be renewed"
    )
