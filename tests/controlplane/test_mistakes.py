"""Mistakes of the user and faults of the system end in one clear line and the right exit code."""

import ast
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent.loop import prompt_texts
from controlplane.view.progress import waiting_notice
from tests.support.command import ROOT, Result, Type, check_line, environment
from tests.support.endpoints import model_server, refusal, response
from tests.support.phonebook import PLAYED as PHONEBOOK

KEY = "sk-canary-76543210fedcba98"


def nothing_began(folder: Path) -> bool:
    return not list(folder.rglob("2*.jsonl"))


WRONG_ARGUMENTS = [
    (("rnu",), "no command 'rnu'; did you mean 'run'?"),
    (("run", "--benchmrak", "ecom"), "No such option '--benchmrak'. Did you mean '--benchmark'?"),
    (("run", "--limit", "many"), "--limit", "'many' is not a valid integer", "run --help"),
    (("show",), "Missing argument 'RUN'", "show --help"),
    (("run", "--benchmark", "ecmo"), "no benchmark 'ecmo'; did you mean 'ecom'?"),
    (("run", "--benchmark", ":x"), "no benchmark is named in ':x'; known: ecom, bitgn"),
    (("run", "--repeats", "100000000"), "--repeats: ", "not 100000000"),
    (("run", "basket-chekout.1"), "task 'basket-chekout.1'; did you mean 'basket-checkout.1'?"),
    (("run", *PHONEBOOK, "adda"), "no task 'adda'; did you mean 'ada'?"),
    (("run", "--model", "baselien"), "'baselien' needs a key in OPENAI_API_KEY", "did you mean 'baseline'?"),
    (("run", "--model", "gpt"), "'gpt' needs a key in OPENAI_API_KEY, or OPENAI_BASE_URL"),
    (("run", "--model", "scripted"), "scripted:FILE"),
    (("run", "--model", "scripted:"), "scripted:FILE"),
    (("run", "--model", "scripted:."), "the script of replies . is a directory"),
    (("run", "--model", "scripted:none.toml"), "cannot read the script of replies none.toml: No such file"),
    (("run", *PHONEBOOK[:2]), "has no player of its own", "--model", "MODEL_ID"),
    (("run", "--agent", "citd"), "no agent 'citd'; did you mean 'cited'?"),
    (("run", "--rules", "nope"), "no rule pack is called 'nope'"),
    (("run", "--walls", "glass"), "'glass' names no walls", "language, process, kernel"),
    (("run", "--walls", ""), "'' names no walls", "or none"),
    (("run", "--gates", "9"), "--gates takes all, none or numbers from 1 to 8", "'9'"),
    (("run", "--gates", "one"), "--gates takes all, none or numbers from 1 to 8", "'one'"),
    (("run", "--set", "seed"), "--set takes KEY=VALUE, not 'seed'"),
    (("run", "--set", "nope=1"), "no option 'nope'", "policy"),
    (("run", "--limit", "-3"), "--limit: ", "not -3"),
    (("run", "--concurrency", "0"), "--concurrency: ", "not 0"),
    (("run", "--trial-time", "-5"), "--trial-time: ", "not -5"),
    (("run", "--trial-time", "inf"), "--trial-time: ", "not inf"),
    (("run", "--step-time", "nan"), "--step-time: ", "not nan"),
    (("run", "--model-timeout", "inf"), "--model-timeout: ", "not inf"),
    (("run", "--model-patience", "inf"), "--model-patience: ", "not inf"),
    (("run", "--poll-time", "1e300"), "--poll-time: ", "not 1e+300"),
    (("run", "--temperature", "nan"), "--temperature: ", "not nan"),
    (("run", "--max-steps", "0"), "--max-steps: ", "not 0"),
    (("run", "--model", "m", "--base-url", "localhost:8080/v1"), "--base-url: ", "begins with http:// or https://"),
    (("run", "--base-url", f"http://u:{KEY}@h/v1"), "--base-url: ", "OPENAI_API_KEY"),
    (("run", "--api-key-env", KEY), "--api-key-env: this is no variable's name", "the key itself"),
    (("run", "--base-url", f"http://h/v1?key={KEY}"), "--base-url: ", "OPENAI_API_KEY"),
    (("run", "--base-url", "http://h:port/v1"), "--base-url: ", "Port"),
    (("run", "--base-url", "http://h/v1 --model m"), "--base-url: ", "no spaces"),
    (("run", "--base-url", "http://h/v1/chat/completions"), "--base-url: ", "ends before /chat/completions"),
    (("replay", "nope"), "no journals in runs", "--runs-dir"),
    (("replay", "nope.jsonl"), "cannot read nope.jsonl: No such file or directory"),
    (("show", "last"), "no journals in runs"),
    (("show", "last", "--runs-dir", "/dev/null"), "cannot read the folder of the journals /dev/null: Not a directory"),
    (("runs", "--runs-dir", "/dev/null"), "cannot read the folder of the journals /dev/null", "with --runs-dir"),
    (("serve", "--fault", "unavailable=7"), "unavailable is a share of all calls, from 0 to 1, not 7"),
    (("serve", "--fault", "hang=-1"), "hang is a share of all calls, from 0 to 1, not -1"),
    (("serve", "--fault", "stall=nan"), "stall is a share of all calls, from 0 to 1, not nan"),
    (("serve", "--fault", "hang=0.7", "--fault", "stall=0.7"), "at most 1 together, not 1.4"),
    (("serve", "--fault", "retry_after_s=-1"), "retry_after_s is a number of seconds from 0 on, not -1"),
    (("serve", "--outage", "EndTrial=soon"), "--outage takes METHOD=SECONDS", "EndTrial=soon"),
    (("serve", "--outage", "EndTrial=inf"), "--outage EndTrial=inf: duration_s is a number of seconds from 0 on"),
    (("serve", "--outage", "EndTrail=60"), "the wire has no method 'EndTrail'; did you mean 'EndTrial'?"),
    (("serve", "--reveal-after", "nan"), "reveal_after_s is a number of seconds from 0 on, not nan"),
    (("serve", "basket-checkout.1", "basket-chekout"), "task 'basket-chekout'; did you mean 'basket-checkout'?"),
]


@pytest.mark.parametrize(
    ("arguments", "says"), [(each[0], each[1:]) for each in WRONG_ARGUMENTS], ids=lambda each: each[-1]
)
def test_wrong_arguments(arguments: tuple[str, ...], says: tuple[str, ...], type_in: Type, tmp_path: Path) -> None:
    result = type_in(*arguments)
    check_line(result, 2, *says)
    assert KEY not in result.err
    assert nothing_began(tmp_path)


ENDPOINT = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
WRONG_VARIABLES = [
    ({"CONTROLPLANE_CONCURRENCY": "many"}, "CONTROLPLANE_CONCURRENCY: ", "'many'"),
    ({"CONTROLPLANE_CONCURENCY": "3"}, "CONTROLPLANE_CONCURENCY", "did you mean CONTROLPLANE_CONCURRENCY?"),
    ({"CONTROLPLANE_MODEL": "x"}, "CONTROLPLANE_MODEL, which sets nothing; did you mean MODEL_ID?"),
    ({"CONTROLPLANE_MODEL_ID": "x"}, "did you mean MODEL_ID?"),
    ({"CONTROLPLANE_BASE_URL": "http://h/v1"}, "CONTROLPLANE_BASE_URL", "did you mean OPENAI_BASE_URL?"),
    ({"CONTROLPLANE_BASEURL": "http://h/v1"}, "did you mean OPENAI_BASE_URL?"),
    ({"CONTROLPLANE_NAMES": "x"}, "did you mean CONTROLPLANE_NAME?"),
    ({"OPENAI_BASE_URL": "127.0.0.1:8080"}, "OPENAI_BASE_URL: ", "http://"),
    ({"OPENAI_BASE_URL": f"http://:{KEY}@127.0.0.1/v1"}, "OPENAI_BASE_URL: ", "OPENAI_API_KEY"),
    ({"MODEL_ID": "m", "OPENAI_API_KEY": f"{KEY}\nexport X"}, "OPENAI_API_KEY holds characters that no key has"),
    ({"MODEL_ID": "m", "OPENAI_API_KEY": f"{KEY}é"}, "OPENAI_API_KEY holds characters that no key has"),
    ({**ENDPOINT, "ALL_PROXY": f"socks5://u:{KEY}@h:1"}, "the proxy that", "socksio"),
    ({**ENDPOINT, "HTTPS_PROXY": f"h:{KEY}"}, "HTTPS_PROXY or ALL_PROXY names cannot be used"),
    ({**ENDPOINT, "SSL_CERT_FILE": "/none"}, "SSL_CERT_FILE names cannot be used: No such file or directory"),
    ({**ENDPOINT, "SSL_CERT_FILE": __file__}, "SSL_CERT_FILE names cannot be used: [X509"),
]


@pytest.mark.parametrize(("variables", "says"), [(each[0], each[1:]) for each in WRONG_VARIABLES])
def test_wrong_variables(variables: dict[str, str], says: tuple[str, ...], type_in: Type, tmp_path: Path) -> None:
    result = type_in("run", **variables)
    check_line(result, 2, *says)
    assert KEY not in result.err
    assert nothing_began(tmp_path)


WRONG_CONFIGURATIONS = [
    ("[run\nseed = 1\n", "controlplane.toml is no TOML", "line 1"),
    ("[run]\nseed = 1\nseed = 2\n", "controlplane.toml is no TOML", "line 3"),
    ("[run]\n\nconcurency = 4\n", "controlplane.toml, line 3: ", "'concurency'; did you mean 'concurrency'?"),
    ('[run]\nseed = 1\nconcurrency = "many"\n', "controlplane.toml, line 3: concurrency: ", "not 'many'"),
    ("[run]\nlimit = 0\n", "controlplane.toml, line 2: limit: ", "not 0"),
    ("# mine\n[runs]\nseed = 1\n", "controlplane.toml, line 2: runs: ", "did you mean 'run'?"),
    ("run = 3\n", "controlplane.toml, line 1: run: ", "not 3"),
    ("[profiles.a]\nmodel = 'm'\ncolour = 'red'\n", "controlplane.toml, line 3: profiles.a.colour: ", "no such key"),
    (f"[profiles.a]\nmodel = 'm'\napi_key_env = '{KEY}'\n", "line 3: profiles.a.api_key_env: this is no variable's"),
    (f"[profiles.a]\nmodel = 'm'\napi_key = '{KEY}'\n", "line 3: profiles.a.api_key: ", "did you mean 'api_key_env'?"),
    (f"[profiles.a]\napi_key = '{KEY}'\n", "controlplane.toml, line 1: profiles.a.model: it is required"),
    ("[profiles.a]\nmodel = 'm'\nmax_output_tokens = 0\n", "line 3: profiles.a.max_output_tokens: ", "not 0"),
    ("[profiles.a]\nmodel = 'm'\ntemperature = -0.1\n", "line 3: profiles.a.temperature: ", "not -0.1"),
    ("[profiles.a]\nmodel = 'm'\nbase_url = 'h'\n", "controlplane.toml, line 3: profiles.a.base_url: ", "http://"),
    ("[profiles.a]\nmodel = 'm'\n[profiles.b]\nmodel = 7\n", "controlplane.toml, line 4: profiles.b.model: ", "not 7"),
    (b"[run]\nname = '\xff'\n", "controlplane.toml, line 2: it is not UTF-8 text"),
]


@pytest.mark.parametrize(("text", "says"), [(each[0], each[1:]) for each in WRONG_CONFIGURATIONS])
def test_wrong_configuration_is_named_by_line_and_key(
    text: str | bytes, says: tuple[str, ...], type_in: Type, tmp_path: Path
) -> None:
    (tmp_path / "controlplane.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    result = type_in("run")
    check_line(result, 2, *says)
    assert KEY not in result.err
    assert nothing_began(tmp_path)


WRONG_MODULES = [
    ("def x(:\n", "cannot be imported: SyntaxError", "line 1"),
    ("\nraise RuntimeError('boom')\n", "cannot be imported: RuntimeError: boom", "line 2"),
    ("undefined_name\n", "cannot be imported: NameError", "undefined_name"),
    ("import nonexistent_package\n", "needs the package 'nonexistent_package', which is not installed"),
    ("from json import nonexistent_name\n", "cannot be imported: ImportError", "nonexistent_name"),
    (
        "def open_benchmark(argument, settings, context):\n    raise KeyError('world')\n",
        "cannot be opened: KeyError",
        "line 2",
    ),
    ("x = 1\n", "is no benchmark: it has no open_benchmark(argument, settings, context)"),
]


@pytest.mark.parametrize(("source", "says"), [(each[0], each[1:]) for each in WRONG_MODULES])
def test_a_benchmark_module_that_does_not_import(
    source: str, says: tuple[str, ...], type_in: Type, tmp_path: Path
) -> None:
    name = f"mine{abs(hash(source))}"
    (tmp_path / f"{name}.py").write_text(source)
    check_line(type_in("run", "--benchmark", name), 2, name, *says)
    assert nothing_began(tmp_path)


WRONG_ENDPOINTS = [
    (refusal(401, f"Incorrect API key provided: {KEY}"), "the key is refused (401", "OPENAI_API_KEY"),
    (refusal(404, "The model `m` does not exist"), "there is no model 'm' (404", "--model", "/v1"),
    (response(200, "<html><title>Log in</title></html>"), "no chat completion", "'Log in'", "OPENAI_BASE_URL"),
    (refusal(429, "You exceeded your current quota", code="insufficient_quota"), "no credit is left", "OPENAI_API_KEY"),
    (refusal(500, "out of memory"), "500: out of memory"),
    (None, "cannot be reached", "Connection refused", "is the server running", "OPENAI_BASE_URL"),
]


@pytest.mark.parametrize(("answer", "says"), [(each[0], each[1:]) for each in WRONG_ENDPOINTS])
def test_an_endpoint_that_gives_no_reply_ends_the_run_before_it_begins(
    answer: bytes | None, says: tuple[str, ...], type_in: Type, tmp_path: Path
) -> None:
    with model_server(answer or b"") as server:
        if answer is None:
            server.close()
        where = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        result = type_in("run", *PHONEBOOK[:2], "--model", "m", **where)
    check_line(result, 3, server.url, *says)
    assert KEY not in result.err
    assert nothing_began(tmp_path)


@pytest.mark.parametrize("flags", [(), ("--quiet",), ("--json",)])
def test_a_model_that_takes_its_time_is_said_to_be_waited_for(
    flags: tuple[str, ...], type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_notice, "LONG_S", 0.05)
    with model_server(lambda asked, connection: time.sleep(0.3) or refusal(401, "no")) as server:
        result = type_in("run", *PHONEBOOK[:2], "--model", "m", *flags, OPENAI_BASE_URL=server.url)
    *waited, error = result.err.splitlines()
    assert waited == ([] if flags else ["asking m for a first word; it has 180 s (--model-timeout)"])
    assert error.startswith("controlplane: the key is refused")


@pytest.mark.parametrize("folder", ["taken", "taken/runs"])
def test_a_file_where_the_runs_folder_should_be(folder: str, type_in: Type, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    result = type_in("run", *PHONEBOOK, "--runs-dir", folder)
    check_line(result, 3, f"cannot write the journal {folder}/", "that is no folder", "--runs-dir")
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_prompt_with_an_unknown_hole_is_refused_before_a_run(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(prompt_texts.FOLDER, tmp_path / "mine")
    with (tmp_path / "mine/turn_one.md").open("a") as file:
        file.write("The weather: {{weather}}\n")
    lines = (tmp_path / "mine/turn_one.md").read_text().count("\n")
    monkeypatch.setattr(prompt_texts, "FOLDER", tmp_path / "mine")
    prompt_texts.prompt_text.cache_clear()
    try:
        result = type_in("run", *PHONEBOOK)
    finally:
        prompt_texts.prompt_text.cache_clear()
    check_line(result, 2, f"prompts/turn_one.md, line {lines}: ", "{{weather}}", "known: instruction")
    assert nothing_began(tmp_path)


def test_a_traceback_is_shown_on_request_alone_and_changes_no_exit_code(type_in: Type) -> None:
    for arguments in (("--debug", "run", "--gates", "9"), ("run", "--gates", "9", "--debug")):
        result = type_in(*arguments)
        assert result.err.startswith("Traceback")
        assert result.err.splitlines()[-1].startswith("controlplane: --gates takes")
        assert result.code == 2


BREAKING = """
from tests.support.phonebook import *

def open_benchmark(argument, settings, context):
    opened = Phonebook(0.0)
    opened.end_trial = lambda trial_id: 1 / 0
    return opened
"""


def test_a_traceback_of_a_trial_that_broke_is_shown_on_request_alone(type_in: Type, tmp_path: Path) -> None:
    (tmp_path / "breaking.py").write_text(BREAKING)
    arguments = ("run", "ada", "--benchmark", "breaking", *PHONEBOOK[2:])
    assert "Traceback" not in type_in(*arguments).err
    shown = type_in(*arguments, "--debug").err
    assert "the trial ada-0 broke:\nTraceback" in shown
    assert "ZeroDivisionError: division by zero" in shown


START = (
    "import sys, os, runpy; {}; sys.argv = ['controlplane', 'run']; runpy.run_module('controlplane', None, '__main__')"
)
WRONG_SYSTEMS = [
    (["-c", START.format("sys.version_info = (3, 10, 4); sys.version = '3.10.4 (main)'")], "Python 3.10.4", "./start"),
    (["-c", START.format("del os.fork")], "cannot fork", "Windows", "WSL"),
    (["-S", "-m", "controlplane", "run"], "the package click is not installed here", "./start"),
]


@pytest.mark.parametrize(("arguments", "says"), [(each[0], each[1:]) for each in WRONG_SYSTEMS])
def test_a_system_that_will_not_do_is_told_at_once(arguments: list[str], says: tuple[str, ...], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    check_line(Result(done.returncode, done.stdout, done.stderr), 2, *says)


def test_a_working_directory_that_is_gone_is_told(tmp_path: Path) -> None:
    words = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", sys.executable, "-m", "controlplane", "runs"]
    done = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    check_line(Result(done.returncode, done.stdout, done.stderr), 2, "the working directory cannot be used")


def test_an_old_python_gets_as_far_as_being_told_so() -> None:
    for name in ("controlplane/__init__.py", "controlplane/__main__.py"):
        tree = ast.parse((ROOT / name).read_text(), feature_version=(3, 8))
        imported = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
        names = {
            alias.name if isinstance(each, ast.Import) else each.module for each in imported for alias in each.names
        }
        assert names <= sys.stdlib_module_names - {"tomllib"}


def test_a_port_that_is_taken_is_told(type_in: Type) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = type_in("serve", "--benchmark", "tests.support.phonebook", "--port", str(port))
    assert result.code in (2, 3)
    assert str(port) in result.err
    assert "Traceback" not in result.err
