"""The opening calls of a trial, and what turn one shows of them."""
