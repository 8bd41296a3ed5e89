"""A filter of jq that can print a text of its own makes what it prints no evidence of the file.

`/bin/pick '"the vault opens at noon"' /docs/Secret.md` prints this text, whatever is in the file. The
script must not be able to cite the file for such words.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_the_output_of_a_filter_that_is_a_text_is_no_evidence() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        '"the vault opens at noon"',
        "/docs/Secret.md",
        stdout='"the vault opens at noon"\n',
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_the_output_of_a_filter_that_computes_a_number_is_no_evidence() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        "1442401|sqrt",  # the square root
        "/docs/Secret.md",
        stdout="1201\n",
    )

    assert not trial.can_cite("/docs/Secret.md", reason="1201 are there")


def test_the_output_of_a_filter_that_calls_another_function_is_no_evidence() -> None:
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
