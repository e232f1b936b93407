"""Commands of the command line, a module for each group of commands.

``add`` of a module adds the parsers of its group. ``command_NAME`` runs the command NAME, as it was parsed. It
returns the exit status, where ``None`` counts as 0, or raises `BadInput` for a value that is not allowed.
"""
