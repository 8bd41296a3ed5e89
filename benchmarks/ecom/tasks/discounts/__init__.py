"""Tasks about discounts: who may give one, how much, and on which basket."""
