"""The company of one world: its rules, branches, employees and history."""
