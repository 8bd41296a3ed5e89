"""Where the cases of these tests lie."""

from pathlib import Path

CASES = Path(__file__).parents[1] / "cases"
ROOT = Path(__file__).parents[3]
