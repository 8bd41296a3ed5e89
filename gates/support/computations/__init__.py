"""Says which query, function or script computed a value of an answer.

`computations` is the entry. Templates find the expressions that wrote an output.
"""
