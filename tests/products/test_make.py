"""Requests: what a product is made from is checked before it is made, and it is sealed afterwards."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import fields
from pathlib import Path

import pytest
import shipped

from dpbandits import products
from dpbandits.core.files import check, read_json, seal
from dpbandits.products import BuildRequest, Deferred, Product
from dpbandits.products.make import make
from dpbandits.products.product import files_by_suffix
from dpbandits.products.site import Register

# A configuration says nothing of them: they follow from what they read, or from sources alone.
UNDEFINED = {"Kernels", "Certificates"}


def product(**changes: object) -> Product:
    """Return a small product."""
    given = {
        "files": files_by_suffix("x", "md"),
        "register": {},
        "titles": {},
        "kinds": [],
        "modules": ("dpbandits.core.errors",),
        "results": "results",
    }
    return Register(**{**given, **changes})  # type: ignore[arg-type]


def request(folder: Path, needed: Path, identity: str) -> BuildRequest:
    """Return the request of a small text that needs a sealed file."""
    made = product(files={"md": str(folder / "made.md")})
    return BuildRequest(
        product=made,
        made_from={"definition": {}, "sources": made.sources, "identity": "made"},
        needs={str(needed): identity},
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
    make(request(tmp_path, needed, "right"))
    check(tmp_path / "made.md", "made")
    assert read_json(tmp_path / "made.json")["made_from"] == request(tmp_path, needed, "").made_from


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
        make(request(tmp_path, needed, "other" if fault == "stale" else "right"))
    said = capsys.readouterr().err
    assert said.startswith(f"dpbandits: {needed}: ")
    assert said.count("\n") == 1
    assert not list(tmp_path.glob("made*"))


def test_an_identity_is_of_all_that_came_before() -> None:
    """Definition, sources, and the identities of what is needed, at any depth."""
    first = product()
    assert first.fingerprint == product().fingerprint
    others = [
        product(titles={"a": "2"}),
        product(modules=("dpbandits.core.fields",)),
        product(products=(first,)),
        product(products=(product(titles={"a": "2"}),)),
        product(products=(product(products=(first,)),)),
    ]
    assert len({each.fingerprint for each in [first, *others]}) == 6


def test_a_request_has_all_that_its_job_needs_and_no_plan() -> None:
    """A job is handed the product with its origin, without the products before it."""
    needed = product(files=files_by_suffix("needed", "md"))
    whole = product(products=(needed,))
    found = pickle.loads(pickle.dumps(Deferred(whole)))
    assert found == whole.request
    assert (found.product.products, found.needs) == ((), {needed.main: needed.fingerprint})
    assert found.made_from["identity"] == whole.fingerprint


def test_every_kind_is_its_maker() -> None:
    """Its own fields are its maker's arguments, of which some define it: what a configuration says of it."""
    modules = [module for module in vars(products).values() if inspect.ismodule(module)]
    kinds = {
        kind
        for module in modules
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, Product) and not inspect.isabstract(kind)
    }
    assert len(kinds) == 18
    defined = {kind.__name__ for kind in kinds if any("Defines[" in str(each.type) for each in fields(kind))}
    assert {kind.__name__ for kind in kinds} - defined == UNDEFINED
    assert product(titles={"a": "b"}).rerun_if_changed == {"register": {}, "titles": {"a": "b"}, "kinds": []}


def test_one_claim_needs_what_it_reads_alone() -> None:
    """Arrays of its experiments, and no audit; its paper's correction reads claims' files alone."""
    made = shipped.catalogue()
    one = made["claim", "azize2025", "imed-klucb-mean"]
    assert {cell.experiment for cell in one.cells} == {"story", "story-1"}
    assert not one.products
    correction = made["findings", "azize2025"]
    assert correction.inputs == [made[key].main for key in made if key[:2] == ("claim", "azize2025")]
