"""Every script has `harness`, `scratchpad` and the commonest modules, and may import others.

Models forget imports, or import what is no module, as in `import harness`. Neither costs a step.
"""

import pytest

from controlplane.sandbox import Sandbox


@pytest.mark.parametrize(
    "expression",
    [
        "json.loads('[1]')[0]",
        "int(re.search('[0-9]', 'a1b')[0])",
        "int(math.sqrt(1))",
        "int(next(csv.reader(['1']))[0])",
    ],
)
def test_a_script_may_use_the_commonest_modules_without_an_import(
    expression: str, sandbox: Sandbox
) -> None:
    result = sandbox.run(f"print({expression})")

    assert result.error == ""
    assert result.output == "1\n"


def test_a_result_of_read_may_be_cited_instead_of_its_path(sandbox: Sandbox) -> None:
    """The result knows the path of the file."""
    result = sandbox.run(
        "print(scratchpad.cite(harness.read('/docs/checkout.md'), 'long enough'))"
    )

    assert result.output == "/docs/checkout.md\n"


def test_an_import_of_harness_or_scratchpad_is_allowed(sandbox: Sandbox) -> None:
    result = sandbox.run(
        "import harness, scratchpad\nprint(harness.read('/docs/checkout.md').path)"
    )

    assert result.output == "/docs/checkout.md\n"


def test_an_import_from_harness_is_refused_with_a_remedy(sandbox: Sandbox) -> None:
    """`harness` is an object and not a module."""
    result = sandbox.run("from harness import read")

    assert "write harness.NAME(...)" in result.error


def test_a_script_may_use_the_name_of_a_module_for_a_variable(sandbox: Sandbox) -> None:
    """`re` is also the module that every script has."""
    result = sandbox.run("re = 'a reply'\nprint(re)")

    assert result.output == "a reply\n"
