"""A text that was changed in a journal is found, even if all lines are chained by new hashes.

A journal is a file of JSON lines, each with the hash of the line before it. Anybody can write such
a chain. But a long text is a line of its own, which other lines name by a *key*, the hash of the
text:

    {"type": "text", "key": "3f2a...", "text": "It is 24-11-2027. and more"}
    ->    does not match its key
"""

import json
from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged
from controlplane.journal.journal_reader import open_journal
from tests.support.command import ROOT
from tests.support.journals.chained_lines import chained_lines


def test_a_changed_text_with_a_new_chain_of_hashes_is_found(tmp_path: Path) -> None:
    sample_journal = ROOT / "runs/sample.jsonl"
    events = [json.loads(line) for line in sample_journal.read_bytes().splitlines()]
    for event in events:
        if event["type"] == "text":
            event["text"] += " and more"
    forged_path = tmp_path / "forged.jsonl"
    forged_path.write_bytes(chained_lines(events))

    with pytest.raises(JournalDamaged, match="does not match its key"):
        open_journal(forged_path)
