"""A program that is not declared to read files does not make a file citable whose path it gets.

A script runs a program with the path `/docs/Secret.md`, and it prints "the vault opens at noon". Of
these programs, none is declared to read files: `/bin/query`, `/bin/ship`, which changes something, and
`/bin/nowhere`, of which nothing is declared.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_an_argument_of_a_query_does_not_make_a_file_citable() -> None:
    """`/bin/query` is declared to take no files as arguments, so its output is not from this
    file."""
    trial = CitingTrial()
    trial.run("/bin/query", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_path_that_a_query_prints_does_not_make_a_file_citable() -> None:
    """The query selects the path and the words as constants, and reads no file."""
    trial = CitingTrial()
    query = "select '/docs/Secret.md', 'the vault opens at noon'"
    trial.run(
        "/bin/query",
        stdin=query,
        stdout="/docs/Secret.md,the vault opens at noon\n",
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_an_undeclared_program_does_not_make_a_file_citable() -> None:
    """Nothing is declared of `/bin/nowhere`, so nobody knows what it does with its argument."""
    trial = CitingTrial()
    trial.run("/bin/nowhere", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_changing_program_does_not_make_a_file_citable() -> None:
    """`/bin/ship` changes something. It is not declared to print files."""
    trial = CitingTrial()
    trial.run("/bin/ship", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
