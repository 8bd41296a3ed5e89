"""In a generated shop of hundreds of records, a draft's citations are checked and completed, too.

The draft, a model's answer, cites two pages, of which one does not exist. The finished answer loses
it, and gets the record that the request names.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.names import WorldSettings
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.answer_citations.finished_answers import (
    draft,
    finished_references,
)


@pytest.mark.parametrize("names", ["own", "random"])
def test_in_a_generated_shop_a_right_answer_gets_a_record_and_loses_a_missing_page(
    names: str,
) -> None:
    """The shop calls its fields and folders as the benchmark's code does, or by "random" names."""
    task = generate_variant(
        "refund-approval: possible", seed="7", settings=WorldSettings(names=names)
    )
    shop = EcomEnvironment(workspace_of(task.world))
    answer = draft(documents=["/docs/security.md", "/docs/none.md"])

    references = finished_references(shop, answer, task.instruction)

    first_path, *other_paths = [reference["path"] for reference in references]
    assert first_path == "/docs/security.md"
    assert "/docs/none.md" not in other_paths
    records_that_a_right_answer_cites = set(other_paths) & set(task.truth.must_cite)
    assert records_that_a_right_answer_cites != set()
