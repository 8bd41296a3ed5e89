"""Numbers in digits, fractions and signs, with their units."""
