"""One algorithm, one file; a file is found by being here."""
