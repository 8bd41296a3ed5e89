"""The names that a script has without an import, and what `help` prints of them.

The system prompt lists the modules. A model writes `decimal.Decimal("1.20")` without an import, or
`help(tools.due_date)` before it calls a function of the benchmark.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.sandbox import Ending, Sandbox
from controlplane.sandbox.child.language.script_modules import IMPORTABLE
from controlplane.sandbox.interface import Operation, Parameter, ResultField
from controlplane.sandbox.interface.limits import ALL_LAYERS, Layer
from tests.sandbox.local_parent import NOW, TOOL_SCHEMA, RecordingHost, run_to_its_end

PROMPTS = Path(__file__).parents[4] / "prompts"

MODULES = sorted(
    {"urllib": "urllib.parse", "xml": "xml.etree.ElementTree"}.get(name, name)
    for name in IMPORTABLE
    if "." not in name and name != "__future__"
)
"""The modules that a script may import, as prompts list them."""

DUE_DATE = Operation(
    "due_date",
    parameters=(
        Parameter(
            "loan", "str", schema={"type": "string", "description": "the id of a loan"}
        ),
    ),
    fields=(ResultField("value"), ResultField("notes")),
    summary="the day on which a loan ends",
    finds="loans:due_date",
)


@pytest.fixture
def sandbox_with_function(server):
    """A sandbox whose benchmark has the function `due_date`."""
    schema = replace(TOOL_SCHEMA, operations=(*TOOL_SCHEMA.operations, DUE_DATE))
    with Sandbox(schema, RecordingHost(), now=NOW, seed=1, server=server) as sandbox:
        yield sandbox


@pytest.mark.parametrize("prompt", ["system.md", "uncited.md", "served.md"])
def test_a_prompt_lists_all_modules_that_a_script_has(prompt):
    text = (PROMPTS / prompt).read_text()

    listed = re.search(r"`(abc [^`]*)`", text)

    assert listed is not None
    assert listed[1].split() == MODULES


@pytest.mark.parametrize("isolation", [ALL_LAYERS, ALL_LAYERS - {Layer.LANGUAGE}])
def test_every_module_works_without_an_import(isolation, open_sandbox):
    sandbox = open_sandbox(isolation=isolation)
    lines = [f"{module}.{member_of(module)}" for module in MODULES]

    run_to_its_end(sandbox, "\n".join(lines))


def member_of(module: str) -> str:
    """Return a name that scripts may read from a module: `Decimal` from `decimal`."""
    return max(name for name in IMPORTABLE[module] if name[0] != "_")


def test_a_module_may_be_handed_on_unless_its_name_may_mean_a_value(sandbox):
    result = sandbox.run("print(decimal)\nprint(email)")

    assert result.output == "<module 'decimal'>\n"
    assert "name 'email' is not defined" in result.error


def test_a_script_may_give_the_name_of_a_module_to_a_value(sandbox):
    code = "for email in ['a@b.c']:\n    print(email.upper(), email)"

    assert run_to_its_end(sandbox, code).output == "A@B.C a@b.c\n"


@pytest.mark.parametrize("name", ["tools.due_date", "harness.tools.due_date"])
def test_help_prints_how_a_function_of_the_benchmark_is_called(
    name, sandbox_with_function
):
    result = run_to_its_end(sandbox_with_function, f"help({name})")

    assert result.output == (
        "harness.tools.due_date(loan: str): the day on which a loan ends\n"
        "- loan: the id of a loan\n"
        "The result has .value .notes\n"
    )


def test_help_prints_what_is_known_of_other_objects(sandbox):
    code = "help(harness.read)\nhelp(statistics.mean)\nhelp(harness)\nhelp(3.5)"

    output = run_to_its_end(sandbox, code).output

    assert output.startswith("harness.read(path, start_line=0, end_line=0): ")
    assert "\nmean(data)\nReturn the sample arithmetic mean" in output
    assert "\n<harness: answer, delete, " in output
    assert "onvert a string or number to a floating" in output


def test_a_function_of_the_benchmark_without_its_place_is_found(sandbox_with_function):
    result = sandbox_with_function.run("due_date('l-7')")

    assert result.ending is Ending.RAISED
    assert "write `tools.due_date(...)`" in result.error
