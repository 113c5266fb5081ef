"""`models/`: what models as judges answered, a folder each. No label of theirs is in any other file."""

from __future__ import annotations

from collections import Counter

from release.formats import Files, json_file, json_lines, release_format
from release.formats.csv_files import table
from release.formats.trec import qrels
from release.tables import Row, Tables


@release_format("models")
def models(tables: Tables) -> Files:
    files: Files = {}
    for model in tables.models:
        folder = f"models/{model['name']}"
        graded = [row for row in model["answers"] if row["grade"] is not None]
        files[f"{folder}/qrels.txt"] = qrels(graded)
        files[f"{folder}/labels.csv"] = table("models/labels.csv", model["answers"])
        files[f"{folder}/answers.jsonl"] = json_lines(
            {key: row[key] for key in ("query", "docno", "answer")} for row in model["answers"]
        )
        files[f"{folder}/model.json"] = json_file(about(model))
        for facet, text in model["prompts"].items():
            files[f"{folder}/prompts/{facet or 'all'}.txt"] = text.encode()
    return files


def about(model: Row) -> Row:
    """What was asked, and how many answers have no grade; by their problem, too."""
    problems = Counter(row["problem"] for row in model["answers"] if row["problem"])
    counts = {"answers": len(model["answers"]), "malformed": problems.total(), "problems": dict(problems)}
    return {key: model[key] for key in ("name", "model", "prompt", "prompt_version", "parameters")} | counts
