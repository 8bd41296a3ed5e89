"""A command that cannot print its result, or is interrupted, ends with a line that says so.

Standard output goes to a file on a full disk: "the result cannot be printed: No space left on
device". Ctrl-C before a run has begun: "interrupted".
"""

from pathlib import Path

import pytest

from controlplane import __main__ as program
from controlplane.errors import Interrupted
from tests.support.command import check_error_line, command, run_on_full_disk
from tests.support.product_files import ROOT

OUTPUT_FAILED = 3
"""The exit code if something cannot be written, here the result to standard output."""


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("benchmarks", "list"), id="benchmarks list"),
        pytest.param(("show", ROOT / "runs/sample.jsonl", "--json"), id="show"),
        pytest.param(("--version",), id="--version"),
    ],
)
def test_a_result_that_cannot_be_printed_gives_an_error_of_one_line(
    words: tuple[str | Path, ...], tmp_path: Path
) -> None:
    result = run_on_full_disk(command(words), tmp_path)

    check_error_line(
        result,
        OUTPUT_FAILED,
        "the result cannot be printed: No space left on device",
    )


def test_a_command_that_is_interrupted_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The signal comes while the command is imported, or before a run has begun."""

    def interrupted(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("controlplane.command_line.run_command", interrupted)
    monkeypatch.setattr("sys.argv", ["controlplane", "run"])

    with pytest.raises(SystemExit) as end:
        program.main()

    assert end.value.code == Interrupted.exit_code
    assert capsys.readouterr().err == "controlplane: interrupted\n"
