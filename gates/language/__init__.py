"""What instructions and answers say: formats, orders, yes and no."""
