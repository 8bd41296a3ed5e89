"""What the user gives to a command: options and journals."""
