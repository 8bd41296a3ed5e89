from pathlib import Path

from controlplane.configuration.setting_sources import resolve
from tests.support.trusted_config import write_config


def test_a_flag_beats_the_environment_beats_the_file_beats_the_default(tmp_path: Path) -> None:
    write_config(tmp_path / "controlplane.toml", "[run]\nseed = 1\nconcurrency = 2\nrepeats = 3\n")
    resolved = resolve({"seed": 9}, {"CONTROLPLANE_SEED": "8", "CONTROLPLANE_CONCURRENCY": "7"}, tmp_path)
    settings, sources = resolved.settings, resolved.sources
    assert (settings.seed, settings.concurrency, settings.repeats, settings.max_steps) == (9, 7, 3, 35)
    assert [sources[name] for name in ("seed", "concurrency", "repeats", "max_steps")] == [
        "flag",
        "environment",
        "controlplane.toml",
        "default",
    ]


def test_a_profile_becomes_settings_that_the_journal_records(tmp_path: Path) -> None:
    write_config(
        tmp_path / "controlplane.toml",
        "[profiles.mine]\nmodel = 'real-model'\nbase_url = 'http://h/v1'\ntemperature = 0.5\napi_key_env = 'MY_KEY'\n",
    )
    resolved = resolve({"model": "mine", "temperature": 0.1}, {"OPENAI_BASE_URL": "http://other/v1"}, tmp_path)
    settings, sources = resolved.settings, resolved.sources
    assert (settings.model, settings.base_url, settings.api_key_env) == ("real-model", "http://h/v1", "MY_KEY")
    assert settings.temperature == 0.1
    assert (sources["model"], sources["base_url"], sources["temperature"]) == ("profile mine", "profile mine", "flag")
