"""The article: what was found, typeset from results, and what journals and the papers' authors are given."""

# What the article shows, if a configuration has it: figures by paper, and the computation with the law of regret.
FIGURES = {
    "azize2025": ("fig8", "cure", "noise-by-batch"),
    "asi2025": ("separation-local",),
    "wu2025": ("thm1",),
    "charisopoulos2022": ("breakdown",),
}
LAW = ("azize2025", "regret-law")
# Files beside the article, by the template that makes each; letters have one file a paper.
COMPANIONS = {"artefact": "artefact.md", "checklist": "checklist.md", "metadata": "metadata.yaml"}
