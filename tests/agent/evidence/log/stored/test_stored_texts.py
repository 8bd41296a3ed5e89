"""A text that a program may have stored proves nothing where it is read later.

    /bin/ship    changes something, so it may write what it is given into any file
    /bin/odd     of unknown kind, so it may store what it is given, too

The script passes "the vault opens at noon" to one of them, as an argument or by `stdin`. Then it reads
this text, and cites the place for it, which must be refused.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_stored_text_that_a_file_shows_later_proves_nothing() -> None:
    trial = CitingTrial()
    trial.run("/bin/ship", "the vault opens at noon")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_stored_text_with_escaped_letters_proves_nothing() -> None:
    """In the JSON that the script passes, `\\u0076` is a v, `\\u0070` a p and `\\u006F` an
    o."""
    trial = CitingTrial()
    trial.run(
        "/bin/ship", stdin='{"note": "the \\u0076ault o\\u0070ens at n\\u006Fon"}'
    )
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_stored_text_that_is_shown_as_json_proves_nothing() -> None:
    """JSON spells a tab `\\t`, and a line break `\\n`. So the words `the` and `noon` can be read in
    the file, though the script has passed neither of them."""
    tab = "\t"
    line_break = "\n"
    trial = CitingTrial()
    trial.run("/bin/ship", f"{tab}he{line_break}vault opens {line_break}oon")
    trial.read("/docs/Secret.md", r'{"kept": true, "note": "\the\nvault opens \noon"}')

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_text_that_a_program_of_unknown_kind_prints_later_proves_nothing() -> None:
    trial = CitingTrial()
    trial.run("/bin/odd", "the vault opens at noon")
    trial.run("/bin/odd", stdout="the vault opens at noon")

    assert not trial.can_cite("/bin/odd", reason="the vault opens at noon")


def test_the_text_of_a_run_that_failed_may_have_been_stored() -> None:
    """The error `unknown` does not tell whether the program has stored its argument."""
    trial = CitingTrial()
    trial.fail(
        "exec",
        {"path": "/bin/ship", "args": ["the vault opens at noon"], "stdin": ""},
        code="unknown",
    )
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
