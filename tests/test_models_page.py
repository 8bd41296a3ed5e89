"""The page about models says nothing that the settings do not take."""

import re
from pathlib import Path

from controlplane.configuration.run_settings import Profile, RunSettings
from controlplane.configuration.setting_sources import resolve
from tests.support.command import write_config

SAMPLE = Path(__file__).parent.parent / "docs/examples/controlplane.toml"
PAGE = (Path(__file__).parent.parent / "docs/models.md").read_text(encoding="utf-8")


def test_every_endpoint_of_the_page_has_its_three_settings_and_an_address_that_is_taken() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
    named = {row[0]: row[1].strip("` ") for row in rows if len(row) >= 4 and row[0] not in ("|", "")}
    assert {"Ollama", "vLLM", "llama.cpp", "OpenRouter"} <= named.keys()
    for address in named.values():
        if address.startswith("http"):
            assert RunSettings(base_url=address).base_url == address


def test_the_profile_of_the_page_is_one(tmp_path: Path) -> None:
    block = re.search(r"```toml\n(.*?)```", PAGE, re.S)
    assert block
    write_config(tmp_path / "controlplane.toml", block[1], encoding="utf-8")
    profile = resolve({}, {}, tmp_path).profiles["fast"]
    assert (profile.api_key_env, profile.reply_mode) == ("OPENROUTER_API_KEY", "json")


def test_the_sample_file_is_read_and_shows_every_key_of_a_profile(tmp_path: Path) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    write_config(tmp_path / "controlplane.toml", text, encoding="utf-8")
    resolved = resolve({}, {}, tmp_path)
    assert resolved.profiles["big"].model_fields_set == set(Profile.model_fields)
    assert resolved.settings.role.keys() == {"classify"}


def test_every_option_of_the_page_is_one() -> None:
    ours = {f"--{name.replace('_', '-')}" for name in RunSettings.model_fields}
    served = {
        "--api-key",
        "--enable-auto-tool-choice",
        "--jinja",
        "--json",
        "--max-model-len",
        "--parallel",
        "--tool-call-parser",
    }
    assert set(re.findall(r"--[a-z][a-z-]+", PAGE)) <= ours | served
