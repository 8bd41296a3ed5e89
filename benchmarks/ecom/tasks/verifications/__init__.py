"""The task to restart a card verification that is stuck."""
