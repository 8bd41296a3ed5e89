"""Names of months, units and currencies in many languages: `juillet` is month 7, `euros` is EUR.

Values of answers are compared by them. The names come from Unicode's collection CLDR, which the
library `babel` has. They are stored in a file of the project, because `babel` is slow to read.
"""

from __future__ import annotations

import subprocess
import sys

from controlplane.gates.values.cldr_tables import text_of_file
from controlplane.gates.values.locale_names import CLDR_NAMES_FILE, locale_names


def test_the_stored_file_is_what_cldr_gives() -> None:
    """If this fails, run `python -m controlplane.gates.values.cldr_tables`, which writes it."""
    assert CLDR_NAMES_FILE.read_text(encoding="utf-8") == text_of_file()


def test_names_of_many_languages_are_known() -> None:
    names = locale_names()

    assert names.months["juillet"] == 7
    assert names.months["märz"] == 3
    assert names.units["Kilogramm"] == "kg"
    assert names.units["Schweizer Franken"] == "CHF"
    assert names.folded_units["euros"] == "EUR"
    assert names.scales["million"] == 6  # a 1 with 6 zeros
    assert names.decimal_marks["de"] == ","


def test_the_names_are_read_without_importing_babel() -> None:
    """A new process reads the names, and exits with 1 if `babel` was imported."""
    script = """
import sys
from controlplane.gates.values.locale_names import locale_names
locale_names()
sys.exit("babel" in sys.modules)
"""

    process = subprocess.run([sys.executable, "-c", script], check=False)

    assert process.returncode == 0
