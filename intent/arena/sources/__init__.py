"""Written strategies as text: read from files, let in by the gate, mended, written down."""
