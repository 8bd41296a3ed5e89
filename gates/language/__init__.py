"""What instructions and answers say: formats, orders, yes and no."""

from gates.language.prose import plain_text as plain_text
