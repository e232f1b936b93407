"""What a wrong input gets at each door: one line that names its place, and nothing done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import projects
import pytest
import yaml

from dpbandits import products
from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput
from dpbandits.publish import texts
from dpbandits.runs import config


def refuses_command(words: Sequence[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Assert that a command ends with one line, which says ``told`` and advises to remove nothing."""
    try:
        status: object = main(list(words))
    except SystemExit as end:
        status = end.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status in (2, 4)
    assert told in line
    assert len(line) < 400
    assert "remove it" not in line


def refuses_configuration(keys: Sequence[str], value: object, told: str, file: Path) -> None:
    """Assert that a plan with one value exchanged is refused by the file and the key.

    Parameters
    ----------
    keys, value
        Place of the value in a tiny configuration, and what it is there.
    told
        What the line says.
    file
        Where the configuration is written.
    """
    content: Any = projects.tiny()
    inner = content
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        configuration, cells = config.planned([file])
        products.catalogue(configuration, cells, texts.load(configuration))
    assert str(file) in str(caught.value)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
