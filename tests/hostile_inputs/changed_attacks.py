"""Changes of attacks: today's names in the product, and more time on busy machines.

An *attack* is a program that somebody outside the project wrote against the command line. It makes
hostile files, runs the product on them, and prints whether the product withstood.
"""

import shutil
from pathlib import Path

RENAMINGS = [
    ('"--yes"', '"--apply"'),
    ('"--rules"', '"--rule-sets"'),
    ("from gates.rules import Pack", "from controlplane.gates.rules import RuleSet"),
    ("Pack(", "RuleSet("),
    ('["protests"]', '["overridden"]'),
    ("['protests']", "['overridden']"),
    # An attack keeps these fields of a journal's lines, which have got the field "state" since.
    ('KEEP = {"type",', 'KEEP = {"type", "state",'),
]
"""Old and new text for what has changed in the product since the attacks were written."""

TIME_CHANGES = {
    # It converts 60,000 rows, which takes up to 10 s of CPU, within 12 s.
    "doc_failure_kept": [("limit=12", "limit=40")],
    # It interrupts a run 4 s after the start of the process, and ends it after 13 s. On a busy
    # machine the run begins later, so the attack first waits for the run's journal (its file).
    "rx_underscores_interrupt": [
        (
            "        time.sleep(4)\n",
            "        while h.journal() is None: time.sleep(0.1)\n        time.sleep(4)\n",
        ),
        ("limit=13", "limit=60"),
    ],
}
"""Changes of attacks whose time limits a busy machine exceeds. These attacks are not about speed."""


def copy_with_changes(attack: Path, folder: Path) -> Path:
    """Copy an attack with all files beside it into a folder, change the copy, and return its path."""
    shutil.copytree(attack.parent, folder)
    copy = folder / attack.name
    source = copy.read_text("utf-8")
    for old_name, new_name in RENAMINGS:
        source = source.replace(old_name, new_name)
    for old_code, new_code in TIME_CHANGES.get(attack.stem, []):
        assert old_code in source
        source = source.replace(old_code, new_code)
    copy.chmod(0o600)  # The original, and so the copy, may be read-only.
    copy.write_text(source, "utf-8")
    return copy
