"""A mistake in `controlplane.toml` is refused in one line that names the file and the key.

The file lies in the working folder and has the user's own defaults: under [run] those of the options
of `run`.

    [run]
    limit = 0            ->    controlplane: controlplane.toml: limit: ... not 0

In an expected message, "…" stands for any text.
"""

from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused, write_config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[run\nseed = 1\n", "controlplane.toml is not TOML … line 1"),
        ("[run]\nseed = 1\nseed = 2\n", "controlplane.toml is not TOML … line 3"),
        (
            "# mine\n[runs]\nseed = 1\n",
            "controlplane.toml: runs: … did you mean 'run'?",
        ),
        ("run = 3\n", "controlplane.toml: run: … not 3"),
        (
            "[run]\n\nconcurency = 4\n",
            "controlplane.toml: … 'concurency'; did you mean 'concurrency'?",
        ),
        (
            '[run]\nseed = 1\nconcurrency = "many"\n',
            "controlplane.toml: concurrency: … not 'many'",
        ),
        ("[run]\nlimit = 0\n", "controlplane.toml: limit: … not 0"),
        ("[run]\nprices = {input = 1, outputs = 2}\n", "prices … output"),
    ],
)
def test_a_wrong_configuration_is_refused_by_file_and_key(
    text: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    write_config(tmp_path / "controlplane.toml", text)

    check_refused(run_command_here("run"), tmp_path, message)


def test_a_configuration_in_another_encoding_is_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    latin_1 = "[run]\nname = 'ÿ'\n"
    write_config(tmp_path / "controlplane.toml", latin_1, encoding="latin-1")

    message = "controlplane.toml, line 2: it is not UTF-8 text"
    check_refused(run_command_here("run"), tmp_path, message)
