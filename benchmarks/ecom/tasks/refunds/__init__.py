"""Tasks about refunds: their approval by staff, and their closure by the customer."""
