"""Where written strategies run: confined processes that give back moves and nothing else. What is loaded
inside them needs the standard library only.
"""
