"""The page *Try*: which algorithms run in a browser, and their Python as JavaScript."""
