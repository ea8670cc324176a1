"""Checks the collector's pages and files with redbot, which reads responses like caches and browsers do."""

import json
import os
import subprocess
import sys

COLLECTOR = f"http://{os.environ['COLLECTOR']}"
VALIDATED = {"INM_304"}
COMPRESSED = {"CONNEG_GZIP_GOOD"}

# The positive notes that redbot must give for each page.
PAGES = {
    # Its footer contains the time, so its entity tag may change between two requests.
    "/sign-in": {"CONTENT_SECURITY_POLICY", "CONNEG_GZIP_GOOD"},
    "/style.css": VALIDATED | COMPRESSED,
    "/openapi.json": VALIDATED | COMPRESSED,
    "/icon.svg": VALIDATED,
    "/favicon.ico": VALIDATED,
    "/": set(),
    "/nope": {"CONTENT_SECURITY_POLICY"},
    "/api/v1/nope": set(),
    "/api/v1/leaks": set(),
    "/healthz": set(),
    "/sign-in?to=%2Freleases": set(),
}


def notes(path):
    redbot = os.path.join(os.path.dirname(sys.executable), "redbot")
    command = [redbot, "-o", "har", COLLECTOR + path]
    har = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    return har["log"]["entries"][0]["_red_messages"]


def main():
    complaints = []
    for path, needed in PAGES.items():
        said = notes(path)
        for note in said:
            if note["level"] in ("WARN", "BAD"):
                complaints.append(f"{path}: {note['level']} {note['note_id']}: {note['summary']}")
        for missing in needed - {note["note_id"] for note in said}:
            complaints.append(f"{path}: {missing} is not said; {[note['note_id'] for note in said]}")
    print(f"{len(PAGES)} addresses: {len(complaints)} complaints")
    print("\n".join(complaints), end="\n" if complaints else "")
    return bool(complaints)


sys.exit(main())
