#!/usr/bin/env python3
"""Checks the links of static pages: each leads to a file, and to a heading of it.

    docs_links.py FOLDER

Nothing may be loaded from elsewhere, either: no script, style, font or picture.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.names = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        self.names |= {told[key] for key in ("id", "name") if told.get(key)}
        if tag == "a" and told.get("href"):
            self.links.append(told["href"])
        # "canonical", "next" and "prev" load nothing.
        if tag in ("script", "img") and told.get("src"):
            self.loads.append(told["src"])
        if tag == "link" and told.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(told["href"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    problems = []
    for path, page in pages.items():
        shown = path.relative_to(folder)
        if shown.name == "404.html":  # a server's; its links are to the server's root
            continue
        problems += [f"{shown}: loads {each}" for each in page.loads if urlsplit(each).netloc]
        for each in page.links + page.loads:
            link = urlsplit(each)
            if link.scheme or link.netloc:
                continue
            target = (path.parent / unquote(link.path)).resolve() if link.path not in ("", ".") else path
            if not target.is_file():
                problems.append(f"{shown}: {each} does not exist")
            elif link.fragment and target in pages and unquote(link.fragment) not in pages[target].names:
                problems.append(f"{shown}: {each} names nothing there")
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems or not pages else 0)


if __name__ == "__main__":
    main()
