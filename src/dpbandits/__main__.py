"""Make ``python -m dpbandits`` the command line."""

import sys

from dpbandits.pipeline.cli import main

sys.exit(main())
