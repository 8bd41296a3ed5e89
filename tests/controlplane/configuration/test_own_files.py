"""A user's own files: modules that settings name, prompt
texts, and errors in them, which name where they stand."""

import ast
import importlib.util
import logging
import shutil
import sys
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.agent.loop import default_prompts
from controlplane.agent.loop.prompt_files import FOLDER
from controlplane.configuration.installed_versions import EVIDENCE_MODULES
from controlplane.errors import BudgetExhausted, Unreachable
from controlplane.lifecycle.resources.run_prompts import recorded_prompts
from tests.support.command import (
    ROOT,
    CommandRunner,
    check_error_line,
    run_in_process,
    run_python,
)
from tests.support.endpoints import model_server
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK
from tests.support.phonebook_model import respond_with_usage

PACKAGES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
CHANGE_EACH = """
import controlplane, json, sys
from pathlib import Path
from controlplane.configuration.installed_versions import current_versions, source_digest

def digests():
    return source_digest("ecom"), current_versions(("ecom",)).gates

before, changed = digests(), {}
for package in sys.argv[1:]:
    source = Path(controlplane.__file__).parents[1].joinpath(package, "__init__.py")
    text = source.read_text(encoding="utf-8")
    source.write_text(text + "# another version", encoding="utf-8")
    changed[package] = [one != other for one, other in zip(before, digests())]
    source.write_text(text, encoding="utf-8")
print(json.dumps(changed))
"""


def test_every_package_counts_and_of_the_rules_all_that_they_use(
    tmp_path: Path,
) -> None:
    for package in (*PACKAGES, "prompts"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(
            ROOT / package, tmp_path / package, symlinks=True, ignore=ignored
        )
    made = run_python("-c", CHANGE_EACH, *PACKAGES, cwd=tmp_path, PYTHONPATH="")

    assert len(PACKAGES) >= 5
    assert made.json == {package: [True, package == "gates"] for package in PACKAGES}


def test_every_module_that_counts_for_the_evidence_is_found() -> None:
    # The digest of a module that is not found would silently cover nothing.
    for module in EVIDENCE_MODULES:
        assert importlib.util.find_spec(module) is not None


NAMESAKES = (
    "agent.py",
    "gates.py",
    "sandbox.py",
    "benchmarks/__init__.py",
    "controlplane/notes.py",
)
NAMESAKE = "raise RuntimeError('a namesake was imported')\n"


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(NAMESAKE)


@pytest.mark.second_tier
def test_a_run_and_its_replay_work_beside_namesakes(tmp_path: Path) -> None:
    put(
        tmp_path,
        *NAMESAKES,
        "click.py",
        "logging.py",
        "typing.py",
        "re.py",
        "signal.py",
        "traceback.py",
    )
    ran = run_python(
        "-P", "-m", "controlplane", "run", "--limit", "1", "--json", cwd=tmp_path
    )

    assert ran.code == 0, ran.err
    assert ran.json["trials_scored"] == 1
    assert (
        run_python(
            "-P", "-m", "controlplane", "replay", "last", "--verify", cwd=tmp_path
        ).code
        == 0
    )


@pytest.mark.second_tier
def test_no_module_of_the_working_folder_is_imported_unless_the_user_names_it(
    tmp_path: Path,
) -> None:
    put(
        tmp_path,
        "brotli.py",
        "h2.py",
        "trio.py",
        "pandas.py",
        "zstandard.py",
        "sniffio.py",
        "uvloop.py",
    )
    endpoint = ("--base-url", "http://127.0.0.1:9/v1", "--model-patience", "0")
    ran = run_python(
        "-m",
        "controlplane",
        "run",
        "--limit",
        "1",
        "--model",
        "m",
        *endpoint,
        cwd=tmp_path,
    )

    assert ran.code == Unreachable.exit_code, ran.err
    assert "namesake" not in ran.err
    listed = "import sys; from controlplane.__main__ import main; sys.argv[1:] = ['runs']\ntry: main()\nfinally: "
    shown = run_python("-c", f"{listed}print(sys.path)", cwd=tmp_path)
    assert str(tmp_path) not in shown.out
    assert "''" not in shown.out


@pytest.mark.second_tier
def test_a_completion_imports_no_module_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("open('ran', 'w').close()\n")
    wanted = {"_CONTROLPLANE_COMPLETE": "bash_complete", "COMP_CWORD": "4"}
    wanted["COMP_WORDS"] = "controlplane run --benchmark mine "
    program = "import sys; sys.argv[0] = 'controlplane'; from controlplane.__main__ import main; main()"

    assert run_python("-c", program, cwd=tmp_path, **wanted).err == ""
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.py"]


@pytest.mark.second_tier
def test_a_benchmark_beside_the_user_is_found_and_may_import_its_neighbours(
    tmp_path: Path,
) -> None:
    put(tmp_path, *NAMESAKES)
    (tmp_path / "mine.py").write_text("from words import *\n")
    (tmp_path / "words.py").write_text((ROOT / "docs/examples/wordbook.py").read_text())
    script = ROOT / "docs/examples/wordbook.toml"
    words = ("run", "--benchmark", "mine", "--model", f"scripted:{script}", "--json")
    ran = run_python("-m", "controlplane", *words, cwd=tmp_path)

    assert ran.code == 0, ran.err
    assert ran.json["score"] == 1.0


MARK = "You are the clerk of a telephone exchange."
HINT = "Numbers have {{two}} digits.\n"
OWN = ("--prompt", "mine", "--hints", "hints.txt")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of prompts with a system prompt of its own, and hints beside it."""
    shutil.copytree(FOLDER, tmp_path / "mine")
    (tmp_path / "mine/system.md").write_text(
        f"{MARK}\n\n{{{{harness}}}}\n", encoding="utf-8"
    )
    (tmp_path / "hints.txt").write_text(HINT, encoding="utf-8")
    return tmp_path / "mine"


def newest(folder: Path) -> Path:
    return max(folder.glob("runs/*.jsonl"), key=lambda each: each.stat().st_mtime_ns)


def systems(folder: Path) -> list[str]:
    """The system prompts of the newest run's trials."""
    with open_journal(newest(folder)) as journal:
        return [
            trial.initial_prompt.system
            for trial in journal.trials.values()
            if trial.initial_prompt is not None
        ]


def test_the_model_is_told_them_and_the_journal_keeps_them(
    mine: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    assert run_command_here("run", *PHONEBOOK_WITH_PLAYER, *OWN, "--quiet").code == 0
    assert [
        system.startswith(MARK) and system.endswith(f"\n{HINT}")
        for system in systems(tmp_path)
    ] == [True] * 3
    with open_journal(newest(tmp_path)) as journal:
        recorded = recorded_prompts(journal)
        kept = recorded.texts | {"hints": recorded.hints}
        digests = {version.prompts for version in journal.versions}
    assert kept == default_prompts().texts | {
        "system": (mine / "system.md").read_text(),
        "hints": HINT,
    }
    assert default_prompts().digest not in digests
    assert run_command_here("replay", "last", "--verify").code == 0


@pytest.mark.usefixtures("mine")
def test_a_run_is_resumed_and_rerun_with_the_texts_of_its_journal(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    with model_server(respond_with_usage) as server:
        where = {"OPENAI_BASE_URL": server.url}
        stopped = run_command_here(
            "run",
            "--benchmark",
            "tests.support.phonebook",
            "--model",
            "m",
            "--json",
            "--repeats",
            "2",
            "--concurrency",
            "1",
            *OWN,
            "--max-tokens-run",
            "3500",
            **where,
        )
        assert stopped.code == BudgetExhausted.exit_code
        shutil.rmtree(tmp_path / "mine")
        (tmp_path / "hints.txt").write_text("Something else.")
        begun = len(systems(tmp_path))
        assert (
            run_command_here(
                "resume", "last", "--max-tokens-run", "1000000", "--json", **where
            ).code
            == 0
        )
        told = systems(tmp_path)
        rerun = run_command_here(
            "rerun", "last", "--trials", "ada-0", "--json", **where
        )

    assert begun == 2  # The limit stops the run in its second trial.
    assert len(told) == 6
    assert len(set(told)) == 1
    assert rerun.code == 0, rerun.err
    assert systems(tmp_path) == told[:1]
    assert run_command_here("replay", "last", "--verify").code == 0


SOLVER = """from controlplane.solver import SolverSpec


class Broken:
    def solve(self, session):
        return {}["x"]


SOLVER = SolverSpec(lambda tools: Broken(), roles=())
"""


WORDBOOK = Path("docs/examples/wordbook.py").read_text(encoding="utf-8")
CALL = '        return {"meaning": WORDS[arguments["word"]]}\n'
ANSWER = "        self.answered = (message, outcome)\n"
CLOCK = "        return None\n"
SCORE = "self.scores.setdefault(trial_id, TrialScore(trial_id, float(right)))"
FINITE = "could not end: ValueError: the score of heron-0 is a finite number"


@pytest.mark.parametrize(
    ("right", "wrong", "code", "says"),
    [
        (
            CALL,
            "        {}['call']\n",
            1,
            "the benchmark broke: KeyError: 'call' (shelf.py, line 13)",
        ),
        (
            CALL,
            "        raise SystemExit(0)\n",
            1,
            "the benchmark broke: SystemExit: 0 (shelf.py, line 13)",
        ),
        (
            CALL,
            "        raise GeneratorExit(7)\n",
            1,
            "the benchmark broke: GeneratorExit: 7 (shelf.py, line 13)",
        ),
        (
            CALL,
            "        return None\n",
            1,
            "the benchmark broke: TypeError: define broke: it returned Non",
        ),
        (
            CALL,
            "        return {'a': id}\n",
            1,
            "the benchmark broke: TypeError: define broke: its result cannot be",
        ),
        (
            ANSWER,
            "        raise ValueError('full')\n",
            3,
            "the benchmark broke: ValueError: full (shelf.py, line 15)",
        ),
        (
            ANSWER,
            "        raise SystemExit(0)\n",
            3,
            "the benchmark broke: SystemExit: 0 (shelf.py, line 15)",
        ),
        (
            CLOCK,
            "        raise ValueError('now')\n",
            0,
            "the benchmark broke: ValueError: now (shelf.py, line 17)",
        ),
        ("float(right)", 'float("nan")', 3, FINITE),
        ("float(right)", "1e16", 3, FINITE),
        ("float(right)", '"good"', 3, FINITE),
        (SCORE, "1.0", 3, "could not end: TypeError: end_"),
        (
            "return Trial(",
            "Trial(",
            3,
            "could not start: TypeError: start_trial returned None, not a Trial",
        ),
        (
            'f"What does {word!r} mean? Answer with the meaning only."',
            "0",
            3,
            "could not start: TypeError: the instr",
        ),
    ],
)
def test_what_a_benchmark_of_ones_own_does_wrong_is_told_in_why(
    right: str, wrong: str, code: int, says: str, tmp_path: Path
) -> None:
    """The text `right` of the benchmark in `wordbook.py` is replaced by `wrong`."""
    assert right in WORDBOOK
    (tmp_path / "shelf.py").write_text(WORDBOOK.replace(right, wrong), encoding="utf-8")
    sys.modules.pop("shelf", None)
    replies = Path("docs/examples/wordbook.toml").resolve()
    words = (
        "run",
        "--benchmark",
        "shelf",
        "--limit",
        "1",
        "--model",
        f"scripted:{replies}",
        "--json",
    )
    done = run_in_process(*words, cwd=tmp_path)
    assert done.code == code
    assert done.json["trials"][0]["reason"].startswith(says)
    assert run_in_process("show", "last", "--json", cwd=tmp_path).json["trials"]


@pytest.mark.parametrize("flag", ["--benchmark", "--agent", "--rule-sets"])
@pytest.mark.parametrize(
    ("text", "says"),
    [("raise SystemExit(0)", "SystemExit: 0"), ("{}['x']", "KeyError: 'x'")],
)
def test_a_module_that_ends_or_fails_at_its_import_is_told(
    flag: str, text: str, says: str, tmp_path: Path
) -> None:
    sys.modules.pop("leaving", None)
    (tmp_path / "leaving.py").write_text(f"{text}\n", encoding="utf-8")
    name = "leaving:RULE_SET" if flag == "--rule-sets" else "leaving"
    check_error_line(
        run_in_process("run", flag, name, "--limit", "1", cwd=tmp_path),
        2,
        f"{says} (leaving.py, line 1)",
    )


def test_a_solver_that_cannot_solve_is_refused_before_the_run_begins(
    tmp_path: Path,
) -> None:
    text = "from controlplane.solver import SolverSpec\nSOLVER = SolverSpec(lambda tools: None, roles=())\n"
    (tmp_path / "forgetful_solver.py").write_text(text, encoding="utf-8")
    says = "the agent 'forgetful_solver' opens None, which has no solve(session)"
    check_error_line(
        run_in_process(
            "run", "--limit", "1", "--agent", "forgetful_solver", cwd=tmp_path
        ),
        2,
        says,
    )


BREAKING = """
from tests.support.phonebook import *

def open_benchmark(argument, settings, context):
    opened = Phonebook(0.0)
    opened.end_trial = lambda trial_id: 1 / 0
    return opened
"""


RAISE = "(_ for _ in ()).throw(Exception('\\x1b[31m\\u061c'))"


@pytest.mark.parametrize(
    "text", [BREAKING.replace("1 / 0", RAISE), f"def open_benchmark(*_): {RAISE}"]
)
def test_a_traceback_does_not_steer_the_terminal(
    text: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    name = "marked_" + str(len(text))
    (tmp_path / f"{name}.py").write_text(text)
    shown = run_command_here(
        "run", "ada", "--benchmark", name, *PHONEBOOK[2:], "--debug"
    ).err

    assert "Traceback" in shown
    assert not {"\x1b", "\u061c"} & {*shown}
    assert not logging.getLogger("controlplane").isEnabledFor(logging.DEBUG)


START = "import sys, os, runpy; {}; sys.argv = ['controlplane', 'run']; runpy.run_module('controlplane', None, '__main__')"
WRONG_SYSTEMS = [
    (
        [
            "-c",
            START.format(
                "sys.version_info = (3, 10, 4); sys.version = '3.10.4 (main)'"
            ),
        ],
        "Python 3.10.4",
        "./start",
    ),
    (["-c", START.format("del os.fork")], "cannot fork", "Windows", "WSL"),
    (
        ["-S", "-m", "controlplane", "run"],
        "the package",
        "is not installed here",
        "./start",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "says"), [(system[0], system[1:]) for system in WRONG_SYSTEMS]
)
def test_a_system_that_will_not_do_is_told_at_once(
    arguments: list[str], says: tuple[str, ...], tmp_path: Path
) -> None:
    check_error_line(run_python(*arguments, cwd=tmp_path), 2, *says)


def test_an_old_python_gets_as_far_as_being_told_so() -> None:
    for name in ("controlplane/__init__.py", "controlplane/__main__.py"):
        tree = ast.parse((ROOT / name).read_text(), feature_version=(3, 8))
        imported = [
            statement
            for statement in tree.body
            if isinstance(statement, ast.Import | ast.ImportFrom)
        ]
        packages = set()
        for statement in imported:
            if isinstance(statement, ast.Import):
                names = [alias.name for alias in statement.names]
            else:
                names = [statement.module or ""]
            packages.update(name.partition(".")[0] for name in names)
        assert packages <= sys.stdlib_module_names - {"tomllib"} | {"controlplane"}
