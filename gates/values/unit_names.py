"""Recognises units by their names in any of the known languages: `Std.` is h."""

from __future__ import annotations

from controlplane.gates.values.locale_names import locale_names
from controlplane.gates.values.units import CURRENCIES, SHARED_NAMES


def unit_of(spelling: str) -> str:
    """Return the name of a unit by one of its spellings: `Std.` -> h, `m²` -> m2; "" for none.

    Case matters for a single letter, and for a spelling that is listed with this case:
    `mW` and `MW` are two units, but `KWH` is `kWh`.
    """
    names = locale_names()
    plain = spelling.replace("²", "2").replace("³", "3")
    without_end_mark = plain.rstrip(".,/")
    for form in (plain, without_end_mark):  # `Std.`, and then `Std`
        if form in names.units:  # with this case: `mW`
            return names.units[form]
        is_single_letter = len(form) == 1 and form.isascii()
        folded_form = form.casefold()
        if not is_single_letter and folded_form in names.folded_units:  # `KWH`
            return names.folded_units[folded_form]
    return ""


def currency_of(spelling: str) -> str:
    """Return the currency by one of its spellings: `€` -> EUR; "" for another unit or word."""
    unit = unit_of(spelling)
    if is_currency(unit):
        return unit
    return ""


def is_currency(unit: str) -> bool:
    """Return True if a unit is a currency or a name shared by several currencies, such as `$`."""
    is_also_mass = unit == "pound"  # so it may be no currency
    is_shared_by_currencies = unit in SHARED_NAMES and not is_also_mass
    return unit in CURRENCIES or is_shared_by_currencies
