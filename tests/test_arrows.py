"""Each package imports only those that it may, and knows only its own field.

Arrows of the architecture point one way: `agent` may import `sandbox`, and not the reverse (the
rules are in pyproject.toml). The packages of benchmarks know shops, and all others serve any task.
"""

import re
from pathlib import Path

import pytest

from tests.support.command import run_python
from tests.support.product_files import ROOT

WORDS_OF_SHOPS = re.compile(
    r"(?i)(?<![a-z])(?:shops?|baskets?|carts?|checkouts?|discounts?|skus?|catalogues?|receipts?|fraud\w*|payments?"
    r"|customers?|3-?ds|inventor(?:y|ies)|stock|merchants?|warehouses?|embargo\w*|crosslists?|couriers?|purchases?"
    r"|vouchers?|invoices?|refund (?:of|the|a|request)|dispatch wave|/bin/(?:sql|checkout|discount|payments|refund"
    r"|availability|id)|/proc/(?!self)\w+|AGENTS\.MD)(?![a-z])"
)
"""Finds words, tools and paths that only an agent for a shop knows, such as `basket`, `/bin/sql`
or `/proc/carts`, but not `/proc/self`, which belongs to Linux."""


def test_arrows_point_one_way_without_a_circle() -> None:
    """The tool import-linter reads the rules and checks every import of the product."""
    pytest.importorskip("importlinter")

    result = run_python(
        "-c",
        "from importlinter.cli import lint_imports_command as main; main()",
        "--no-cache",
    )

    assert result.code == 0, result.out


@pytest.mark.parametrize(
    "package", ["agent", "gates", "sandbox", "controlplane", "prompts"]
)
def test_only_the_packages_of_benchmarks_have_words_of_shops(package: str) -> None:
    texts: list[Path] = []
    for ending in ("py", "md", "j2"):
        texts += (ROOT / package).rglob(f"*.{ending}")

    assert texts
    for path in texts:
        # A rule set is loaded by the name of its module, which may be written out.
        text = path.read_text("utf-8").replace("controlplane.benchmarks.shop", "")
        assert WORDS_OF_SHOPS.findall(text) == [], path
