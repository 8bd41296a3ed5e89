"""Attacks on the sandbox by other authors, who did not know it, fail.

Each line of their file is an attack with the text that it prints if it succeeds: `{"id": …, "code":
…, "success_marker": "LEAK", "family": …}`. The file is not in this repository.
"""

import json

import pytest

from tests.sandbox.opened_sandboxes import new_sandbox
from tests.support.command import ROOT

FOREIGN_ATTACKS = ROOT.parent / "shared/sandbox/attacks.jsonl"
pytestmark = pytest.mark.second_tier


@pytest.mark.skipif(
    not FOREIGN_ATTACKS.exists(), reason="the attacks of others are not here"
)
def test_no_attack_by_other_authors_succeeds(server):
    successful = []
    for line in FOREIGN_ATTACKS.read_text().splitlines():
        attack = json.loads(line)
        if attack["family"] in ("gate", "forge"):
            continue  # They attack the checks of answers, which are not in the sandbox.
        with new_sandbox(server) as sandbox:
            result = sandbox.run(attack["code"])
        if attack["success_marker"] in result.output:
            successful.append(attack["id"])

    assert successful == []
