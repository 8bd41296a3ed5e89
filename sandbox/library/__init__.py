"""What a script finds: importable modules, builtins, and the guard of their attributes."""
