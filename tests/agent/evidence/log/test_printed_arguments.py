"""What a program prints may come from its arguments, and is then no evidence of the file.

`/bin/pick FILTER FILE` prints what a filter of jq picks from a file. But a filter may be a text, which
jq prints whatever is in the file: `/bin/pick '"the vault opens at noon"' /docs/Secret.md`. The script
must not be able to cite the file for such words.
"""

from __future__ import annotations

import pytest

from tests.agent.evidence.log.citing_trial import CitingTrial


class TestPickingFilters:
    """A filter that only picks values of the file makes its output evidence."""

    @pytest.mark.parametrize("filter_text", [".opens", "select(.opens)", ".[0].opens"])
    def test_what_a_filter_has_picked_is_evidence(self, filter_text: str) -> None:
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            filter_text,
            "/docs/Secret.md",
            stdout='"the vault opens at noon"\n',
        )

        assert trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestPrintingFilters:
    """A filter that can print a text of its own makes its output no evidence."""

    def test_the_output_of_a_filter_that_is_a_text_is_no_evidence(self) -> None:
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            '"the vault opens at noon"',
            "/docs/Secret.md",
            stdout='"the vault opens at noon"\n',
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_the_output_of_a_filter_that_computes_a_number_is_no_evidence(self) -> None:
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            "1442401|sqrt",  # the square root
            "/docs/Secret.md",
            stdout="1201\n",
        )

        assert not trial.can_cite("/docs/Secret.md", reason="1201 are there")

    def test_the_output_of_a_filter_that_calls_another_function_is_no_evidence(
        self,
    ) -> None:
        """jq's function `debug` prints the text before it to standard error."""
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            'select("the vault opens at noon"|debug)',
            "/docs/Secret.md",
            stdout='{"opens": "seven"}',
            stderr='["DEBUG:","the vault opens at noon"]',
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_the_output_of_a_text_between_two_picking_filters_is_no_evidence(
        self,
    ) -> None:
        """From its first to its last character, the filter looks like one `select(...)`."""
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            'select(")' + ' | "vault" | ' + 'select("',
            "/docs/Secret.md",
            stdout='"vault"\n',
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_the_output_of_a_filter_behind_a_quoted_bracket_is_no_evidence(
        self,
    ) -> None:
        """The filter has three parts. Without regard to quotation marks, the second one seems to be
        within a name: `.["),({vault:1}|keys),select("]`."""
        parts = [
            'select(")|.[")',
            "({vault:1}|keys)",  # makes a mapping, and prints its keys
            'select("]|select(")',
        ]
        trial = CitingTrial()
        trial.run(
            "/bin/pick",
            ",".join(parts),
            "/docs/Secret.md",
            stdout='{}\n["vault"]\n{}\n',
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestMixedOutput:
    """Output in which the script's own words stand beside those of the file is no evidence.

    The output does not say which word is from where.
    """

    def test_output_for_standard_input_and_a_file_is_no_evidence(self) -> None:
        """The filter `.` prints its inputs as they are: standard input (`-`), then the file."""
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
    def test_output_with_standard_input_in_it_is_no_evidence(
        self, arguments: tuple[str, ...]
    ) -> None:
        trial = CitingTrial()
        trial.run(
            "/bin/show",
            *arguments,
            stdin="the vault opens at noon.",
            stdout=(
                "the vault opens at noon."  # from standard input
                "The archive opens at seven."  # from the file
            ),
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_output_with_a_file_of_the_script_in_it_is_no_evidence(self) -> None:
        trial = CitingTrial()
        trial.write("/tmp/own", "the vault opens at noon.")
        trial.run(
            "/bin/show",
            "/tmp/own",
            "/docs/Secret.md",
            stdout=(
                "the vault opens at noon."  # from /tmp/own
                "The archive opens at seven."  # from /docs/Secret.md
            ),
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestOptions:
    """An option may make a program print something else than the file.

    It is declared which options a program has: `/bin/show [-n] FILE...`. With another one, its
    output is no evidence.
    """

    def test_output_with_a_declared_option_is_evidence(self) -> None:
        trial = CitingTrial()
        trial.run(
            "/bin/show", "-n", "/docs/Secret.md", stdout="the vault opens at noon"
        )

        assert trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_output_with_an_undeclared_option_is_no_evidence(self) -> None:
        trial = CitingTrial()
        trial.run(
            "/bin/show",
            "--version",
            "/docs/Secret.md",
            stdout="the vault opens at noon",
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_output_with_an_option_that_takes_a_text_is_no_evidence(self) -> None:
        """jq's option `--arg x TEXT` defines a variable, which the filter `$x` prints."""
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
