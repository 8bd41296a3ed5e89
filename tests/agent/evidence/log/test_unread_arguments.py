"""A path that a program gets as an argument does not make the program read the file.

A script runs a program with the path `/docs/Secret.md`, and the program prints "the vault opens at
noon". The file can be cited only if the program is declared to read it:

| program                    | what it reads                                         |
| -------------------------- | ----------------------------------------------------- |
| `/bin/query ...`           | no files                                              |
| `/bin/show [-n] FILE...`   | the files, which it prints                            |
| `/bin/pick FILTER FILE...` | the files, from which it prints what a filter picks   |
| `/bin/stock FILE ID...`    | the first file, in which it looks the ids up          |
| `/bin/ship ...`            | no files; it changes something                        |
"""

from __future__ import annotations

from tests.agent.evidence.log.citing_trial import CitingTrial


class TestProgramsThatReadNoFiles:
    """A program that is not declared to read files does not make one citable.

    The script passes it the path `/docs/Secret.md`. What it prints may be from anywhere.
    """

    def test_an_argument_of_a_query_does_not_make_a_file_citable(self) -> None:
        """`/bin/query` is declared to take no files as arguments, so its output is not from this
        file."""
        trial = CitingTrial()
        trial.run("/bin/query", "/docs/Secret.md", stdout="the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_path_that_a_query_prints_does_not_make_a_file_citable(self) -> None:
        """The query selects the path and the words as constants, and reads no file."""
        trial = CitingTrial()
        query = "select '/docs/Secret.md', 'the vault opens at noon'"
        trial.run(
            "/bin/query",
            stdin=query,
            stdout="/docs/Secret.md,the vault opens at noon\n",
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_an_undeclared_program_does_not_make_a_file_citable(self) -> None:
        """Nothing is declared of `/bin/nowhere`, so nobody knows what it does with its argument."""
        trial = CitingTrial()
        trial.run("/bin/nowhere", "/docs/Secret.md", stdout="the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_changing_program_does_not_make_a_file_citable(self) -> None:
        """`/bin/ship` changes something. It is not declared to print files."""
        trial = CitingTrial()
        trial.run("/bin/ship", "/docs/Secret.md", stdout="the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestOtherArguments:
    """A program reads only the arguments that are declared to be files.

    `/docs/Secret.md` is passed as a filter or an id, or by a path of which nobody knows its folder.
    """

    def test_a_path_as_the_filter_does_not_make_a_file_citable(self) -> None:
        """The first argument of `/bin/pick FILTER FILE` is a filter. Without a file, it is applied
        to standard input, and nothing is read."""
        trial = CitingTrial()
        trial.run(
            "/bin/pick", "/docs/Secret.md", stdin="{}", stdout="the vault opens at noon"
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_path_that_is_looked_up_in_a_file_is_not_citable(self) -> None:
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

    def test_a_relative_path_does_not_make_the_absolute_one_citable(self) -> None:
        """Nobody knows in which folder the program runs, so `docs/Secret.md` may be any file."""
        trial = CitingTrial()
        trial.run("/bin/show", "docs/Secret.md", stdout="the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
