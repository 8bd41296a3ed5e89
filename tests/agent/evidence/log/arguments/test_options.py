"""An option may make a program print something else than the file that it is given.

It is declared which options a program has: `/bin/show [-n] FILE...`. With another one, what the
program prints is no evidence of the file, which cannot be cited for it.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_output_with_a_declared_option_is_evidence() -> None:
    trial = CitingTrial()
    trial.run("/bin/show", "-n", "/docs/Secret.md", stdout="the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_output_with_an_undeclared_option_is_no_evidence() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/show",
        "--version",
        "/docs/Secret.md",
        stdout="the vault opens at noon",
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_output_with_an_option_that_takes_a_text_is_no_evidence() -> None:
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
