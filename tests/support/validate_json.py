"""Holds a JSON document against a JSON Schema: validate_json.py SCHEMA FILE

Prints one line for every violation and exits with 1 when there is one. Exits with 2 without the
jsonschema package.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(2)


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"key {key!r} stands twice")
    return dict(pairs)


def no_constant(word):
    raise ValueError(f"{word} is not JSON")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=unique_keys, parse_constant=no_constant)


def main(schema_path, document_path):
    schema = load(schema_path)
    jsonschema.Draft7Validator.check_schema(schema)
    try:
        document = load(document_path)
    except ValueError as error:
        print(f"{document_path}: {error}")
        return 1
    errors = list(jsonschema.Draft7Validator(schema).iter_errors(document))
    for error in errors:
        place = "/".join(str(part) for part in error.absolute_path)
        print(f"{place or '(document)'}: {error.message[:200]}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
