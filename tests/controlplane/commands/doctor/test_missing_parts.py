"""`doctor` finds that a part which a run needs is missing: a fault with a remedy.

The parts are an endpoint that answers, a key, the benchmark and a folder for the journals. A fault is
an object, and the exit code is 1:

    {"state": "fault", "what": "disk", "text": "... cannot be written to", "remedy": "..."}
"""

from pathlib import Path

import pytest

from tests.support.command import run_in_process


@pytest.mark.parametrize(
    ("options", "subject", "text_part"),
    [
        pytest.param(
            ("--base-url", "http://127.0.0.1:1/v1", "--model", "m"),
            "endpoint",
            "127.0.0.1:1",
            id="nothing listens at the address",
        ),
        pytest.param(("--model", "m"), "endpoint", "needs a key", id="no API key"),
        pytest.param(
            ("--benchmark", "no.such.module"),
            "platform",
            "no.such.module",
            id="no such benchmark",
        ),
        pytest.param(
            ("--runs-dir", "/dev/null/runs"),
            "disk",
            "cannot be written to",
            id="no folder for runs",
        ),
    ],
)
def test_a_missing_part_is_a_fault_with_a_remedy(
    options: tuple[str, ...], subject: str, text_part: str, tmp_path: Path
) -> None:
    """The finding names the part, says what is wrong, and what to do."""
    result = run_in_process(
        "doctor", "--isolation=language", "--json", *options, cwd=tmp_path
    )

    assert result.code == 1
    all_findings = result.json["findings"]
    (fault,) = [finding for finding in all_findings if finding["state"] == "fault"]
    assert fault["what"] == subject
    assert text_part in fault["text"]
    assert fault["remedy"]
