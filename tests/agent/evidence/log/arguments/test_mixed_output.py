"""Output in which a script's own words stand beside those of a file is no evidence of the file.

The output does not say which word is from where, so all of it may be the script's own:

    /bin/show FILE...           prints files, and standard input (`-`)
    /bin/pick FILTER FILE...    runs jq on them; the filter `.` prints all
"""

import pytest

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_output_of_jq_for_standard_input_and_a_file_is_no_evidence() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        ".",
        "-",
        "/docs/Secret.md",
        stdin='"the vault opens at noon"',
        stdout=(
            '"the vault opens at noon"\n'  # from standard input
            '"The archive opens at seven."\n'  # from the file
        ),
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
    arguments: tuple[str, ...],
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


def test_output_with_a_file_of_the_script_in_it_is_no_evidence() -> None:
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
