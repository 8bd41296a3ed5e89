"""Writes the parts of the documentation that are made from the code: `python docs/generate.py`.

A page holds its own text, and parts that are made, each between two marks:

    <!-- Made by docs/generate.py: settings -->
    (the table of the settings)
    <!-- until here -->

The JSON schema of the journal is made whole. A test checks that all is up to date.
"""

import re
import sys
from pathlib import Path

# the folder of `docs` and the product
sys.path.insert(0, str(Path(__file__).parents[1]))

from docs.reference_pages.benchmark_tables import (
    calls,
    options,
    scripted_replies,
    shop_functions,
    shop_rules,
    task_files,
)
from docs.reference_pages.command_pages import commands
from docs.reference_pages.event_table import events
from docs.reference_pages.fact_tables import run_facts, step_facts, trial_facts
from docs.reference_pages.journal_schema import SCHEMA_FILE, journal_schema
from docs.reference_pages.public_names import public
from docs.reference_pages.setting_table import profile, settings

DOCS = Path(__file__).parent

PAGES_WITH_PARTS = ("configuration.md", "reference.md")

PART_MAKERS = {
    "calls": calls,
    "commands": commands,
    "events": events,
    "options": options,
    "profile": profile,
    "public": public,
    "run_facts": run_facts,
    "scripted_replies": scripted_replies,
    "settings": settings,
    "shop_functions": shop_functions,
    "shop_rules": shop_rules,
    "step_facts": step_facts,
    "task_files": task_files,
    "trial_facts": trial_facts,
}
"""The function that makes a part, by the part's name in its first mark."""

PART = re.compile(
    r"(?P<mark><!-- Made by docs/generate.py: (?P<name>\w+) -->\n).*?(?=<!-- until here -->)",
    re.DOTALL,
)


def generated_files() -> dict[str, str]:
    """Return the text of each file that is made, by its name in `docs`."""
    files = {name: generated_page(name) for name in PAGES_WITH_PARTS}
    files[SCHEMA_FILE] = journal_schema()
    return files


def generated_page(name: str) -> str:
    """Return a page with its parts made anew."""

    def new_part(old_part: re.Match[str]) -> str:
        make_part = PART_MAKERS[old_part["name"]]
        return f"{old_part['mark']}\n{make_part()}\n"

    page = (DOCS / name).read_text(encoding="utf-8")
    return PART.sub(new_part, page)


if __name__ == "__main__":
    for name, text in generated_files().items():
        (DOCS / name).write_text(text, encoding="utf-8")
