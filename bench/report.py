"""Writes the tables of docs/BENCHMARK.md from the rows of one run. Usage: report.py ROWS

ROWS has a line for each measurement: part, engine, label and value, separated by tabs. Each part has its table between
`<!-- part -->` and `<!-- end -->` in the document; parts that were not run keep theirs, and say so at the top."""

import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/BENCHMARK.md"
ENGINES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}

rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]
parts = {}
for part, engine, label, value in rows:
    parts.setdefault(part, {}).setdefault(label, {})[engine] = value


def table(part):
    labels = parts[part]
    engines = [engine for engine in ENGINES if any(engine in values for values in labels.values())]
    lines = ["| | " + " | ".join(ENGINES[engine] for engine in engines) + " |", "|---" * (len(engines) + 1) + "|"]
    for label, values in labels.items():
        lines.append(f"| {label} | " + " | ".join(values.get(engine, "") for engine in engines) + " |")
    return "\n".join(lines)


text = DOCUMENT.read_text()
named = re.findall(r"<!-- (\w+) -->", text)
for part in parts:
    if part not in named:
        sys.exit(f"{part} has no table in {DOCUMENT}")
    text = re.sub(rf"(<!-- {part} -->\n).*?(<!-- end -->)", lambda m: m[1] + table(part) + "\n" + m[2], text, flags=re.S)


def output(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


commit = output("git", "log", "-1", "--format=%h")
model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
left = [part for part in named if part not in parts and part not in ("run", "end")]
run = (f"{datetime.date.today()}, commit {commit}; {os.cpu_count()} cores ({model[1] if model else platform.machine()}) shared by "
       f"the server, the load, the receivers and PostgreSQL.")
if left:
    run += f" Of an earlier run: {', '.join(left)}."
text = re.sub(r"(<!-- run -->\n).*?(<!-- end -->)", lambda m: m[1] + run + "\n" + m[2], text, flags=re.S)
DOCUMENT.write_text(text)
