"""Wrong options are refused in one line of text, before anything starts.

`controlplane run --benchmark ecmo` prints "controlplane: there is no benchmark 'ecmo'; did you mean
'ecom'?" and exits with 2. A message never shows an API key that was given in the wrong place.
"""

import shlex
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.errors import Unreachable, UsageError
from tests.support.command import CANARY_API_KEY, CommandRunner, check_refused
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.terminal import Terminal

RefusalCheck = Callable[[str, str], None]


@pytest.fixture
def check_refusal(run_command_here: CommandRunner, tmp_path: Path) -> RefusalCheck:
    """A function that asserts that a command is refused, in one line and before a run has started.

    `check_refusal("run --limit -3", "--limit: … not -3")`: the line has the message, in which "…"
    stands for any text.
    """

    def check(command: str, message: str) -> None:
        refused = run_command_here(*shlex.split(command))
        check_refused(refused, tmp_path, message)

    return check


class TestCommandsAndNumbers:
    """A command, option or number is wrong; "…" in a message stands for any text.

    A message suggests what was meant, if it is spelled nearly the same. For a wrong number it
    names the limits, and for a key in the wrong place the right one. `CANARY_API_KEY` is a key
    that no message may show.
    """

    @pytest.mark.parametrize(
        ("command", "message"),
        [
            # Misspelled, or left out.
            ("rnu", "No such command 'rnu'. Did you mean 'run'?"),
            (
                "run --benchmrak ecom",
                "No such option '--benchmrak'. Did you mean '--benchmark'?",
            ),
            ("show", "Missing argument 'RUN' … show --help"),
            # Numbers that are none, or out of their range.
            (
                "run --limit many",
                "--limit … 'many' is not a valid integer … run --help",
            ),
            ("run --limit -3", "--limit: … not -3"),
            ("run --repeats 100000000", "--repeats: … not 100000000"),
            ("run --trial-time inf", "--trial-time: … not inf"),
            ("run --step-time nan", "--step-time: … not nan"),
            ("run --poll-time 1e300", "--poll-time: … not 1e+300"),
            ("serve --reveal-after -1", "-1.0 is not in the range x>=0"),
            # A key on the command line, where other users of the machine could see it.
            (
                f"run --api-key-env {CANARY_API_KEY}",
                "No such option … set api_key_env in controlplane.toml",
            ),
        ],
    )
    def test_a_wrong_command_option_or_number_is_refused(
        self, command: str, message: str, check_refusal: RefusalCheck
    ) -> None:
        check_refusal(command, message)


class TestBenchmarks:
    """`--benchmark NAME` names a benchmark, and `--set NAME=VALUE` an option of it.

    The benchmark "ecom" has the option `policy`, which is "open" or "blind". "bitgn", a
    server, has `host` and `call_timeout_s`. "docs.examples.wordbook" has no options. In a
    message, "…" stands for any text. `CANARY_API_KEY` is a key that no message may show.
    """

    @pytest.mark.parametrize(
        ("command", "message"),
        [
            # Names of benchmarks.
            ("run --benchmark ecmo", "no benchmark 'ecmo'; did you mean 'ecom'?"),
            (
                "run --benchmark :x",
                "no benchmark is named in ':x'; known: ecom, bitgn, folder",
            ),
            # Options, and values of one, that a benchmark does not have.
            ("run --set seed", "--set takes KEY=VALUE, not 'seed'"),
            ("run --set nope=1", "no option 'nope' … policy"),
            (
                "run --set polcy=open",
                "the benchmark 'ecom' has no option 'polcy'; did you mean 'policy'?",
            ),
            (
                "run --set policy=blnd",
                "--set policy: there is no 'blnd'; did you mean 'blind'?",
            ),
            ("run --set policy=", "--set policy: there is no ''; known: open, blind"),
            ("run --benchmark bitgn:x --set hots=http://x", "did you mean 'host'?"),
            (
                "run --benchmark bitgn:x --set call_timeout=3",
                "did you mean 'call_timeout_s'?",
            ),
            # Keys, which belong into a variable of the environment.
            (
                f"run --benchmark bitgn:x --set api_key={CANARY_API_KEY}",
                "set BITGN_API_KEY",
            ),
            (
                f"run --benchmark bitgn:x --set BITGN_API_KEY={CANARY_API_KEY}",
                "set BITGN_API_KEY",
            ),
            # A benchmark without options.
            (
                "run --benchmark docs.examples.wordbook --set size=3",
                "has no option 'size'; known: none",
            ),
        ],
    )
    def test_a_wrong_benchmark_or_option_of_one_is_refused(
        self, command: str, message: str, check_refusal: RefusalCheck
    ) -> None:
        check_refusal(command, message)


PHONEBOOK = shlex.join(PHONEBOOK_WITH_PLAYER)
"""Options for a benchmark of the tests, with a model that replies from a file. It has the tasks
ada, grace and edsger."""


class TestTasks:
    """`run stock-count.3` names a task, and `run stock-count` all tasks of a family.

    Without `--benchmark`, it is the benchmark "ecom".
    """

    @pytest.mark.parametrize(
        ("command", "message"),
        [
            (
                "run basket-chekout.1",
                "task 'basket-chekout.1'; did you mean 'basket-checkout.1'?",
            ),
            ("run stok-count", "no task 'stok-count'; did you mean 'stock-count"),
            ("run archive-fraud.0", "did you mean 'archive-fraud"),
            ("run stok-count.77", "did you mean 'stock-count"),
            ("run archive-fraud.10000", "did you mean"),
            ("run xyzzy", "known: "),
            (f"run {PHONEBOOK} adda", "no task 'adda'; did you mean 'ada'?"),
            (
                "serve basket-checkout.1 basket-chekout",
                "task 'basket-chekout'; did you mean 'basket-checkout'?",
            ),
        ],
    )
    def test_a_misspelled_task_is_refused(
        self, command: str, message: str, check_refusal: RefusalCheck
    ) -> None:
        check_refusal(command, message)


class TestModels:
    """`--model NAME` names a model, and `--base-url` the address at which it is served.

    Two names are no models: "scripted:FILE" replies from a file, and "baseline" is a program
    of the benchmark. In a message, "…" stands for any text. `CANARY_API_KEY` is a key that no
    message may show.
    """

    @pytest.mark.parametrize(
        ("command", "message"),
        [
            # An unknown name could be that of a model, for which there is neither address nor key.
            (
                "run --model baselien",
                "'baselien' needs a key in OPENAI_API_KEY … did you mean 'baseline'?",
            ),
            (
                "run --model gpt",
                "'gpt' needs a key in OPENAI_API_KEY, or OPENAI_BASE_URL",
            ),
            # A file of replies is not named, is a folder or a device, or is missing.
            ("run --model scripted", "scripted:FILE"),
            ("run --model scripted:", "scripted:FILE"),
            ("run --model scripted:.", "the replies file . is not a file"),
            (
                "run --model scripted:/dev/zero",
                "the replies file /dev/zero is not a file",
            ),
            (
                "run --model scripted:none.toml",
                "cannot read the replies file none.toml: No such file",
            ),
            # No model is named, and this benchmark has no program that could play it.
            (
                "run --benchmark tests.support.phonebook",
                "has no player of its own … --model … MODEL_ID",
            ),
            # Addresses: without http://, with a key inside, or otherwise not an address.
            (
                "run --model m --base-url localhost:8080/v1",
                "--base-url: … begins with http:// or https://",
            ),
            (
                f"run --base-url http://u:{CANARY_API_KEY}@h/v1",
                "--base-url: … OPENAI_API_KEY",
            ),
            (
                f"run --base-url 'http://h/v1?key={CANARY_API_KEY}'",
                "--base-url: … OPENAI_API_KEY",
            ),
            ("run --base-url http://h:port/v1", "--base-url: … Port"),
            (
                "run --base-url 'http://h/v1 --model m'",
                "--base-url: … spaces or line breaks",
            ),
            (
                "run --base-url http://h/v1/chat/completions",
                "--base-url: … ends before /chat/completions",
            ),
        ],
    )
    def test_a_wrong_model_or_address_of_one_is_refused(
        self, command: str, message: str, check_refusal: RefusalCheck
    ) -> None:
        check_refusal(command, message)


class TestSolversAndGates:
    """Options name the solver, the checks of an answer, and the isolation of scripts.

    The solver, "cited" or "exoskeleton", lets a model work on a task. `--parts` switches parts
    of it on or off, and `--role` gives a part a model of its own. `--gates`, numbered 1 to 8,
    and `--rule-sets` name the checks. In a message, "…" stands for any text.
    """

    @pytest.mark.parametrize(
        ("command", "message"),
        [
            # The solver, its parts and their models.
            ("run --agent citd", "no agent 'citd'; did you mean 'cited'?"),
            (
                "run --agent exoskeleton --parts classifier",
                "write -classifier to switch",
            ),
            (
                "run --agent exoskeleton --parts -clasifier",
                "did you mean 'classifier'?",
            ),
            (
                "run --role clasify=big",
                "--role: there is no role 'clasify'; did you mean 'classify'?",
            ),
            ("run --role classify=bigg", "--role: there is no profile 'bigg'"),
            # The checks of an answer.
            ("run --rule-sets nope", "no rule set is called 'nope'"),
            ("run --gates non", "'non' is not a gate … did you mean 'none'?"),
            ("run --gates 6=blok", "did you mean 'block'?"),
            (
                "run --gates 9",
                "'9' is not a gate … give all, none, or gates from 1 to 8",
            ),
            (
                "run --gates one",
                "'one' is not a gate … give all, none, or gates from 1 to 8",
            ),
            # The layers around a model's scripts.
            (
                "run --isolation glass",
                "'glass' names no isolation layers … language, process, kernel",
            ),
            ("run --isolation language,kernal", "did you mean 'kernel'?"),
            ("run --isolation ''", "'' names no isolation layers … or none"),
        ],
    )
    def test_a_wrong_solver_gate_rule_set_or_isolation_is_refused(
        self, command: str, message: str, check_refusal: RefusalCheck
    ) -> None:
        check_refusal(command, message)


class TestRuns:
    """A command takes a run by its name or its file, or the word `last`.

    Runs are looked for in the folder `runs`, or in that of `--runs-dir`. There are none here.
    In a message, "…" stands for any text.
    """

    @pytest.mark.parametrize(
        ("command", "message"),
        [
            ("replay nope", "no journals in runs … --runs-dir"),
            ("replay nope.jsonl", "cannot read nope.jsonl: No such file or directory"),
            ("show last", "no journals in runs"),
            (
                "show last --runs-dir /dev/null",
                "cannot read the folder of the journals /dev/null: Not a directory",
            ),
            (
                "runs --runs-dir /dev/null",
                "cannot read the folder of the journals /dev/null … with --runs-dir",
            ),
        ],
    )
    def test_a_run_that_does_not_exist_is_refused(
        self, command: str, message: str, check_refusal: RefusalCheck
    ) -> None:
        check_refusal(command, message)


LONG_WORK = """
import time
from controlplane.commands.arguments.options import show_status

with show_status("counting") as change_text:
    time.sleep(0.5)
    change_text("counting: 2 of 3")
    time.sleep(0.5)
print("counted")
"""
"""Shows on a terminal that it works on something, first "counting", then "counting: 2 of 3"."""


class TestTerminalsAndPorts:
    """A command shows what takes long, and names a port that it cannot have.

    Both can only be seen from outside: in a terminal of its own, or beside another server.
    """

    def test_a_terminal_shows_what_takes_long_only_while_it_lasts(
        self, tmp_path: Path
    ) -> None:
        """The line is removed before the program prints its result."""
        argv = (sys.executable, "-c", LONG_WORK)
        with Terminal(cwd=tmp_path, argv=argv) as terminal:
            terminal.wait_for("counting: 2 of 3")

            assert terminal.finish() == 0
            assert terminal.is_as_before
            assert terminal.text.strip() == "counted"

    def test_serve_names_a_port_that_is_in_use(
        self, run_command_here: CommandRunner
    ) -> None:
        """`serve` offers a benchmark over HTTP; another server listens at the port already."""
        with socket.create_server(("127.0.0.1", 0)) as other_server:
            _, port = other_server.getsockname()
            refused = run_command_here(
                "serve", "--benchmark", "tests.support.phonebook", "--port", str(port)
            )

        assert refused.code in (UsageError.exit_code, Unreachable.exit_code)
        assert str(port) in refused.err
        assert "Traceback" not in refused.err
