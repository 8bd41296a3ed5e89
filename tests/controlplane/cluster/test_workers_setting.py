"""Which keys are sent to the workers of a cluster."""

import pytest

from controlplane.cluster.workers_setting import keys_to_send
from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.run_settings import RunSettings

SETTINGS = RunSettings(
    benchmark="bitgn:any",
    model="big",
    api_key_env="BIG_KEY",
    model_headers={"X-Route": "$ROUTE_TOKEN", "X-Title": "plain"},
    role={"review": ModelSettings(model="small", api_key_env="SMALL_KEY", model_headers={"X-Auth": "$SMALL_TOKEN"})},
)
NEEDED = {each: f"value of {each}" for each in ("BIG_KEY", "ROUTE_TOKEN", "SMALL_KEY", "SMALL_TOKEN", "BITGN_API_KEY")}


def test_keys_are_sent_only_where_the_user_says_so_and_those_of_all_roles_then(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**NEEDED, "OTHER_KEY": "stays"}.items():
        monkeypatch.setenv(name, value)
    assert keys_to_send(SETTINGS) == {}
    assert keys_to_send(SETTINGS.model_copy(update={"send_keys": True})) == NEEDED


def test_a_key_that_is_not_set_here_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMALL_KEY", "k")
    assert keys_to_send(SETTINGS.model_copy(update={"send_keys": True})) == {"SMALL_KEY": "k"}
