"""A program reads only those of its arguments that are declared to be files.

`/bin/pick FILTER FILE...` and `/bin/stock FILE ID...` do not read a file whose path is passed as the
filter or the id, so it cannot be cited for what they print.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_path_as_the_filter_does_not_make_a_file_citable() -> None:
    """The first argument of `/bin/pick FILTER FILE` is a filter. Without a file, it is applied
    to standard input, and nothing is read."""
    trial = CitingTrial()
    trial.run(
        "/bin/pick", "/docs/Secret.md", stdin="{}", stdout="the vault opens at noon"
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_path_that_is_looked_up_in_a_file_is_not_citable() -> None:
    """`/bin/stock FILE ID` reads the first file only. The script passes the path as the id,
    which is looked up in that file, and printed."""
    trial = CitingTrial()
    trial.run(
        "/bin/stock",
        "/shelves/store.json",
        "/docs/Secret.md",
        stdout="/docs/Secret.md\t0\n",
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_relative_path_does_not_make_the_absolute_one_citable() -> None:
    """Nobody knows in which folder the program runs, so `docs/Secret.md` may be any file."""
    trial = CitingTrial()
    trial.run("/bin/show", "docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
