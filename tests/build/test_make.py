"""Orders: what a product is made from is checked before it is made, and it is sealed afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpbandits.build.make import MAKERS, make
from dpbandits.build.products import BuildRequest, Product, beside
from dpbandits.core.files import check, read_json, seal


def order(folder: Path, needed: Path, identity: str) -> BuildRequest:
    """Return an order of a small text that needs a sealed file."""
    return BuildRequest(
        kind="register",
        files={"md": str(folder / "made.md")},
        definition={"register": {}, "titles": {}, "kinds": []},
        made_from={"definition": {}, "sources": "x 1", "identity": "made"},
        sealed=True,
        needs={str(needed): identity},
        maker_args={},
    )


@pytest.fixture
def needed(tmp_path: Path) -> Path:
    """Return a sealed file."""
    path = tmp_path / "needed.csv"
    path.write_text("x\n1\n", encoding="utf-8")
    seal([path], {"identity": "right"})
    return path


def test_a_product_is_sealed_with_what_it_was_made_from(tmp_path: Path, needed: Path) -> None:
    """Definition, sources and identity."""
    make(order(tmp_path, needed, "right"))
    check(tmp_path / "made.md", "made")
    assert read_json(tmp_path / "made.json")["made_from"] == order(tmp_path, needed, "").made_from


@pytest.mark.parametrize("fault", ["altered", "stale", "unsealed", "missing"])
def test_nothing_is_made_from_what_is_not_right(
    tmp_path: Path, needed: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each fault ends the job in one line that names the file, and nothing is written."""
    if fault == "altered":
        needed.write_text("x\n2\n", encoding="utf-8")
    elif fault == "unsealed":
        needed.with_suffix(".json").unlink()
    elif fault == "missing":
        needed.unlink()
    with pytest.raises(SystemExit):
        make(order(tmp_path, needed, "other" if fault == "stale" else "right"))
    said = capsys.readouterr().err
    assert said.startswith(f"dpbandits: {needed}: ")
    assert said.count("\n") == 1
    assert not list(tmp_path.glob("made*"))


def product(**changes: object) -> Product:
    """Return a small product."""
    given = {
        "kind": "register",
        "files": beside("x", "md"),
        "definition": {"a": 1},
        "modules": ("dpbandits.core.errors",),
    }
    return Product(**{**given, **changes})  # type: ignore[arg-type]


def test_an_identity_is_of_all_that_came_before() -> None:
    """Definition, sources, and the identities of what is needed, at any depth."""
    first = product()
    assert first.fingerprint == product().fingerprint
    others = [
        product(definition={"a": 2}),
        product(modules=("dpbandits.core.options",)),
        product(products=(first,)),
        product(products=(product(definition={"a": 2}),)),
        product(products=(product(products=(first,)),)),
    ]
    assert len({each.fingerprint for each in [first, *others]}) == 6


def test_every_kind_has_a_maker() -> None:
    """Makers are named after kinds."""
    assert set(MAKERS) == {
        *("aggregate", "computation", "figure", "table", "audit", "privacy_table"),
        *("findings", "ledger", "curves", "register", "configuration", "kernels", "site"),
        *("certificates", "article", "crate"),
    }
