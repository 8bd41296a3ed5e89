"""`controlplane.toml` gives a role a model that it does not describe, or misspells the role.

[roles] names the model for a role, and a table such as [profiles.a] describes a model. The role
"classify" tells of which kind a task is.

    [roles]
    classify = 'b'        ->    ... no profile 'b'; known: none

In an expected message, "…" stands for any text.
"""

from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused, write_config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[roles]\nclasify = 'a'\n[profiles.a]\nmodel = 'm'\n",
            "roles.clasify … did you mean 'classify'?",
        ),
        (
            "[roles]\nclassify = 'b'\n[profiles.a1]\nmodel = 'm'\n",
            "roles.classify … no profile 'b' … a1",
        ),
        ("[roles]\nclassify = 'b'\n", "no profile 'b'; known: none"),
        ("[role]\nclassify = 'b'\n", "role … did you mean 'roles'?"),
    ],
)
def test_a_wrong_configuration_is_refused_by_file_and_key(
    text: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    write_config(tmp_path / "controlplane.toml", text)

    check_refused(run_command_here("run"), tmp_path, message)
