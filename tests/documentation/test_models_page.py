"""The page of models names replies, addresses, profiles and options as the code knows them."""

import re
from pathlib import Path

from controlplane.agent.model import ScriptedReply
from controlplane.configuration.model_settings import Profile
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from tests.documentation.pages import EXAMPLES, MODELS_PAGE, SCRIPTED_REPLIES_SECTION
from tests.support.command import write_config


def test_the_page_lists_every_key_of_a_scripted_reply() -> None:
    """A table of the page has a row for each key of a `[[reply]]`, in the order of the code."""
    documented_keys = re.findall(
        r"^\| `(\w+)` \|", SCRIPTED_REPLIES_SECTION, re.MULTILINE
    )

    assert documented_keys == list(ScriptedReply.model_fields)


ADDRESS_OF_SERVER = re.compile(r"^\| ([^|]+) \| `(https?://[^`]+)` \|", re.MULTILINE)
"""Finds server and address in a row such as "| Ollama | `http://127.0.0.1:11434/v1` | ... |"."""


def test_the_addresses_of_endpoints_on_the_page_are_accepted() -> None:
    """A table of the page names servers of models with their addresses."""
    address_of_server = dict(ADDRESS_OF_SERVER.findall(MODELS_PAGE))

    assert {"Ollama", "vLLM", "llama.cpp", "OpenRouter"} <= address_of_server.keys()
    for address in address_of_server.values():
        assert RunSettings(base_url=address).base_url == address


def test_the_sample_configuration_shows_every_key_of_a_profile(
    tmp_path: Path,
) -> None:
    """A profile is a named set of settings for a model. The sample has one called `big`, and lets
    another model play the role of the classifier."""
    sample = (EXAMPLES / "controlplane.toml").read_text(encoding="utf-8")
    write_config(tmp_path / "controlplane.toml", sample, encoding="utf-8")

    resolved = resolve({}, {}, tmp_path)

    assert resolved.profiles["big"].model_fields_set == set(Profile.model_fields)
    assert resolved.settings.role.keys() == {"classify"}


OPTIONS_OF_OTHER_PROGRAMS = {
    "--api-key",
    "--chat-template",
    "--enable-auto-tool-choice",
    "--jinja",
    "--json",
    "--max-model-len",
    "--parallel",
    "--tool-call-parser",
}
"""Options on the page that belong to servers of models, such as vLLM."""


def test_every_option_on_the_page_of_models_exists() -> None:
    """An option on the page is one of `run`, or of the server of models that a section is about."""
    run_options: set[str] = set()
    for name in RunSettings.model_fields:
        run_options.add("--" + name.replace("_", "-"))

    documented_options = set(re.findall(r"--[a-z][a-z-]+", MODELS_PAGE))

    assert documented_options <= run_options | OPTIONS_OF_OTHER_PROGRAMS
