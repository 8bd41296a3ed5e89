"""A filter of jq that only picks values of a file makes what it prints evidence of the file.

`/bin/pick FILTER FILE` prints what the filter picks. `trial.run(...)` is such a call, with its output
as `stdout`; then the script may cite the file for these words.
"""

import pytest

from tests.agent.evidence.log.citing_trial import CitingTrial


@pytest.mark.parametrize("filter_text", [".opens", "select(.opens)", ".[0].opens"])
def test_what_a_filter_has_picked_is_evidence(filter_text: str) -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        filter_text,
        "/docs/Secret.md",
        stdout='"the vault opens at noon"\n',
    )

    assert trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
