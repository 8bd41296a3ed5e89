"""Tasks about baskets and receipts."""
