"""The documentation is true: its commands run, its examples work, its links lead somewhere.

The tests take commands and code from the pages themselves. A page marks them for it:

- every command in a block that begins with three backquotes and `sh` has to run;
- a block after `<!-- module: loans.py -->` is the content of a file of that name.
"""

import csv
import json
import re
import shlex
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import click
import pytest

from controlplane import open_journal
from controlplane.agent.model import ScriptedReply
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.command_line import COMMANDS
from controlplane.configuration.model_settings import Profile
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.gates.__main__ import main as gates_command
from controlplane.gates.judging.gate_rules import RULES, VERIFY_RULE
from controlplane.gates.verdicts import ENFORCEMENTS, GATE_NAMES, key_of
from docs.generate import generated_files
from tests.bench.local_servers import model_server
from tests.bench.trial_phases import PHASES
from tests.support.command import (
    ROOT,
    CommandResult,
    run_controlplane,
    run_in_process,
    run_python,
    write_config,
)
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.product_files import PACKAGES
from tests.support.running_server import running_server

DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"


def read_page(name: str) -> str:
    """Return the text of a page in `docs`, such as `gates.md`."""
    return (DOCS / name).read_text(encoding="utf-8")


README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE_PAGE = read_page("architecture.md")
BENCHMARKS_PAGE = read_page("benchmarks.md")
GATES_PAGE = read_page("gates.md")
LIBRARY_PAGE = read_page("library.md")
MODELS_PAGE = read_page("models.md")
RECIPES_PAGE = read_page("recipes.md")

SCRIPTED_REPLIES_SECTION = MODELS_PAGE.partition("## Scripted replies")[2]


# What the pages are made of.


def blocks(text: str, kind: str) -> list[str]:
    """Return the contents of the fenced blocks that begin with a line such as "sh" or "sh skip"."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def shell_lines(text: str) -> list[str]:
    """Return the commands in the `sh` blocks of a page, without comments.

    Blocks that begin with `sh skip` or `sh inspect` are not among them.
    """
    lines: list[str] = []
    for block in blocks(text, "sh"):
        for line in block.splitlines():
            command = line.split("#")[0].strip()
            if command:
                lines.append(command)
    return lines


def code_after(mark: str, page: str) -> str:
    """Return the first block of Python after a mark such as `<!-- module: loans.py`."""
    _, _, text_after_mark = page.partition(mark)
    return blocks(text_after_mark, "python")[0]


def table_rows(page: str) -> list[list[str]]:
    """Return the cells of each line that is a row of a table."""
    rows: list[list[str]] = []
    for line in page.splitlines():
        if line.startswith("| "):
            rows.append(line.strip("| ").split(" | "))
    return rows


# Pages that the code makes.


def test_generated_pages_are_what_the_code_makes() -> None:
    """Whoever changes an option or an event has to make its page anew."""
    for name, page in generated_files().items():
        assert read_page(name) == page, f"run: python docs/generate.py ({name})"


# Commands.

FALLBACK_NOTICE = "ended by the fallback"
"""What a run prints if a trial ran out of steps before an answer was accepted."""

CODE_FALLBACK = 1
"""The exit code of such a run."""

# How many commands the pages have. If fewer are found, a test looks for them in the wrong way.
LEAST_COMMANDS_OF_README = 12
COMMANDS_OF_RECIPES = 7
LEAST_COMMANDS_OF_COMPARISON = 5
COMMANDS_FOR_OTHER_SERVERS = 2

BYTES_OF_EMPTY_REPORT = 10_000
"""A report of a run has more: trials, and not only the bare page."""


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands of the README run one after another, as for a reader."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("docs", "tests"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def run_line(line: str, folder: Path) -> CommandResult:
    """Run a command of a page in a folder: `controlplane ...`, `./start` or `python -m ...`.

    The script `./start` would first install the product; what it does then is run alone.
    """
    words = shlex.split(line)
    if words[0] == "controlplane":
        return run_in_process(*words[1:], cwd=folder)
    if words == ["./start"]:
        words = ["python", "-m", "controlplane.first_run"]
    assert words[:2] == ["python", "-m"], line
    return run_python(*words[1:], cwd=folder)


def with_few_trials(line: str) -> str:
    """Return a command with at most two trials, if it limits them: `--limit 20` -> `--limit 2`."""
    return re.sub(r"--limit \d+", "--limit 2", line)


def test_the_readme_begins_with_the_two_commands() -> None:
    """A reader who types only these has seen a run and the tests."""
    assert shell_lines(README)[:2] == ["./start", "./start test"]


@pytest.mark.usefixtures("shared_fork_servers")
def test_every_command_of_the_readme_runs(workplace: Path, heavy: bool) -> None:
    """The commands run one after the other, as a reader types them. Without `--heavy`, each run has
    two trials at most."""
    lines = shell_lines(README)
    lines.remove("./start test")  # It would run these tests.

    for line in lines:
        result = run_line(line if heavy else with_few_trials(line), workplace)
        # The model that plays by rules finds no answer in a trial or two.
        says_fallback = result.code == CODE_FALLBACK and FALLBACK_NOTICE in result.out
        assert result.code == 0 or says_fallback, (
            f"{line}: {result.code}\n{result.out}{result.err}"
        )

    assert len(lines) >= LEAST_COMMANDS_OF_README


@pytest.mark.usefixtures("shared_fork_servers")
def test_every_recipe_runs(tmp_path: Path) -> None:
    """The recipes make a report and a table of two runs, one with and one without a hint."""
    (tmp_path / "docs").symlink_to(DOCS)
    lines = shell_lines(RECIPES_PAGE)
    assert len(lines) == COMMANDS_OF_RECIPES

    for line in lines:
        result = run_line(line, tmp_path)
        assert result.code == 0, f"{line}: {result.code}\n{result.out}{result.err}"

    report = tmp_path / "report.html"
    assert report.stat().st_size > BYTES_OF_EMPTY_REPORT
    with (tmp_path / "trials.csv").open(encoding="utf-8") as file:
        short_trial, hinted_trial = csv.DictReader(file)
    assert short_trial["run_name"] == "short"
    assert short_trial["family"] == "calendar-date"
    assert short_trial["score"] == "1.0"
    assert hinted_trial["run_name"] == "hinted"
    assert hinted_trial["family"] == "calendar-date"
    assert hinted_trial["score"] == "1.0"


LONGEST_INSPECT_EXAMPLE = 30
"""Lines. The page says that a task of Inspect, another framework, needs no more."""


def test_the_example_with_inspect_is_short() -> None:
    """The page of recipes promises it."""
    example = (EXAMPLES / "inspect_stock.py").read_text(encoding="utf-8")

    assert len(example.splitlines()) <= LONGEST_INSPECT_EXAMPLE


def test_the_recipe_for_a_task_of_inspect_runs(tmp_path: Path) -> None:
    """It is skipped where Inspect is not installed."""
    pytest.importorskip("inspect_ai")
    (tmp_path / "docs").symlink_to(DOCS)
    (recipe,) = blocks(RECIPES_PAGE, "sh inspect")

    result = run_line(recipe.strip(), tmp_path)

    assert result.code == 0, result.err
    assert "mean score 1.000" in result.out


COMPARISON_OF_RUNNERS = README.partition("## Beside other runners")[2].partition(
    "## Where"
)[0]
"""A section of the README: a table of what other runners do, and our command for it."""


def test_commands_of_the_comparison_run_elsewhere_in_the_readme() -> None:
    """The commands in a table are not run from there, so each has to be in a block, too."""
    commands = re.findall(r"`(controlplane [^`]+)`", COMPARISON_OF_RUNNERS)

    assert len(commands) >= LEAST_COMMANDS_OF_COMPARISON
    assert set(commands) <= set(shell_lines(README))


MOST_ROWS_OF_COMPARISON = 8
"""A longer table would not be read."""


def test_the_comparison_with_other_runners_is_short() -> None:
    """The first row of the table has the names of its columns."""
    _head, *rows = table_rows(COMPARISON_OF_RUNNERS)

    assert len(rows) <= MOST_ROWS_OF_COMPARISON


def commands_for_other_servers() -> list[str]:
    """Return the commands of the README that need a server of the reader's own.

    They have places to fill in, such as `controlplane run --model <model>`.
    """
    commands: list[str] = []
    for block in blocks(README, "sh skip"):
        for line in block.splitlines():
            if line.startswith("controlplane "):
                commands.append(line)
    return commands


WRONG_ANSWER = json.dumps(
    {
        "state": "",
        "plan": [],
        "done": True,
        "code": 'harness.answer({"answer": "no", "outcome": "OUTCOME_NONE_UNSUPPORTED"}, lambda sp: True)',
    }
)
"""A model's reply: a script that answers that the request cannot be served."""


@pytest.mark.usefixtures("shared_fork_servers")
def test_commands_for_a_server_of_the_readers_own_run_against_ours(
    tmp_path: Path, heavy: bool
) -> None:
    """Our model's server gives wrong answers only: each trial fails, and nothing else does."""
    commands = commands_for_other_servers()
    assert len(commands) == COMMANDS_FOR_OTHER_SERVERS
    limits = ["--max-steps", "1"]
    if not heavy:
        limits += ["--limit", "2"]

    with (
        model_server([WRONG_ANSWER]) as model_port,
        running_server(EffectCounterBenchmark(2), ServerOptions()) as platform,
    ):
        for command in commands:
            filled_in = command.replace("<benchmark id>", "tally")
            filled_in = filled_in.replace("<model>", "canned")
            words = shlex.split(filled_in)[1:]
            result = run_in_process(
                *words,
                *limits,
                cwd=tmp_path,
                OPENAI_BASE_URL=f"http://127.0.0.1:{model_port}/v1",
                OPENAI_API_KEY="none",
                BITGN_API_KEY="k",
                BITGN_HOST=platform.url,
            )

            assert result.code == 0, f"{command}: {result.code}\n{result.err}"
            assert "Traceback" not in result.err


# Links and names.

LINK_TO_FILE = re.compile(r"\]\((?!https?://)([^)#]+)")
"""Finds the path in a link of Markdown, such as `gates.md` in `[gates](gates.md#rules)`."""

PATH_IN_REPOSITORY = re.compile(
    rf"\b((?:{'|'.join([*PACKAGES, 'prompts', 'tests', 'docs'])})/[\w/]*(?:\.\w+)?)"
)
"""Finds a path such as `agent/loop` or `docs/generate.py` in a text."""


def test_links_between_pages_lead_somewhere() -> None:
    """Links to other sites are not checked."""
    for page in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]:
        for target in LINK_TO_FILE.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


LEAST_PATHS_OF_ARCHITECTURE = 50
"""If fewer are found on the page, `PATH_IN_REPOSITORY` does not find them."""


def test_every_path_of_the_architecture_exists() -> None:
    """The page names folders and files of the repository."""
    paths = PATH_IN_REPOSITORY.findall(ARCHITECTURE_PAGE)

    assert len(paths) > LEAST_PATHS_OF_ARCHITECTURE
    for path in paths:
        assert (ROOT / path).exists(), path


def test_every_command_is_documented() -> None:
    """The reference has a heading for each command of `controlplane`."""
    reference = read_page("reference.md")

    for command in COMMANDS:
        assert f"### controlplane {command}" in reference


def test_every_gate_is_documented() -> None:
    """A gate is one of the eight checks that an answer has to pass."""
    for number in range(1, 9):
        assert f"{number} {GATE_NAMES[number]}" in GATES_PAGE


@pytest.mark.parametrize("method", PHASES)
def test_a_phase_of_a_trial_times_a_method_that_exists(method: str) -> None:
    """A benchmark in `tests/bench` names the methods that it times as `module:Class.method`."""
    module_name, _, path = method.partition(":")
    module = import_module(module_name)

    assert callable(attrgetter(path)(module))


# The page of benchmarks: examples of every kind of benchmark are played.

WORDBOOK_BENCHMARK = (EXAMPLES / "wordbook.py").read_text(encoding="utf-8")
"""An example of a benchmark with two tasks: what do the words heron and otter mean?"""


def lending_command() -> list[str]:
    """Return the words behind `controlplane` that run the benchmark `lending` on the page."""
    (command,) = re.findall(
        r"^controlplane (run --benchmark lending .*)$", BENCHMARKS_PAGE, re.MULTILINE
    )
    return str(command).split()


def test_the_page_shows_a_part_of_the_benchmark_of_files() -> None:
    """The part on the page must be what the whole file has, which the next test plays."""
    part = code_after("<!-- part of: docs/examples/lending.py -->", BENCHMARKS_PAGE)

    assert part in (EXAMPLES / "lending.py").read_text("utf-8")


def test_the_benchmark_of_files_is_played_as_its_page_says(tmp_path: Path) -> None:
    """The task is to lend the book otter. The model's replies are those of `lending.toml`:

    1. The first step answers that the book is lent, without lending it. Gate 6 rejects an answer
       that claims a change which was not made.
    2. The second step lends the book and answers. The answer is accepted.
    """
    for name in ("lending.py", "lending.toml"):
        (tmp_path / name).write_bytes((EXAMPLES / name).read_bytes())

    result = run_controlplane(*lending_command(), "--json", cwd=tmp_path)

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0
    with open_journal(tmp_path / result.json["journal"]) as journal:
        (trial,) = journal.trials.values()
        first_step, second_step = trial.steps
        initial_prompt = trial.initial_prompt
    # The initial prompt shows the tree of all files, and what reads of these paths returned.
    assert initial_prompt is not None
    shown_in_prompt: list[object] = []
    for call in initial_prompt.calls:
        shown_in_prompt.append(call.arguments.get("path", call.operation))
    assert sorted(shown_in_prompt) == [
        "/AGENTS.md",
        "/bin/lend",
        "/books/heron.json",
        "/books/otter.json",
        "tree",
    ]
    (rejection,) = first_step.verdicts[0].rejections
    gate_of_claimed_changes = 6
    assert rejection.gate == gate_of_claimed_changes
    assert second_step.verdicts[0].refs == ("/books/otter.json",)


REFUNDING_REPLY = """
[[reply]]
code = '''
order = harness.get_order("o1")
for amount in (order.paid + 1, order.paid):
    try:
        print(harness.refund(order.id, amount).value)
    except HarnessError as error:
        print(error)
scratchpad["answer"], scratchpad["outcome"] = "", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")
'''
"""
"""A model's reply. Its script tries to refund too much for the order o1, and then what was paid.
`harness` has the tools of the benchmark, `scratchpad` the answer."""


def test_the_benchmark_of_tools_is_played(tmp_path: Path) -> None:
    """Its two tasks are to refund the orders o1 and o2. The model always refunds o1."""
    module = code_after("<!-- module: shopkeeper.py", BENCHMARKS_PAGE)
    (tmp_path / "shopkeeper.py").write_text(module, "utf-8")
    (tmp_path / "replies.toml").write_text(REFUNDING_REPLY, "utf-8")

    result = run_controlplane(
        "run",
        "--benchmark",
        "shopkeeper",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    refunded, not_refunded = result.json["trials"]
    assert refunded["score"] == 1.0, result.err
    assert refunded["details"] == []
    assert refunded["answer"] == ""
    assert not_refunded["score"] == 0.0
    assert not_refunded["details"] == ["order o2 has 35.5 left"]
    assert not_refunded["answer"] == ""


def test_the_solver_of_the_page_solves_the_wordbook(tmp_path: Path) -> None:
    """The page shows a solver, `dictionary`, which needs no model: it looks each word up."""
    module = code_after("<!-- module: dictionary.py", BENCHMARKS_PAGE)
    (tmp_path / "dictionary.py").write_text(module, "utf-8")
    (tmp_path / "wordbook.py").write_text(WORDBOOK_BENCHMARK, "utf-8")

    result = run_controlplane(
        "run",
        "--benchmark",
        "wordbook",
        "--agent",
        "dictionary",
        "--json",
        cwd=tmp_path,
    )

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0


# The page of gates: a rule set of the reader's own.


@pytest.fixture
def folder_with_rule_set(tmp_path: Path) -> Path:
    """A folder with the rule set of the page in the module `loans`.

    One of its rules, due-date, rejects an answer that does not say until when a book may be kept.
    """
    module = code_after("<!-- module: loans.py", GATES_PAGE)
    (tmp_path / "loans.py").write_text(module, "utf-8")
    return tmp_path


def run_renewed_loan(folder: Path, replies: str) -> CommandResult:
    """Run a task of the example `library`, to renew a loan, with the rule set of a folder.

    `replies` is the file with the replies of the model.
    """
    return run_controlplane(
        "run",
        "renewed-loan",
        "--benchmark",
        f"folder:{EXAMPLES / 'library'}",
        "--rule-sets",
        "loans:RULE_SET",
        "--json",
        "--model",
        f"scripted:{replies}",
        cwd=folder,
    )


def test_the_rule_set_of_the_page_accepts_an_answer_with_the_date(
    folder_with_rule_set: Path,
) -> None:
    """The example's model answers "It is renewed; you may keep it until", and the date."""
    result = run_renewed_loan(folder_with_rule_set, f"{EXAMPLES}/library.toml")

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0
    assert result.json["rejections"] == {}


def test_the_rule_set_of_the_page_rejects_an_answer_without_the_date(
    folder_with_rule_set: Path,
) -> None:
    """The replies of the model are the same, but its message leaves out the date."""
    replies = (EXAMPLES / "library.toml").read_text("utf-8")
    replies = replies.replace("keep it until {due}", "keep it")
    replies = replies.replace("return due in sp", 'return "keep" in sp')
    (folder_with_rule_set / "dateless.toml").write_text(replies, "utf-8")

    result = run_renewed_loan(folder_with_rule_set, "dateless.toml")

    assert "loans/due-date" in result.json["rejections"]


# The page of the library: tasks in a program of the reader's own.

STOCK_AND_TILL_REPLIES = '''
[[reply]]
task = "stock.1"
code = """harness.read('/stock.csv')
scratchpad.cite('/stock.csv', 'A-7 has 12')
scratchpad['answer'], scratchpad['outcome'] = '12', 'OUTCOME_OK'
harness.answer(scratchpad, lambda sp: sp['answer'] == '12')"""
[[reply]]
task = "stock.2"
code = """harness.read('/stock.csv')
scratchpad.cite('/stock.csv', 'A-7 has 12')
scratchpad['answer'], scratchpad['outcome'] = 'A-7', 'OUTCOME_OK'
harness.answer(scratchpad, lambda sp: sp['answer'] == 'A-7')"""
[[reply]]
task = "pay.1"
code = """harness.pay(2.5)
scratchpad['answer'], scratchpad['outcome'] = 'paid', 'OUTCOME_OK'
harness.answer(scratchpad, lambda sp: sp['answer'] == 'paid')"""
'''
"""A model's replies, one for each task of the page. Each is a script that reads the file
`/stock.csv` or pays by the tool `pay`, and answers; the answer to `stock.2` is wrong."""

STOCK_AND_TILL_PROGRAM = """
import controlplane, json, stock, till
run = controlplane.run([*stock.TASKS, *till.TASKS], model="scripted:replies.toml")
for trial in run.trials:
    print(json.dumps([trial.task_id, trial.score, trial.why]))
"""
"""Plays all tasks of both modules, and prints for each trial its task, score and reason."""


def test_the_tasks_of_the_library_page_are_played_and_graded(tmp_path: Path) -> None:
    """The page shows two modules with tasks, `stock` and `till`. A program plays them all.

    The model answers 12 to `stock.1`, A-7 to `stock.2`, which is wrong, and pays in `pay.1`.
    """
    for name in ("stock.py", "till.py"):
        module = code_after(f"<!-- module: {name} -->", LIBRARY_PAGE)
        (tmp_path / name).write_text(module, "utf-8")
    (tmp_path / "replies.toml").write_text(STOCK_AND_TILL_REPLIES, "utf-8")
    (tmp_path / "program.py").write_text(STOCK_AND_TILL_PROGRAM)

    result = run_python("program.py", cwd=tmp_path)

    trials = [json.loads(line) for line in result.out.splitlines()]
    assert trials == [
        ["stock.1", 1.0, ""],
        ["stock.2", 0.0, "it is B-1, not A-7"],
        ["pay.1", 1.0, ""],
    ], result.err


# The page of models: scripted replies, endpoints, and profiles in a configuration.


def test_the_replies_of_the_page_solve_the_wordbook(tmp_path: Path) -> None:
    """The page shows a file of replies for the benchmark of words, which play its two tasks."""
    replies = blocks(SCRIPTED_REPLIES_SECTION, "toml")[0]
    (tmp_path / "wordbook.py").write_text(WORDBOOK_BENCHMARK, "utf-8")
    (tmp_path / "replies.toml").write_text(replies, "utf-8")

    result = run_controlplane(
        "run",
        "--benchmark",
        "wordbook",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0
    assert result.json["trials_scored"] == 2


def test_the_page_lists_every_key_of_a_scripted_reply() -> None:
    """A table of the page has a row for each key of a `[[reply]]`, in the order of the code."""
    documented_keys = re.findall(
        r"^\| `(\w+)` \|", SCRIPTED_REPLIES_SECTION, re.MULTILINE
    )

    assert documented_keys == list(ScriptedReply.model_fields)


ADDRESS_OF_SERVER = re.compile(r"^\| ([^|]+) \| `(https?://[^`]+)` \|", re.MULTILINE)
"""Finds server and address in a row such as "| Ollama | `http://127.0.0.1:11434/v1` | ... |"."""


def test_the_addresses_of_endpoints_on_the_page_are_accepted() -> None:
    """A table of the page names servers of models with their addresses."""
    address_of_server = dict(ADDRESS_OF_SERVER.findall(MODELS_PAGE))

    assert {"Ollama", "vLLM", "llama.cpp", "OpenRouter"} <= address_of_server.keys()
    for address in address_of_server.values():
        assert RunSettings(base_url=address).base_url == address


def test_the_sample_configuration_shows_every_key_of_a_profile(
    tmp_path: Path,
) -> None:
    """A profile is a named set of settings for a model. The sample has one called `big`, and lets
    another model play the role of the classifier."""
    sample = (EXAMPLES / "controlplane.toml").read_text(encoding="utf-8")
    write_config(tmp_path / "controlplane.toml", sample, encoding="utf-8")

    resolved = resolve({}, {}, tmp_path)

    assert resolved.profiles["big"].model_fields_set == set(Profile.model_fields)
    assert resolved.settings.role.keys() == {"classify"}


OPTIONS_OF_OTHER_PROGRAMS = {
    "--api-key",
    "--chat-template",
    "--enable-auto-tool-choice",
    "--jinja",
    "--json",
    "--max-model-len",
    "--parallel",
    "--tool-call-parser",
}
"""Options on the page that belong to servers of models, such as vLLM."""


def test_every_option_on_the_page_of_models_exists() -> None:
    """An option on the page is one of `run`, or of the server of models that a section is about."""
    run_options: set[str] = set()
    for name in RunSettings.model_fields:
        run_options.add("--" + name.replace("_", "-"))

    documented_options = set(re.findall(r"--[a-z][a-z-]+", MODELS_PAGE))

    assert documented_options <= run_options | OPTIONS_OF_OTHER_PROGRAMS


# Tables of rules. A rule objects to an answer. Its enforcement is what then happens: the model is
# asked ("ask"), or the answer is not accepted ("block").

PAGES_OF_RULES = GATES_PAGE + "\n" + read_page("toolkit.md")
"""The pages that have tables of rules, as one text."""


@dataclass(frozen=True)
class RuleRow:
    """A row of a table that documents a rule."""

    key: str
    """The rule's number or name, such as `6`, `6/wording` or `ecom/basket-owner`."""
    enforcement: str
    """"ask" or "block"; empty in tables without this column."""
    objection: str
    """What the rule objects to, and perhaps why; empty if the row does not say it."""


ROW_OF_RULE = re.compile(
    r"^\| `([1-8](?:/[\w-]+)?|\w+/[\w-]+)` \|([^|\n]*)\|?([^\n]*)$", re.MULTILINE
)
"""Finds the rows whose first cell is a rule's key in backquotes: the key, the second cell, and the
text of all further cells."""


def documented_rules() -> list[RuleRow]:
    """Return the rows of all tables of rules. There are tables with and without enforcements:

    - "| `6/wording` | ask | a message with needless words |"
    - "| `ecom/basket-owner` | the checkout of another customer's basket |"
    """
    rows: list[RuleRow] = []
    for match in ROW_OF_RULE.finditer(PAGES_OF_RULES):
        key = match[1]
        second_cell = match[2].strip()
        further_cells = match[3].strip(" |")
        if second_cell in ENFORCEMENTS:
            rows.append(RuleRow(key, second_cell, further_cells))
        else:
            rows.append(RuleRow(key, "", second_cell))
    return rows


def enforcement_of_general_rules() -> dict[str, str]:
    """Return the enforcement of the gates' own rules by key: `{"6/wording": "ask", ...}`."""
    enforcements: dict[str, str] = {}
    for rule in (*RULES, VERIFY_RULE):
        enforcements[key_of(rule.gate, rule.name)] = rule.enforcement
    return enforcements


def enforcement_of_shop_rules() -> dict[str, str]:
    """Return the enforcement of the rules for shops by key: `{"ecom/basket-owner": "ask", ...}`."""
    enforcements: dict[str, str] = {}
    for rule in RULE_SET.rules:
        enforcements[f"{RULE_SET.name}/{rule.name}"] = rule.enforcement
    return enforcements


def test_every_rule_is_documented_once() -> None:
    """A rule has a row in one of the tables, and no row is about a rule that does not exist."""
    documented_keys = [row.key for row in documented_rules()]
    all_keys = {*enforcement_of_general_rules(), *enforcement_of_shop_rules()}

    assert sorted(documented_keys) == sorted(all_keys)


def test_the_enforcement_of_general_rules_is_documented_as_in_the_code() -> None:
    """General rules are those of the gates themselves; their keys begin with a digit."""
    documented: dict[str, str] = {}
    for row in documented_rules():
        if row.key[0].isdigit():
            documented[row.key] = row.enforcement

    assert documented == enforcement_of_general_rules()


def test_every_shop_rule_that_blocks_is_documented_as_such_with_its_reason() -> None:
    """A rule that may be wrong should only ask, so a row says why a rule may block."""
    enforcements = enforcement_of_shop_rules()
    blocking_keys: set[str] = set()
    for key, enforcement in enforcements.items():
        assert enforcement in ENFORCEMENTS
        if enforcement == "block":
            blocking_keys.add(key)

    documented_reasons: dict[str, str] = {}
    for row in documented_rules():
        if row.key in enforcements and row.enforcement == "block":
            documented_reasons[row.key] = row.objection

    assert documented_reasons.keys() == blocking_keys
    for key, reason in documented_reasons.items():
        assert reason != "", key


def test_the_page_says_that_all_shop_rules_ask_if_none_blocks() -> None:
    """The tables of the shop's rules have a column of enforcements only if one of them blocks."""
    if "block" not in enforcement_of_shop_rules().values():
        assert f"All rules of the rule set `{RULE_SET.name}` ask" in PAGES_OF_RULES


def test_every_row_says_what_a_rule_objects_to() -> None:
    """A row with a key and an enforcement alone would not help a reader."""
    for row in documented_rules():
        assert row.objection != "", row.key


@pytest.mark.parametrize("name", gates_command.commands)
def test_every_command_and_option_of_the_gates_is_documented(name: str) -> None:
    """`python -m controlplane.gates` judges answers without a run."""
    assert f"python -m controlplane.gates {name}" in PAGES_OF_RULES
    for parameter in gates_command.commands[name].params:
        if isinstance(parameter, click.Option):
            longest_name = max(parameter.opts, key=len)
            assert longest_name in PAGES_OF_RULES
