"""Files with the names of modules that the product imports, which raise an error if they are imported."""

from pathlib import Path

NAMESAKES_OF_OUR_MODULES = (
    "agent.py",
    "gates.py",
    "sandbox.py",
    "benchmarks/__init__.py",
    "controlplane/notes.py",
)
"""Files that are called as the product's own modules."""


def write_namesakes(folder: Path, *file_names: str) -> None:
    """Write files that raise an error when they are imported.

    `write_namesakes(folder, "logging.py")` writes `<folder>/logging.py`.
    """
    for file_name in file_names:
        file = folder / file_name
        file.parent.mkdir(exist_ok=True)
        file.write_text("raise RuntimeError('a namesake was imported')\n")
