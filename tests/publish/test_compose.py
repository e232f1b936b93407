"""What a job composes from the saved configuration is what was planned, or the job refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import projects
import pytest
import shipped

from dpbandits.core.errors import ChangedSources
from dpbandits.core.files import write_json
from dpbandits.products.site import Configuration, Site
from dpbandits.publish import texts
from dpbandits.publish.compose import restored, site_content
from dpbandits.runs import config


def test_a_job_composes_what_was_planned(tmp_path: Path) -> None:
    """The configuration in the file of results gives the same pages as the one that was read to plan them."""
    found = shipped.catalogue()
    saved, site = found["configuration",], found["site",]
    assert isinstance(saved, Configuration)
    assert isinstance(site, Site)
    write_json(tmp_path / "config.json", saved.make())
    composed = site_content(restored(tmp_path / "config.json", site.texts), site.shown, site.configfile)
    assert composed == site_content(shipped.settled(), site.shown, site.configfile)


@pytest.mark.parametrize("file", ["claims", "words", "discrepancies"])
def test_texts_that_were_edited_since_the_plan_are_refused(tmp_path: Path, file: str) -> None:
    """Otherwise a page with new texts would carry the digest of the old ones."""
    paper = "azize2025"
    whole = config.load(config.shipped(projects.ROOT / "config"))
    copied = tmp_path / "texts.yaml"
    shutil.copyfile(getattr(whole.papers[paper], file), copied)
    own = whole.papers[paper].model_copy(update={file: str(copied)})
    alone = whole.model_copy(update={"papers": {paper: own}})
    write_json(tmp_path / "config.json", {"configuration": alone.model_dump(mode="json")})
    planned = texts.digests(alone)
    assert planned == texts.digests(whole.model_copy(update={"papers": {paper: whole.papers[paper]}}))
    with copied.open("a", encoding="utf-8") as opened:
        opened.write("# a comment\n")
    with pytest.raises(ChangedSources, match=rf"began \(the texts on {paper}\)"):
        restored(tmp_path / "config.json", planned)


def test_a_changed_citation_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was told as a change of the texts of all papers. The pages on one paper follow it too."""
    whole = config.load(config.shipped(projects.ROOT / "config"))
    write_json(tmp_path / "config.json", {"configuration": whole.model_dump(mode="json")})
    found = shipped.catalogue()
    for key in (("site",), ("paper_site", "asi2025")):
        site = found[key]
        assert isinstance(site, Site)
        assert set(site.texts) & set(whole.papers) == set(key[1:] or whole.papers)
        assert restored(tmp_path / "config.json", site.texts).texts.digests == site.texts
        edited = tmp_path / "CITATION.cff"
        edited.write_text((projects.ROOT / "CITATION.cff").read_text() + "# a comment\n")
        with monkeypatch.context() as patched, pytest.raises(ChangedSources, match=r"began \(CITATION\.cff\)"):
            patched.setattr(texts, "home", lambda: tmp_path)
            restored(tmp_path / "config.json", site.texts)
