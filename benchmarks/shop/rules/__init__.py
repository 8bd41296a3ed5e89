"""The rules of the rule set `ecom`, by what they are about."""
