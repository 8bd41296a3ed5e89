"""Names of operations, rules and layers in a run's settings are checked before the run begins.

`--provenance off,write=block` protects calls of the operation `write`: one with a value that comes
only from a text, such as a mail, is not sent. `wirte=block` would protect nothing, so it is an
error with the nearest right name. `6/unowned-change` is a rule for answers, and `kernel` a layer
around scripts.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import CommandRunner, check_error_line


@pytest.mark.parametrize("command", ["run", "improve"])
@pytest.mark.parametrize(
    ("option", "value", "expected_hint"),
    [
        ("--provenance", "off,wirte=block", "did you mean 'write'"),
        ("--provenance", "block,write=only:contnet", "did you mean 'content'"),
        ("--provenance", "blok", "did you mean 'block'"),
        ("--reads", "wirte", "did you mean 'write'"),
        ("--gates", "6/unownd-change=off", "did you mean '6/unowned-change'"),
        ("--gates", "9", "gates from 1 to 8"),
        ("--rule-sets", "ecmo", "use one of ecom"),
        ("--rule-sets", "ecom/cheklist=off", "did you mean 'ecom/checklist'"),
        ("--isolation", "kernl", "did you mean 'kernel'"),
    ],
)
def test_a_wrong_name_is_refused_with_the_right_ones(
    command: str,
    option: str,
    value: str,
    expected_hint: str,
    model: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    words = [command, "sku-lookup", "--model", model, option, value]
    if command == "improve":
        words += ["--with", model]  # It needs a second model.

    result = run_command_here(*words)

    check_error_line(result, UsageError.exit_code, expected_hint)
    assert not (tmp_path / "runs").exists()


def test_a_question_checks_the_names_of_its_own_operations(
    model: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A question about files has the operations that read files, such as `read`."""
    (tmp_path / "a.md").write_text("Loan 2 is due in May.\n")

    result = run_command_here(
        "ask",
        "When is loan 2 due?",
        "a.md",
        "--model",
        model,
        "--provenance",
        "off,reed=block",
    )

    check_error_line(result, UsageError.exit_code, "did you mean 'read'")
    assert not (tmp_path / "runs").exists()
