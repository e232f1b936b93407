"""Make ``python -m dpbandits`` the command line."""

import sys

from dpbandits.cli import main

sys.exit(main())
