"""Simple commands of the shell: a program, its arguments, and where its output goes."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple, cast

_PREFIX = re.compile("(set -euo pipefail; )? *")
# Words that bash takes for what they are, and redirections of output.
_WORD = r"""(?:[\w@%+=:,./-]|'[^']*'|"[^"$`\\!]*")+"""
_TOKEN = re.compile(
    rf"(?:(?P<stream>[12]?)>(?:&(?P<other>[12])| *(?P<file>{_WORD}))|(?P<word>{_WORD}))(?: +|$)", re.ASCII
)


class Command(NamedTuple):
    """A simple command of the shell.

    Attributes
    ----------
    words
        The program and its arguments, without quotes.
    redirections
        Pairs, in the order of the text: a stream's number, and the file it is written to. In place of a file, the
        number of another stream: ``2>&1`` is ``(2, 1)``.
    prefix
        Text before the program: ``set -euo pipefail;`` or nothing, with the blanks after it.
    """

    words: tuple[str, ...]
    redirections: tuple[tuple[int, str | int], ...]
    prefix: str


def parse_simple(text: str) -> Command | None:
    """Parse the text of a bash command; return ``None`` if it may be more than a program and redirections.

    ``mytool a 2> log`` has the words ``mytool`` and ``a``, and the redirection ``(2, "log")``. Variables, pipes,
    globs, ``>>``, ``<`` and further commands give ``None``, and so does no program. A first word such as ``cd`` or
    ``A=1``, which is no program to bash, is taken for one here: a caller has to know the programs.
    """
    prefix = cast(re.Match[str], _PREFIX.match(text))
    words: list[str] = []
    redirections: list[tuple[int, str | int]] = []
    place = prefix.end()
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            return None
        place = token.end()
        if token["word"] is not None:
            words += shlex.split(token["word"])
        else:
            target = int(token["other"]) if token["other"] else shlex.split(token["file"])[0]
            redirections.append((int(token["stream"] or 1), target))
    return Command(tuple(words), tuple(redirections), prefix[0]) if words else None
