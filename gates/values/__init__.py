"""Reads the values that a text states: numbers with units, dates, times, ids, addresses.

`written_values` is the entry. It normalises the text and finds out how the text writes
numbers and dates (`normal_text`), and tries each form of value in turn (`dates`, `identifiers`,
`numerals`). Each value gets a canonical form, so that `1.250,50 €` and
`EUR 1,250.50` are equal. Names of months, units and currencies come from the Unicode CLDR
(`notations`).
"""
