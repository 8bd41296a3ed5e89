"""Wrong environment variables and configuration files are refused in one line of text.

Variables such as CONTROLPLANE_CONCURRENCY and the file controlplane.toml in the working folder have
defaults for options. `run` with `limit = 0` in the file prints "controlplane: controlplane.toml:
limit: ..." and exits with 2. A message never shows an API key that was given in the wrong place.
"""

from pathlib import Path

import pytest

from tests.support.command import (
    CANARY_API_KEY,
    CommandResult,
    CommandRunner,
    check_refused,
    write_config,
)


def run_with_variable(
    name: str, value: str, run_command_here: CommandRunner
) -> CommandResult:
    """Start a run with this variable beside those of a model that cannot be reached."""
    variables = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
    return run_command_here("run", **(variables | {name: value}))


class TestMisspelledVariables:
    """A variable CONTROLPLANE_NAME sets an option of `run`, like `--name`.

    One that sets nothing, but resembles a variable that does, is refused. In a message, "…"
    stands for any text.
    """

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
        self,
        name: str,
        value: str,
        message: str,
        run_command_here: CommandRunner,
        tmp_path: Path,
    ) -> None:
        """The model and its address are named by variables that other programs use, too."""
        refused = run_with_variable(name, value, run_command_here)

        check_refused(refused, tmp_path, message)


class TestValuesOfVariables:
    """A variable has a value of the wrong kind, or a key in the wrong place.

    No message may show a key. In a message, "…" stands for any text. The key is
    `CANARY_API_KEY`.
    """

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            # Values of the wrong kind.
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
            # Keys in the wrong place, which no message may show, and texts that are not keys.
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
            # Proxies and certificates.
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
    def test_a_wrong_environment_variable_is_refused_by_name(
        self,
        name: str,
        value: str,
        message: str,
        run_command_here: CommandRunner,
        tmp_path: Path,
    ) -> None:
        """The variables of the proxy and the certificates are those of other programs, too."""
        refused = run_with_variable(name, value, run_command_here)

        check_refused(refused, tmp_path, message)


def run_with_configuration(
    text: str, folder: Path, run_command_here: CommandRunner
) -> CommandResult:
    """Write the text to `controlplane.toml`, which the user trusts, and start a run."""
    write_config(folder / "controlplane.toml", text)
    return run_command_here("run")


class TestConfigurationFiles:
    """controlplane.toml in the working folder has the user's own defaults for options.

    Options of `run` stand in [run]. A table such as [profiles.a] describes a model, and [roles]
    says which model has a role of its own: "classify" tells of which kind a task is.
    In a message, "…" stands for any text.
    """

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
            # Roles, and the profiles of their models.
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
        self, text: str, message: str, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        refused = run_with_configuration(text, tmp_path, run_command_here)

        check_refused(refused, tmp_path, message)

    def test_a_configuration_in_another_encoding_is_refused(
        self, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        latin_1 = "[run]\nname = 'ÿ'\n"
        write_config(tmp_path / "controlplane.toml", latin_1, encoding="latin-1")
        refused = run_command_here("run")

        message = "controlplane.toml, line 2: it is not UTF-8 text"
        check_refused(refused, tmp_path, message)


class TestProfiles:
    """A profile is a table of the configuration that describes a model and its endpoint.

    Here it is [profiles.a]. A message names the file and the key: "controlplane.toml:
    profiles.a.colour: there is no such key". In a message, "…" stands for any text.
    `CANARY_API_KEY` is a key that no message may show.
    """

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            # Keys that a profile does not have.
            ("colour = 'red'", "toml: profiles.a.colour: … no such key"),
            ("temprature = 1", "profiles.a.temprature … did you mean 'temperature'?"),
            # API keys; `api_key_env` has the name of a variable that holds one.
            (
                f"api_key_env = '{CANARY_API_KEY}'",
                "toml: profiles.a.api_key_env: this is not a variable's",
            ),
            (
                f"api_key = '{CANARY_API_KEY}'",
                "toml: profiles.a.api_key: … did you mean 'api_key_env'?",
            ),
            ("model_headers = {Authorization = 'Bearer x'}", "$VARIABLE"),
            # Values.
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
        self, lines: str, message: str, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """`lines` is what the profile has below `model = 'm'`."""
        text = f"[profiles.a]\nmodel = 'm'\n{lines}\n"
        refused = run_with_configuration(text, tmp_path, run_command_here)

        check_refused(refused, tmp_path, message)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("api_key_env = 'K'", "toml: profiles.a.model: it is required"),
            (
                f"api_key = '{CANARY_API_KEY}'",
                "toml: profiles.a.api_key: there is no such key",
            ),
        ],
    )
    def test_a_profile_without_a_model_is_refused(
        self, line: str, message: str, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """The profile "a" has only this line."""
        text = f"[profiles.a]\n{line}\n"
        refused = run_with_configuration(text, tmp_path, run_command_here)

        check_refused(refused, tmp_path, message)
