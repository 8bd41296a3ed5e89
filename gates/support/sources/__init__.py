"""The texts that a trial read: their lines, table rows, labels of numbers, and places."""
