"""The rules of the pack, by what they ask about."""
