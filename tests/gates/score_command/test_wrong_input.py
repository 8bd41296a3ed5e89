"""`python -m controlplane.gates score FILE` names a wrong file, line or option, and exits with 2.

The file has a recorded answer a line, as JSON. A line such as "This is not an answer." in
`notes.txt` is named as `notes.txt:1:`, without a traceback.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from controlplane.gates.__main__ import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["/nowhere.jsonl"], "/nowhere.jsonl", id="no such file"),
        pytest.param(["notes.txt"], "notes.txt:1:", id="line without an answer"),
        pytest.param(
            ["notes.txt", "--rule-sets", "nonesuch"],
            "no rule set is called 'nonesuch'",
            id="unknown rule set",
        ),
        pytest.param(
            ["notes.txt", "--rule-sets", "nowhere.at:ALL"],
            "cannot be loaded",
            id="rule set of a missing module",
        ),
    ],
)
def test_wrong_input_is_reported_without_a_traceback(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("This is not an answer.")

    result = CliRunner().invoke(main, ["score", *arguments])

    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
