"""Ingests Markdown as a client would without the module: it parses with markdown-it-py, makes
slugs and keys, and writes with redis-py in one MULTI.

usage: ingest.py port file, and then a line of input for each ingest. Answers every line with the
seconds that parsing and writing took.
"""

import hashlib
import json
import re
import sys
import time

try:
    import redis
    from markdown_it import MarkdownIt
except ImportError as missing:
    sys.exit(f"ingest.py: {missing}")

KINDS = {"h1": "ch", "h2": "para", "h3": "subpara"}
BLOCKS = {"heading_open": "heading", "bullet_list_open": "list", "fence": "code", "table_open": "table",
          "blockquote_open": "quote"}
STOP_WORDS = set("der die das und ist mit fuer the and with".split())
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def slug(text, content=False):
    words = re.findall(r"[a-z0-9]+", text.lower().translate(UMLAUTS))
    if content:
        words = [word for word in words if word not in STOP_WORDS][:4]
    return "_".join(words)[:30].strip("_")


def parse(source):
    """The fields of the front matter, and the elements of the document in reading order."""
    head, body = source.removeprefix("---\n").split("\n---\n", 1)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    offsets = [len(source.encode()) - len(body.encode())]
    for line in body.encode().splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))

    elements, headings = [], []  # all of them, and the headings that are open
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(body):
        if token.level == 0 and token.nesting >= 0:
            level = int(token.tag[1]) if token.type == "heading_open" else 0
            while level and headings and headings[-1]["level"] >= level:
                headings.pop()
            elements.append({
                "kind": KINDS.get(token.tag, "chunk"),
                "block": BLOCKS.get(token.type, "paragraph"),
                "level": level or headings[-1]["level"],
                "above": [heading["index"] for heading in headings if heading["kind"] != "chunk"],
                "path": [heading["label"] for heading in headings],
                "index": len(elements),
                "offset": offsets[token.map[0]],
                "label": token.content,
            })
            if level:
                headings.append(elements[-1])
        elif token.type == "inline":
            text = "".join(child.content or " " for child in token.children)
            elements[-1]["label"] = f"{elements[-1]['label']} {text}".strip()
    return fields, elements


def write(server, source, fields, elements):
    source = source.encode()
    counts = {"doc": 1}
    for element in elements:
        counts[element["kind"]] = counts.get(element["kind"], 0) + 1
    with server.pipeline() as pipe:
        for kind, count in counts.items():
            pipe.incrby(f"{kind}:_seq", count)
        numbers = {kind: last - counts[kind] for kind, last in zip(counts, pipe.execute())}

    def name(kind, text):
        numbers[kind] += 1
        return f"{kind}:{slug(text, kind == 'chunk')}:{numbers[kind]:03}"

    doc = name("doc", fields["title"])
    names = [name(element["kind"], element["label"]) for element in elements]
    positions = {key: position for position, key in enumerate(names, 1)}
    below = {doc: ([], names)}  # the children and all descendants of every section
    sets = {f"level:{kind}:chunks": [] for kind in counts} | {"level:doc:chunks": [doc]}
    for family in ["author", "category"]:
        sets[f"{family}:{slug(fields[family])}:docs"] = [doc]
    for tag in fields["tags"].strip("[]").split(", "):
        sets[f"tag:{slug(tag)}:chunks"] = sets["level:chunk:chunks"]

    with server.pipeline() as pipe:
        pipe.hset(doc, mapping=fields | counts | {
            "type": "document", "bytes": len(source), "hash": hashlib.sha256(source).hexdigest(),
            "source": source[: elements[0]["offset"]], "_sets": " ".join(sets),
        })
        ends = [element["offset"] for element in elements[1:]] + [len(source)]
        for element, key, end in zip(elements, names, ends):
            kind, start = element["kind"], element["offset"]
            above = [names[index] for index in element["above"]]
            parent = above[-1] if above else doc
            common = {"type": kind, "level": element["level"], "doc": doc, "parent": parent,
                      "position": positions[key], "offset": start, "length": end - start}
            own = {"title": element["label"], "source": source[start:end]}
            if kind == "chunk":
                own = {"path": json.dumps(element["path"]), "block": element["block"], "text": source[start:end]}
            pipe.hset(key, mapping=common | own)
            below.setdefault(parent, ([], []))[0].append(key)
            for section in above:
                below.setdefault(section, ([], []))[1].append(key)
            sets[f"level:{kind}:chunks"].append(key)
        for section, (children, descendants) in below.items():
            pipe.sadd(f"{section}:children", *children)
            pipe.sadd(f"{section}:all_descendants", *descendants)
            pipe.zadd(f"{section}:sequence", {key: positions[key] for key in descendants})
        pipe.mset({f"{one}:next": other for one, other in zip(names, names[1:])})
        pipe.mset({f"{other}:previous": one for one, other in zip(names, names[1:])})
        for key, members in sets.items():
            pipe.sadd(key, *members)
        pipe.execute()


server = redis.Redis(port=int(sys.argv[1]))
with open(sys.argv[2], encoding="utf-8") as file:
    markdown = file.read()
print("ready", redis.__version__, flush=True)
for _ in sys.stdin:
    start = time.perf_counter()
    parsed = parse(markdown)
    middle = time.perf_counter()
    write(server, markdown, *parsed)
    print(middle - start, time.perf_counter() - middle, flush=True)
