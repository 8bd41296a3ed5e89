import socket
import sys
from pathlib import Path

import pytest

from controlplane.configuration.config_trust import trust
from controlplane.journal.journal_reader import open_journal
from tests.support.command import (
    CANARY_API_KEY,
    CommandResult,
    CommandRunner,
    check_error_line,
    no_run_has_started,
)
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK
from tests.support.terminal import Terminal

REMOTE = ("--benchmark", "bitgn:x", "--set")
WRONG_ARGUMENTS = [
    (("rnu",), "No such command 'rnu'. Did you mean 'run'?"),
    (
        ("run", "--benchmrak", "ecom"),
        "No such option '--benchmrak'. Did you mean '--benchmark'?",
    ),
    (
        ("run", "--limit", "many"),
        "--limit",
        "'many' is not a valid integer",
        "run --help",
    ),
    (("show",), "Missing argument 'RUN'", "show --help"),
    (("run", "--benchmark", "ecmo"), "no benchmark 'ecmo'; did you mean 'ecom'?"),
    (
        ("run", "--benchmark", ":x"),
        "no benchmark is named in ':x'; known: ecom, bitgn, folder",
    ),
    (("run", "--repeats", "100000000"), "--repeats: ", "not 100000000"),
    (
        ("run", "basket-chekout.1"),
        "task 'basket-chekout.1'; did you mean 'basket-checkout.1'?",
    ),
    (("run", "stok-count"), "no task 'stok-count'; did you mean 'stock-count"),
    (("run", "archive-fraud.0"), "did you mean 'archive-fraud"),
    (("run", "stok-count.77"), "did you mean 'stock-count"),
    (("run", "archive-fraud.10000"), "did you mean"),
    (("run", "xyzzy"), "known: "),
    (("run", *PHONEBOOK, "adda"), "no task 'adda'; did you mean 'ada'?"),
    (
        ("run", "--model", "baselien"),
        "'baselien' needs a key in OPENAI_API_KEY",
        "did you mean 'baseline'?",
    ),
    (
        ("run", "--model", "gpt"),
        "'gpt' needs a key in OPENAI_API_KEY, or OPENAI_BASE_URL",
    ),
    (("run", "--model", "scripted"), "scripted:FILE"),
    (("run", "--model", "scripted:"), "scripted:FILE"),
    (("run", "--model", "scripted:."), "the replies file . is not a file"),
    (
        ("run", "--model", "scripted:/dev/zero"),
        "the replies file /dev/zero is not a file",
    ),
    (
        ("run", "--model", "scripted:none.toml"),
        "cannot read the replies file none.toml: No such file",
    ),
    (("run", *PHONEBOOK[:2]), "has no player of its own", "--model", "MODEL_ID"),
    (("run", "--agent", "citd"), "no agent 'citd'; did you mean 'cited'?"),
    (("run", "--rule-sets", "nope"), "no rule set is called 'nope'"),
    (
        ("run", "--isolation", "glass"),
        "'glass' names no isolation layers",
        "language, process, kernel",
    ),
    (("run", "--isolation", "language,kernal"), "did you mean 'kernel'?"),
    (("run", "--gates", "non"), "'non' is not a gate", "did you mean 'none'?"),
    (("run", "--gates", "6=blok"), "did you mean 'block'?"),
    (("run", "--isolation", ""), "'' names no isolation layers", "or none"),
    (
        ("run", "--gates", "9"),
        "give all, none, or gates from 1 to 8",
        "'9' is not a gate",
    ),
    (
        ("run", "--gates", "one"),
        "give all, none, or gates from 1 to 8",
        "'one' is not a gate",
    ),
    (("run", "--set", "seed"), "--set takes KEY=VALUE, not 'seed'"),
    (("run", "--set", "nope=1"), "no option 'nope'", "policy"),
    (
        ("run", "--set", "polcy=open"),
        "the benchmark 'ecom' has no option 'polcy'; did you mean 'policy'?",
    ),
    (
        ("run", "--set", "policy=blnd"),
        "--set policy: there is no 'blnd'; did you mean 'blind'?",
    ),
    (("run", "--set", "policy="), "--set policy: there is no ''; known: open, blind"),
    (("run", *REMOTE, "hots=http://x"), "did you mean 'host'?"),
    (("run", *REMOTE, "call_timeout=3"), "did you mean 'call_timeout_s'?"),
    (("run", *REMOTE, f"api_key={CANARY_API_KEY}"), "set BITGN_API_KEY"),
    (("run", *REMOTE, f"BITGN_API_KEY={CANARY_API_KEY}"), "set BITGN_API_KEY"),
    (
        ("run", "--benchmark", "docs.examples.wordbook", "--set", "size=3"),
        "has no option 'size'; known: none",
    ),
    (
        ("run", "--agent", "exoskeleton", "--parts", "classifier"),
        "write -classifier to switch",
    ),
    (
        ("run", "--agent", "exoskeleton", "--parts", "-clasifier"),
        "did you mean 'classifier'?",
    ),
    (
        ("run", "--role", "clasify=big"),
        "--role: there is no role 'clasify'; did you mean 'classify'?",
    ),
    (("run", "--role", "classify=bigg"), "--role: there is no profile 'bigg'"),
    (("run", "--limit", "-3"), "--limit: ", "not -3"),
    (("run", "--trial-time", "inf"), "--trial-time: ", "not inf"),
    (("run", "--step-time", "nan"), "--step-time: ", "not nan"),
    (("run", "--poll-time", "1e300"), "--poll-time: ", "not 1e+300"),
    (
        ("run", "--model", "m", "--base-url", "localhost:8080/v1"),
        "--base-url: ",
        "begins with http:// or https://",
    ),
    (
        ("run", "--base-url", f"http://u:{CANARY_API_KEY}@h/v1"),
        "--base-url: ",
        "OPENAI_API_KEY",
    ),
    (
        ("run", "--base-url", f"http://h/v1?key={CANARY_API_KEY}"),
        "--base-url: ",
        "OPENAI_API_KEY",
    ),
    (("run", "--base-url", "http://h:port/v1"), "--base-url: ", "Port"),
    (
        ("run", "--base-url", "http://h/v1 --model m"),
        "--base-url: ",
        "spaces or line breaks",
    ),
    (
        ("run", "--base-url", "http://h/v1/chat/completions"),
        "--base-url: ",
        "ends before /chat/completions",
    ),
    (
        ("run", "--api-key-env", CANARY_API_KEY),
        "No such option",
        "set api_key_env in controlplane.toml",
    ),
    (("replay", "nope"), "no journals in runs", "--runs-dir"),
    (("replay", "nope.jsonl"), "cannot read nope.jsonl: No such file or directory"),
    (("show", "last"), "no journals in runs"),
    (
        ("show", "last", "--runs-dir", "/dev/null"),
        "cannot read the folder of the journals /dev/null: Not a directory",
    ),
    (
        ("runs", "--runs-dir", "/dev/null"),
        "cannot read the folder of the journals /dev/null",
        "with --runs-dir",
    ),
    (("serve", "--reveal-after", "-1"), "-1.0 is not in the range x>=0"),
    (
        ("serve", "basket-checkout.1", "basket-chekout"),
        "task 'basket-chekout'; did you mean 'basket-checkout'?",
    ),
]


def check_refused(result: CommandResult, folder: Path, *says: str) -> None:
    """A usage error in one line, no key in it, and no run in the folder."""
    check_error_line(result, 2, *says)
    assert CANARY_API_KEY not in result.err
    assert no_run_has_started(folder)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(argument[0], argument[1:]) for argument in WRONG_ARGUMENTS],
    ids=lambda each: each[-1],
)
def test_wrong_arguments(
    arguments: tuple[str, ...],
    says: tuple[str, ...],
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    check_refused(run_command_here(*arguments), tmp_path, *says)


ENDPOINT = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
WRONG_VARIABLES = [
    ({"CONTROLPLANE_CONCURRENCY": "many"}, "CONTROLPLANE_CONCURRENCY: ", "'many'"),
    (
        {"CONTROLPLANE_CONCURENCY": "3"},
        "CONTROLPLANE_CONCURENCY",
        "did you mean CONTROLPLANE_CONCURRENCY?",
    ),
    (
        {"CONTROLPLANE_MODEL": "x"},
        "CONTROLPLANE_MODEL, which sets nothing; did you mean MODEL_ID?",
    ),
    ({"CONTROLPLANE_MODEL_ID": "x"}, "did you mean MODEL_ID?"),
    (
        {"CONTROLPLANE_BASE_URL": "http://h/v1"},
        "CONTROLPLANE_BASE_URL",
        "did you mean OPENAI_BASE_URL?",
    ),
    ({"CONTROLPLANE_BASEURL": "http://h/v1"}, "did you mean OPENAI_BASE_URL?"),
    ({"CONTROLPLANE_NAMES": "x"}, "did you mean CONTROLPLANE_NAME?"),
    (
        {"CONTROLPLANE_MODEL_BODY": "{"},
        "CONTROLPLANE_MODEL_BODY: this is not a JSON object",
    ),
    (
        {"CONTROLPLANE_MODEL_BODY": "[]"},
        "CONTROLPLANE_MODEL_BODY: a JSON object is needed",
    ),
    (
        {"CONTROLPLANE_MODEL_HEADERS": '{"a b": "c"}'},
        "CONTROLPLANE_MODEL_HEADERS: 'a b' with its value is not",
    ),
    ({"OPENAI_BASE_URL": "127.0.0.1:8080"}, "OPENAI_BASE_URL: ", "http://"),
    (
        {"OPENAI_BASE_URL": f"http://:{CANARY_API_KEY}@127.0.0.1/v1"},
        "OPENAI_BASE_URL: ",
        "OPENAI_API_KEY",
    ),
    (
        {"MODEL_ID": "m", "OPENAI_API_KEY": f"{CANARY_API_KEY}\nexport X"},
        "OPENAI_API_KEY holds characters that no key has",
    ),
    (
        {"MODEL_ID": "m", "OPENAI_API_KEY": f"{CANARY_API_KEY}é"},
        "OPENAI_API_KEY holds characters that no key has",
    ),
    (
        {**ENDPOINT, "ALL_PROXY": f"socks5://u:{CANARY_API_KEY}@h:1"},
        "the proxy that",
        "it takes http://HOST:PORT",
    ),
    (
        {**ENDPOINT, "HTTPS_PROXY": f"h:{CANARY_API_KEY}"},
        "HTTPS_PROXY or ALL_PROXY names cannot be used",
    ),
    (
        {**ENDPOINT, "SSL_CERT_FILE": "/none"},
        "SSL_CERT_FILE names cannot be used: No such file or directory",
    ),
    (
        {**ENDPOINT, "SSL_CERT_FILE": __file__},
        "SSL_CERT_FILE names cannot be used: [X509",
    ),
]


@pytest.mark.parametrize(
    ("variables", "says"), [(variable[0], variable[1:]) for variable in WRONG_VARIABLES]
)
def test_wrong_variables(
    variables: dict[str, str],
    says: tuple[str, ...],
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    check_refused(run_command_here("run", **variables), tmp_path, *says)


WRONG_CONFIGURATIONS = [
    ("[run\nseed = 1\n", "controlplane.toml is not TOML", "line 1"),
    ("[run]\nseed = 1\nseed = 2\n", "controlplane.toml is not TOML", "line 3"),
    (
        "[run]\n\nconcurency = 4\n",
        "controlplane.toml: ",
        "'concurency'; did you mean 'concurrency'?",
    ),
    (
        '[run]\nseed = 1\nconcurrency = "many"\n',
        "controlplane.toml: concurrency: ",
        "not 'many'",
    ),
    ("[run]\nlimit = 0\n", "controlplane.toml: limit: ", "not 0"),
    ("# mine\n[runs]\nseed = 1\n", "controlplane.toml: runs: ", "did you mean 'run'?"),
    ("run = 3\n", "controlplane.toml: run: ", "not 3"),
    (
        "[profiles.a]\nmodel = 'm'\ncolour = 'red'\n",
        "toml: profiles.a.colour: ",
        "no such key",
    ),
    (
        f"[profiles.a]\nmodel = 'm'\napi_key_env = '{CANARY_API_KEY}'\n",
        "toml: profiles.a.api_key_env: this is not a variable's",
    ),
    (
        f"[profiles.a]\nmodel = 'm'\napi_key = '{CANARY_API_KEY}'\n",
        "toml: profiles.a.api_key: ",
        "did you mean 'api_key_env'?",
    ),
    (
        f"[profiles.a]\napi_key = '{CANARY_API_KEY}'\n",
        "toml: profiles.a.api_key: there is no such key",
    ),
    ("[profiles.a]\napi_key_env = 'K'\n", "toml: profiles.a.model: it is required"),
    (
        "[profiles.a]\nmodel = 'm'\nmax_output_tokens = 0\n",
        "toml: profiles.a.max_output_tokens: ",
        "not 0",
    ),
    (
        "[profiles.a]\nmodel = 'm'\ntemperature = -0.1\n",
        "toml: profiles.a.temperature: ",
        "not -0.1",
    ),
    (
        "[profiles.a]\nmodel = 'm'\nbase_url = 'h'\n",
        "toml: profiles.a.base_url: ",
        "http://",
    ),
    (
        "[profiles.a]\nmodel = 'm'\n[profiles.b]\nmodel = 7\n",
        "toml: profiles.b.model: ",
        "not 7",
    ),
    (b"[run]\nname = '\xff'\n", "controlplane.toml, line 2: it is not UTF-8 text"),
    (
        "[profiles.a]\nmodel = 'm'\ntemprature = 1\n",
        "profiles.a.temprature",
        "did you mean 'temperature'?",
    ),
    (
        "[profiles.a]\nmodel = 'm'\nprices = {inputt = 1, output = 1}\n",
        "profiles.a.prices",
        "'input'",
    ),
    (
        "[profiles.a]\nmodel = 'm'\n[profiles.a.prices]\ninput = 1\noutput = 1\ncache = 1\n",
        "'cached'",
    ),
    ("[profiles.a]\nmodel = 'm'\nprices = {input = 1}\n", "output: it is required"),
    ("[profiles.a]\nmodel = 'm'\napi = 'chats'\n", "profiles.a.api: ", "'chat'"),
    (
        "[profiles.a]\nmodel = 'm'\nmodel_headers = {Authorization = 'Bearer x'}\n",
        "$VARIABLE",
    ),
    (
        "[profiles.a]\nmodel = 'm'\nmodel_body = {messages = []}\n",
        "messages cannot be set here",
    ),
    ("[profiles.a]\nmodel = 'm'\ntop_p = 1.5\n", "profiles.a.top_p", "not 1.5"),
    (
        "[roles]\nclasify = 'a'\n[profiles.a]\nmodel = 'm'\n",
        "roles.clasify",
        "did you mean 'classify'?",
    ),
    (
        "[roles]\nclassify = 'b'\n[profiles.a1]\nmodel = 'm'\n",
        "roles.classify",
        "no profile 'b'",
        "a1",
    ),
    ("[roles]\nclassify = 'b'\n", "no profile 'b'; known: none"),
    ("[role]\nclassify = 'b'\n", "role", "did you mean 'roles'?"),
    ("[run]\nprices = {input = 1, outputs = 2}\n", "prices", "output"),
]


@pytest.mark.parametrize(
    ("text", "says"),
    [(configuration[0], configuration[1:]) for configuration in WRONG_CONFIGURATIONS],
)
def test_wrong_configuration_is_named_by_file_and_key(
    text: str | bytes,
    says: tuple[str, ...],
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    (tmp_path / "controlplane.toml").write_bytes(
        text if isinstance(text, bytes) else text.encode()
    )
    trust(tmp_path / "controlplane.toml", (tmp_path / "controlplane.toml").read_bytes())
    check_refused(run_command_here("run"), tmp_path, *says)


WRONG_MODULES = [
    ("def x(:\n", "cannot be imported: SyntaxError", "line 1"),
    (
        "\nraise RuntimeError('boom')\n",
        "cannot be imported: RuntimeError: boom",
        "line 2",
    ),
    ("undefined_name\n", "cannot be imported: NameError", "undefined_name"),
    (
        "import nonexistent_package\n",
        "needs the package 'nonexistent_package', which is not installed",
    ),
    (
        "from json import nonexistent_name\n",
        "cannot be imported: ImportError",
        "nonexistent_name",
    ),
    (
        "def open_benchmark(argument, settings, context):\n    raise KeyError('world')\n",
        "cannot be opened: KeyError",
        "line 2",
    ),
    (
        "OPTIONS = {'size': 'how many'}\nopen_benchmark = print\n",
        "OPTIONS of the module",
        "'size'",
    ),
    (
        "x = 1\n",
        "is not a benchmark: it has no open_benchmark(argument, settings, context)",
    ),
]


@pytest.mark.parametrize(
    ("source", "says"), [(module[0], module[1:]) for module in WRONG_MODULES]
)
def test_a_benchmark_module_that_does_not_import(
    source: str, says: tuple[str, ...], run_command_here: CommandRunner, tmp_path: Path
) -> None:
    name = f"mine{abs(hash(source))}"
    (tmp_path / f"{name}.py").write_text(source)
    check_refused(run_command_here("run", "--benchmark", name), tmp_path, name, *says)


WORK = """
import time
from controlplane.commands.arguments.options import show_status
with show_status("counting") as say:
    time.sleep(0.5)
    say("counting: 2 of 3")
    time.sleep(0.5)
print("counted")
"""


def test_long_work_is_named_while_it_lasts(tmp_path: Path) -> None:
    with Terminal(cwd=tmp_path, argv=(sys.executable, "-c", WORK)) as terminal:
        terminal.wait_for("counting: 2 of 3")
        assert terminal.finish() == 0
        assert terminal.is_as_before
        assert terminal.text.strip() == "counted"


def test_a_preview_is_what_a_run_with_the_same_seed_asks(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    shown = run_command_here("benchmarks", "show", "ecom", "--seed", "7", "--json").json
    previews = {task["task_id"]: task["preview"] for task in shown["tasks"]}
    run_command_here("run", "--limit", "2", "--seed", "7", "--quiet")
    journal = next(tmp_path.glob("runs/*.jsonl"))
    records = [trial.record for trial in open_journal(journal).trials.values()]
    started = [record.started for record in records if record.started]

    assert len(started) == 2
    assert {
        event.task_id: event.instruction for event in started
    }.items() <= previews.items()


def test_options_are_listed_and_checked(run_command_here: CommandRunner) -> None:
    shown = run_command_here("benchmarks", "show", "ecom")
    assert "--set policy=…" in shown.out
    assert "(open, blind)" in shown.out
    blind = run_command_here(
        "benchmarks", "show", "ecom", "--set", "policy=blind", "--json"
    ).json
    assert blind["policy"] == "blind"
    assert [option["name"] for option in blind["options"]] == [
        "policy",
        "profile",
        "names",
        "wordings",
    ]
    wrong = run_command_here("benchmarks", "show", "ecom", "--set", "polcy=blind")
    assert (wrong.code, "did you mean 'policy'?" in wrong.err) == (2, True)


def test_a_port_that_is_taken_is_told(run_command_here: CommandRunner) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run_command_here(
            "serve", "--benchmark", "tests.support.phonebook", "--port", str(port)
        )

    assert result.code in (2, 3)
    assert str(port) in result.err
    assert "Traceback" not in result.err
