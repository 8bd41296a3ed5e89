"""Tables of runs, trials and comparisons, and the lines below them."""
