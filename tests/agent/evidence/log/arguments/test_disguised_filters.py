"""A filter of jq may print a text of its own though it looks as if it only picked values.

`/bin/pick FILTER FILE` runs jq. Its output is evidence of the file if the filter only picks:

    .opens         prints a field of the file: evidence
    "the vault"    prints this text for every file: no evidence

A *condition*, `select("text")`, passes on what it gets. Here, the texts in two conditions have brackets.
If jq's quotation marks are overlooked, what stands between the conditions seems to be within these
brackets, but jq prints it.
"""

import pytest

from tests.agent.evidence.log.citing_trial import CitingTrial


@pytest.mark.parametrize(
    ("filter_parts", "stdout"),
    [
        pytest.param(
            ['select(")")', '|"the vault opens at noon"|', 'select("(")'],
            '"the vault opens at noon"\n',
            id="text, as if within the condition `select(...)`",
        ),
        pytest.param(
            [
                'select(")|.[")',
                ",({vault:1,opens:1,noon:1}|keys),",
                'select("]|select(")',
            ],
            '{}\n["noon","opens","vault"]\n{}\n',
            id="keys of a mapping, as if within the name of a field `.[...]`",
        ),
        pytest.param(
            ['select(")', ' | "the vault opens at noon" | ', 'select("'],
            '"the vault opens at noon"\n',
            id="text, and jq would refuse the filter as it is not closed",
        ),
    ],
)
def test_the_output_of_a_filter_with_a_text_of_its_own_is_no_evidence(
    filter_parts: list[str], stdout: str
) -> None:
    filter_text = "".join(filter_parts)
    trial = CitingTrial()
    trial.run("/bin/pick", filter_text, "/docs/Secret.md", stdout=stdout)

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
