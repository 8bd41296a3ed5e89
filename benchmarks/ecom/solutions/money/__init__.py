"""Solutions of the tasks about discounts, refunds and payments."""
