"""What the user gives to a command: options, journals, a model, a piped text, and consent."""
