"""Finds what supports each value of an answer: a text that was read, a computation, or nothing.

`value_support` is the entry: a `ValueMarker` gets the texts of a trial (`sources`) and
marks the values of an answer as found, computed, given or unverified. `value_equality`
decides whether a line of a text states a value, `script_origins` what a script's output
was computed from, and `answer_arithmetic` redoes the calculations that the answer
spells out. `footnotes` adds the marks to the answer as footnotes.
"""
