"""One computation, one file; a file is found by being here."""
