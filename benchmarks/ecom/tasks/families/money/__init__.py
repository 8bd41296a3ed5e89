"""Tasks about discounts, refunds and payments."""
