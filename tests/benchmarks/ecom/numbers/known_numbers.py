"""The numbers of the generator of shops, of the code for agents, and of the shops' pages.

A test compares them: the code for agents must not have a number that only the generator may know.

numbers_of_worlds().unusual    # {0.85, 650, ...}, in the code that generates shops (worlds)
numbers_of_players().anywhere  # {0.85, 2027, ...}, in the code and prompts for agents (players)
numbers_on_pages()             # {650, ...}, which any agent may read

`unusual` has the numbers in code that nobody writes by chance, and `anywhere` all numbers, in texts
too.
"""

from pathlib import Path

import controlplane.benchmarks.ecom
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.names import KNOWN, UNSEEN, WorldSettings
from controlplane.benchmarks.ecom.world.world import workspace_of
from tests.benchmarks.ecom.numbers.number_leaks import (
    Numbers,
    numbers_in,
    numbers_in_texts,
    tree_of,
)

ECOM = Path(controlplane.benchmarks.ecom.__file__).parent
PACKAGE = ECOM.parent.parent


def numbers_of_worlds() -> Numbers:
    """Return the numbers in the code that generates worlds, and grades what is done in them."""
    trees = []
    for pattern in ("tasks/**/*.py", "world/**/*.py", "world/company.json"):
        for path in ECOM.glob(pattern):
            trees.append(tree_of(path))
    assert len(trees) > 20  # The files were found.
    return numbers_in(trees)


def numbers_of_players() -> Numbers:
    """Return the numbers in the functions, rules and prompts for agents."""
    paths = [ECOM / "shop_environment.py", ECOM / "player_scripts.txt"]
    for folder in ("benchmarks/shop", "gates", "prompts"):
        paths += (PACKAGE / folder).rglob("*")

    trees = []
    texts = []
    for path in paths:
        if path.suffix == ".py":
            trees.append(tree_of(path))
        elif path.suffix in (".md", ".txt"):
            texts.append(path.read_text("utf-8"))
    assert len(trees) + len(texts) > 20  # The files were found.
    return numbers_in(trees, texts)


def numbers_on_pages() -> set[float]:
    """Return the numbers that the pages of every world show, where any agent may read them.

    Eight worlds stand for all: hard ones and others, of both sets of wordings.
    """
    numbers_of_each_world = []
    for seed in range(8):
        settings = WorldSettings(
            profile="hard" if seed % 2 else "prod",
            wordings=UNSEEN if seed % 3 else KNOWN,
        )
        workspace = workspace_of(generate(f"numbers {seed}", settings))
        pages = []
        for path, text in workspace.files.items():
            if path.casefold().endswith(".md"):
                pages.append(text)
        numbers_of_each_world.append(numbers_in_texts(pages))
    return set.intersection(*numbers_of_each_world)
