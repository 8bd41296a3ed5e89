"""A profile in `controlplane.toml` has a value that its key does not take.

A profile is a table that describes a model, its server and its prices: here it is [profiles.a].

    [profiles.a]
    model = 'm'
    top_p = 1.5           ->    controlplane: controlplane.toml: profiles.a.top_p: ... not 1.5

In an expected message, "…" stands for any text.
"""

from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused, write_config


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("model_headers = {Authorization = 'Bearer x'}", "$VARIABLE"),
        ("max_output_tokens = 0", "toml: profiles.a.max_output_tokens: … not 0"),
        ("temperature = -0.1", "toml: profiles.a.temperature: … not -0.1"),
        ("top_p = 1.5", "profiles.a.top_p … not 1.5"),
        ("base_url = 'h'", "toml: profiles.a.base_url: … http://"),
        ("api = 'chats'", "profiles.a.api: … 'chat'"),
        ("model_body = {messages = []}", "messages cannot be set here"),
        ("[profiles.b]\nmodel = 7", "toml: profiles.b.model: … not 7"),
        # Prices of a million tokens: `input`, `output`, and `cached`.
        ("prices = {inputt = 1, output = 1}", "profiles.a.prices … 'input'"),
        ("[profiles.a.prices]\ninput = 1\noutput = 1\ncache = 1", "'cached'"),
        ("prices = {input = 1}", "output: it is required"),
    ],
)
def test_a_wrong_profile_of_a_model_is_refused_by_its_key(
    lines: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    text = f"[profiles.a]\nmodel = 'm'\n{lines}\n"
    write_config(tmp_path / "controlplane.toml", text)

    check_refused(run_command_here("run"), tmp_path, message)
