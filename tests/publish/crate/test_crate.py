"""A crate describes every file, its validator passes it offline, and damage is found; two runs are compared."""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import tracemalloc
import warnings
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput, DamagedFile
from dpbandits.core.files import seal, write_json
from dpbandits.integrity.compare import Run, differences, markdown, reasons, text
from dpbandits.publish.claim_review import claim_review, json_ld, scholarly_article
from dpbandits.publish.crate.digests import METADATA, check

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
    for each in (results / "p" / "claims", figures):
        each.mkdir(parents=True)
    rows = [COLUMNS, f"p,c1,Theorem 1,A is B.,a test,{verdict},no,{effect},100,1,0.5"]
    (results / "claims.csv").write_text("\n".join(rows) + "\n")
    (results / "p" / "findings.csv").write_text("a\n")
    write_json(results / "p" / "claims" / "c1.json", {"made_from": {**MADE, **made}})
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
    from dpbandits.publish.crate.build import build

    folder = tmp_path_factory.mktemp("run")
    results = finished(folder)
    for name in ("Snakefile", "README.md", "LICENSE"):
        shutil.copy(root / name, folder / name)
    made = [str(file) for name in ("results", "figures") for file in sorted((folder / name).rglob("*.*"))]
    # What another scale left, or was not asked for, is not of this run.
    (results / "small").mkdir()
    (results / "small" / "claims.csv").touch()
    made.append(str(results / "article" / "article.pdf"))
    folders = str(results), str(folder / "figures"), str(folder)
    build("0.1.0", PAPERS, made, *folders, str(results / "claims.csv"), results / "crate.zip")
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
    assert [(member in fault.file, fault.found) for fault in wrong] == [(True, said)]
    assert main(["verify", str(tmp_path / "crate.zip")]) == 1
    assert main(["verify", str(crate)]) == 0


def test_what_is_no_crate_is_refused(tmp_path: Path) -> None:
    """In one line."""
    (tmp_path / "no.zip").write_bytes(b"no")
    assert main(["verify", str(tmp_path / "no.zip")]) == 2


@pytest.fixture(scope="module")
def validate() -> ModuleType:
    """Return tests/publish/crate/validate.py."""
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
    assert differences(results, crate) == []
    assert main(["diff", str(results), str(crate)]) == 0
    assert "the same" in capsys.readouterr().out


def test_differences_have_their_reasons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Verdict, figure and why: seed, source, configuration; status 1."""
    one = finished(tmp_path / "one")
    sources = "core.files 1a, claims.ledger 3c"
    other = finished(tmp_path / "other", verdict="does not hold", figure="a,b\n1,3\n", seed=2, sources=sources)
    found = differences(one, other)
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
    runs = [finished(tmp_path / name, effect=f"ratio: {name}") for name in ("1", "2")]
    assert [each.kind for each in differences(*runs)] == ["effect"]


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    """A folder without a ledger."""
    with pytest.raises(BadInput, match=r"config\.json"):
        Run(tmp_path)


def test_pages_carry_reviews_that_end_no_element() -> None:
    """JSON-LD for a page's head: it reads back, and no text of a claim can close the element that it is in."""
    values = ["p", "c1", "Theorem 1", "</script>", "a test", "holds", "no", "an effect", "100", "1", "1"]
    columns = dict(zip(COLUMNS.split(","), values, strict=True))
    told = json_ld([claim_review(columns, scholarly_article("p", PAPERS["p"]))])
    assert "<" not in told
    (found,) = json.loads(told)["@graph"]
    assert found["@type"] == "ClaimReview"
    assert found["claimReviewed"] == "</script>"
    assert found["itemReviewed"]["appearance"]["name"] == "A Paper"


NAMES = [
    "../evil",
    "/etc/x",
    "a/../../b",
    "a\x1b[2J",
    "C:/x",
    "a\\..\\b",
    "\u202e.csv",
    "n" * 300,
    "a//b",
    "é",
    "a" * 5000,
]
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
VALUES: list[object] = [[], {}, 3, None, "x", True, ["a", {}], 1e300, "\ud800", [[[]]], {"@id": 1}]


def mutated(content: bytes, chance: np.random.Generator) -> bytes:
    """Return a crate as nobody should send it: flipped, cut, or with other names, methods and metadata."""
    if chance.integers(3) == 0:
        damaged = bytearray(content)
        for _ in range(chance.integers(1, 4)):
            damaged[chance.integers(len(damaged))] ^= 1 << int(chance.integers(8))
        return bytes(damaged[: chance.integers(len(damaged))] if chance.integers(4) == 0 else damaged)
    opened = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(opened, "w") as new,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        for info in old.infolist():
            name, data = info.filename, old.read(info)
            if chance.integers(4) == 0:
                name = NAMES[chance.integers(len(NAMES))]
            if chance.integers(8) == 0:
                new.writestr(info.filename, b"twice")
            if info.filename.endswith(".json") and chance.integers(2):
                data = _mutated_json(data, chance)
            method = METHODS[max(0, int(chance.integers(-16, 4)))]
            new.writestr(name, data, compress_type=method)
    damaged = bytearray(opened.getvalue())
    if chance.integers(4) == 0:
        # A flag of the central directory says that a member is encrypted.
        place = damaged.find(b"PK\x01\x02", int(chance.integers(len(damaged))))
        damaged[place + 8] |= 1
    return bytes(damaged)


def _mutated_json(data: bytes, chance: np.random.Generator) -> bytes:
    if chance.integers(5) == 0:
        return b"[" * 100_000
    content = json.loads(data)
    place = content
    while isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = keys[chance.integers(len(keys))]
        if chance.integers(3) == 0 or not isinstance(place[key], dict | list):
            place[key] = VALUES[chance.integers(len(VALUES))]
            break
        place = place[key]
    return json.dumps(content).encode()


@pytest.mark.parametrize("number", [8, pytest.param(1_000, marks=pytest.mark.slow)])
def test_any_crate_is_read_or_refused(
    crate: Path, tmp_path: Path, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """In plain letters, never by a traceback, by `verify` and by `diff`."""
    chance = np.random.default_rng(29)
    content = crate.read_bytes()
    file = tmp_path / "crate.zip"
    for _ in range(number):
        file.write_bytes(mutated(content, chance))
        assert main(["verify", str(file)]) in (0, 1, 2)
        assert main(["diff", str(crate), str(file)]) in (0, 1, 2)
        said = capsys.readouterr()
        assert all(letter.isprintable() or letter == "\n" for letter in said.out + said.err)
        assert "Traceback" not in said.err


@pytest.mark.parametrize("name", NAMES[:7])
def test_names_that_lead_elsewhere_are_damage(crate: Path, tmp_path: Path, name: str) -> None:
    """Even if they are described."""
    _, wrong = check(changed(crate, tmp_path / "crate.zip", **{name: b"x"}))
    assert [damage.found for damage in wrong] == ["a name that leads elsewhere"]


def test_a_bomb_takes_little(tmp_path: Path) -> None:
    """Metadata of 500 MB, deflated to half of one."""
    file = tmp_path / "crate.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new, new.open(METADATA, "w") as member:
        for _ in range(500):
            member.write(b" " * 2**20)
    tracemalloc.start()
    with pytest.raises(DamagedFile, match="no crate"):
        check(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * 2**20
