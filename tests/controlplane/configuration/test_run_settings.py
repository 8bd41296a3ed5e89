from pathlib import Path

import pytest

from controlplane.configuration.setting_sources import Resolved, resolve
from controlplane.errors import UsageError
from tests.support.command import write_config

PROFILES = """
[run]
temperature = 0.2
model = "big"

[profiles.big]
model = "vendor/big"
base_url = "http://127.0.0.1:1/v1"
reasoning_effort = "high"
model_headers = {X-Team = "blue", X-Api-Key = "$GATE_KEY"}
model_body = {provider = {order = ["a"]}}
prices = {input = 0.5, output = 2}

[profiles.small]
model = "vendor/small"
base_url = "http://127.0.0.1:2/v1"
api = "responses"
temperature = 0

[roles]
classify = "small"
"""


def resolved(folder: Path, text: str = PROFILES, **flags: object) -> Resolved:
    write_config(folder / "controlplane.toml", text, encoding="utf-8")
    return resolve(flags, {}, folder)


@pytest.mark.parametrize(
    ("flags", "model"),
    [
        ({}, "vendor/small"),
        ({"model": "big"}, "vendor/big"),
        ({"model": "big", "role": {"solve": "small"}}, "vendor/small"),
    ],
)
def test_the_solving_role_is_the_runs_model_unless_a_flag_says_otherwise(
    flags: dict[str, object], model: str, tmp_path: Path
) -> None:
    found = resolved(tmp_path, PROFILES.replace("classify =", "solve ="), **flags)
    assert (found.settings.model, found.settings.role) == (model, {})


WRONG = [
    ("[profiles.a]\nmodel = 'm'\ntemprature = 1\n", ["profiles.a.temprature", "did you mean 'temperature'?"]),
    ("[profiles.a]\nmodel = 'm'\nprices = {inputt = 1, output = 1}\n", ["profiles.a.prices", "'input'"]),
    ("[profiles.a]\nmodel = 'm'\n[profiles.a.prices]\ninput = 1\noutput = 1\ncache = 1\n", ["'cached'"]),
    ("[profiles.a]\nmodel = 'm'\nprices = {input = 1}\n", ["output: it is required"]),
    ("[profiles.a]\nmodel = 'm'\napi = 'chats'\n", ["profiles.a.api: ", "'chat'"]),
    ("[profiles.a]\nmodel = 'm'\nmodel_headers = {Authorization = 'Bearer x'}\n", ["$VARIABLE"]),
    ("[profiles.a]\nmodel = 'm'\nmodel_body = {messages = []}\n", ["messages cannot be set here"]),
    ("[profiles.a]\nmodel = 'm'\ntop_p = 1.5\n", ["profiles.a.top_p", "not 1.5"]),
    ("[roles]\nclasify = 'a'\n[profiles.a]\nmodel = 'm'\n", ["roles.clasify", "did you mean 'classify'?"]),
    ("[roles]\nclassify = 'b'\n[profiles.a1]\nmodel = 'm'\n", ["roles.classify", "no profile 'b'", "a1"]),
    ("[roles]\nclassify = 'b'\n", ["no profile 'b'; known: none"]),
    ("[role]\nclassify = 'b'\n", ["role", "did you mean 'roles'?"]),
    ("[run]\nprices = {input = 1, outputs = 2}\n", ["prices", "output"]),
]


@pytest.mark.parametrize(("text", "says"), WRONG)
def test_a_mistake_is_named_by_key_and_nearest_name(text: str, says: list[str], tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        resolved(tmp_path, text)
    assert not [say for say in says if say not in str(caught.value)], caught.value
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ({"model_body": "{"}, "--model-body: this is not a JSON object"),
        ({"model_body": "[]"}, "--model-body: a JSON object is needed"),
        ({"model_headers": '{"a b": "c"}'}, "--model-headers: 'a b' with its value is not a header"),
        ({"role": {"clasify": "big"}}, "--role: there is no role 'clasify'; did you mean 'classify'?"),
        ({"role": {"classify": "bigg"}}, "--role: there is no profile 'bigg'; did you mean 'big'?"),
    ],
)
def test_a_mistake_in_a_flag_is_named_by_the_flag(flags: dict[str, object], says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        resolved(tmp_path, **flags)
    assert says in str(caught.value)


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
