"""Make ``python -m dpbandits`` the command line."""

import sys

from dpbandits.cli.main import main

sys.exit(main())
