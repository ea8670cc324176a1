"""Checks the Grafana dashboard.

usage: dashboard.py DASHBOARD METRICS RULES    writes the dashboard's queries to RULES as rules, for promtool

The types of Grafana's Foundation SDK, which are generated from the schema of dashboards, must read every field and write it
back. Every query must name only metrics that METRICS, an answer of /metrics, has.
"""
import json
import re
import sys

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

problems = []


def compare(path, written, read):
    """Compares a value of the file with the value that the SDK wrote; defaults that the SDK adds are ignored."""
    if isinstance(written, dict) and isinstance(read, dict):
        for key, value in written.items():
            # The SDK leaves out empty values of optional fields.
            if key not in read and value not in (None, [], {}, "", False):
                problems.append(f"{path}.{key} is not in the schema")
            elif key in read:
                compare(f"{path}.{key}", value, read[key])
    elif isinstance(written, list) and isinstance(read, list):
        if len(written) != len(read):
            problems.append(f"{path} has {len(written)} items, and {len(read)} by the schema")
        for index, (one, other) in enumerate(zip(written, read)):
            compare(f"{path}[{index}]", one, other)
    elif written != read:
        problems.append(f"{path} is {written!r}, and {read!r} by the schema")


def main(dashboard, metrics, rules):
    with open(dashboard, encoding="utf-8") as file:
        written = json.load(file)
    register_default_plugins()
    compare("dashboard", written, json.loads(json.dumps(Dashboard.from_json(written), cls=JSONEncoder)))

    with open(metrics, encoding="utf-8") as file:
        samples = [line for line in file if not line.startswith("#")]
    known = {re.match(r"[a-z_]+", line).group() for line in samples}
    expressions = [target["expr"] for panel in written["panels"] for target in panel.get("targets", [])]
    identifiers = [panel["id"] for panel in written["panels"]]
    if len(set(identifiers)) != len(identifiers):
        problems.append("two panels have the same id")
    for expression in expressions:
        for name in re.findall(r"\b(?:leak_collector|process)_[a-z_]+", expression):
            if name not in known:
                problems.append(f"{name} is no metric of the collector: {expression}")
    for variable in written["templating"]["list"][1:]:
        name = re.match(r"label_values\(([a-z_]+),", variable["query"]["query"]).group(1)
        if name not in known:
            problems.append(f"{name} is no metric of the collector: variable {variable['name']}")
    with open(rules, "w", encoding="utf-8") as file:
        json.dump(
            {
                "groups": [
                    {
                        "name": "dashboard",
                        "rules": [
                            {
                                "record": f"panel:query:{number}",
                                "expr": expression.replace("$__rate_interval", "5m"),
                            }
                            for number, expression in enumerate(expressions)
                        ],
                    }
                ]
            },
            file,
        )
    for problem in problems:
        print(f"dashboard: {problem}", file=sys.stderr)
    print(f"dashboard: {len(written['panels'])} panels, {len(expressions)} queries, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
