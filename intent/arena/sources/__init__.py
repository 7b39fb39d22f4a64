"""Written strategies as text: parsed within bounds, let in by the gate, mended, read from files and written
down. Nothing is run here.
"""
