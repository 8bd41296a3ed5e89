"""Finds what supports each value of an answer: a text that was read, a computation, or nothing.

`value_support` is the entry: a `ValueMarker` gets the texts of a trial (`sources`) and
marks the values of an answer as found, computed, given or unverified. `matching` finds the
lines that state a value, `scripts`, `outputs` and `computations` say what a script's output was
computed from, and `arithmetic` redoes the calculations that the answer spells out. `marks` says
the result in words, and as footnotes of the answer.
"""
