"""YAML of strangers: it runs no code, and what no configuration needs, such as a repeated key, is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dpbandits.core.errors import BadInput, MissingFile, printable, within

if TYPE_CHECKING:
    from dpbandits.runs.expand_labels import Content

# Ten times faster where libyaml is, and every job of Snakemake reads the configuration.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# What a file may be: ours have 40 KB, a depth of 7, and a few thousand values. Where an alias stands, all that it
# stands for is counted.
LARGEST, DEEPEST, MOST_VALUES, LONGEST_NUMBER = 2**20, 40, 50_000, 60
NUMBERS = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "timestamp"))


def parsed(file: Path) -> Any:
    """Return what a YAML file holds; ``None`` if it is empty.

    Raises
    ------
    BadInput
        If it is no YAML, repeats a key, is indented by tabs, or has control characters. Also if it has more than a
        mebibyte, or too many levels or values.
    MissingFile
        If it cannot be read.
    """
    try:
        with file.open("rb") as opened:
            written = opened.read(LARGEST + 1)
        if len(written) > LARGEST:
            raise BadInput((), f"more than {LARGEST} bytes", "a smaller file")
        # "utf-8-sig" drops a byte-order mark, which some editors put in front.
        text = written.decode("utf-8-sig")
        _refuse_tabs(text)
        _refuse_bombs(text)
        loader = LOADER(text)
        node = loader.get_single_node()
        if node is None:
            return None
        _refuse_repeated_keys(node)
        return loader.construct_document(node)
    except BadInput as fault:
        fault.file = str(file)
        raise
    except OSError as error:
        raise MissingFile(str(file), error.strerror) from None
    except (
        yaml.YAMLError,
        ValueError,
        RecursionError,
        LookupError,
        AttributeError,
        TypeError,
        ArithmeticError,
    ) as error:
        # What a tag makes of a text that is none of its kind has no common class.
        said = (
            str(error) if isinstance(error, yaml.YAMLError | ValueError) else "a text that is not of its tag's kind"
        )
        raise BadInput(str(file), " ".join(said.split()), "YAML") from None


def read(file: Path) -> Content:
    """Return the mapping in a YAML file; `BadInput` if there is none, `MissingFile` if it cannot be read."""
    content = parsed(file)
    if content is None:
        raise BadInput(str(file), "nothing", "a mapping of the keys of config/README.md; the file is empty")
    if not isinstance(content, dict):
        raise BadInput(str(file), content, "a mapping of the keys of config/README.md")
    return content


def _refuse_tabs(text: str) -> None:
    """Raise `BadInput` for a line that a tab indents: YAML's own words for it name neither tab nor remedy."""
    if text.lstrip().startswith("{"):
        # So begins JSON, which takes tabs.
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if "\t" in line[: len(line) - len(line.lstrip())] and not line.lstrip().startswith("#"):
            raise BadInput((f"line {number}",), line, "spaces where a tab indents it")


def _refuse_bombs(text: str) -> None:
    """Raise `BadInput` for YAML that is too deep, or stands for too much: libyaml and we walk it by recursion.

    Parsing to events takes no stack.
    """
    # Of each open collection its anchor, and how many values it holds so far.
    open_: list[tuple[str | None, int]] = [(None, 0)]
    sizes: dict[str, int] = {}
    for event in yaml.parse(text, Loader=LOADER):
        size = 1
        if isinstance(event, yaml.CollectionStartEvent):
            open_.append((event.anchor, 1))
            if len(open_) > DEEPEST:
                raise BadInput(_line(event), "too many levels", f"at most {DEEPEST}")
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, size = open_.pop()
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise BadInput(_line(event), f"*{event.anchor}", "an anchor that came before")
            anchor, size = None, sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            anchor = event.anchor
        else:
            continue
        if anchor is not None:
            sizes[anchor] = size
        open_[-1] = open_[-1][0], open_[-1][1] + size
        if open_[-1][1] > MOST_VALUES:
            raise BadInput(_line(event), "too many values", f"at most {MOST_VALUES}")


def _line(event: yaml.Event) -> str:
    return f"line {event.start_mark.line + 1}" if event.start_mark else "(some line)"


def _refuse_repeated_keys(node: yaml.Node) -> None:
    """Raise `BadInput` for a key that a mapping has twice: of the two the last would count, silently."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if printable(name) != name:
                raise BadInput((), name, "a key without control characters")
            if name in seen:
                raise BadInput(name, name, f"a key once; line {key.start_mark.line + 1} repeats it")
            seen.add(name)
            with within(name):
                _refuse_repeated_keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for i, element in enumerate(node.value):
            with within(i):
                _refuse_repeated_keys(element)
    elif node.tag in NUMBERS and len(node.value) > LONGEST_NUMBER:
        raise BadInput((), node.value, f"a number of at most {LONGEST_NUMBER} letters")
    elif printable(shown := node.value.replace("\t", " ")) != shown:
        raise BadInput((), node.value, "text without control characters")
