"""The one door for files that nobody vouches for: every one is opened here, within declared bounds.

Logs, tables, settings, archives, databases and saved numbers may come from anyone. `Bounds` declares how much
of them is read; the modules of this package open one kind of file each and hold to it. No other module opens
files of users by a library of its own.
"""
