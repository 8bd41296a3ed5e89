"""The candidates of an improvement loop: their texts, files and runs."""
