"""What a program prints may come from its arguments, and not from the file that it reads.

`/bin/pick FILTER FILE` prints what a jq filter picks from a file. But a filter may be a text, which jq
prints whatever is in the file: `/bin/pick '"the vault opens at noon"' /docs/Secret.md`. The script
must not be able to cite the file for such words.
"""

from __future__ import annotations

import pytest

from tests.agent.evidence.log.citing_trial import CitingTrial


class TestPrintingFilters:
    """A filter that can print a text of its own shows nothing of the file.

    A script runs `/bin/pick FILTER /docs/Secret.md`, where `stdout` is what is printed, and cites
    the file for words of its own filter. This must be refused, also if the filter hides them.
    """

    def test_a_filter_that_is_a_text_shows_nothing_of_the_file(self) -> None:
        """For jq, a quoted text is an expression. It prints the text, whatever is in the file."""
        trial = CitingTrial()
        quoted_text = '"the vault opens at noon"'
        trial.run("/bin/pick", quoted_text, "/docs/Secret.md", stdout=quoted_text)

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_filter_that_computes_a_number_shows_nothing_of_the_file(self) -> None:
        """jq computes the square root of 1442401, which the filter states, and prints it."""
        trial = CitingTrial()
        trial.run("/bin/pick", "1442401|sqrt", "/docs/Secret.md", stdout="1201\n")

        assert not trial.can_cite("/docs/Secret.md", reason="1201 are there")

    def test_a_filter_may_print_a_text_while_it_chooses(self) -> None:
        """The filter chooses values of the file. But jq's function `debug` prints the text before
        it to standard error."""
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            'select("the vault opens at noon"|debug)',
            "/docs/Secret.md",
            stdout='{"opens": "seven"}',
            stderr='["DEBUG:","the vault opens at noon"]',
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_filter_may_hide_a_text_between_two_choices(self) -> None:
        """`select(...)` alone only chooses values of the file. This filter could be taken for one,
        but it has the text "vault" between two of them."""
        trial = CitingTrial()
        filter_text = 'select(") | "vault" | select("'
        trial.run("/bin/pick", filter_text, "/docs/Secret.md", stdout='"vault"\n')

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_filter_may_hide_its_output_in_a_quoted_name(self) -> None:
        """The filter has three parts: `select(")|.[")`, `({vault:1}|keys)`, `select("]|select(")`.
        The second one makes a mapping and prints its keys, `["vault"]`. If the filter were split at
        each `|` without regard to quotation marks, this part would seem to be within a name,
        `.["..."]`."""
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            'select(")|.["),({vault:1}|keys),select("]|select(")',
            "/docs/Secret.md",
            stdout='{}\n["vault"]\n{}\n',
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestOtherPrintedTexts:
    """A program may print the script's own words beside those of the file.

    They come from its standard input, or from a file that the script wrote. What it prints does not
    say which word is from where, so the file cannot be cited for any of them.
    """

    def test_a_filter_on_stdin_and_a_file_may_show_only_stdin(self) -> None:
        """The program is to print standard input (`-`) and then the file. It has printed only
        standard input, where the script has put its own words."""
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            ".",
            "-",
            "/docs/Secret.md",
            stdin='"the vault opens at noon"',
            stdout='"the vault opens at noon"\n',
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    @pytest.mark.parametrize(
        "arguments",
        [
            pytest.param(("/docs/Secret.md",), id="stdin that no argument asks for"),
            pytest.param(("-", "/docs/Secret.md"), id="stdin before the file"),
        ],
    )
    def test_output_with_stdin_in_it_shows_nothing_of_the_file(
        self, arguments: tuple[str, ...]
    ) -> None:
        """`/bin/show` prints standard input, where the script has put its own words, and the
        file."""
        trial = CitingTrial()
        trial.run(
            "/bin/show",
            *arguments,
            stdin="the vault opens at noon.",
            stdout="the vault opens at noon.The archive opens at seven.",
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_output_with_a_written_file_in_it_shows_nothing_of_the_other(self) -> None:
        """`/bin/show` prints two files: one that the script has written, and the one that it
        cites."""
        trial = CitingTrial()
        trial.write("/tmp/own", "the vault opens at noon.")
        trial.run(
            "/bin/show",
            "/tmp/own",
            "/docs/Secret.md",
            stdout="the vault opens at noon.The archive opens at seven.",
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestOptions:
    """An option may make a program print something else than the file.

    It is declared which options a program has. With another one, its output is not evidence.
    """

    def test_an_undeclared_option_may_print_anything(self) -> None:
        """`/bin/show` is declared with the option `-n`. Another one may make it print something
        else than the file."""
        trial = CitingTrial()
        trial.run(
            "/bin/show",
            "--version",
            "/docs/Secret.md",
            stdout="the vault opens at noon",
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_an_option_that_takes_a_text_may_print_it(self) -> None:
        """jq's option `--arg x TEXT` defines a variable. The filter `$x` prints it, here the
        script's own words."""
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            "--arg",
            "x",
            "the vault opens at noon",
            "$x",
            "/docs/Secret.md",
            stdout='"the vault opens at noon"\n',
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
