#!/usr/bin/env python3
"""Times how long OpenAPI documents of 500 paths take to be read and served, for several programs in turn.

    Tests/Benchmarks/documents.py OLD/swift-json-server .build/release/swift-json-server

Of each program and each document: the seconds until `validate` ends, and until a server has its first response; the
smallest of five rounds in which the programs take turns. `--write DIRECTORY` keeps the documents instead.
"""

import argparse
import http.client
import json
import os
import subprocess
import tempfile
import time

ROUNDS = 5
PATHS = 500
SENTENCE = "What this is for, in a sentence that people want to see here."


def reference(kind, name):
    return {"$ref": f"#/components/{kind}/{name}"}


def content(schema, **more):
    return {"content": {"application/json": {"schema": schema, **more}}}


def schemas(number):
    """The schemas of a collection: what all forms share, what is sent, what is shown, and a choice."""
    name = f"Thing{number}"
    texts = {
        f"text{index}": {
            "type": "string", "description": f"The text {index} of {name}. {SENTENCE}", "maxLength": 200 + index,
            "example": f"text {index}"
        } for index in range(2)
    }
    base = {
        "type": "object", "required": ["title", "state"], "properties": {
            "title": {"type": "string", "minLength": 1, "description": SENTENCE, "example": f"The title: {number}"},
            "state": {"type": "string", "enum": ["open", "closed", "waiting"], "default": "open"},
            "price": {"type": "number", "minimum": 0, "exclusiveMinimum": number % 2 == 0, "multipleOf": 0.01},
            "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$", "example": "AB-123"},
            "mail": {"type": "string", "format": "email"},
            "tags": {"type": "array", "uniqueItems": True, "maxItems": 9, "items": {"type": "string"}},
            "address": reference("schemas", "Address"),
            "notes": {"type": "string", "nullable": True, "description": f"Free text.\n{SENTENCE}\nLine three.\n"},
            **texts,
        }
    }
    shown = {
        "allOf": [reference("schemas", name + "Base"), {
            "type": "object", "required": ["id", "createdAt"], "properties": {
                "id": {"type": "integer", "readOnly": True},
                "createdAt": {"type": "string", "format": "date-time", "readOnly": True},
                "secret": {"type": "string", "writeOnly": True},
                "owner": {"oneOf": [reference("schemas", "Person"), reference("schemas", "Company")],
                          "discriminator": {"propertyName": "kind"}},
            }
        }]
    }
    return {name + "Base": base, name: shown}


def example(number, identifier):
    return {
        "id": identifier, "createdAt": "2024-05-01T10:00:00Z", "title": f"Thing {number}, {identifier}", "state": "open",
        "price": 12.5, "code": "XY-001", "mail": "a@example.com", "tags": ["a", "b"], "notes": None,
        "address": {"street": "Main Street 1", "city": "Berlin", "country": "DE"},
        "owner": {"kind": "person", "name": "Ada"}
    }


def document():
    """A document as varied as real ones: lists, envelopes, items, children, actions, shared responses and parameters."""
    paths, components = {}, {}
    errors = {status: reference("responses", name) for status, name in
              [("400", "Invalid"), ("404", "Missing"), ("422", "Invalid"), ("default", "Failure")]}
    pages = [reference("parameters", name) for name in ("page", "limit", "sort")]
    number = 0
    while len(paths) < PATHS:
        name, base, number = f"Thing{number}", f"/things{number}", number + 1
        components |= schemas(number - 1)
        item, sent = reference("schemas", name), reference("schemas", name + "Base")
        parameter = {"name": "thingId", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
        listed = {"type": "array", "items": item}
        if number % 3 == 0:
            listed = {"type": "object", "required": ["data"], "properties": {
                "data": listed, "total": {"type": "integer"}, "next": {"type": "string", "nullable": True}}}
        given = {"examples": {"two": {"value": [example(number, 1), example(number, 2)]}}} if number % 3 == 1 else {}
        paths[base] = {
            "get": {
                "operationId": f"list{name}", "summary": f"List {base}", "description": SENTENCE, "tags": ["things"],
                "parameters": pages + [
                    {"name": "state", "in": "query", "schema": {"type": "string", "enum": ["open", "closed"]}},
                    {"name": "unknown", "in": "query", "description": SENTENCE, "schema": {"type": "string"}}],
                "responses": {"200": {"description": "All of them.", **content(listed, **given)}, **errors}},
            "post": {
                "operationId": f"create{name}", "requestBody": {"required": True, **content(sent)},
                "responses": {"201": {"description": "Made.", **content(item)}, **errors}}}
        paths[base + "/{thingId}"] = {
            "parameters": [parameter],
            "get": {"operationId": f"read{name}",
                    "responses": {"200": {"description": "One.", **content(item)}, "404": errors["404"]}},
            "put": {"operationId": f"replace{name}", "requestBody": content(sent),
                    "responses": {"200": {"description": "Changed.", **content(item)}, **errors}},
            "delete": {"operationId": f"delete{name}", "responses": {"204": {"description": "Gone."}}}}
        if number % 4 == 0:
            paths[base + "/{thingId}/parts"] = {
                "parameters": [parameter],
                "get": {"responses": {"200": {"description": "Parts.", **content(
                    {"type": "array", "items": {"type": "object", "required": ["id", "name"], "properties": {
                        "id": {"type": "string", "format": "uuid"}, "name": {"type": "string"},
                        "thingId": {"type": "integer"}}}})}, **errors}},
                "post": {"requestBody": content({"type": "object", "properties": {"name": {"type": "string"}}}),
                         "responses": {"201": {"description": "Made."}, **errors}}}
        if number % 5 == 0:
            paths[base + "/{thingId}/archive"] = {
                "parameters": [parameter],
                "post": {"description": SENTENCE, "security": [{"key": []}], "responses": {
                    "200": {"description": "Done.", **content(item, example=example(number, 7))}, **errors}}}
    problem = {"type": "object", "required": ["code", "message"], "properties": {
        "code": {"type": "integer"}, "message": {"type": "string"},
        "details": {"type": "array", "items": {"type": "string"}}}}
    components |= {
        "Problem": problem,
        "Address": {"type": "object", "required": ["city"], "properties": {
            "street": {"type": "string"}, "city": {"type": "string"}, "country": {"type": "string", "minLength": 2}}},
        "Person": {"type": "object", "required": ["kind", "name"], "properties": {
            "kind": {"type": "string", "enum": ["person"]}, "name": {"type": "string"}}},
        "Company": {"type": "object", "required": ["kind", "tax"], "properties": {
            "kind": {"type": "string", "enum": ["company"]}, "tax": {"type": "string"},
            "parent": reference("schemas", "Company")}}}
    failed = content(reference("schemas", "Problem"), example={"code": 1, "message": "It went wrong.", "details": []})
    return {
        "openapi": "3.0.3", "info": {"title": "Large", "version": "1", "description": SENTENCE}, "paths": paths,
        "components": {
            "schemas": components,
            "responses": {name: {"description": SENTENCE, **failed} for name in ("Invalid", "Missing", "Failure")},
            "parameters": {
                name: {"name": name, "in": "query", "description": SENTENCE, "schema": schema} for name, schema in [
                    ("page", {"type": "integer", "minimum": 1, "default": 1}),
                    ("limit", {"type": "integer", "minimum": 1, "maximum": 100}), ("sort", {"type": "string"})]},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}}


def yaml(value, indent=""):
    """A value in YAML as people write it: blocks, texts without quotes where they need none, block scalars."""
    if isinstance(value, dict) and value:
        return "".join(f"\n{indent}{scalar(name)}:{yaml(member, indent + '  ')}" for name, member in value.items())
    if isinstance(value, list) and value:
        elements = [yaml(element, indent + "  ") for element in value]
        return "".join(f"\n{indent}-" + (" " + text.lstrip() if text[0] == "\n" else text) for text in elements)
    if isinstance(value, str) and value.endswith("\n"):
        return " |" + "".join(f"\n{indent}{line}" for line in value.splitlines())
    return " " + (scalar(value) if isinstance(value, str) else json.dumps(value))


def scalar(text):
    is_plain = text[:1].isalpha() and ": " not in text and text not in ("true", "false", "null")
    return text if is_plain else "'" + text.replace("'", "''") + "'"


def time_validation(program, path):
    begin = time.monotonic()
    subprocess.run([program, "validate", path], stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def time_start(program, path):
    with tempfile.TemporaryDirectory() as directory:
        ready = os.path.join(directory, "ready")
        begin = time.monotonic()
        server = subprocess.Popen(
            [program, "--quiet", "--port", "0", "--ready-file", ready, path], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(ready) or not os.path.getsize(ready):
                time.sleep(0.002)
            with open(ready) as file:
                client = http.client.HTTPConnection("127.0.0.1", json.load(file)["port"])
            client.request("GET", "/things0/1")
            assert client.getresponse().status == 200
            return time.monotonic() - begin
        finally:
            server.terminate()
            server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*")
    parser.add_argument("--write", metavar="DIRECTORY", help="write the documents there")
    options = parser.parse_args()
    value = document()
    texts = {"large.yaml": yaml(value).lstrip() + "\n", "large.json": json.dumps(value, indent=2),
             "line.json": json.dumps(value)}
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.write or temporary
        for name, text in texts.items():
            with open(os.path.join(directory, name), "w") as file:
                file.write(text)
        print(f"{'':12} {'KB':>6} {'':10}" + "".join(f" {number:>8}" for number in range(len(options.program))))
        for name, text in texts.items():
            for what, measured in (("validate", time_validation), ("start", time_start)):
                path = os.path.join(directory, name)
                rounds = [[measured(program, path) for program in options.program] for _ in range(ROUNDS)]
                best = [min(times) for times in zip(*rounds)]
                print(f"{name:12} {len(text) // 1000:>6} {what:10}" + "".join(f" {seconds:>7.3f}s" for seconds in best))


if __name__ == "__main__":
    main()
