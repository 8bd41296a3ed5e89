"""The documentation is true: generated pages are up to date, and what pages name exists.

What pages show is run in `tests/documentation`: commands, examples, and tables of rules.
"""

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path, PurePosixPath

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

    assert parts
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


# A reader who follows the name of a module in a comment, a docstring or a page finds the module.
#
# Modules are renamed and merged, and the texts that name them are elsewhere: in other modules, in
# tests, in the pages of `docs`.

FILE_NAME = re.compile(r"(?<![\w./*{<-])((?:[\w-]+/)*[\w-]+\.py)\b(?!\w|[./]\w|\()")
"""Finds `agent/retry.py` and `verdicts.py`, but no pattern `loop/*.py` and no `/app/main.py`."""

MADE_UP_NAMES = """
    FILE SCRIPT a agent app bug dictionary evals/words forgetful_solver grade leaving loans
    loans/grade logging mine my_bank my_rules program rx_long_word_ask script server shopkeeper
    site/sitecustomize sitecustomize solver/parts/steps solver/plan srv tests/test_outputs till
    tools/read world/purchases world/world
"""
"""Files of users, of Python and of others, in examples; without their `.py`."""


@cache
def tracked_files() -> tuple[str, ...]:
    """Return the paths of all files of the repository that git tracks."""
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(listed.stdout.split("\0"))


@cache
def ends_of_paths() -> frozenset[str]:
    """Return every tail of each module's path: `agent/loop/turns.py` has `turns.py`, too."""
    ends: set[str] = set()
    for name in tracked_files():
        parts = PurePosixPath("controlplane", name).parts
        if name.endswith(".py"):
            ends.update("/".join(parts[start:]) for start in range(len(parts)))
    return frozenset(ends)


def texts_for_readers(path: Path) -> Iterator[str]:
    """Yield a page of Markdown, or the comments and docstrings of a module."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        yield text
        return
    if not FILE_NAME.search(text):
        return  # It takes time to parse a module.
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(docstring))):
                yield docstring


def missing_files(texts: Iterator[str]) -> list[str]:
    """Return the modules that texts name, but that the repository does not have."""
    names = [name for text in texts for name in FILE_NAME.findall(text)]
    known_names = ends_of_paths() | {f"{name}.py" for name in MADE_UP_NAMES.split()}
    return [name for name in names if name not in known_names]


def test_the_missing_one_of_two_modules_is_found() -> None:
    texts = iter(["see `turns.py` and agent/loop/spirals.py."])

    assert missing_files(texts) == ["agent/loop/spirals.py"]


@pytest.mark.parametrize("suffix", [".py", ".md"])
def test_every_module_that_a_text_names_exists(suffix: str) -> None:
    """The changelog also names modules of earlier versions."""
    missing: dict[str, list[str]] = {}
    for name in tracked_files():
        path = ROOT / name
        is_read = path.suffix == suffix and path.is_file() and not path.is_symlink()
        if not is_read or name == "CHANGELOG.md":
            continue
        if names := missing_files(texts_for_readers(path)):
            missing[name] = names

    assert not missing


# Commands, gates and phases


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
