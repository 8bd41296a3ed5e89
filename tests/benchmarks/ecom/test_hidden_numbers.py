"""The code for agents knows no number that only the generator of shops may know.

The generator makes worlds with numbers such as "late delivery costs 650 cents". Functions, rules and
prompts for agents must take such a number from the pages of the world. `test_number_leaks.py` shows
which numbers count.
"""

from pathlib import Path

import controlplane.benchmarks.ecom
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.wordings import KNOWN, UNSEEN
from tests.benchmarks.ecom.numbers.number_leaks import Leak, leaks
from tests.benchmarks.ecom.numbers.numbers_in_code import Numbers, numbers_in, tree_of
from tests.benchmarks.ecom.numbers.numbers_in_texts import numbers_in_texts

ECOM = Path(controlplane.benchmarks.ecom.__file__).parent
ROOT = ECOM.parent.parent

# Unusual numbers that mean something else on each side:
# what the number is in the code of worlds; what it is in the code for agents
COINCIDENCES = {
    0.25,  # a chance of draws, and the wear of a scan; a share in an example of arithmetic
    0.85,  # the chance of a usual amount; the least likeness of a brand on a receipt
    13,  # lines of an upload; an example in a docstring
    15,  # a house number; counts and printed examples
    21,  # abandoned baskets; the least characters of a wrapped line of a request
    26,  # open baskets; an example in a docstring
    27,  # lines of an upload; an example in a docstring
    29,  # employee numbers that nobody has; the last day of February in a leap year
    35,  # a number of a world; the digits of 3½ in a docstring
    160,  # lines of a cut read; characters between two words of a request
    2027,  # the year of the first world; the year in an example
}


def numbers_of_worlds() -> Numbers:
    """Return the numbers in the code that generates worlds, and grades what is done in them."""
    trees = []
    for pattern in ("tasks/**/*.py", "world/**/*.py", "world/company.json"):
        for path in ECOM.glob(pattern):
            trees.append(tree_of(path))
    assert len(trees) > 40  # The files were found.
    return numbers_in(trees)


def numbers_of_players() -> Numbers:
    """Return the numbers in the functions, rules and prompts for agents."""
    paths = [ECOM / "shop_environment.py", ECOM / "player_scripts.txt"]
    for folder in ("benchmarks/shop", "gates", "prompts"):
        paths += (ROOT / folder).rglob("*")

    trees = []
    texts = []
    for path in paths:
        if path.suffix == ".py":
            trees.append(tree_of(path))
        elif path.suffix in (".md", ".txt"):
            texts.append(path.read_text("utf-8"))
    assert len(trees) + len(texts) > 40  # The files were found.
    return numbers_in(trees, texts)


def numbers_on_pages() -> set[float]:
    """Return the numbers that the pages of every world show, where any agent may read them.

    Eight worlds stand for all. They are of both sizes and both sets of wordings.
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


def test_players_know_no_number_of_a_world_that_its_pages_do_not_state() -> None:
    """A coincidence must leave the table above once it is none."""
    expected_leaks = {Leak(number) for number in COINCIDENCES}

    actual_leaks = leaks(
        numbers_of_worlds(), numbers_of_players(), shown=numbers_on_pages()
    )

    assert actual_leaks == expected_leaks
