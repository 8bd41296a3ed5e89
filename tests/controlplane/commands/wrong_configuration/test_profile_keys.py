"""A mistake in `controlplane.toml` or an environment variable is refused in one line that names it.

The line has the file and key, or the variable, and never an API key. This holds for profiles, roles
and their values, misplaced keys, proxies and certificates, and variables that resemble others.
"""

from pathlib import Path

import pytest

from tests.support.command import (
    CANARY_API_KEY,
    CommandRunner,
    check_refused,
    write_config,
)

# A mistake in `controlplane.toml` is refused in one line that names the file and the key.
#
# The file lies in the working folder and has the user's own defaults: under [run] those of the options
# of `run`.
#
#     [run]
#     limit = 0            ->    controlplane: controlplane.toml: limit: ... not 0
#
# In an expected message, "…" stands for any text.


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
def test_a_wrong_configuration_is_refused_by_file_and_key_of_configuration_files(
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


# An API key in the wrong place, or with characters that no key has, is refused and never shown.
#
#     OPENAI_BASE_URL=http://:KEY@127.0.0.1/v1 controlplane run    ->    ... OPENAI_API_KEY
#
# A user may have put the key into the address of the model's server. The message names the variable
# in which it belongs. `CANARY_API_KEY` is a key for which `check_refused` searches what is printed.
# In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "OPENAI_BASE_URL",
            f"http://:{CANARY_API_KEY}@127.0.0.1/v1",
            "OPENAI_BASE_URL: … OPENAI_API_KEY",
        ),
        (
            "OPENAI_API_KEY",
            f"{CANARY_API_KEY}\nexport X",
            "OPENAI_API_KEY holds characters that no key has",
        ),
        (
            "OPENAI_API_KEY",
            f"{CANARY_API_KEY}é",
            "OPENAI_API_KEY holds characters that no key has",
        ),
    ],
)
def test_a_wrong_environment_variable_is_refused_by_name_of_misplaced_keys(
    name: str,
    value: str,
    message: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """The run is refused before it asks the model, whose server does not exist here."""
    variables = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
    variables[name] = value

    refused = run_command_here("run", **variables)

    check_refused(refused, tmp_path, message)


# An environment variable that sets nothing, but resembles one that does, is refused.
#
# A variable such as CONTROLPLANE_NAME sets an option of `run`, like `--name`. The model and the
# address of its server are named by variables that other programs use, too: MODEL_ID, OPENAI_BASE_URL.
#
#     CONTROLPLANE_NAMES=x controlplane run    ->    ... did you mean CONTROLPLANE_NAME?
#
# In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "CONTROLPLANE_CONCURENCY",
            "3",
            "CONTROLPLANE_CONCURENCY … did you mean CONTROLPLANE_CONCURRENCY?",
        ),
        (
            "CONTROLPLANE_MODEL",
            "x",
            "CONTROLPLANE_MODEL, which sets nothing; did you mean MODEL_ID?",
        ),
        ("CONTROLPLANE_MODEL_ID", "x", "did you mean MODEL_ID?"),
        (
            "CONTROLPLANE_BASE_URL",
            "http://h/v1",
            "CONTROLPLANE_BASE_URL … did you mean OPENAI_BASE_URL?",
        ),
        ("CONTROLPLANE_BASEURL", "http://h/v1", "did you mean OPENAI_BASE_URL?"),
        ("CONTROLPLANE_NAMES", "x", "did you mean CONTROLPLANE_NAME?"),
    ],
)
def test_a_variable_that_sets_nothing_is_refused_by_name(
    name: str,
    value: str,
    message: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    variables = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
    variables[name] = value

    refused = run_command_here("run", **variables)

    check_refused(refused, tmp_path, message)


# A profile in `controlplane.toml` has a value that its key does not take.
#
# A profile is a table that describes a model, its server and its prices: here it is [profiles.a].
#
#     [profiles.a]
#     model = 'm'
#     top_p = 1.5           ->    controlplane: controlplane.toml: profiles.a.top_p: ... not 1.5
#
# In an expected message, "…" stands for any text.


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
def test_a_wrong_profile_of_a_model_is_refused_by_its_key_of_profile_values(
    lines: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    text = f"[profiles.a]\nmodel = 'm'\n{lines}\n"
    write_config(tmp_path / "controlplane.toml", text)

    check_refused(run_command_here("run"), tmp_path, message)


# A proxy or a file of certificates that cannot be used is refused, and its variable is named.
#
#     SSL_CERT_FILE=/none controlplane run    ->    ... SSL_CERT_FILE names cannot be used: No such file
#
# HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE are variables of other programs, too: they say through which
# server a program reaches the model, and which certificates it trusts. The password of a proxy, here
# `CANARY_API_KEY`, is never shown. In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "ALL_PROXY",
            f"socks5://u:{CANARY_API_KEY}@h:1",
            "the proxy that … it takes http://HOST:PORT",
        ),
        (
            "HTTPS_PROXY",
            f"h:{CANARY_API_KEY}",
            "HTTPS_PROXY or ALL_PROXY names cannot be used",
        ),
        (
            "SSL_CERT_FILE",
            "/none",
            "SSL_CERT_FILE names cannot be used: No such file or directory",
        ),
        ("SSL_CERT_FILE", __file__, "SSL_CERT_FILE names cannot be used: [X509"),
    ],
)
def test_a_wrong_environment_variable_is_refused_by_name_of_proxies_and_certificates(
    name: str,
    value: str,
    message: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """This Python file is one that exists, but has no certificates."""
    variables = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
    variables[name] = value

    refused = run_command_here("run", **variables)

    check_refused(refused, tmp_path, message)


# `controlplane.toml` gives a role a model that it does not describe, or misspells the role.
#
# [roles] names the model for a role, and a table such as [profiles.a] describes a model. The role
# "classify" tells of which kind a task is.
#
#     [roles]
#     classify = 'b'        ->    ... no profile 'b'; known: none
#
# In an expected message, "…" stands for any text.


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


# An environment variable with a value of the wrong kind is refused in one line that names it.
#
#     CONTROLPLANE_CONCURRENCY=many controlplane run    ->    ... CONTROLPLANE_CONCURRENCY: ... 'many'
#
# Variables such as CONTROLPLANE_MODEL_BODY and OPENAI_BASE_URL describe the model of a run and the
# address of its server. In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CONTROLPLANE_CONCURRENCY", "many", "CONTROLPLANE_CONCURRENCY: … 'many'"),
        (
            "CONTROLPLANE_MODEL_BODY",
            "{",
            "CONTROLPLANE_MODEL_BODY: this is not a JSON object",
        ),
        (
            "CONTROLPLANE_MODEL_BODY",
            "[]",
            "CONTROLPLANE_MODEL_BODY: a JSON object is needed",
        ),
        (
            "CONTROLPLANE_MODEL_HEADERS",
            '{"a b": "c"}',
            "CONTROLPLANE_MODEL_HEADERS: 'a b' with its value is not",
        ),
        ("OPENAI_BASE_URL", "127.0.0.1:8080", "OPENAI_BASE_URL: … http://"),
    ],
)
def test_a_wrong_environment_variable_is_refused_by_name(
    name: str,
    value: str,
    message: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """The run is refused before it asks the model, whose server does not exist here."""
    variables = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
    variables[name] = value

    refused = run_command_here("run", **variables)

    check_refused(refused, tmp_path, message)


# A profile in `controlplane.toml` has a key that no profile has, or lacks its model.
#
# A profile is a table that describes a model: here it is [profiles.a]. `api_key_env` has the name
# of an environment variable that holds the API key.
#
#     [profiles.a]
#     colour = 'red'        ->    controlplane.toml: profiles.a.colour: there is no such key
#
# Other keys are looked at before the model is missed. `check_refused` asserts that a command was
# refused with a message, in which "…" stands for any text, and that it did not print
# `CANARY_API_KEY`.


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "colour = 'red'",
            "toml: profiles.a.colour: there is no such key",
        ),
        ("temprature = 1", "profiles.a.temprature … did you mean 'temperature'?"),
        (
            f"api_key_env = '{CANARY_API_KEY}'",
            "toml: profiles.a.api_key_env: this is not a variable's",
        ),
        (
            f"api_key = '{CANARY_API_KEY}'",
            "toml: profiles.a.api_key: there is no such key … did you mean 'api_key_env'?",
        ),
    ],
)
def test_a_wrong_profile_of_a_model_is_refused_by_its_key(
    lines: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    text = f"[profiles.a]\nmodel = 'm'\n{lines}\n"
    write_config(tmp_path / "controlplane.toml", text)

    check_refused(run_command_here("run"), tmp_path, message)


def test_a_profile_without_a_model_is_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    write_config(tmp_path / "controlplane.toml", "[profiles.a]\napi_key_env = 'K'\n")

    result = run_command_here("run")

    check_refused(result, tmp_path, "toml: profiles.a.model: it is required")


def test_a_profile_without_a_model_is_refused_by_its_wrong_key_first(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    lines = f"[profiles.a]\napi_key = '{CANARY_API_KEY}'\n"
    write_config(tmp_path / "controlplane.toml", lines)

    result = run_command_here("run")

    check_refused(result, tmp_path, "toml: profiles.a.api_key: there is no such key")
