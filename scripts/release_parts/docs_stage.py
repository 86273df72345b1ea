#!/usr/bin/env python3
"""Collects the input of MkDocs.

    docs_stage.py REPOSITORY STAGE

STAGE/docs has the repository's documents and all files that they link to, at the same
paths, so that links need no change. The navigation has the order of the README's last
section, then everything else by path.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

LINK = re.compile(r"(?<!\\)\[[^\]]*\]\(\s*<?([^)\s>#]+)[^)]*\)")
EXTERNAL = re.compile(r"^[a-z][a-z0-9+.-]*:")
ROOTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
# Names of folders in the navigation.
SECTIONS = {"docs/adr": "Decision records", "docs/conformance": "Conformance"}
CONFIGURATION = """\
site_name: Mulligan
docs_dir: docs
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.indexes, navigation.top, content.code.copy]
  palette:
    - {media: "(prefers-color-scheme: light)", scheme: default, primary: teal}
    - {media: "(prefers-color-scheme: dark)", scheme: slate, primary: teal}
plugins: [search]
markdown_extensions:
  - pymdownx.highlight
  - pymdownx.superfences
  - sane_lists
  - tables
  # Headings get the names that GitHub gives them: links are written for those.
  - toc: {permalink: true, slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}}
validation: {anchors: warn, unrecognized_links: ignore, links: {not_found: warn}}
"""


def closure(repository):
    """Returns documents and the files they link to, relative to the repository."""
    todo = ROOTS + [str(path.relative_to(repository)) for path in sorted((repository / "docs").rglob("*.md"))]
    seen = set()
    while todo:
        name = todo.pop()
        path = repository / name
        if name in seen or not path.is_file():
            continue
        seen.add(name)
        if path.suffix == ".md":
            for target in LINK.findall(path.read_text()):
                if not EXTERNAL.match(target):
                    # Not resolve(): a symbolic link keeps its own path.
                    todo.append(os.path.relpath(path.parent / target, repository))
    return sorted(seen)


def navigation(names, readme):
    """Returns documents in the order of the README's last section, then the rest."""
    chapter = readme.split("## Where to go next", 1)[-1]
    first = list(dict.fromkeys(target for target in LINK.findall(chapter) if target in names))
    pages = [name for name in names if name.endswith(".md")]
    rest = [name for name in pages if name not in first and name != "README.md"]
    plain = ["README.md"] + [name for name in first + rest if str(Path(name).parent) not in SECTIONS]
    return plain + [{title: [name for name in pages if str(Path(name).parent) == folder]}
                    for folder, title in SECTIONS.items()]


# A link to a folder needs a server that lists it, so only its text stays.
def without_folders(path, text):
    def replace(match):
        target = match[1]
        return (match[0].split("](")[0].lstrip("[") if not EXTERNAL.match(target)
                and (path.parent / target).is_dir() else match[0])
    return LINK.sub(replace, text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    repository, stage = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    names = closure(repository)
    for name in names:
        target = stage / "docs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".md"):
            target.write_text(without_folders(repository / name, (repository / name).read_text()))
        else:
            shutil.copyfile(repository / name, target)
    nav = navigation(names, (repository / "README.md").read_text())
    (stage / "mkdocs.yml").write_text(CONFIGURATION + f"nav: {json.dumps(nav)}\n")


if __name__ == "__main__":
    main()
