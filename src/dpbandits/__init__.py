"""dpbandits: a replication of four papers on differentially private online decisions.

The package is the *how* of the pipeline; ``config/`` says *what* is run and the ``Snakefile`` *in
which order*. Importing it loads nothing heavy: every command imports what it needs.
"""

__version__ = "0.1.0"
