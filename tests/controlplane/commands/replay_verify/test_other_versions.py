"""`replay --verify` of a journal that another version of a part of the product has recorded.

The parts are the gates (checks of answers), what collects the evidence for answers, and the
sandbox. Today's version may decide otherwise, so a difference proves no forgery. It is reported,

    trial seat-001-t0, step 2, output: recorded "{'answer': '8'}", and now "{'answer': '7'}"

and the command fails only with `--strict`.
"""

from pathlib import Path

import pytest

from controlplane.errors import ReplayDiverged
from tests.controlplane.commands.replay_verify.changed_texts import (
    change_answer,
    change_output,
)
from tests.controlplane.commands.replay_verify.forged_copies import Change, forged_copy
from tests.support.command import run_in_process


@pytest.mark.parametrize("part", ["gates", "evidence", "sandbox"])
@pytest.mark.parametrize(
    ("change", "differences"),
    [
        pytest.param(
            change_answer,
            [
                "trial seat-001-t0, step 1, verdicts",
                "trial seat-001-t0, step 2, verdicts",
            ],
            id="the answer that both steps submit",
        ),
        pytest.param(
            change_output,
            ["trial seat-001-t0, step 2, output"],
            id="the output of step 2",
        ),
    ],
)
def test_under_another_version_of_a_part_a_difference_is_reported_and_no_error(
    change: Change,
    differences: list[str],
    part: str,
    journal_of_two_submissions: Path,
    tmp_path: Path,
) -> None:
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions={part: "another"}
    )

    result = run_in_process("replay", forged, "--verify", "--json", cwd=tmp_path)

    assert result.code == 0, result.err
    assert not result.json["agrees"]
    assert result.json["other_versions"] == [part]
    reported = result.json["differences"]
    assert [text.partition(": recorded ")[0] for text in reported] == differences

    strict = run_in_process("replay", forged, "--verify", "--strict", cwd=tmp_path)
    assert strict.code == ReplayDiverged.exit_code
