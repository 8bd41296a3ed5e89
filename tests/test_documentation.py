"""The documentation cannot rot: its commands run,
its pages are what the code makes, its links lead somewhere."""

import csv
import importlib.util
import json
import re
import shlex
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
from controlplane.gates.__main__ import main
from controlplane.gates.judging.gate_rules import RULES, VERIFY_RULE
from controlplane.gates.submission import ENFORCEMENTS, GATE_NAMES, key_of
from tests.bench.trial_cost import model_server
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

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def shell_lines(text: str) -> list[str]:
    """Return the commands of fenced `sh` blocks, but for those marked `skip`."""
    lines: list[str] = []
    for block in re.findall(r"^```sh\n(.*?)^```", text, flags=re.M | re.S):
        for line in block.splitlines():
            command = line.split("#")[0].strip()
            if command:
                lines.append(command)
    return lines


def generated() -> dict[str, str]:
    """Return the pages that `docs/generate.py` makes, by name: `{"reference.md": "…"}`."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: page() for name, page in module.PAGES.items()}


def test_made_pages_are_what_the_code_makes() -> None:
    for name, page in generated().items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page, (
            f"run: python docs/generate.py ({name})"
        )


def test_the_readme_begins_with_the_two_commands() -> None:
    assert shell_lines(README)[:2] == ["./start", "./start test"]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands of the README run
    one after another, as a reader would run them."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("docs", "tests"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def run_line(line: str, folder: Path, *, whole: bool) -> CommandResult:
    """Run a command of the README: with few trials unless
    `whole`; other modules in processes of their own."""
    words = shlex.split(line if whole else re.sub(r"--limit \d+", "--limit 2", line))
    if words[0] == "controlplane":
        return run_in_process(*words[1:], cwd=folder)
    if words == ["./start"]:
        words = ["python", "-m", "controlplane.first_run"]
    assert words[:2] == ["python", "-m"], line
    return run_python(*words[1:], cwd=folder)


@pytest.mark.usefixtures("shared_fork_servers")
def test_every_command_of_the_readme_runs(workplace: Path, heavy: bool) -> None:
    ran = []
    for line in shell_lines(README):
        if line == "./start test":
            continue
        done = run_line(line, workplace, whole=heavy)
        # The player by rules is stopped by the exit in a trial or two, which is exit
        # code 1 and told.
        is_stopped = done.code == 1 and "ended by the fallback" in done.out
        assert done.code == 0 or is_stopped, (
            f"{line}: {done.code}\n{done.out}{done.err}"
        )
        ran.append(line)

    assert len(ran) >= 12


@pytest.mark.usefixtures("shared_fork_servers")
def test_every_recipe_runs(tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    recipes = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    lines = shell_lines(recipes)

    assert len(lines) == 7
    for line in lines:
        done = run_line(line, tmp_path, whole=True)
        assert done.code == 0, f"{line}: {done.code}\n{done.out}{done.err}"
    assert (tmp_path / "report.html").stat().st_size > 10_000
    with (tmp_path / "trials.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run_name"], row["family"], row["score"]) for row in rows] == [
        ("short", "calendar-date", "1.0"),
        ("hinted", "calendar-date", "1.0"),
    ]


def test_the_recipe_of_a_task_of_inspect_runs_in_at_most_30_lines(
    tmp_path: Path,
) -> None:
    example = ROOT / "docs" / "examples" / "inspect_stock.py"
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 30
    pytest.importorskip("inspect_ai")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    recipes = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    block = re.search(r"^```sh inspect\n(.*?)^```", recipes, flags=re.M | re.S)
    assert block is not None
    done = run_line(block[1].strip(), tmp_path, whole=True)
    assert done.code == 0, done.err
    assert "mean score 1.000" in done.out


def test_commands_of_the_comparison_with_other_runners_run_elsewhere_in_the_readme() -> (
    None
):
    table = README.partition("## Beside other runners")[2].partition("## Where")[0]
    commands = re.findall(r"`(controlplane [^`]+)`", table)

    assert len(commands) >= 5
    assert set(commands) <= set(shell_lines(README))
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert len(rows) <= 9  # the head, and at most eight


def commands_elsewhere() -> list[str]:
    """Return the commands of blocks that name a server of the reader's own."""
    blocks = re.findall(r"^```sh skip\n(.*?)^```", README, flags=re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("controlplane ")]


@pytest.mark.usefixtures("shared_fork_servers")
def test_commands_for_a_server_of_the_readers_own_run_against_ours(
    tmp_path: Path, heavy: bool
) -> None:
    fewer = () if heavy else ("--limit", "2")
    answer = 'harness.answer({"answer": "no", "outcome": "OUTCOME_NONE_UNSUPPORTED"}, lambda sp: True)'
    reply = json.dumps({"state": "", "plan": [], "done": True, "code": answer})
    ran = []
    with (
        model_server([reply]) as port,
        running_server(EffectCounterBenchmark(2), ServerOptions()) as platform,
    ):
        keys = {
            "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "OPENAI_API_KEY": "none",
            "BITGN_API_KEY": "k",
        }
        for line in commands_elsewhere():
            words = shlex.split(
                line.replace("<benchmark id>", "tally").replace("<model>", "canned")
            )[1:]
            result = run_in_process(
                *words,
                *fewer,
                "--max-steps",
                "1",
                cwd=tmp_path,
                BITGN_HOST=platform.url,
                **keys,
            )
            # The model knows one wrong answer: every trial ends by its fallback, and
            # nothing else goes wrong.
            assert result.code == 0, f"{line}: {result.code}\n{result.err}"
            assert "Traceback" not in result.err
            ran.append(line)

    assert len(ran) == 2


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(
            r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")
        ):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_and_every_gate_is_documented() -> None:
    reference = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    gates = (ROOT / "docs/gates.md").read_text(encoding="utf-8")

    for command in COMMANDS:
        assert f"### controlplane {command}" in reference
    for number in range(1, 9):
        assert f"{number} {GATE_NAMES[number]}" in gates


ARCHITECTURE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
PATH = re.compile(
    rf"\b((?:{'|'.join([*PACKAGES, 'prompts', 'tests', 'docs'])})/[\w/]*(?:\.\w+)?)"
)


def test_every_path_of_the_architecture_exists() -> None:
    named = PATH.findall(ARCHITECTURE)
    assert len(named) > 50
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("target", PHASES)
def test_a_phase_of_a_trial_times_a_method_that_exists(target: str) -> None:
    module, _, path = target.partition(":")
    assert callable(attrgetter(path)(import_module(module)))


BENCHMARKS = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
SCRIPTED = (
    (ROOT / "docs/models.md")
    .read_text(encoding="utf-8")
    .partition("## Scripted replies")[2]
)
WORDBOOK = (ROOT / "docs/examples/wordbook.py").read_text(encoding="utf-8")


def code_behind(mark: str, page: str, language: str = "python") -> str:
    """Return the first block of a language behind a mark."""
    block = re.search(
        rf"{re.escape(mark)}.*?```{language}\n(.*?)```\n", page, flags=re.S
    )
    assert block
    return block[1]


def test_the_benchmark_of_files_plays_as_its_page_says(tmp_path: Path) -> None:
    whole = (ROOT / "docs/examples/lending.py").read_text("utf-8")
    (tmp_path / "lending.py").write_text(whole, "utf-8")

    assert (
        code_behind("<!-- part of: docs/examples/lending.py -->", BENCHMARKS) in whole
    )
    (tmp_path / "lending.toml").write_bytes(
        (ROOT / "docs/examples/lending.toml").read_bytes()
    )
    (command,) = re.findall(
        r"^controlplane (run --benchmark lending .*)$", BENCHMARKS, flags=re.M
    )
    done = run_controlplane(*command.split(), "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.json["score"] == 1.0
    with open_journal(tmp_path / done.json["journal"]) as journal:
        (trial,) = journal.trials.values()
        early, late = trial.steps
        initial_prompt = trial.initial_prompt
    assert initial_prompt is not None
    shown = [
        call.arguments.get("path", call.operation) for call in initial_prompt.calls
    ]
    assert sorted(shown) == [
        "/AGENTS.md",
        "/bin/lend",
        "/books/heron.json",
        "/books/otter.json",
        "tree",
    ]
    assert [rejection.gate for rejection in early.verdicts[0].rejections] == [6]
    assert late.verdicts[0].refs == ("/books/otter.json",)


def test_the_rule_set_of_the_page_judges_as_it_says(tmp_path: Path) -> None:
    page = (ROOT / "docs/gates.md").read_text("utf-8")
    (tmp_path / "loans.py").write_text(
        code_behind("<!-- module: loans.py", page), "utf-8"
    )
    library = ROOT / "docs/examples/library"
    words = (
        "run",
        "renewed-loan",
        "--benchmark",
        f"folder:{library}",
        "--rule-sets",
        "loans:RULE_SET",
        "--json",
    )
    done = run_controlplane(*words, "--model", f"scripted:{library}.toml", cwd=tmp_path)

    assert done.code == 0, done.err
    assert done.json["score"] == 1.0
    assert done.json["rejections"] == {}

    # The same replies, but their answer does not say until when the book may be kept.
    replies = Path(f"{library}.toml").read_text("utf-8")
    silent = replies.replace("keep it until {due}", "keep it").replace(
        "return due in sp", 'return "keep" in sp'
    )
    (tmp_path / "silent.toml").write_text(silent, "utf-8")
    done = run_controlplane(*words, "--model", "scripted:silent.toml", cwd=tmp_path)
    assert "loans/due-date" in done.json["rejections"]


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


def test_the_tasks_of_the_library_page_are_played_and_graded(tmp_path: Path) -> None:
    page = (ROOT / "docs/library.md").read_text("utf-8")
    (tmp_path / "stock.py").write_text(
        code_behind("<!-- module: stock.py -->", page), "utf-8"
    )
    (tmp_path / "till.py").write_text(
        code_behind("<!-- module: till.py -->", page), "utf-8"
    )
    (tmp_path / "replies.toml").write_text(STOCK_AND_TILL_REPLIES, "utf-8")
    program = (
        "import controlplane, stock, till\n"
        "run = controlplane.run([*stock.TASKS, *till.TASKS], model='scripted:replies.toml')\n"
        "print([(trial.task_id, trial.score, trial.why) for trial in run.trials])\n"
    )
    (tmp_path / "program.py").write_text(program)
    done = run_python("program.py", cwd=tmp_path)

    assert (
        done.out
        == "[('stock.1', 1.0, ''), ('stock.2', 0.0, 'it is B-1, not A-7'), ('pay.1', 1.0, '')]\n"
    ), done


REFUND = """
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


def test_the_benchmark_of_tools_of_the_page_is_played(tmp_path: Path) -> None:
    (tmp_path / "shopkeeper.py").write_text(
        code_behind("<!-- module: shopkeeper.py", BENCHMARKS), "utf-8"
    )
    (tmp_path / "replies.toml").write_text(REFUND, "utf-8")
    words = (
        "run",
        "--benchmark",
        "shopkeeper",
        "--model",
        "scripted:replies.toml",
        "--json",
    )
    done = run_controlplane(*words, cwd=tmp_path)

    refunded, other = done.json["trials"]
    assert refunded["score"] == 1.0, done.err
    assert refunded["details"] == []
    assert refunded["answer"] == ""
    assert other["score"] == 0.0
    assert other["details"] == ["order o2 has 35.5 left"]
    assert other["answer"] == ""


def test_the_solver_of_the_page_plays_the_wordbook(tmp_path: Path) -> None:
    (tmp_path / "dictionary.py").write_text(
        code_behind("<!-- module: dictionary.py", BENCHMARKS), "utf-8"
    )
    (tmp_path / "wordbook.py").write_text(WORDBOOK, "utf-8")
    done = run_controlplane(
        "run",
        "--benchmark",
        "wordbook",
        "--agent",
        "dictionary",
        "--json",
        cwd=tmp_path,
    )

    assert (done.code, done.json["score"]) == (0, 1.0), done.err


def test_the_replies_of_the_page_play_the_wordbook(tmp_path: Path) -> None:
    (tmp_path / "wordbook.py").write_text(WORDBOOK, "utf-8")
    (tmp_path / "replies.toml").write_text(code_behind("", SCRIPTED, "toml"), "utf-8")
    done = run_controlplane(
        "run",
        "--benchmark",
        "wordbook",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    assert (done.code, done.json["score"], done.json["trials_scored"]) == (0, 1.0, 2), (
        done.err
    )


def test_the_page_lists_every_key_of_a_reply() -> None:
    assert re.findall(r"^\| `(\w+)` \|", SCRIPTED, flags=re.M) == list(
        ScriptedReply.model_fields
    )


SAMPLE = ROOT / "docs/examples/controlplane.toml"
PAGE = (ROOT / "docs/models.md").read_text(encoding="utf-8")


def test_every_endpoint_of_the_page_has_its_three_settings_and_an_address_that_is_taken() -> (
    None
):
    rows = [
        line.strip("| ").split(" | ")
        for line in PAGE.splitlines()
        if line.startswith("| ")
    ]
    named = {
        row[0]: row[1].strip("` ")
        for row in rows
        if len(row) >= 4 and row[0] not in ("|", "")
    }

    assert {"Ollama", "vLLM", "llama.cpp", "OpenRouter"} <= named.keys()
    for address in named.values():
        if address.startswith("http"):
            assert RunSettings(base_url=address).base_url == address


def test_the_sample_file_is_read_and_shows_every_key_of_a_profile(
    tmp_path: Path,
) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    write_config(tmp_path / "controlplane.toml", text, encoding="utf-8")
    resolved = resolve({}, {}, tmp_path)

    assert resolved.profiles["big"].model_fields_set == set(Profile.model_fields)
    assert resolved.settings.role.keys() == {"classify"}


def test_every_option_of_the_page_is_one() -> None:
    ours = {f"--{name.replace('_', '-')}" for name in RunSettings.model_fields}
    served = {
        "--api-key",
        "--chat-template",
        "--enable-auto-tool-choice",
        "--jinja",
        "--json",
        "--max-model-len",
        "--parallel",
        "--tool-call-parser",
    }

    assert set(re.findall(r"--[a-z][a-z-]+", PAGE)) <= ours | served


TEXT = "\n".join(
    (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("gates.md", "toolkit.md")
)
ROWS = [
    (row[1], row[2].strip(), row[3].strip(" |"))
    for row in re.finditer(
        r"^\| `([1-8](?:/[\w-]+)?|\w+/[\w-]+)` \|([^|\n]*)\|?([^\n]*)$",
        TEXT,
        re.MULTILINE,
    )
]
"""First two cells, and the rest, of every table row that begins with a key in back quotes."""
OWN = {key_of(rule.gate, rule.name): rule.enforcement for rule in (*RULES, VERIFY_RULE)}
OF_RULE_SET = {
    f"{RULE_SET.name}/{rule.name}": rule.enforcement for rule in RULE_SET.rules
}


def test_every_key_is_documented_once() -> None:
    keys = [key for key, *_ in ROWS]
    assert sorted(keys) == sorted({*OWN, *OF_RULE_SET})


def test_the_enforcement_of_gates_and_general_rules_is_that_of_the_code() -> None:
    assert {key: enforcement for key, enforcement, _ in ROWS if key[0].isdigit()} == OWN


def test_every_rule_of_the_rule_set_that_blocks_is_documented_as_such_with_its_reason() -> (
    None
):
    blocking = {
        key: rest
        for key, second, rest in ROWS
        if key in OF_RULE_SET and second == "block"
    }

    assert set(blocking) == {
        key for key, enforcement in OF_RULE_SET.items() if enforcement == "block"
    }
    assert all(blocking.values())
    assert set(OF_RULE_SET.values()) <= set(ENFORCEMENTS)
    if not blocking:
        assert f"All rules of the rule set `{RULE_SET.name}` ask" in TEXT


def test_every_row_says_what_is_objected_to() -> None:
    assert [
        key
        for key, second, rest in ROWS
        if not (rest if second in ENFORCEMENTS else second)
    ] == []


@pytest.mark.parametrize("name", main.commands)
def test_every_command_and_option_is_documented(name: str) -> None:
    assert f"python -m controlplane.gates {name}" in TEXT
    for parameter in main.commands[name].params:
        if isinstance(parameter, click.Option):
            assert max(parameter.opts, key=len) in TEXT
