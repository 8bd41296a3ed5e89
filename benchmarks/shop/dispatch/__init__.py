"""Dispatch waves: which way the packages of a day should take, at the least expected cost.

`plans` is the entry: it searches for the best plan. `wave_tables` reads the packages and lanes,
`delays` how likely delays are, and `simulation` says what a plan would cost.
"""
