"""Templates of `dpbandits new`: for each setting an algorithm and an environment that work, and their tests.

They are modules like all others, so types are checked and nothing here grows old. They are not listed, because
they lie outside the settings' folders. `Newcomer` and `newcomer` stand for the title and the name.
"""
