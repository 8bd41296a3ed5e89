"""What crosses between scripts, the sandbox and its users: declared operations, results, limits."""
