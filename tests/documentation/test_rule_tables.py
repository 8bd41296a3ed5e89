"""The README and the pages on rules and models say what is true of the commands and the code.

Every command of the README runs, also those with servers of the reader's own. All commands,
options, keys and addresses are documented and accepted. The tables of rules name every rule with
what it objects to, and its enforcement.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.configuration.model_settings import Profile
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.gates.__main__ import main as gates_command
from controlplane.gates.judging import RULES, VERIFY_RULE
from controlplane.gates.verdicts import ENFORCEMENTS, key_of
from tests.bench.local_servers import model_server
from tests.documentation.command_lines import run_line
from tests.documentation.pages import (
    EXAMPLES,
    GATES_PAGE,
    MODELS_PAGE,
    README,
    blocks,
    read_page,
    shell_lines,
    table_rows,
)
from tests.support.command import write_config
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.product_files import ROOT
from tests.support.running_server import running_server

# Two commands of the README that need a server of the reader's own, and a model for them.

RUN_WITH_A_MODEL = "controlplane run --model qwen3:8b --limit 10"
RUN_ON_A_PLATFORM = "controlplane run --benchmark bitgn:<benchmark id> --model <model>"

REFUSAL = json.dumps(
    {
        "state": "",
        "plan": [],
        "done": True,
        "code": (
            'harness.answer({"answer": "no", "outcome": "OUTCOME_NONE_UNSUPPORTED"},'
            " lambda sp: True)"
        ),
    }
)
"""The reply of the model: a script that answers that the request cannot be served."""


# The tables of the documentation that explain the rules of gates and shops, and the rules in code.
#
# A rule objects to an answer. Its enforcement says what then happens: "ask" (the model is asked to
# think again) or "block" (the answer is not accepted). A row of a table is, for example,
# "| `6/wording` | ask | a message with needless words |".

REFERENCE_PAGE = read_page("reference.md")
PAGES_OF_RULES = GATES_PAGE + "\n" + REFERENCE_PAGE
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


# The README has a command that needs a model of the reader's own, and one that needs a platform.
#
# They stand in blocks `sh skip`. The first one, `controlplane run --model qwen3:8b --limit 10`, is
# run here against a server of the tests. Its model answers that no request can be served, so that
# each trial fails, and nothing else does.


def test_the_readme_has_two_commands_for_own_servers() -> None:
    commands = []
    for block in blocks(README, "sh skip"):
        for line in block.splitlines():
            if line.startswith("controlplane "):
                commands.append(line)

    assert commands == [RUN_WITH_A_MODEL, RUN_ON_A_PLATFORM]


@pytest.mark.usefixtures("shared_fork_servers")
def test_a_run_with_a_model_of_the_readers_own(tmp_path: Path, heavy: bool) -> None:
    command = RUN_WITH_A_MODEL + " --max-steps 1"
    if not heavy:
        command = command.replace("--limit 10", "--limit 2")

    with model_server([REFUSAL]) as port:
        result = run_line(
            command,
            tmp_path,
            OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1",
            OPENAI_API_KEY="none",
        )

    assert result.code == 0, result.err
    assert "Traceback" not in result.err


# The README has a command that plays tasks of a platform of the reader's own.
#
# It is run here against servers of the tests: a platform that serves the benchmark `tally`, with two
# tasks, and a model that answers that no request can be served. So each trial fails, and nothing else
# does.


@pytest.mark.usefixtures("shared_fork_servers")
def test_a_run_on_a_platform_of_the_readers_own(tmp_path: Path) -> None:
    command = RUN_ON_A_PLATFORM.replace("<benchmark id>", "tally")
    command = command.replace("<model>", "canned") + " --max-steps 1"

    with (
        model_server([REFUSAL]) as port,
        running_server(EffectCounterBenchmark(2), ServerOptions()) as platform,
    ):
        result = run_line(
            command,
            tmp_path,
            OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1",
            OPENAI_API_KEY="none",
            BITGN_HOST=platform.url,
            BITGN_API_KEY="k",
        )

    assert result.code == 0, result.err
    assert "Traceback" not in result.err


# The pages of rules document every command and option of `python -m controlplane.gates`.
#
# This program judges answers without a run: `python -m controlplane.gates score FILE --json`.


@pytest.mark.parametrize("name", gates_command.commands)
def test_every_command_and_option_of_the_gates_is_documented(name: str) -> None:
    assert f"python -m controlplane.gates {name}" in PAGES_OF_RULES
    for parameter in gates_command.commands[name].params:
        if isinstance(parameter, click.Option):
            longest_name = max(parameter.opts, key=len)
            assert longest_name in PAGES_OF_RULES


# The page of models names replies, addresses, profiles and options as the code knows them.


def test_every_key_option_and_function_of_the_reference_has_a_meaning() -> None:
    """The tables are made from the code, where a field without a docstring gives an empty cell."""
    rest = REFERENCE_PAGE.partition("## Options of benchmarks")[2]
    tables = rest.partition("## Journal events")[0].splitlines()
    rows = [line for line in tables if line.startswith("| `")]

    assert len(rows) > 100
    assert [row for row in rows if row.endswith("|  |")] == []


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


# Every command of the README runs, as a reader types it, one after the other in one folder.
#
# A command is a line of a block of the page that begins with three backquotes and `sh`. The first two
# are left out: `./start`, whose run `tests/benchmarks/ecom/recorded_model/first_run` compares with the
# page, and `./start test`, which would run these tests again.


def test_the_readme_begins_with_start_and_start_test() -> None:
    """A reader who types only these has seen a run and the tests."""
    assert shell_lines(README)[:2] == ["./start", "./start test"]


@pytest.mark.usefixtures("shared_fork_servers")
def test_every_command_of_the_readme_runs(tmp_path: Path, heavy: bool) -> None:
    """The exit code is 0, or 1 after a run with a task that the player of the run could not do.

    The README runs tasks without a model, by a player that has fixed rules, but none for some tasks.
    The product then answers in its place, by the *fallback*.
    """
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    lines = shell_lines(README)[2:]
    assert len(lines) > 12  # Fewer are a sign that the commands are not found.

    for line in lines:
        result = run_line(line if heavy else with_few_tasks(line), tmp_path)
        used_fallback = result.code == 1 and "ended by the fallback" in result.out
        assert result.code == 0 or used_fallback, (line, result)


def with_few_tasks(line: str) -> str:
    """Return a command of the page. If it is `run` without names of tasks, it plays only five."""
    if re.match(r"controlplane run( --|$)", line):
        line += " --limit 5"  # The last of two limits counts.
    return line


COMPARISON_OF_RUNNERS = README.partition("## Beside other runners")[2].partition(
    "## Where"
)[0]
"""A section of the README: a table of what other runners do, and our command for it."""


def test_commands_in_the_table_of_other_runners_stand_in_a_block_too() -> None:
    """Only the commands of blocks are run by the test above."""
    commands = re.findall(r"`(controlplane [^`]+)`", COMPARISON_OF_RUNNERS)

    assert len(commands) >= 5  # Fewer are a sign that the commands are not found.
    assert set(commands) <= set(shell_lines(README))


def test_the_table_of_other_runners_is_short_enough_to_be_read() -> None:
    _names_of_columns, *rows = table_rows(COMPARISON_OF_RUNNERS)

    assert len(rows) <= 8


# The tables of rules on the pages name every rule of the code, with what it objects to.
#
# A rule objects to an answer. Its enforcement says what then happens: "ask" (the model is asked to
# think again) or "block" (the answer is not accepted).


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
