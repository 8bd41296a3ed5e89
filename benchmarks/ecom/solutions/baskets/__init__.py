"""Solutions of the tasks about baskets and receipts."""
