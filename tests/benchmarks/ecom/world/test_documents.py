"""A world's documents state its own parameters."""

from __future__ import annotations

import pytest

from benchmarks.ecom.world.documents import documents
from benchmarks.ecom.world.generator import World
from tests.benchmarks.ecom.world.sample_worlds import WORLDS

PATHS = (
    "/AGENTS.MD",
    "/docs/security.md",
    "/docs/citations.md",
    "/docs/checkout.md",
    "/docs/stock.md",
    "/docs/catalogue.md",
    "/docs/discounts.md",
    "/docs/payments/verification.md",
    "/docs/returns.md",
    "/docs/exports.md",
    "/docs/uploads.md",
    "/docs/staff.md",
    "/docs/company/origins.md",
    "/docs/company/history.md",
    "/docs/company/values.md",
)


@pytest.mark.parametrize("world", WORLDS[:10])
def test_the_documents_state_the_parameters_of_their_world(world: World) -> None:
    policy, texts = world.policy, documents(world.policy, world.names, world.origin)
    assert set(PATHS) <= set(texts)
    assert f"`{policy.yes}` for yes or `{policy.no}` for no" in texts["/AGENTS.MD"]
    assert world.layout.roots.baskets in texts["/AGENTS.MD"]
    assert f"{policy.high_percent} percent" in texts["/docs/discounts.md"]
    assert policy.refund_role in texts["/docs/returns.md"]
    assert f"{policy.verification_delay_min} minutes" in texts["/docs/payments/verification.md"]
    assert world.origin.first_branch in texts["/docs/company/origins.md"]
    assert not [path for path, text in texts.items() if "${" in text]
