"""The published JSON schema of a journal's lines."""

import json
from typing import Any

import pytest

from controlplane.journal.run_events import SCHEMA_VERSION
from tests.support.product_files import ROOT


@pytest.fixture(scope="session")
def schema() -> dict[str, Any]:
    """The published JSON schema of a journal's lines, with a definition for each event type."""
    path = ROOT / "docs" / f"journal-{SCHEMA_VERSION}.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return schema
