"""The documentation is true: generated pages are up to date, and what pages name exists.

What pages show is run in `tests/documentation`: commands, examples, and tables of rules.
"""

import re
from importlib import import_module
from operator import attrgetter

import pytest

from controlplane.command_line import COMMANDS
from controlplane.gates.verdicts import GATE_NAMES
from docs.generate import generated_files
from tests.bench.timing.phase_table import PHASES
from tests.documentation.pages import ARCHITECTURE_PAGE, DOCS, GATES_PAGE, read_page
from tests.support.product_files import PACKAGES, ROOT


def test_generated_pages_are_what_the_code_makes() -> None:
    """Whoever changes an option or an event has to make its page anew."""
    for name, page in generated_files().items():
        assert read_page(name) == page, f"run: python docs/generate.py ({name})"


LINK_TO_FILE = re.compile(r"\]\((?!https?://)([^)#]+)")
"""Finds the path in a link of Markdown, such as `gates.md` in `[gates](gates.md#rules)`."""
PATH_IN_REPOSITORY = re.compile(
    rf"\b((?:{'|'.join([*PACKAGES, 'prompts', 'tests', 'docs'])})/[\w/]*(?:\.\w+)?)"
)
"""Finds a path such as `agent/loop` or `docs/generate.py` in a text."""


def test_links_between_pages_lead_somewhere() -> None:
    """Links to other sites are not checked."""
    for page in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]:
        for target in LINK_TO_FILE.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


PART_OF_FILE = re.compile(
    r"^<!-- part of: (\S+) -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
"""Finds a block of Python that a page takes from a file, with the path of the file."""


def test_what_a_page_shows_of_a_file_is_in_the_file() -> None:
    parts = PART_OF_FILE.findall(read_page("benchmarks.md"))

    assert len(parts) == 2
    for path, code in parts:
        assert code in (ROOT / path).read_text("utf-8"), path


LEAST_PATHS_OF_ARCHITECTURE = 50
"""If fewer are found on the page, `PATH_IN_REPOSITORY` does not find them."""


def test_every_path_of_the_architecture_exists() -> None:
    """The page names folders and files of the repository."""
    paths = PATH_IN_REPOSITORY.findall(ARCHITECTURE_PAGE)

    assert len(paths) > LEAST_PATHS_OF_ARCHITECTURE
    for path in paths:
        assert (ROOT / path).exists(), path


def test_every_command_is_documented() -> None:
    """The reference has a heading for each command of `controlplane`."""
    reference = read_page("reference.md")

    for command in COMMANDS:
        assert f"### controlplane {command}" in reference


def test_every_gate_is_documented() -> None:
    """A gate is one of the eight checks that an answer has to pass."""
    for number in range(1, 9):
        assert f"{number} {GATE_NAMES[number]}" in GATES_PAGE


@pytest.mark.parametrize("method", PHASES)
def test_a_phase_of_a_trial_times_a_method_that_exists(method: str) -> None:
    """A benchmark in `tests/bench` names the methods that it times as `module:Class.method`."""
    module_name, _, path = method.partition(":")
    module = import_module(module_name)

    assert callable(attrgetter(path)(module))
