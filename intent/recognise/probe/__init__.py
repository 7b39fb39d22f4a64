"""Opponents that separate strategies best: what each opponent reveals, exactly, and a search among them."""
