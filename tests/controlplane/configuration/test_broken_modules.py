"""Modules, settings and systems that do not work are named in one line, in place of a traceback.

A user's benchmark that breaks ends a trial or leaves it open. A wrong module, agent or option is
refused before the run. Settings come from flags, the environment, files and defaults, in this
order, and a stranger's file sets limits only. Recorded hashes cover the source.
"""

import ast
import importlib.util
import logging
import shutil
import sys
from pathlib import Path

import pytest

from controlplane.commands.arguments.setting_options import field_texts
from controlplane.configuration.installed_versions import EVIDENCE_MODULES
from controlplane.configuration.run_names import resume_text
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import Unreachable, UsageError
from controlplane.gates.verdicts import ENFORCEMENTS
from controlplane.lifecycle.resources.gate_policies import parse_gates
from tests.controlplane.configuration import broken_wordbook, hashes_after_changes
from tests.controlplane.configuration.broken_wordbook import (
    reason_of_trial,
    run_broken_wordbook,
)
from tests.support.command import (
    CommandRunner,
    check_error_line,
    check_refused,
    run_in_process,
    run_python,
    write_config,
)
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.product_files import ROOT

# A trial ends if the benchmark that the user has written breaks at a call or at its clock.
#
# The user's `shelf.py` has `WordEnvironment.call`, which looks a word up for a script: {"meaning": "a
# grey bird"}. If it raises, the reason of the trial is "the benchmark broke: KeyError: 'call'
# (shelf.py, line 2)".


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        pytest.param(
            "{}['call']",
            "the benchmark broke: KeyError: 'call' (shelf.py, line 2)",
            id="an exception",
        ),
        pytest.param(
            "raise SystemExit(0)",
            "the benchmark broke: SystemExit: 0 (shelf.py, line 2)",
            id="an exit",
        ),
        pytest.param(
            "raise GeneratorExit(7)",
            "the benchmark broke: GeneratorExit: 7 (shelf.py, line 2)",
            id="an exception that is no Exception",
        ),
        pytest.param(
            "return None",
            "the benchmark broke: TypeError: define broke: it returned None",
            id="no result",
        ),
        pytest.param(
            "return {'a': id}",
            "the benchmark broke: TypeError: define broke: its result cannot be",
            id="a result that cannot be recorded",
        ),
    ],
)
def test_a_benchmark_that_breaks_at_a_call_ends_the_trial(
    statement: str, reason: str, tmp_path: Path
) -> None:
    """The model's script calls `harness.define("heron")`, and the benchmark makes the call."""
    result = run_broken_wordbook(tmp_path, "WordEnvironment.call", statement)

    assert result.code == 1  # A trial has no answer.
    assert reason_of_trial(result, tmp_path).startswith(reason)


def test_a_benchmark_whose_clock_breaks_gives_a_fallback(tmp_path: Path) -> None:
    """The clock is asked before the first step. The trial ends at once with a *fallback*, an
    answer of the product's own."""
    result = run_broken_wordbook(
        tmp_path, "WordEnvironment.now", "raise ValueError('now')"
    )

    assert result.code == 0
    reason = "the benchmark broke: ValueError: now (shelf.py, line 2)"
    assert reason_of_trial(result, tmp_path).startswith(reason)


# A trial stays open if the user's benchmark breaks when the trial starts, is answered, or ends.
#
# The benchmark is the user's `shelf.py`. Its `Wordbook.end_trial` should return
# TrialScore("heron-0", 1.0). If it does only `return 1.0`, the reason of the trial says so: "could
# not end: TypeError: …". The run can be resumed later.


@pytest.mark.parametrize(
    ("method", "statement", "reason"),
    [
        pytest.param(
            "Wordbook.start_trial",
            "return None",
            "could not start: TypeError: start_trial returned None, not a Trial",
            id="no trial at the start",
        ),
        pytest.param(
            "Wordbook.start_trial",
            "return Trial('heron-0', 'heron', 0, WordEnvironment())",
            "could not start: TypeError: the instruction of heron is a text, not 0",
            id="an instruction that is not a text",
        ),
        pytest.param(
            "WordEnvironment.answer",
            "raise ValueError('full')",
            "the benchmark broke: ValueError: full (shelf.py, line 2)",
            id="an exception at the answer",
        ),
        pytest.param(
            "WordEnvironment.answer",
            "raise SystemExit(0)",
            "the benchmark broke: SystemExit: 0 (shelf.py, line 2)",
            id="an exit at the answer",
        ),
        pytest.param(
            "Wordbook.end_trial",
            "return 1.0",
            "could not end: TypeError: end_trial returned 1.0, not a TrialScore",
            id="a number in place of a TrialScore",
        ),
    ],
)
def test_a_benchmark_that_breaks_outside_of_calls_leaves_the_trial_open(
    method: str, statement: str, reason: str, tmp_path: Path
) -> None:
    """The method does only the statement, which is in line 2 of `shelf.py`."""
    result = broken_wordbook.run_broken_wordbook(tmp_path, method, statement)

    assert result.code == Unreachable.exit_code
    assert broken_wordbook.reason_of_trial(result, tmp_path).startswith(reason)


# A trial has no score if the user's benchmark gives it a wrong one, and its run ends all the same.
#
# The benchmark is the user's `shelf.py`. Its `Wordbook.end_trial` should return
# TrialScore("heron-0", 1.0). Its mean of the run may come of the same numbers, so that it is left out.


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        pytest.param(
            "float('nan')", "the score nan is no number up to 10^15", id="NaN"
        ),
        pytest.param("1e308", "the score 1e+308 is no number up to 10^15", id="1e308"),
        pytest.param(
            "10**400",
            f"the score 1{'0' * 39}… is no number up to 10^15",
            id="400 digits",
        ),
        pytest.param("2", "the score 2 is not from 0 to 1", id="2"),
        pytest.param("-5.0", "the score -5 is not from 0 to 1", id="-5"),
        pytest.param(
            "'good'", "the score 'good' is no number up to 10^15", id="a text"
        ),
    ],
)
def test_what_is_no_score_leaves_its_trial_without_one_and_stops_nothing(
    score: str, reason: str, tmp_path: Path
) -> None:
    """A run of which no trial has a score has the exit code 1, but it is submitted."""
    result = broken_wordbook.run_broken_wordbook(
        tmp_path, "Wordbook.end_trial", f"return TrialScore('heron-0', {score})"
    )

    (trial,) = result.json["trials"]
    assert trial["state"] == "answered"
    assert trial["score"] is None
    assert trial["unscored"] == reason
    assert trial["details"] == [reason]
    assert result.json["submitted"]
    assert result.json["score"] is None
    assert result.json["unscored"] == {reason: 1}
    assert result.code == 1


def test_a_score_within_rounding_of_1_is_1(tmp_path: Path) -> None:
    result = broken_wordbook.run_broken_wordbook(
        tmp_path, "Wordbook.end_trial", "return TrialScore('heron-0', 1.0000000001)"
    )

    assert result.json["trials"][0]["score"] == 1.0
    assert result.code == 0


# An agent that cannot solve anything is refused before the run begins.
#
# `run --agent forgetful_solver` imports the user's `forgetful_solver.py`. It has a `SOLVER` with a
# function that opens the agent, an object with a method `solve`, which works on a task. Here it
# forgets to return one.


def test_an_agent_that_cannot_solve_is_refused_before_the_run_begins(
    tmp_path: Path,
) -> None:
    (tmp_path / "forgetful_solver.py").write_text("""
from controlplane.solver import SolverSpec

def open_agent(tools):
    return None

SOLVER = SolverSpec(open_agent, roles=())
""")

    refused = run_in_process(
        "run", "--limit", "1", "--agent", "forgetful_solver", cwd=tmp_path
    )

    message = "the agent 'forgetful_solver' opens None, which has no solve(session)"
    check_error_line(refused, UsageError.exit_code, message)


# An error of a module that the user names is reported in one line, which names its place.
#
# `run --benchmark leaving` imports the user's `leaving.py`, and `--agent` and `--rule-sets` import
# modules, too. If one raises, the command ends with "... KeyError: 'x' (leaving.py, line 1)".


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--benchmark", "leaving"),
        ("--agent", "leaving"),
        ("--rule-sets", "leaving:RULE_SET"),
    ],
)
@pytest.mark.parametrize(
    ("source", "error"),
    [
        pytest.param("raise SystemExit(0)\n", "SystemExit: 0", id="exits"),
        pytest.param("{}['x']\n", "KeyError: 'x'", id="raises"),
    ],
)
def test_an_error_at_the_import_of_a_module_names_its_line(
    option: str, name: str, source: str, error: str, tmp_path: Path
) -> None:
    """Even if the module exits, the command must not end without a message."""
    sys.modules.pop("leaving", None)  # the module of another case
    (tmp_path / "leaving.py").write_text(source, encoding="utf-8")

    result = run_in_process("run", option, name, "--limit", "1", cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, f"{error} (leaving.py, line 1)")


# A module that the user names as a benchmark, and that is not a working one, is refused in one line.
#
# `run --benchmark mine` imports the user's `mine.py`, which should have a function `open_benchmark`.
# In the messages below, "…" stands for any text.


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param(
            "def x(:\n",
            "mine … cannot be imported: SyntaxError … line 1",
            id="not Python",
        ),
        pytest.param(
            "\nraise RuntimeError('boom')\n",
            "mine … cannot be imported: RuntimeError: boom … line 2",
            id="it raises",
        ),
        pytest.param(
            "undefined_name\n",
            "mine … cannot be imported: NameError … undefined_name",
            id="an undefined name",
        ),
        pytest.param(
            "import nonexistent_package\n",
            "mine … needs the package 'nonexistent_package', which is not installed",
            id="a missing package",
        ),
        pytest.param(
            "from json import nonexistent_name\n",
            "mine … cannot be imported: ImportError … nonexistent_name",
            id="a missing import",
        ),
        pytest.param(
            "def open_benchmark(argument, settings, context):\n"
            "    raise KeyError('world')\n",
            "mine … cannot be opened: KeyError … line 2",
            id="it raises when the benchmark is opened",
        ),
        pytest.param(
            "OPTIONS = {'size': 'how many'}\nopen_benchmark = print\n",
            "OPTIONS of the module … mine … 'size'",
            id="options of another form",
        ),
        pytest.param(
            "x = 1\n",
            "mine … is not a benchmark: it has no open_benchmark(argument, settings, context)",
            id="no benchmark",
        ),
    ],
)
def test_a_module_that_is_not_a_working_benchmark_is_refused(
    source: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    sys.modules.pop("mine", None)  # the module of another case
    (tmp_path / "mine.py").write_text(source)

    refused = run_command_here("run", "--benchmark", "mine")

    check_refused(refused, tmp_path, message)


# With `--debug`, a command prints the traceback of an error in a module that the user names.
#
# The message of the error may steer a terminal: `\x1b[31m` turns it red, and `\u061c` changes the
# direction of the text. The user's benchmark raises such an error when it is opened, or when a trial
# ends.

MESSAGE_THAT_STEERS = r"\x1b[31m\u061c"
"""A text as it stands in the source of a module, with a backslash: Python makes an escape sequence
of it, which turns a terminal red, and an invisible character, which turns a text's direction."""
BREAKS_AT_THE_END_OF_A_TRIAL = f"""
from tests.support.phonebook import Phonebook

class BrokenPhonebook(Phonebook):
    def end_trial(self, trial_id):
        raise Exception('{MESSAGE_THAT_STEERS}')

def open_benchmark(argument, settings, context):
    return BrokenPhonebook(delay_s=0.0)
"""
"""A benchmark that raises such a message when a trial ends."""
BREAKS_AT_ITS_OPENING = f"""
def open_benchmark(argument, settings, context):
    raise Exception('{MESSAGE_THAT_STEERS}')
"""
"""A benchmark that raises such a message when it is opened."""


@pytest.mark.parametrize(
    ("module", "source"),
    [
        pytest.param("broken_end", BREAKS_AT_THE_END_OF_A_TRIAL, id="end of a trial"),
        pytest.param("broken_opening", BREAKS_AT_ITS_OPENING, id="opening"),
    ],
)
def test_a_traceback_does_not_steer_the_terminal(
    module: str, source: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The traceback has the message of the user's error, with these characters in another form."""
    (tmp_path / f"{module}.py").write_text(source)
    model = f"scripted:{ROOT}/tests/support/phonebook.toml"

    result = run_command_here(
        "run", "ada", "--benchmark", module, "--model", model, "--debug"
    )

    assert "Traceback" in result.err
    assert "\x1b" not in result.err
    assert "\u061c" not in result.err


def test_the_option_debug_holds_for_its_command_only(
    run_command_here: CommandRunner,
) -> None:
    """The next command in the same process must not print tracebacks."""
    run_command_here("run", "ada", *PHONEBOOK_WITH_PLAYER, "--debug")

    assert not logging.getLogger("controlplane").isEnabledFor(logging.DEBUG)


# The model of the role `solve` becomes the model of the run.
#
# A role is what an agent asks a model for, such as to solve a task (`solve`). `controlplane.toml` may
# name a model for the run and another one for a role:
#
#     [run]                       [roles]
#     model = "big"               solve = "small"     ->    the model "small" solves tasks

TWO_MODELS = """
[run]
model = "big"

[roles]
solve = "small"

[profiles.big]
model = "vendor/big"
base_url = "http://127.0.0.1:1/v1"

[profiles.small]
model = "vendor/small"
base_url = "http://127.0.0.1:2/v1"
"""
"""A profile tells which model a short name stands for, and how to reach it."""


@pytest.mark.parametrize(
    ("flags", "expected_model"),
    [
        pytest.param({}, "vendor/small", id="no flag: the role's model"),
        pytest.param(
            {"model": "big"},
            "vendor/big",
            id="a flag for the run: stronger than the file",
        ),
        pytest.param(
            {"model": "big", "role": {"solve": "small"}},
            "vendor/small",
            id="flags for the run and the role: the role's model",
        ),
    ],
)
def test_the_model_of_the_solving_role_is_the_model_of_the_run(
    flags: dict[str, object], expected_model: str, tmp_path: Path
) -> None:
    write_config(tmp_path / "controlplane.toml", TWO_MODELS, encoding="utf-8")

    resolved = resolve(flags, environ={}, folder=tmp_path)

    assert resolved.settings.model == expected_model
    # The settings have models of other roles only.
    assert resolved.settings.role == {}


# A setting comes from a flag, else from the environment, else from the file, else from a default.
#
# `--seed 9` sets the seed by a flag, `CONTROLPLANE_SEED=8` by the environment, and `seed = 1` in the
# file `controlplane.toml`. `resolve` returns the settings, and where each comes from.


@pytest.mark.parametrize(
    ("setting", "expected_value", "expected_source"),
    [
        ("seed", 9, "flag"),
        ("concurrency", 7, "environment"),
        ("repeats", 3, "controlplane.toml"),
        ("max_steps", 35, "default"),
    ],
)
def test_a_flag_beats_the_environment_beats_the_file_beats_the_default(
    setting: str, expected_value: int, expected_source: str, tmp_path: Path
) -> None:
    """Each setting is named in one place less than the one before it."""
    write_config(
        tmp_path / "controlplane.toml",
        "[run]\nseed = 1\nconcurrency = 2\nrepeats = 3\n",
    )

    resolved = resolve(
        flags={"seed": 9},
        environ={"CONTROLPLANE_SEED": "8", "CONTROLPLANE_CONCURRENCY": "7"},
        folder=tmp_path,
    )

    assert getattr(resolved.settings, setting) == expected_value
    assert resolved.sources[setting] == expected_source


# A wrong value of the setting `gates` is an error.
#
# Gates are checks of answers, with the numbers 1 to 8. `4,6` is right for two of them, and `6=off`
# for all but one. `9` "is not a gate".


@pytest.mark.parametrize(
    ("text", "expected_error"),
    [
        pytest.param("9", "is not a gate", id="number of no gate"),
        pytest.param("none,4", "is not a gate", id="none, and a gate"),
        pytest.param("x", "is not a gate", id="letter"),
        pytest.param("", "is not a gate", id="nothing"),
        pytest.param("6=on", "sets no enforcement", id="unknown enforcement"),
        pytest.param("6=", "sets no enforcement", id="no enforcement"),
        pytest.param("=off", "sets no enforcement", id="enforcement of no gate"),
        pytest.param("4,all=yes", "sets no enforcement", id="enforcement of all gates"),
    ],
)
def test_a_wrong_value_of_the_option_gates_is_an_error(
    text: str, expected_error: str
) -> None:
    with pytest.raises(ValueError, match=expected_error):
        parse_gates(text)


@pytest.mark.parametrize("enforcement", ENFORCEMENTS)
def test_each_enforcement_is_told_where_gates_are_chosen(enforcement: str) -> None:
    """The help of the option, and the error for a wrong word, name it."""
    assert f"={enforcement}" in field_texts(RunSettings)["gates"]
    assert parse_gates(f"6={enforcement}") == {"6": enforcement}
    with pytest.raises(ValueError, match=f"NAME={enforcement}"):
        parse_gates("6=on")


# How a user continues a run that stopped at a limit of its costs: by a command, or by a call.
#
# `controlplane resume kept/20261127-one.jsonl --run-cost 4` continues the run of this journal with a
# higher limit. A run that a Python program started is continued by a call in that program.

JOURNAL = Path("kept/20261127-one.jsonl")


def test_a_run_of_the_command_line_is_continued_by_a_command() -> None:
    """The text names the journal, and the option with the higher limit."""
    text = resume_text(JOURNAL, "folder:tasks", ("--run-cost", "4"))

    assert text.endswith("resume kept/20261127-one.jsonl --run-cost 4")


def test_a_run_of_a_program_is_continued_by_a_call() -> None:
    """The benchmark `python:tasks` is the list of tasks that the program passed to `run`."""
    text = resume_text(JOURNAL, "python:tasks", ("--run-tokens", "4000"))

    assert text == (
        "controlplane.run(TASKS, resume='kept/20261127-one.jsonl', run_tokens=4000)"
    )


# A journal records a hash of the modules that collect the evidence for an answer.


def test_every_module_whose_hash_is_recorded_exists() -> None:
    """The hash of a module that is not found would silently cover nothing."""
    for module in EVIDENCE_MODULES:
        assert importlib.util.find_spec(module) is not None


# Hashes of the product's source, which change with the packages that they cover.
#
# A run records two of them. A later version of the product can tell from them what has changed:
#
#     after a change in     the hash of all source     the hash of the gates, which judge answers
#     agent/                differs                    is the same
#     gates/                differs                    differs

PACKAGES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
"""The folders of the product's packages: agent, gates, sandbox, ..."""


@pytest.fixture
def copy_of_product(tmp_path: Path) -> Path:
    """A copy of the packages and of the prompts, which are texts that a hash covers, too."""
    for folder in (*PACKAGES, "prompts"):
        shutil.copytree(
            ROOT / folder,
            tmp_path / folder,
            symlinks=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    return tmp_path


def test_the_hash_of_the_source_covers_every_package(copy_of_product: Path) -> None:
    """The program changes one package of the copy after the other, and prints the new hashes."""
    program = hashes_after_changes.__file__
    hashes = run_python(
        program, *PACKAGES, cwd=copy_of_product, PYTHONPATH=str(copy_of_product)
    ).json

    assert len(PACKAGES) >= 5, "the packages are elsewhere now"
    without_change = hashes[""]
    for package in PACKAGES:
        assert hashes[package]["source"] != without_change["source"], package
        gates_differ = hashes[package]["gates"] != without_change["gates"]
        assert gates_differ == (package == "gates"), package


# A configuration that a stranger wrote sets limits, and nothing that runs code or sends data.
#
# The file `controlplane.toml` of a folder may come with a cloned repository. The user has not trusted
# it.

HOSTILE_CONFIGURATION = """
[run]
limit = 1
benchmark = "evil"
rule_sets = "evil:RULE_SET"
isolation = "none"
base_url = "http://127.0.0.1:9/v1"
prices = { input = 0.0, output = 0.0 }
runs_dir = "../elsewhere"
[profiles.m]
model = "m"
base_url = "http://127.0.0.1:9/v1"
[mcp.clock]
command = "touch"
args = ["started"]
"""
"""Only its limit is harmless: it lets a run play one task."""


@pytest.fixture
def hostile_folder(tmp_path: Path, like_a_new_process: None) -> Path:
    """A folder with this configuration, and with a module that leaves a file if it is imported."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "controlplane.toml").write_text(HOSTILE_CONFIGURATION)
    (folder / "evil.py").write_text(
        "from pathlib import Path\nPath('imported').touch()\n"
    )
    return folder


def test_a_configuration_that_is_not_trusted_sets_only_limits(
    hostile_folder: Path,
) -> None:
    run = run_in_process("run", "--json", cwd=hostile_folder)

    assert run.code == 0, run.err
    assert len(run.json["trials"]) == 1  # limit = 1
    assert run.json["benchmark"] == "ecom"  # the default, not `evil`
    assert not (hostile_folder / "imported").exists()  # left by the module `evil`
    assert not (hostile_folder / "started").exists()  # left by the server `clock`
    folders_beside = list(hostile_folder.parent.iterdir())
    assert folders_beside == [hostile_folder]  # no folder `elsewhere`
    assert run_in_process("runs", cwd=hostile_folder).code == 0
    assert run_in_process("show", "last", cwd=hostile_folder).code == 0


def test_settings_that_need_trust_are_named_in_one_line(hostile_folder: Path) -> None:
    """The user learns which settings are left out, and how to allow them."""
    run = run_in_process("run", "--json", cwd=hostile_folder)

    (notice,) = [line for line in run.err.splitlines() if "does not set" in line]
    assert notice == (
        f"{hostile_folder}/controlplane.toml does not set run.benchmark, run.rule_sets, run.isolation, "
        "run.base_url, run.prices, run.runs_dir, profiles.m, mcp.clock: read the file, and the modules "
        "beside it that it names, and, if you trust them: controlplane trust"
    )


# The modules that run first tell that the Python is too old, so an old Python must understand them.
#
# They may import only what it has: the product itself, and the standard library without `tomllib`,
# which is new in Python 3.11. They may not use newer syntax.


def packages_imported_at_the_top(file: Path) -> set[str]:
    """Return the packages that a file imports when it is imported itself: `{"os", "json"}`.

    An import inside a function does not count. The file is parsed as Python 3.8 does; raises
    `SyntaxError` for what came later.
    """
    modules: list[str] = []
    tree = ast.parse(file.read_text(), feature_version=(3, 8))
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            modules += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            modules.append(statement.module or "")
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize(
    "file_name", ["controlplane/__init__.py", "controlplane/__main__.py"]
)
def test_an_old_python_can_import_what_tells_that_it_is_old(file_name: str) -> None:
    modules_of_old_python = sys.stdlib_module_names - {"tomllib"}

    imported = packages_imported_at_the_top(ROOT / file_name)

    assert imported - {"controlplane"} <= modules_of_old_python


# On a system where it cannot run, the product says so in one line, in place of a traceback.
#
# It needs Python 3.11, its installed dependencies, and `os.fork`, which Windows does not have.
# `python3.10 -m controlplane run` prints that this is Python 3.10, and that `./start` helps.


RUN_AFTER = """
import sys, os, runpy
{change}
sys.argv = ['controlplane', 'run']
runpy.run_module('controlplane', None, '__main__')
"""
"""A program that runs `controlplane run` after a change that makes this system look like another."""

OLD_PYTHON = RUN_AFTER.format(
    change="sys.version_info = (3, 10, 4); sys.version = '3.10.4 (main)'"
)
SYSTEM_WITHOUT_FORK = RUN_AFTER.format(change="del os.fork")


@pytest.mark.parametrize(
    ("python_arguments", "error_parts"),
    [
        pytest.param(["-c", OLD_PYTHON], ["Python 3.10.4", "./start"], id="old Python"),
        pytest.param(
            ["-c", SYSTEM_WITHOUT_FORK], ["cannot fork", "Windows", "WSL"], id="Windows"
        ),
        pytest.param(
            # `-S` leaves out the installed packages.
            ["-S", "-m", "controlplane", "run"],
            ["the package", "is not installed here", "./start"],
            id="missing dependencies",
        ),
    ],
)
def test_a_system_that_is_not_supported_is_named_in_one_line(
    python_arguments: list[str], error_parts: list[str], tmp_path: Path
) -> None:
    result = run_python(*python_arguments, cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, *error_parts)
