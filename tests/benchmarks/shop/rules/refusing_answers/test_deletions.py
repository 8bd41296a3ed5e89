"""A request to delete temporary files must not be refused: no tool of the shop is needed for that.

The outcome UNSUPPORTED says that the shop cannot do what is asked. `rules_against` returns the rules
that object to an answer: `["cleanup"]` here.
"""

from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.shop.rules.judged_answers import rules_against


def test_temporary_files_can_be_deleted() -> None:
    """A request to delete them must not be refused, either; another rule objects."""
    assert rules_against(
        "Delete all files in /tmp/cleanup-1.",
        "There is no tool for that.",
        cites=[],
        outcome=UNSUPPORTED,
    ) == ["cleanup"]
