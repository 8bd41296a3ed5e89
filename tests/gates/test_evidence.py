"""What a cited string stands for in a trial's evidence."""

import pytest

from gates.evidence import Evidence
from tests.gates.sample_trials import Calls


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    calls = Calls()
    calls.list("/docs", "/docs/Loans.md", folders=("/docs/old",))
    calls.read("/docs/Loans.md", "/notes/c#.md", "/a/x.md", "/b/X.md")
    return calls.evidence


@pytest.mark.parametrize(
    ("reference", "path", "fragment", "is_read"),
    [
        ("/docs/Loans.md", "/docs/Loans.md", "", True),
        ("/docs/Loans.md#row=7", "/docs/Loans.md", "#row=7", True),
        ("/docs//loans.md#row=7", "/docs/Loans.md", "#row=7", True),
        ("/notes/c#.md", "/notes/c#.md", "", True),
        ("/notes/c#.md#row=1", "/notes/c", "#.md#row=1", False),
        ("/nowhere/y.md#1", "/nowhere/y.md", "#1", False),
    ],
)
def test_a_reference_is_a_known_path_and_a_fragment(
    reference: str, path: str, fragment: str, is_read: bool, evidence: Evidence
) -> None:
    found = evidence.find(reference)
    assert (found.path, found.fragment, found.touch is not None) == (path, fragment, is_read)
    assert found.citation == path + fragment
