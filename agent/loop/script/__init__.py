"""The turns of the script solver: the scripts of the replies, and the messages about them."""
