"""A crate describes every file, its validator passes it offline, and damage is found; two runs are compared."""

from __future__ import annotations

import importlib.util
import json
import shutil
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from dpbandits.core.errors import BadInput
from dpbandits.core.files import seal, write_json
from dpbandits.pipeline.cli import main
from dpbandits.site.crate.difference import Run, differences, markdown, reasons, text
from dpbandits.site.crate.digests import METADATA, check
from dpbandits.site.reviews import linked, paper, review

PAPERS = {"p": {"title": "A Paper", "authors": "A. Author", "year": "2025"}}
COLUMNS = "paper,id,place,statement,test,verdict,near_threshold,effect,runs,estimate,p"
MADE = {"definition": {"level": 0.05}, "sources": "core.files 1a, claims.ledger 2b", "identity": "x"}


def finished(
    folder: Path,
    verdict: str = "holds",
    effect: str = "ratio: 1",
    figure: str = "a,b\n1,2\n",
    seed: int = 1,
    **made: object,
) -> Path:
    """Write a finished run of one claim, one audit and one figure, and return its results."""
    results, figures = folder / "results", folder / "figures" / "p"
    for each in (results / "p", figures):
        each.mkdir(parents=True)
    rows = [COLUMNS, f"p,c1,Theorem 1,A is B.,a test,{verdict},no,{effect},100,1,0.5"]
    (results / "claims.csv").write_text("\n".join(rows) + "\n")
    (results / "p" / "findings.csv").write_text("a\n")
    audit = "algorithm,base,epsilon,verdict,audited,witness\na,,1.0,consistent,1.0,an event\n"
    (results / "privacy.csv").write_text(audit)
    (figures / "fig1.csv").write_text(figure)
    for file in (
        results / "claims.csv",
        results / "p" / "findings.csv",
        results / "privacy.csv",
        figures / "fig1.csv",
    ):
        seal([file], {**MADE, **made})
    folders = {"results": "results", "figures": "figures"}
    configuration = {"root_seed": seed, "folders": folders, "papers": {"p": {"runs": 100}}, "level": 0.05}
    write_json(results / "config.json", {"configuration": configuration, "made_from": {}})
    return results


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """Return the crate of a finished run."""
    pytest.importorskip("rocrate")
    from dpbandits.site.crate.build import build

    folder = tmp_path_factory.mktemp("run")
    results = finished(folder)
    for name in ("Snakefile", "README.md", "LICENSE"):
        shutil.copy(root / name, folder / name)
    made = [str(file) for name in ("results", "figures") for file in sorted((folder / name).rglob("*.*"))]
    # What another scale left, or was not asked for, is not of this run.
    (results / "small").mkdir()
    (results / "small" / "claims.csv").touch()
    made.append(str(results / "article" / "article.pdf"))
    build(PAPERS, made, str(results), str(folder / "figures"), str(folder), results / "crate.zip")
    return results / "crate.zip"


def changed(crate: Path, copy: Path, **members: bytes | None) -> Path:
    """Return a copy of a crate with other content in some files; ``None`` leaves one out."""
    with zipfile.ZipFile(crate) as old, zipfile.ZipFile(copy, "w") as new:
        for info in old.infolist():
            content = members.pop(info.filename, old.read(info))
            if content is not None:
                new.writestr(info.filename, content)
        for name, content in members.items():
            new.writestr(name, content or b"")
    return copy


def test_every_file_is_described_and_checked(crate: Path) -> None:
    """Without a saved run, a configuration or a network."""
    whole, wrong = check(crate)
    assert wrong == []
    with zipfile.ZipFile(crate) as opened:
        assert whole == len([info for info in opened.infolist() if not info.is_dir()]) - 1
        assert {"results/claims.csv", "figures/p/fig1.csv", "Snakefile", "arrays.json"} < set(opened.namelist())
        assert "src/dpbandits/core/streams.py" in opened.namelist()
        assert not [name for name in opened.namelist() if "results/small" in name or "article.pdf" in name]


def test_each_verdict_is_a_claim_review(crate: Path) -> None:
    """With the claim, the paper that it appears in, and the verdict in words."""
    with zipfile.ZipFile(crate) as opened:
        entities = {entity["@id"]: entity for entity in json.loads(opened.read(METADATA))["@graph"]}
    review = entities["#review-p-c1"]
    assert review["@type"] == "ClaimReview"
    assert entities[review["reviewRating"]["@id"]]["alternateName"] == "holds"
    claim = entities[review["itemReviewed"]["@id"]]
    assert entities[claim["appearance"]["@id"]]["name"] == "A Paper"


@pytest.mark.parametrize(
    ("member", "content", "said"),
    [
        ("results/claims.csv", b"other", "altered content"),
        ("results/claims.csv", None, "nothing"),
        ("results/more.csv", b"more", "a file without a digest"),
    ],
)
def test_damage_is_found(crate: Path, tmp_path: Path, member: str, content: bytes | None, said: str) -> None:
    """A changed file, a missing one, one too many; the command ends with status 1 and names it."""
    _, wrong = check(changed(crate, tmp_path / "crate.zip", **{member: content}))
    assert [(member in fault.where, fault.value) for fault in wrong] == [(True, said)]
    assert main(["verify", str(tmp_path / "crate.zip")]) == 1
    assert main(["verify", str(crate)]) == 0


def test_what_is_no_crate_is_refused(tmp_path: Path) -> None:
    """In one line."""
    (tmp_path / "no.zip").write_bytes(b"no")
    assert main(["verify", str(tmp_path / "no.zip")]) == 2


@pytest.fixture(scope="module")
def validate() -> ModuleType:
    """Return tests/site/crate/validate.py."""
    pytest.importorskip("rocrate_validator")
    file = Path(__file__).with_name("validate.py")
    specification = importlib.util.spec_from_file_location("validate", file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore")
def test_the_validator_passes_it(crate: Path, validate: ModuleType, tmp_path: Path) -> None:
    """Offline; and it finds what is wrong: a workflow that never ran."""
    assert validate.faults(crate) == []
    with zipfile.ZipFile(crate) as opened:
        metadata = json.loads(opened.read(METADATA))
    metadata["@graph"] = [entity for entity in metadata["@graph"] if entity["@id"] != "#run"]
    broken = changed(crate, tmp_path / "crate.zip", **{METADATA: json.dumps(metadata).encode()})
    assert validate.faults(broken)


def test_equal_runs_do_not_differ(crate: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Folder and crate of the same run; status 0."""
    results = finished(tmp_path)
    assert differences(Run(results), Run(crate)) == []
    assert main(["diff", str(results), str(crate)]) == 0
    assert "the same" in capsys.readouterr().out


def test_differences_have_their_reasons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Verdict, figure and why: seed, source, configuration; status 1."""
    one = finished(tmp_path / "one")
    sources = "core.files 1a, claims.ledger 3c"
    other = finished(tmp_path / "other", verdict="does not hold", figure="a,b\n1,3\n", seed=2, sources=sources)
    found = differences(Run(one), Run(other))
    assert [(each.kind, each.what) for each in found] == [("verdict", "p c1"), ("figure", "p fig1 (fig1.csv)")]
    why = "; ".join(found[0].reasons)
    assert "seed: root seed 1, 2" in why
    assert "source: claims.ledger" in why
    assert main(["diff", str(one), str(other)]) == 1
    assert "differ: 1 verdict, 1 figure" in capsys.readouterr().out
    assert "| verdict | p c1 | holds" in markdown(found, "one", "other")
    assert text([]) == "the same: verdicts, effects, audits and figures"


def test_versions_and_definitions_are_reasons() -> None:
    """Of two seals, each difference is said."""
    one = {"made_from": MADE, "versions": {"numpy": "2.4.6"}}
    other = {"made_from": {**MADE, "definition": {}}, "versions": {"numpy": "2.4.7"}}
    assert reasons(one, one) == []
    assert reasons(one, other) == ["configuration", "version: numpy 2.4.6, 2.4.7"]


def test_an_effect_alone_is_told_as_one(tmp_path: Path) -> None:
    """The verdict is the same, the number is not."""
    runs = [Run(finished(tmp_path / name, effect=f"ratio: {name}")) for name in ("1", "2")]
    assert [each.kind for each in differences(*runs)] == ["effect"]


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    """A folder without a ledger."""
    with pytest.raises(BadInput, match=r"config\.json"):
        Run(tmp_path)


def test_pages_carry_reviews_that_end_no_element() -> None:
    """JSON-LD for a page's head: it reads back, and no text of a claim can close the element that it is in."""
    values = ["p", "c1", "Theorem 1", "</script>", "a test", "holds", "no", "an effect", "100", "1", "1"]
    columns = dict(zip(COLUMNS.split(","), values, strict=True))
    told = linked([review(columns, paper("p", PAPERS["p"]))])
    assert "<" not in told
    (found,) = json.loads(told)["@graph"]
    assert found["@type"] == "ClaimReview"
    assert found["claimReviewed"] == "</script>"
    assert found["itemReviewed"]["appearance"]["name"] == "A Paper"
