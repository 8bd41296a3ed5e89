"""Dispatch waves: which way the packages of a day should take, at the least expected cost.

`plans` is the entry: it searches for the best plan. `package_table` and `lane_table` read the
tables of a wave, `delays` says how likely delays are, and `simulation` what a plan would cost.
"""
