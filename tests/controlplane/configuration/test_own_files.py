"""A user's own files: modules that settings name, prompt texts, hints, and errors in all of them.

`controlplane run --benchmark mine --prompt prompts --hints hints.txt` takes the benchmark from the
user's `mine.py`. The tests show that no other file of the folder is imported, that the journal
keeps the texts, and that an error in the user's code names its file and line.
"""

import ast
import importlib.util
import logging
import shutil
import sys
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.agent.loop import default_prompts
from controlplane.agent.loop.prompt_files import FOLDER as PROMPT_FOLDER
from controlplane.configuration.installed_versions import EVIDENCE_MODULES
from controlplane.errors import BudgetExhausted, Unreachable, UsageError
from controlplane.lifecycle.resources.run_prompts import recorded_prompts
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
    run_python,
)
from tests.support.endpoints import model_server
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.phonebook_model import respond_with_usage

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial has no answer."""

# --- Versions of the product in a journal ---
#
# A journal records hashes of the product's source: one of all packages, and one of the gates, the
# checks that judge answers. A later version can tell from them what has changed since.

PACKAGES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
"""The packages in the repository: agent, gates, sandbox and others."""

PRINT_CHANGED_HASHES = """
import json, sys
from pathlib import Path
from controlplane.configuration.installed_versions import current_versions, playing_digest

def hashes():
    return {
        "source": playing_digest(benchmark="ecom"),
        "gates": current_versions(rule_sets=("ecom",)).gates,
    }

hashes_before = hashes()
changed_hashes = {}
for package in sys.argv[1:]:
    file = Path(package, "__init__.py")
    text = file.read_text(encoding="utf-8")
    file.write_text(text + "# another version", encoding="utf-8")
    hashes_after = hashes()
    file.write_text(text, encoding="utf-8")

    changed_hashes[package] = []
    for name in hashes_before:
        if hashes_after[name] != hashes_before[name]:
            changed_hashes[package].append(name)
print(json.dumps(changed_hashes))
"""
"""A program that runs in a copy of the product. It adds a comment to one package after another, and
prints which hashes change with each: `{"agent": ["source"], "gates": ["source", "gates"], ...}`."""


def test_the_hash_of_the_source_covers_every_package(tmp_path: Path) -> None:
    """A change in any package changes the hash of the source; one in `gates` also that of the gates.

    The program runs in a copy of the product: the packages, and the prompts as they are.
    """
    for package in (*PACKAGES, "prompts"):
        shutil.copytree(
            ROOT / package,
            tmp_path / package,
            symlinks=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )

    program = run_python(
        "-c", PRINT_CHANGED_HASHES, *PACKAGES, cwd=tmp_path, PYTHONPATH=""
    )

    assert len(PACKAGES) >= 5, "the packages are elsewhere now"
    expected: dict[str, list[str]] = {package: ["source"] for package in PACKAGES}
    expected["gates"] = ["source", "gates"]
    assert program.json == expected


def test_every_module_whose_hash_is_recorded_exists() -> None:
    """`EVIDENCE_MODULES` names the modules whose hash is the version "evidence" in a journal.

    The hash of a module that is not found would silently cover nothing.
    """
    for module in EVIDENCE_MODULES:
        assert importlib.util.find_spec(module) is not None


# --- Modules in the working folder ---
#
# A namesake is a file in the user's folder with the name of a module that the product imports. It
# must not be imported in its place.

NAMESAKES_OF_OUR_MODULES = (
    "agent.py",
    "gates.py",
    "sandbox.py",
    "benchmarks/__init__.py",
    "controlplane/notes.py",
)
NAMESAKES_OF_INSTALLED_MODULES = (
    "click.py",
    "logging.py",
    "typing.py",
    "re.py",
    "signal.py",
    "traceback.py",
)
NAMESAKES_OF_OPTIONAL_MODULES = (
    "brotli.py",
    "h2.py",
    "trio.py",
    "pandas.py",
    "zstandard.py",
    "sniffio.py",
    "uvloop.py",
)
"""Libraries import these if they are there."""


def write_namesakes(folder: Path, *file_names: str) -> None:
    """Write files that raise an error when they are imported."""
    for file_name in file_names:
        file = folder / file_name
        file.parent.mkdir(exist_ok=True)
        file.write_text("raise RuntimeError('a namesake was imported')\n")


@pytest.mark.second_tier
def test_a_run_and_its_replay_work_beside_namesakes(tmp_path: Path) -> None:
    """The folder has files such as `agent.py` and `logging.py`, which raise an error if they are
    imported. `-P` keeps the folder off Python's import path, as for an installed command."""
    write_namesakes(
        tmp_path, *NAMESAKES_OF_OUR_MODULES, *NAMESAKES_OF_INSTALLED_MODULES
    )
    command = ("-P", "-m", "controlplane")

    run = run_python(*command, "run", "--limit", "1", "--json", cwd=tmp_path)
    replay = run_python(*command, "replay", "last", "--verify", cwd=tmp_path)

    assert run.code == OK, run.err
    assert run.json["trials_scored"] == 1
    assert replay.code == OK


@pytest.mark.second_tier
def test_optional_modules_are_not_taken_from_the_working_folder(tmp_path: Path) -> None:
    """The run asks a model at a closed port, 9, so that all parts of the HTTP client are imported.

    With a patience of 0 s it does not try again, and fails.
    """
    write_namesakes(tmp_path, *NAMESAKES_OF_OPTIONAL_MODULES)

    run = run_python(
        "-m",
        "controlplane",
        "run",
        "--limit",
        "1",
        "--model",
        "m",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model-patience",
        "0",
        cwd=tmp_path,
    )

    assert run.code == Unreachable.exit_code, run.err
    assert "namesake" not in run.err


LIST_RUNS_AND_PRINT_PATH = """
import sys
from controlplane.__main__ import main
sys.argv[1:] = ["runs"]
try:
    main()
finally:
    print(sys.path)
"""
"""Runs `controlplane runs`, and prints the import path afterwards."""


@pytest.mark.second_tier
def test_a_command_takes_the_working_folder_off_the_import_path(tmp_path: Path) -> None:
    """Python itself puts the folder, or "" for it, at the beginning of `sys.path`."""
    program = run_python("-c", LIST_RUNS_AND_PRINT_PATH, cwd=tmp_path)

    assert str(tmp_path) not in program.out
    assert "''" not in program.out


@pytest.mark.second_tier
def test_completion_in_a_shell_imports_no_module_of_the_folder(tmp_path: Path) -> None:
    """The user presses Tab after `controlplane run --benchmark mine `. The module `mine` would
    write a file if it were imported.

    The shell then runs the command with these variables; COMP_CWORD is the number of the word.
    """
    (tmp_path / "mine.py").write_text("open('ran', 'w').close()\n")
    program = (
        "import sys; sys.argv[0] = 'controlplane'; "
        "from controlplane.__main__ import main; main()"
    )

    completion = run_python(
        "-c",
        program,
        cwd=tmp_path,
        _CONTROLPLANE_COMPLETE="bash_complete",
        COMP_WORDS="controlplane run --benchmark mine ",
        COMP_CWORD="4",
    )

    assert completion.err == ""
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.py"]


@pytest.mark.second_tier
def test_a_benchmark_in_the_working_folder_may_import_its_neighbours(
    tmp_path: Path,
) -> None:
    """The user names `mine.py`, which imports `words.py`. Namesakes of the product's modules are
    still not imported."""
    write_namesakes(tmp_path, *NAMESAKES_OF_OUR_MODULES)
    (tmp_path / "mine.py").write_text("from words import *\n")
    shutil.copy(ROOT / "docs/examples/wordbook.py", tmp_path / "words.py")
    replies = ROOT / "docs/examples/wordbook.toml"

    run = run_python(
        "-m",
        "controlplane",
        "run",
        "--benchmark",
        "mine",
        "--model",
        f"scripted:{replies}",
        "--json",
        cwd=tmp_path,
    )

    assert run.code == OK, run.err
    assert run.json["score"] == 1.0


# --- Prompt texts and hints ---

# The options `--prompt FOLDER` and `--hints FILE` name texts of the user's own: those of the initial
# prompt, and a text that is added to it.

OWN_SYSTEM_PROMPT = "You are the clerk of a telephone exchange.\n\n{{harness}}\n"
"""Prompts have placeholders: `{{harness}}` stands for what scripts may call."""
OWN_HINTS = "Numbers have {{two}} digits.\n"
"""Hints have no placeholders, so that the braces stay as they are."""

OWN_TEXTS = ("--prompt", "mine", "--hints", "hints.txt")
"""The options that name both."""


@pytest.fixture
def own_prompts(tmp_path: Path) -> Path:
    """A folder of prompts, `mine`, with a system prompt of its own, and hints beside it."""
    prompts = tmp_path / "mine"
    shutil.copytree(PROMPT_FOLDER, prompts)
    (prompts / "system.md").write_text(OWN_SYSTEM_PROMPT, encoding="utf-8")
    (tmp_path / "hints.txt").write_text(OWN_HINTS, encoding="utf-8")
    return prompts


def newest_journal(folder: Path) -> Path:
    """Return the journal of the last run that was started in the folder."""
    journals = folder.glob("runs/*.jsonl")
    return max(journals, key=lambda journal: journal.stat().st_mtime_ns)


def system_prompts(folder: Path) -> list[str]:
    """Return the system prompts that the trials of the folder's newest run had."""
    prompts: list[str] = []
    with open_journal(newest_journal(folder)) as journal:
        for trial in journal.trials.values():
            if trial.initial_prompt is not None:
                prompts.append(trial.initial_prompt.system)
    return prompts


@pytest.mark.usefixtures("own_prompts")
def test_the_model_gets_the_users_prompt_and_hints(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The system prompt begins with the user's text and ends with the hints, in each of three
    trials."""
    run = run_command_here("run", *PHONEBOOK_WITH_PLAYER, *OWN_TEXTS, "--quiet")

    assert run.code == OK
    prompts = system_prompts(tmp_path)
    assert len(prompts) == 3
    for prompt in prompts:
        assert prompt.startswith("You are the clerk of a telephone exchange.")
        assert prompt.endswith("\nNumbers have {{two}} digits.\n")


def test_the_journal_keeps_the_users_prompt_and_hints(
    own_prompts: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The texts are the product's own, except the system prompt and the hints of the user. A hash
    of all of them is a version in the journal; it differs from the hash of the product's own."""
    run_command_here("run", *PHONEBOOK_WITH_PLAYER, *OWN_TEXTS, "--quiet")

    with open_journal(newest_journal(tmp_path)) as journal:
        recorded = recorded_prompts(journal)
        hashes = {versions.prompts for versions in journal.versions}
    assert recorded is not None
    assert recorded.hints == OWN_HINTS
    own_system_prompt = (own_prompts / "system.md").read_text()
    assert recorded.texts == {**default_prompts().texts, "system": own_system_prompt}
    assert default_prompts().digest not in hashes
    assert run_command_here("replay", "last", "--verify").code == OK


def test_a_run_is_resumed_and_rerun_with_the_texts_of_its_journal(
    own_prompts: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A limit of tokens stops a run of six trials in its second one. The user deletes the prompts,
    changes the hints, and resumes the run; then one trial is played again. All have the first texts.

    A trial takes two replies of 1,100 tokens each, so 3,500 tokens are used up in the second trial.
    """
    with model_server(respond_with_usage) as server:
        stopped = run_command_here(
            "run",
            "--benchmark",
            "tests.support.phonebook",
            "--model",
            "m",
            "--repeats",
            "2",
            "--concurrency",
            "1",
            "--max-tokens-run",
            "3500",
            "--json",
            *OWN_TEXTS,
            OPENAI_BASE_URL=server.url,
        )
        prompts_of_stopped_run = system_prompts(tmp_path)

        shutil.rmtree(own_prompts)
        (tmp_path / "hints.txt").write_text("Something else.")

        more_tokens = ("--max-tokens-run", "1000000")
        resumed = run_command_here(
            "resume", "last", *more_tokens, "--json", OPENAI_BASE_URL=server.url
        )
        prompts_of_resumed_run = system_prompts(tmp_path)

        rerun = run_command_here(
            "rerun", "last", "--trials", "ada-0", "--json", OPENAI_BASE_URL=server.url
        )
        prompts_of_rerun = system_prompts(tmp_path)

    assert stopped.code == BudgetExhausted.exit_code
    first_prompt, _ = prompts_of_stopped_run
    assert resumed.code == OK
    assert prompts_of_resumed_run == [first_prompt] * 6
    assert rerun.code == OK, rerun.err
    assert prompts_of_rerun == [first_prompt]
    assert run_command_here("replay", "last", "--verify").code == OK


# --- Errors in a user's benchmark ---
#
# The tests break these lines of the benchmark `docs/examples/wordbook.py`:
#
#     def call(self, operation, arguments):
#         return {"meaning": WORDS[arguments["word"]]}
#     def answer(self, message, outcome, refs):
#         self.answered = (message, outcome)
#     def start_trial(self, trial_id):
#         return Trial(trial_id, word, instruction, environment)
#     def end_trial(self, trial_id):
#         return self.scores.setdefault(trial_id, TrialScore(trial_id, float(right)))

WORDBOOK = (ROOT / "docs/examples/wordbook.py").read_text(encoding="utf-8")


def line_in_wordbook(code: str) -> int:
    """Return the number of the line in which this code begins."""
    return WORDBOOK[: WORDBOOK.index(code)].count("\n") + 1


LOOK_UP = 'return {"meaning": WORDS[arguments["word"]]}'
KEEP_ANSWER = "self.answered = (message, outcome)"
TELL_TIME = "return None  # no clock"

LOOK_UP_LINE = f"shelf.py, line {line_in_wordbook(LOOK_UP)}"
KEEP_ANSWER_LINE = f"shelf.py, line {line_in_wordbook(KEEP_ANSWER)}"
TELL_TIME_LINE = f"shelf.py, line {line_in_wordbook(TELL_TIME)}"

SCORE_NOT_FINITE = "could not end: ValueError: the score of heron-0 is a finite number"
"""The reason if a score is not a number that can be averaged."""


def run_broken_wordbook(folder: Path, code: str, broken_code: str) -> CommandResult:
    """Play one trial of the wordbook in which a piece of its code is replaced.

    The broken benchmark is the user's `shelf.py`. The model's replies are right.
    """
    assert WORDBOOK.count(code) == 1
    source = WORDBOOK.replace(code, broken_code)
    (folder / "shelf.py").write_text(source, encoding="utf-8")
    sys.modules.pop("shelf", None)  # the module of another test
    return run_in_process(
        "run",
        "--benchmark",
        "shelf",
        "--limit",
        "1",
        "--model",
        f"scripted:{ROOT / 'docs/examples/wordbook.toml'}",
        "--json",
        cwd=folder,
    )


def check_trial_has_reason(result: CommandResult, folder: Path, reason: str) -> None:
    """Assert that the run tells why its one trial failed, and that its journal can be shown.

    `reason` is how the told reason begins.
    """
    (trial,) = result.json["trials"]
    assert trial["reason"].startswith(reason)
    shown = run_in_process("show", "last", "--json", cwd=folder)
    assert shown.json["trials"]


@pytest.mark.parametrize(
    ("broken_line", "reason"),
    [
        pytest.param(
            "{}['call']",
            f"the benchmark broke: KeyError: 'call' ({LOOK_UP_LINE})",
            id="an exception",
        ),
        pytest.param(
            "raise SystemExit(0)",
            f"the benchmark broke: SystemExit: 0 ({LOOK_UP_LINE})",
            id="an exit",
        ),
        pytest.param(
            "raise GeneratorExit(7)",
            f"the benchmark broke: GeneratorExit: 7 ({LOOK_UP_LINE})",
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
    broken_line: str, reason: str, tmp_path: Path
) -> None:
    """A call looks a word up. The reason names the user's file and the line of the lookup."""
    result = run_broken_wordbook(tmp_path, LOOK_UP, broken_line)

    assert result.code == A_TRIAL_FAILED
    check_trial_has_reason(result, tmp_path, reason)


@pytest.mark.parametrize(
    ("code", "broken_code", "reason"),
    [
        # The environment's method `answer`, which takes the answer:
        pytest.param(
            KEEP_ANSWER,
            "raise ValueError('full')",
            f"the benchmark broke: ValueError: full ({KEEP_ANSWER_LINE})",
            id="an exception at the answer",
        ),
        pytest.param(
            KEEP_ANSWER,
            "raise SystemExit(0)",
            f"the benchmark broke: SystemExit: 0 ({KEEP_ANSWER_LINE})",
            id="an exit at the answer",
        ),
        # `end_trial`, which returns `TrialScore(trial_id, float(right))`:
        pytest.param(
            "float(right)",
            'float("nan")',
            SCORE_NOT_FINITE,
            id="a score that is not a number",
        ),
        pytest.param(
            "float(right)",
            "1e16",
            SCORE_NOT_FINITE,
            id="a score that is too large",
        ),
        pytest.param(
            "float(right)",
            '"good"',
            SCORE_NOT_FINITE,
            id="a score that is a text",
        ),
        pytest.param(
            "return self.scores.setdefault(trial_id, TrialScore(trial_id, float(right)))",
            "return 1.0",
            "could not end: TypeError: end_trial returned 1.0, not a TrialScore",
            id="a number in place of a TrialScore",
        ),
        # `start_trial`, which returns `Trial(trial_id, word, instruction, environment)`:
        pytest.param(
            "return Trial(",
            "Trial(",
            "could not start: TypeError: start_trial returned None, not a Trial",
            id="no trial at the start",
        ),
        pytest.param(
            "return Trial(trial_id, word, instruction, environment)",
            "return Trial(trial_id, word, 0, environment)",
            "could not start: TypeError: the instruction of heron is a text, not 0",
            id="an instruction that is not a text",
        ),
    ],
)
def test_a_benchmark_that_breaks_at_a_start_or_an_end_leaves_the_trial_open(
    code: str, broken_code: str, reason: str, tmp_path: Path
) -> None:
    """The run is not complete, and can be resumed once the benchmark is corrected."""
    result = run_broken_wordbook(tmp_path, code, broken_code)

    assert result.code == Unreachable.exit_code
    check_trial_has_reason(result, tmp_path, reason)


def test_a_benchmark_whose_clock_breaks_gives_a_fallback(tmp_path: Path) -> None:
    """The clock `now`, which returns None, is asked before the first step. The trial ends at once
    with a *fallback*, an answer of the product's own."""
    result = run_broken_wordbook(tmp_path, TELL_TIME, "raise ValueError('now')")

    assert result.code == OK
    reason = f"the benchmark broke: ValueError: now ({TELL_TIME_LINE})"
    check_trial_has_reason(result, tmp_path, reason)


# --- Errors in modules that settings name ---


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
    """The user's module `leaving.py` has the benchmark, the agent or a set of rules for answers.

    Even if it exits, the command must not end without a message.
    """
    sys.modules.pop("leaving", None)  # the module of another case
    (tmp_path / "leaving.py").write_text(source, encoding="utf-8")

    result = run_in_process("run", option, name, "--limit", "1", cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, f"{error} (leaving.py, line 1)")


def test_an_agent_that_cannot_solve_is_refused_before_the_run_begins(
    tmp_path: Path,
) -> None:
    """The module has a `SOLVER`, as it should, but that makes None of what it gets, not an agent."""
    (tmp_path / "forgetful_solver.py").write_text(
        "from controlplane.solver import SolverSpec\n"
        "SOLVER = SolverSpec(lambda tools: None, roles=())\n",
        encoding="utf-8",
    )

    result = run_in_process(
        "run", "--limit", "1", "--agent", "forgetful_solver", cwd=tmp_path
    )

    check_error_line(
        result,
        UsageError.exit_code,
        "the agent 'forgetful_solver' opens None, which has no solve(session)",
    )


MESSAGE_THAT_STEERS = r"\x1b[31m\u061c"
"""A text in Python's source. It turns a terminal red, by an escape sequence, and changes a text's
direction, by an invisible character."""

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
    """The option `--debug` prints a traceback with the message of the user's exception."""
    (tmp_path / f"{module}.py").write_text(source)
    replies = ROOT / "tests/support/phonebook.toml"

    result = run_command_here(
        "run",
        "ada",
        "--benchmark",
        module,
        "--model",
        f"scripted:{replies}",
        "--debug",
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


# --- Systems on which the product cannot run ---

RUN_AFTER = """
import sys, os, runpy
{change}
sys.argv = ['controlplane', 'run']
runpy.run_module('controlplane', None, '__main__')
"""
"""A program that runs `controlplane run` after a change that makes this system look another.

The product needs Python 3.11, and `os.fork`, which Windows does not have.
"""

OLD_PYTHON = RUN_AFTER.format(
    change="sys.version_info = (3, 10, 4); sys.version = '3.10.4 (main)'"
)
SYSTEM_WITHOUT_FORK = RUN_AFTER.format(change="del os.fork")


@pytest.mark.parametrize(
    ("python_arguments", "error_parts"),
    [
        pytest.param(
            ["-c", OLD_PYTHON],
            ["Python 3.10.4", "./start"],
            id="old Python",
        ),
        pytest.param(
            ["-c", SYSTEM_WITHOUT_FORK],
            ["cannot fork", "Windows", "WSL"],
            id="Windows",
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
    """In place of a traceback, the user reads what is missing, and which command helps."""
    result = run_python(*python_arguments, cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, *error_parts)


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
    """These two files run first, and print that the Python is too old. So they may import only what
    an old one has: the product itself, and the standard library without `tomllib`, which is new
    in Python 3.11."""
    modules_of_old_python = sys.stdlib_module_names - {"tomllib"}

    imported = packages_imported_at_the_top(ROOT / file_name)

    assert imported - {"controlplane"} <= modules_of_old_python
