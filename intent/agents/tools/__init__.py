"""Tools that a language model may call before it decides, and the reading of its calls."""
