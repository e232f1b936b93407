"""A Python that does not find Zig: workflows of tests do not compile all kernels for the browser, a minute each."""

import sys

sys.modules["ziglang"] = None  # type: ignore[assignment]
