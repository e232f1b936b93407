"""The command line, and what each rule of the workflow makes."""
