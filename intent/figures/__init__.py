"""The drawing kit: the common look, grids of panels, bars and lines. A subject's own pictures are in its
room.
"""
