"""A wrong option is refused in one line before anything starts, and `doctor` finds other faults.

This holds for options of models, solvers, benchmarks, tasks, limits, gates, isolation and ports.
`doctor` tries how a model replies, and calls a fault what keeps a run from working. Without a
model, the baseline plays. `benchmarks show` describes a benchmark with its options. Every command
that a message tells the user to type exists.
"""

import ast
import json
import re
import shlex
import socket
from pathlib import Path
from typing import Any

import click
import pytest

import controlplane
from controlplane.agent.limits import trial_limits
from controlplane.benchmarks.ecom.player import FAMILIES_WITH_RULES
from controlplane.command_line import COMMANDS, cli
from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_settings import settings_with
from controlplane.errors import Unreachable, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import ResolvedSetting
from controlplane.sandbox import ForkServer, SandboxBroken
from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES, missing_reason
from tests.benchmarks.harbor.container_runs import write_task
from tests.support.command import (
    CANARY_API_KEY,
    CommandResult,
    CommandRunner,
    check_refused,
    run_controlplane,
    run_in_process,
)
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.phonebook_model import (
    ModelHttpRequest,
    ModelServer,
    completion_json,
    http_response,
    model_server,
)
from tests.support.product_files import ROOT

# Runs `doctor` for a model that a server in the test's process serves, and reads its findings.
#
# with model_server(reply_in_every_mode) as server:
#     result = examine(server, folder)
# findings(result)["price"]    ->    ["note: unknown for m"]

REPLY = json.dumps({"state": "ready", "plan": [], "done": False, "code": "1"})
"""A reply in the form that the product asks models for: a script, and what it is to do."""


def findings(result: CommandResult) -> dict[str, list[str]]:
    """Return what the doctor found out about each subject, with its state: "ok", "note" or "fault".

    `{"reply mode": ["ok: schema works", "note: tool breaks"], "price": ["note: unknown for m"]}`
    """
    texts: dict[str, list[str]] = {}
    for finding in result.json["findings"]:
        text = f"{finding['state']}: {finding['text']}"
        texts.setdefault(finding["what"], []).append(text)
    return texts


def examine(server: ModelServer, folder: Path, *options: str) -> CommandResult:
    """Run `doctor` for the model "m", which a server serves, and a benchmark of the tests.

    Layers of isolation that not every machine has are left out.
    """
    return run_in_process(
        "doctor",
        "--isolation=language",
        "--json",
        "--benchmark=tests.support.phonebook",
        "--model=m",
        *options,
        cwd=folder,
        OPENAI_BASE_URL=server.url,
    )


def reply_in_every_mode(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Serve a model that replies in the mode that a request asks for.

    A reply comes as a call of a tool if the request has tools, and otherwise as text, which may
    have to fit a JSON schema or be any JSON.
    """
    if "tools" in request.body:
        return http_response(200, completion_json(None, tool=REPLY))
    return http_response(200, completion_json(REPLY))


# `doctor` finds that the sandbox, in which scripts of a model run, cannot be started.
#
# That is a fault of the isolation, with a remedy. Here no process of the sandbox starts.


def fail_to_start(server: ForkServer) -> dict[str, str]:
    """Stand in for `kernel_report`, which starts a process to see what works on this machine."""
    raise SandboxBroken("no process can be started")


def test_a_sandbox_that_does_not_start_is_a_fault_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another command, that of the sandbox itself, tells more."""
    monkeypatch.setattr(ForkServer, "kernel_report", fail_to_start)

    result = run_in_process("doctor", "--isolation=all", "--json", cwd=tmp_path)

    assert result.code == 1
    assert {
        "what": "isolation",
        "state": "fault",
        "text": "no process can be started",
        "remedy": "see `python -m controlplane.sandbox doctor`",
    } in result.json["findings"]


# `doctor` starts a container where a benchmark needs them, since only that shows whether one can.
#
# Programs in the place of podman answer as it does: one that has an image and starts nothing, and
# one that has no image.

STARTS_NOTHING = """#!/bin/sh
case "$1" in
images) echo docker.io/library/debian:12;;
run) echo "Error: crun: cannot set rlimit: Operation not permitted" >&2; exit 126;;
esac
"""
HAS_NO_IMAGE = """#!/bin/sh
case "$1" in
image) echo "no such image" >&2; exit 125;;
esac
"""
STARTS_CONTAINERS = """#!/bin/sh
case "$1" in
images) echo docker.io/library/debian:12;;
esac
"""


def doctor_words(folder: Path, *options: str) -> tuple[str, ...]:
    """Write a task, and return the words that examine whether it can be played."""
    task = write_task(folder / "task")
    words = ("doctor", "--isolation=language", f"--benchmark=harbor:{task}")
    return (*words, "--model=nothing", *options)


def examine_with(program: str, folder: Path, *options: str) -> CommandResult:
    """Run `doctor` with a program in the place of podman."""
    (folder / "bin").mkdir()
    (folder / "bin/podman").write_text(program)
    (folder / "bin/podman").chmod(0o755)
    words = doctor_words(folder, *options)
    return run_in_process(*words, cwd=folder, PATH=f"{folder}/bin")


def test_a_machine_that_starts_no_container_is_a_fault(tmp_path: Path) -> None:
    result = examine_with(STARTS_NOTHING, tmp_path, "--json")

    assert result.code == 1
    assert result.json["works"] is False
    (text,) = findings(result)["containers"]
    assert text.startswith("fault: podman could not start a container")
    assert "cannot set rlimit" in text


def test_without_an_image_nobody_can_know(tmp_path: Path) -> None:
    result = examine_with(HAS_NO_IMAGE, tmp_path)

    assert result.code == 1
    assert "no image is on this machine" in result.out
    assert result.out.endswith("whether a run would work cannot be known\n")


def test_a_container_that_starts_is_told(tmp_path: Path) -> None:
    result = examine_with(STARTS_CONTAINERS, tmp_path, "--json")

    assert result.code == 0
    assert result.json["works"] is True
    expected = "ok: podman starts one of docker.io/library/debian:12"
    assert findings(result)["containers"] == [expected]


@pytest.mark.second_tier
def test_podman_starts_a_container(tmp_path: Path) -> None:
    reason = missing_reason()
    if reason:
        pytest.skip(reason)
    words = doctor_words(tmp_path, "--json")
    result = run_controlplane(*words, cwd=tmp_path, **PROCESS_VARIABLES)

    assert result.json["works"] is True, result.out


# `doctor` calls a fault what keeps a run from working, and a note what a run can do without.
#
# It asks the model's endpoint a few small questions, and prints its findings by subject. The exit code
# is 0 if there is no fault, and otherwise 1:
#
#     {"price": ["note: unknown for m"]}     with `--run-cost 1`: "fault: unknown for m"


def close_connection_at_tools(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    """Send nothing and close the connection if the request has tools; reply otherwise."""
    if "tools" in request.body:
        return b""
    return reply_in_every_mode(request, connection)


def test_an_endpoint_that_breaks_in_one_reply_mode_is_no_fault(tmp_path: Path) -> None:
    """A run then uses one of the other modes."""
    with model_server(close_connection_at_tools) as server:
        result = examine(server, tmp_path)

    assert result.code == 0, result.out
    schema, tool, json_mode, text = findings(result)["reply mode"]
    assert tool.startswith("note: ")
    for working_mode in (schema, json_mode, text):
        assert working_mode.startswith("ok: ")


def test_an_unknown_price_is_a_fault_if_the_cost_is_limited(tmp_path: Path) -> None:
    """Without prices, nobody could say when the limit of a dollar is reached."""
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path, "--run-cost", "1")

    assert result.code == 1
    assert findings(result)["price"] == ["fault: unknown for m"]


def test_a_limited_cost_is_no_fault_with_prices(tmp_path: Path) -> None:
    """The prices are those of a million tokens, in dollars."""
    prices = ("--prices", '{"input": 1, "output": 2}')
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path, "--run-cost", "1", *prices)

    assert result.code == 0
    assert findings(result)["price"][0].startswith("ok: ")


# `doctor` finds that a part which a run needs is missing: a fault with a remedy.
#
# The parts are an endpoint that answers, a key, the benchmark and a folder for the journals. A fault is
# an object, and the exit code is 1:
#
#     {"state": "fault", "what": "disk", "text": "... cannot be written to", "remedy": "..."}


@pytest.mark.parametrize(
    ("options", "subject", "text_part"),
    [
        pytest.param(
            ("--base-url", "http://127.0.0.1:1/v1", "--model", "m"),
            "endpoint",
            "127.0.0.1:1",
            id="nothing listens at the address",
        ),
        pytest.param(("--model", "m"), "endpoint", "needs a key", id="no API key"),
        pytest.param(
            ("--benchmark", "no.such.module"),
            "platform",
            "no.such.module",
            id="no such benchmark",
        ),
        pytest.param(
            ("--runs-dir", "/dev/null/runs"),
            "disk",
            "cannot be written to",
            id="no folder for runs",
        ),
    ],
)
def test_a_missing_part_is_a_fault_with_a_remedy(
    options: tuple[str, ...], subject: str, text_part: str, tmp_path: Path
) -> None:
    """The finding names the part, says what is wrong, and what to do."""
    result = run_in_process(
        "doctor", "--isolation=language", "--json", *options, cwd=tmp_path
    )

    assert result.code == 1
    all_findings = result.json["findings"]
    (fault,) = [finding for finding in all_findings if finding["state"] == "fault"]
    assert fault["what"] == subject
    assert text_part in fault["text"]
    assert fault["remedy"]


# A place that an option names for output, and that cannot be written, is told before anything is spent.
#
# Here `file` is a file, so that nothing can be written below it.


@pytest.mark.parametrize(
    ("words", "text"),
    [
        pytest.param(
            "run --limit 1 --junit file/r.xml",
            "--junit: cannot write file/r.xml",
            id="the tests of a run",
        ),
        pytest.param(
            "run --limit 1 --junit .", "--junit: cannot write .", id="a folder"
        ),
        pytest.param(
            "run --limit 1 --runs-dir file/runs", "--runs-dir", id="the journal"
        ),
        pytest.param(
            "run --limit 1 --model m --base-url http://127.0.0.1:1/v1 --cache file",
            "--cache: cannot write to file",
            id="replies that are kept",
        ),
        pytest.param(
            "ask why? file --model scripted:replies.toml --save-task file/t",
            "--save-task: cannot write to file/t",
            id="a saved task",
        ),
        pytest.param(
            "ask why? file --model scripted:replies.toml --write file/out",
            "--write: cannot write to file/out",
            id="files that scripts change",
        ),
        pytest.param(
            "improve calendar-date --with command:true --train 1-2 --check 3-4 --final 5-6 "
            "--runs-dir file/runs",
            "--runs-dir",
            id="the record of a loop",
        ),
    ],
)
def test_an_unwritable_place_is_told_before_the_first_trial(
    words: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "file").write_text("nothing")
    (tmp_path / "replies.toml").write_text('[[reply]]\ncode = "print(1)"\n')

    refused = run_in_process(*shlex.split(words), cwd=tmp_path)

    assert refused.code == UsageError.exit_code, refused.err
    assert text in refused.err
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["file", "replies.toml"]


# `doctor` tells, before a run, how the model would reply, how fast it is, and what it costs.
#
# Here the model replies in every mode in which it is asked. A reply mode is the way in which a model is
# made to reply with a script: by a JSON schema, as a call of a tool, as any JSON, or as plain text.


def test_every_reply_mode_is_tried_once(tmp_path: Path) -> None:
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path)

    assert result.code == 0, result.out
    assert findings(result)["reply mode"] == [
        "ok: schema works",
        "ok: tool works",
        "ok: json works",
        "ok: text works",
    ]
    requests_by_mode = 4
    requests_to_measure_the_speed = 1
    assert len(server.asked) == requests_by_mode + requests_to_measure_the_speed


def test_the_speed_of_a_model_and_an_unknown_price_are_reported(tmp_path: Path) -> None:
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path)

    (speed,) = findings(result)["speed"]
    assert speed.startswith("ok: ")
    assert "tokens a second" in speed
    assert findings(result)["price"] == ["note: unknown for m"]


def test_every_request_limits_the_tokens_of_the_reply(tmp_path: Path) -> None:
    """A model that never stops would otherwise cost money for mere questions of the doctor."""
    with model_server(reply_in_every_mode) as server:
        examine(server, tmp_path)

    for request in server.asked:
        assert request.body["max_tokens"] > 0
        assert request.body["max_tokens"] <= 1_000


def test_the_time_to_read_the_first_message_is_reported(tmp_path: Path) -> None:
    """A local model may need a minute for the long first message of a trial."""
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path)

    (first_message,) = findings(result)["first message"]
    assert "tokens a second are read" in first_message


# A wrong gate or rule set is refused before anything starts.
#
# Gates, numbered 1 to 8, and rule sets check the answer of a model.
#
#     run --gates 9    ->    ... '9' is not a gate ... give all or none alone, or gates from 1 to 8
#
# In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --rule-sets nope", "no rule set is called 'nope'", id="rule set"
        ),
        pytest.param(
            "run --gates non",
            "'non' is not a gate … did you mean 'none'?",
            id="misspelled none",
        ),
        pytest.param(
            "run --gates 6=blok", "did you mean 'block'?", id="misspelled enforcement"
        ),
        pytest.param(
            "run --gates 9",
            "'9' is not a gate … give all or none alone, or gates from 1 to 8",
            id="gate above 8",
        ),
        pytest.param(
            "run --gates one",
            "'one' is not a gate … give all or none alone, or gates from 1 to 8",
            id="number in words",
        ),
    ],
)
def test_a_wrong_check_of_answers_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# A wrong benchmark, or a key as an option of one, is refused before anything starts.
#
#     run --benchmark ecmo    ->    ... no benchmark 'ecmo'; did you mean 'ecom'?
#
# `--set NAME=VALUE` sets an option of a benchmark. `CANARY_API_KEY` is a key that no message may show.


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --benchmark ecmo",
            "no benchmark 'ecmo'; did you mean 'ecom'?",
            id="misspelled",
        ),
        pytest.param(
            "run --benchmark :x",
            "no benchmark is named in ':x'; known: ecom, bitgn, folder",
            id="without a name",
        ),
    ],
)
def test_an_unknown_benchmark_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            f"run --benchmark bitgn:x --set api_key={CANARY_API_KEY}",
            "set BITGN_API_KEY",
            id="api_key",
        ),
        pytest.param(
            f"run --benchmark bitgn:x --set BITGN_API_KEY={CANARY_API_KEY}",
            "set BITGN_API_KEY",
            id="name of the variable",
        ),
    ],
)
def test_a_key_as_an_option_of_a_benchmark_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """It belongs into a variable of the environment, and the message does not show it."""
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# A wrong option of a benchmark is refused before anything starts.
#
# `--set NAME=VALUE` sets an option. The benchmark "ecom", which is played unless another is named, has
# the option `policy`, which is "open" or "blind". In an expected message, "…" is any text.
#
#     run --set policy=blnd    ->    ... there is no 'blnd'; did you mean 'blind'?


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --set seed", "--set takes KEY=VALUE, not 'seed'", id="without a value"
        ),
        pytest.param("run --set nope=1", "no option 'nope' … policy", id="unknown"),
        pytest.param(
            "run --set polcy=open",
            "the benchmark 'ecom' has no option 'polcy'; did you mean 'policy'?",
            id="misspelled",
        ),
        pytest.param(
            "run --benchmark bitgn:x --set hots=http://x",
            "did you mean 'host'?",
            id="misspelled, of bitgn",
        ),
        pytest.param(
            "run --benchmark bitgn:x --set call_timeout=3",
            "did you mean 'call_timeout_s'?",
            id="without its unit",
        ),
        pytest.param(
            "run --benchmark docs.examples.wordbook --set size=3",
            "has no option 'size'; known: none",
            id="of a benchmark without options",
        ),
    ],
)
def test_an_unknown_option_of_a_benchmark_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --set policy=blnd",
            "--set policy: there is no 'blnd'; did you mean 'blind'?",
            id="misspelled",
        ),
        pytest.param(
            "run --set policy=",
            "--set policy: there is no ''; known: open, blind",
            id="empty",
        ),
    ],
)
def test_an_unknown_value_of_an_option_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# A wrong isolation is refused before anything starts.
#
# Isolation layers are around the scripts of a model: "language", "process" and "kernel".
#
#     run --isolation language,kernal    ->    ... did you mean 'kernel'?
#
# In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --isolation glass",
            "'glass' names no isolation layers … language, process, kernel",
            id="unknown layer",
        ),
        pytest.param(
            "run --isolation language,kernal",
            "did you mean 'kernel'?",
            id="second layer misspelled",
        ),
        pytest.param(
            "run --isolation ''",
            "'' names no isolation layers … or none",
            id="no layer",
        ),
    ],
)
def test_a_wrong_isolation_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# A misspelled command or option, or a key on the command line, is refused before anything starts.
#
#     controlplane rnu    ->    controlplane: No such command 'rnu'. Did you mean 'run'?
#
# The exit code is 2. In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param("rnu", "No such command 'rnu'. Did you mean 'run'?", id="command"),
        pytest.param(
            "run --benchmrak ecom",
            "No such option '--benchmrak'. Did you mean '--benchmark'?",
            id="option",
        ),
        pytest.param(
            "run --max-cost 3",
            "No such option '--max-cost'. Did you mean '--run-cost' or '--trial-cost'?; see",
            id="limit of a run or of a trial",
        ),
        pytest.param(
            "run --max-step 3",
            "No such option '--max-step'. Did you mean '--max-steps'?; see",
            id="nothing else is near",
        ),
        pytest.param(
            "run --max-tokens 3",
            "or '--run-tokens'?; see",
            id="an earlier name is not suggested",
        ),
        pytest.param(
            "run --budget 3",
            "No such option '--budget'; see",
            id="nothing is near",
        ),
        pytest.param(
            "benchmarks shows",
            "No such command 'shows'. Did you mean 'show'?",
            id="inner command",
        ),
        pytest.param(
            "show", "Missing argument 'RUN' … show --help", id="without its argument"
        ),
    ],
)
def test_a_misspelled_or_incomplete_command_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# A limit has one name; the one that it had before is understood for one version.
#
#     run --max-tokens-run 0    ->    controlplane: --run-tokens: … greater than or equal to 1


def test_the_earlier_name_of_a_limit_is_understood_everywhere(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here("run", "--max-tokens-run", "0")
    check_refused(refused, tmp_path, "--run-tokens: … greater than or equal to 1")

    refused = run_command_here("run", CONTROLPLANE_MAX_TOKENS_RUN="0")
    check_refused(refused, tmp_path, "RUN_TOKENS: … greater than or equal to 1")

    assert "--max-tokens-run" not in run_command_here("run", "--help").out
    with pytest.raises(UsageError, match=r"--run-tokens: .*greater than or equal to 1"):
        controlplane.run("ecom", max_tokens_run=0)


def test_a_journal_with_the_earlier_name_of_a_limit_has_the_limit() -> None:
    setting = ResolvedSetting.model_validate_json(
        '{"name": "max_tokens_run", "value": 9, "source": "flag"}'
    )
    assert setting.name == "run_tokens"


def test_the_table_of_limits_has_all_limits_of_runs_and_trials() -> None:
    """The options are those that the tables of the code name for limits of a trial, and those of
    what a run may spend. `--max-context-tokens` has a paragraph below the table."""
    options = set(
        re.findall(r"`(--[a-z-]+)` \|$", str(trial_limits.__doc__), re.MULTILINE)
    )
    for name in settings_with(Use.SPENDING):
        options.add(f"--{name.replace('_', '-')}")
    options.remove("--max-context-tokens")

    text = (ROOT / "docs/models.md").read_text()
    rows = re.findall(r"^\| `(--[a-z-]+)[ `]", text, re.MULTILINE)

    assert options <= set(rows)


def test_a_benchmark_is_shown_without_the_word_show(
    run_command_here: CommandRunner,
) -> None:
    folder = f"folder:{ROOT / 'docs/examples/library'}"

    short = run_command_here("benchmarks", folder)
    assert short.code == 0
    assert short.out == run_command_here("benchmarks", "show", folder).out


def test_a_key_on_the_command_line_is_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Other users of the machine could see it. The message does not show it, but tells its right
    place."""
    refused = run_command_here("run", "--api-key-env", CANARY_API_KEY)

    check_refused(
        refused, tmp_path, "No such option … set api_key_env in controlplane.toml"
    )


# A wrong address of the model is refused before anything starts.
#
# `--base-url` names the address at which a model is served.
#
#     run --model m --base-url localhost:8080/v1    ->    ... begins with http:// or https://
#
# In an expected message, "…" stands for any text. `CANARY_API_KEY` is a key that no message may show.


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --model m --base-url localhost:8080/v1",
            "--base-url: … begins with http:// or https://",
            id="without http",
        ),
        pytest.param(
            "run --base-url http://h:port/v1",
            "--base-url: … Port",
            id="port that is not a number",
        ),
        pytest.param(
            "run --base-url 'http://h/v1 --model m'",
            "--base-url: … spaces or line breaks",
            id="another option within its quotation marks",
        ),
        pytest.param(
            "run --base-url http://h/v1/chat/completions",
            "--base-url: … ends before /chat/completions",
            id="path of one operation",
        ),
    ],
)
def test_an_address_in_another_form_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            f"run --base-url http://u:{CANARY_API_KEY}@h/v1",
            "--base-url: … OPENAI_API_KEY",
            id="as a password",
        ),
        pytest.param(
            f"run --base-url 'http://h/v1?key={CANARY_API_KEY}'",
            "--base-url: … OPENAI_API_KEY",
            id="as a parameter",
        ),
    ],
)
def test_an_address_with_a_key_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The message does not show the key, but tells its right place, a variable of the environment."""
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# A wrong model is refused before anything starts.
#
# `--model NAME` names a model. Two names are not of models: "scripted:FILE" replies from a file, and
# "baseline" is a program of the benchmark.
#
#     run --model baselien    ->    ... did you mean 'baseline'?
#
# In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --model baselien",
            "'baselien' needs a key in OPENAI_API_KEY … did you mean 'baseline'?",
            id="misspelled program",
        ),
        pytest.param(
            "run --model gpt",
            "'gpt' needs a key in OPENAI_API_KEY, or OPENAI_BASE_URL",
            id="model",
        ),
    ],
)
def test_a_model_without_an_address_or_a_key_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


def test_a_benchmark_without_a_program_needs_a_model(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here("run", "--benchmark", "tests.support.phonebook")

    check_refused(refused, tmp_path, "has no player of its own … --model … MODEL_ID")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param("run --model scripted", "scripted:FILE", id="not named"),
        pytest.param("run --model scripted:", "scripted:FILE", id="empty name"),
        pytest.param(
            "run --model scripted:.", "the replies file . is not a file", id="folder"
        ),
        pytest.param(
            "run --model scripted:/dev/zero",
            "the replies file /dev/zero is not a file",
            id="device",
        ),
        pytest.param(
            "run --model scripted:none.toml",
            "cannot read the replies file none.toml: No such file",
            id="missing",
        ),
    ],
)
def test_a_file_of_replies_that_cannot_be_read_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# A number of an option that is out of range is refused before anything starts.
#
#     run --limit -3    ->    ... --limit: ... not -3
#
# In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --limit many",
            "--limit … 'many' is not a valid integer … run --help",
            id="not a number",
        ),
        pytest.param("run --limit -3", "--limit: … not -3", id="negative number"),
        pytest.param(
            "run --repeats 100000000",
            "--repeats: … not 100000000",
            id="too large a number",
        ),
        pytest.param(
            "run --trial-time inf", "--trial-time: … not inf", id="infinite time"
        ),
        pytest.param(
            "run --step-time nan",
            "--step-time: … not nan",
            id="time that is not a number",
        ),
        pytest.param(
            "run --poll-time 1e300", "--poll-time: … not 1e+300", id="too long a time"
        ),
        pytest.param(
            "serve --reveal-after -1",
            "-1.0 is not in the range x>=0",
            id="negative time",
        ),
        pytest.param(
            "serve --reveal-after inf", "inf is not a finite number", id="endless wait"
        ),
        pytest.param(
            "run --fail-under nan",
            "--fail-under … nan is not a finite number",
            id="limit of a score that is no number",
        ),
        pytest.param(
            "rerun last --below nan",
            "--below … nan is not a finite number",
            id="score that is no number",
        ),
    ],
)
def test_a_number_out_of_range_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# A port that another program has already is named, when `serve` cannot have it.


def test_serve_names_a_port_that_is_in_use(run_command_here: CommandRunner) -> None:
    """`serve` offers a benchmark over HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as other_server:
        _, port = other_server.getsockname()
        refused = run_command_here(
            "serve", "--benchmark", "tests.support.phonebook", "--port", str(port)
        )

    assert refused.code in (UsageError.exit_code, Unreachable.exit_code)
    assert str(port) in refused.err
    assert "Traceback" not in refused.err


# The name of a run that does not exist is refused.
#
# `show first` names the run "first", and `show last` the last one. Runs are looked for in the folder
# `runs`, which is empty here.
#
#     show last    ->    ... no journals in runs ...
#
# In an expected message, "…" stands for any text.


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param("replay nope", "no journals in runs … --runs-dir", id="name"),
        pytest.param(
            "replay nope.jsonl",
            "cannot read nope.jsonl: No such file or directory",
            id="file",
        ),
        pytest.param("show last", "no journals in runs", id="last"),
        pytest.param(
            "show last --runs-dir /dev/null",
            "cannot read the folder of the journals /dev/null: Not a directory",
            id="last, of a folder that is none",
        ),
        pytest.param(
            "runs --runs-dir /dev/null",
            "cannot read the folder of the journals /dev/null … with --runs-dir",
            id="all, of a folder that is none",
        ),
    ],
)
def test_a_run_that_does_not_exist_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# A wrong solver, or a wrong part of one, is refused before anything starts.
#
# The solver, "cited" or "exoskeleton", lets a model work on a task. `--parts` switches parts of it on or
# off, and `--role` gives a part a model of its own.
#
#     run --agent citd    ->    ... no agent 'citd'; did you mean 'cited'?


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --agent citd",
            "no agent 'citd'; did you mean 'cited'?",
            id="misspelled solver",
        ),
        pytest.param(
            "run --agent exoskeleton --parts classifier",
            "write -classifier to switch",
            id="part that is on already",
        ),
        pytest.param(
            "run --agent exoskeleton --parts -clasifier",
            "did you mean 'classifier'?",
            id="misspelled part",
        ),
        pytest.param(
            "run --role clasify=big",
            "--role: there is no role 'clasify'; did you mean 'classify'?",
            id="misspelled role",
        ),
        pytest.param(
            "run --role classify=bigg",
            "--role: there is no profile 'bigg'",
            id="unknown model of a role",
        ),
    ],
)
def test_a_wrong_solver_or_part_of_one_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


# The name of a task that does not exist is refused before anything starts.
#
# `run stock-count.3` names a task of the benchmark "ecom", and `run stock-count` all tasks of a family.
#
#     run stok-count    ->    ... no task 'stok-count'; did you mean 'stock-count...


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run basket-chekout.1",
            "task 'basket-chekout.1'; did you mean 'basket-checkout.1'?",
            id="task",
        ),
        pytest.param(
            "run stok-count",
            "no task 'stok-count'; did you mean 'stock-count",
            id="family",
        ),
        pytest.param(
            "run archive-fraud.0", "did you mean 'archive-fraud", id="number below all"
        ),
        pytest.param("run archive-fraud.10000", "did you mean", id="number above all"),
        pytest.param(
            "run stok-count.77",
            "did you mean 'stock-count",
            id="family, with a number above all",
        ),
        pytest.param("run xyzzy", "known: ", id="like no task"),
        pytest.param(
            "serve basket-checkout.1 basket-chekout",
            "task 'basket-chekout'; did you mean 'basket-checkout'?",
            id="second of two",
        ),
    ],
)
def test_a_misspelled_task_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


def test_a_misspelled_task_of_a_users_benchmark_is_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The phonebook has the tasks ada, grace and edsger."""
    refused = run_command_here("run", *PHONEBOOK_WITH_PLAYER, "adda")

    check_refused(refused, tmp_path, "no task 'adda'; did you mean 'ada'?")


# `run` without a model lets the baseline play: a program of the benchmark, with rules for some tasks.
#
# It solves `calendar-date.1`, a task of the family calendar-date. For a family without rules, such as
# stock-count, the user has to name a model.


def test_a_run_without_a_model_plays_only_tasks_that_the_baseline_has_rules_for(
    tmp_path: Path,
) -> None:
    """It says so, and how to name a model for the others. One task of each family is played."""
    family_count = str(len(FAMILIES_WITH_RULES))
    run = run_in_process("run", "--limit", family_count, cwd=tmp_path)

    assert run.code == 0, run.err
    # 34 of the 100 tasks belong to FAMILIES_WITH_RULES.
    assert "has rules for 34 of 100 tasks" in run.out
    assert "run --model NAME" in " ".join(run.out.split())
    assert "mean score" in run.out
    shown = run_in_process("show", "last", "--json", cwd=tmp_path)
    families = set()
    for trial in shown.json["trials"]:
        family, _, _number = trial["task_id"].rpartition(".")
        families.add(family)
        # A rule that fails does not answer with its exception: "IndexError: ... out of range"
        assert "Error" not in trial["answer"]
        assert "out of range" not in trial["answer"]
    assert families == set(FAMILIES_WITH_RULES)


@pytest.mark.parametrize("name", ["stock-count", "sku-lookup.3", "stock-count.4"])
def test_a_named_task_without_rules_is_refused_with_the_command_for_a_model(
    tmp_path: Path, name: str
) -> None:
    """The baseline would fail at these tasks, and the score would mean nothing."""
    refused = run_in_process("run", name, cwd=tmp_path)

    assert refused.code == UsageError.exit_code
    assert f"run {name} --model NAME" in refused.err
    assert not list(tmp_path.glob("runs/*.jsonl"))


def test_the_baseline_plays_any_task_if_it_is_named_as_the_model(
    tmp_path: Path,
) -> None:
    """Its answer is wrong: the task asks for a number of products."""
    run = run_in_process(
        "run", "stock-count.2", "--model", "baseline", "--json", cwd=tmp_path
    )

    assert run.code == 0, run.err
    answer = run.json["trials"][0]["answer"]
    assert "There is no open basket of yours." in answer
    assert "out of range" not in answer  # the text of an IndexError in a rule


# `benchmarks show NAME` describes a benchmark: its tasks, and the options that `--set` changes.
#
# For the benchmark "ecom" it prints a line such as "--set policy=…  ... (open, blind)", and for each
# task a preview of what the agent will be asked.

SEED_AND_OPTION = ("--seed", "7", "--set", "policy=blind")


@pytest.fixture(scope="module")
def shown_benchmark(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The benchmark as shown with a seed and an option. The previews of its 100 tasks take long."""
    words = ("benchmarks", "show", "ecom", *SEED_AND_OPTION, "--json")
    return run_in_process(*words, cwd=tmp_path_factory.mktemp("shown")).json


def test_the_preview_of_a_task_is_what_such_a_run_asks(
    shown_benchmark: dict[str, Any], run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A seed decides the names and numbers in the tasks. The run plays two of them."""
    run_command_here("run", "--limit", "2", *SEED_AND_OPTION, "--quiet")

    previews = {task["task_id"]: task["preview"] for task in shown_benchmark["tasks"]}
    (journal,) = tmp_path.glob("runs/*.jsonl")
    trials = list(open_journal(journal).trials.values())
    assert len(trials) == 2
    for trial in trials:
        started = trial.record.started
        assert started is not None
        assert started.instruction == previews[started.task_id]


def test_a_benchmark_lists_its_options(run_command_here: CommandRunner) -> None:
    shown = run_command_here("benchmarks", "show", "ecom")

    assert "--set policy=…" in shown.out
    assert "(open, blind)" in shown.out


def test_a_benchmark_shows_its_options_as_set(shown_benchmark: dict[str, Any]) -> None:
    assert shown_benchmark["policy"] == "blind"
    option_names = [option["name"] for option in shown_benchmark["options"]]
    assert option_names == ["policy", "profile", "names", "wordings"]


def test_a_benchmark_is_not_shown_with_a_wrong_option(
    run_command_here: CommandRunner,
) -> None:
    refused = run_command_here("benchmarks", "show", "ecom", "--set", "polcy=blind")

    assert refused.code == UsageError.exit_code
    assert "did you mean 'policy'?" in refused.err


# Every command that a message tells the user to type exists, with its options.
#
# The source builds such commands by `invocation("rerun", run, "--failed")`, which a message shows as
# ".../controlplane rerun 2026... --failed". If the option were renamed, the message would still name
# the old one. So the tests find these calls in the source, and look the words up.


def is_invocation(node: ast.AST) -> bool:
    """Return whether a node of a syntax tree is `invocation("rerun", ...)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    if node.func.id != "invocation" or not node.args:
        return False
    return isinstance(node.args[0], ast.Constant)


def commands_in_source() -> list[list[str]]:
    """Return the words of each command that are constants in the source.

    `invocation("rerun", run, "--failed")` -> `["rerun", "--failed"]`
    """
    commands = []
    for path in sorted((ROOT / "controlplane").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and is_invocation(node):
                words = []
                for argument in node.args:
                    if isinstance(argument, ast.Constant):
                        words.append(str(argument.value))
                commands.append(words)
    return commands


def options_of(command: click.Command) -> set[str]:
    """Return the options that a command takes: `{"--failed", "--below", ...}`."""
    options: set[str] = set()
    for parameter in command.params:
        options.update(parameter.opts)
    return options


def test_every_command_in_messages_exists_with_its_options() -> None:
    """A group such as `benchmarks` is left out: the options are those of its subcommands."""
    commands = commands_in_source()

    assert len(commands) > 20, "the commands are built in another way now"
    for name, *words in commands:
        assert name in COMMANDS, name
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        if isinstance(command, click.Group):
            continue
        named_options = {word for word in words if word.startswith("--")}
        assert named_options <= options_of(command), name


# `run` offers the model's scripts the functions of the benchmark, beside files and programs.
#
# The shop has functions that compute what models often get wrong: `harness.tools.stock_at` tells
# how many lamps a branch has in stock.


PRINT_THE_FUNCTIONS = """
[[reply]]
code = "print(harness.tools)"
"""


def run_script_that_prints_the_functions(folder: Path, *options: str) -> str:
    """Run a task of the shop for one step, and return what its script prints, or its error."""
    (folder / "replies.toml").write_text(PRINT_THE_FUNCTIONS)
    run_in_process(
        "run",
        "calendar-date.1",
        *("--model", "scripted:replies.toml"),
        *("--max-steps", "1"),
        *options,
        cwd=folder,
    )
    verified = run_in_process("replay", "last", "--verify", cwd=folder)
    assert verified.code == 0, verified.out

    replayed = run_in_process(
        "replay", "last", "--trial", "calendar-date.1", "--json", cwd=folder
    )
    (step,) = replayed.json["steps"]
    return f"{step['output']}{step['error']}"


def test_scripts_are_offered_the_functions_of_the_benchmark(tmp_path: Path) -> None:
    printed = run_script_that_prints_the_functions(tmp_path)

    assert printed.startswith("<harness.tools: branches_in, check_basket, ")
    assert ", stock_at, " in printed


def test_without_helpers_scripts_are_offered_no_functions(tmp_path: Path) -> None:
    """`--parts -helpers` switches this part of the solver off, to measure what it is worth."""
    printed = run_script_that_prints_the_functions(tmp_path, "--parts", "-helpers")

    assert "harness has no 'tools'; it has answer, delete, exec, find, " in printed
