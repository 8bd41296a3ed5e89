"""The `scratchpad` of a script, and how its content is kept from one step to the next."""
