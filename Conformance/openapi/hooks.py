"""Teaches schemathesis what a schema cannot say about the collector.

The hooks only turn generated requests into requests that mean something. One kind of failure is dropped: see
`filter_failure`.
"""

import gzip
import itertools
import json
import os
import re
import zlib

import brotli
import requests
import schemathesis

COLLECTOR = os.environ["COLLECTOR"]
READER = {"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"}
PACK = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}
COUNT = itertools.count()
LEAKS = requests.get(f"{COLLECTOR}/api/v1/leaks", headers=READER, timeout=60).json()["leaks"]


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Bodies that OpenAPI can only call strings are generated as values, which the serializers below write."""
    report = {"$ref": "#/components/schemas/Report"}
    post = raw_schema["paths"]["/api/v1/reports"]["post"]
    post["requestBody"]["content"]["application/x-ndjson"]["schema"] = {
        "type": "array",
        "minItems": 1,
        "items": report,
    }
    envelope = raw_schema["paths"]["/api/{project}/envelope/"]["post"]
    envelope["requestBody"]["content"]["application/x-sentry-envelope"]["schema"] = {
        "type": "object"
    }


def packed(value):
    return json.dumps(value, separators=(",", ":")).encode()


@schemathesis.serializer("application/x-ndjson")
def serialize_lines(context, value):
    return b"".join(packed(line) + b"\n" for line in value) if isinstance(value, list) else packed(value)


@schemathesis.serializer("application/x-sentry-envelope")
def serialize_envelope(context, value):
    if not isinstance(value, dict):
        return packed(value)
    event = packed(value)
    return b"{}\n" + packed({"type": "event", "length": len(event)}) + b"\n" + event


class Compressed:
    """Compresses a body as its `Content-Encoding` says. Sent as requests' `auth`, which sees the finished request."""

    def __init__(self, coding):
        self.pack = PACK[coding]

    def __call__(self, request):
        body = request.body or b""
        request.body = self.pack(body.encode() if isinstance(body, str) else body)
        request.headers["Content-Length"] = str(len(request.body))
        return request


@schemathesis.hook
def before_call(context, case, kwargs):
    path, body = case.operation.path, case.body
    coding = (case.headers or {}).get("Content-Encoding")
    if coding in PACK:
        kwargs["auth"] = Compressed(coding)

    # A key belongs to one body.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7E]{1,64}", key):
        case.headers["Idempotency-Key"] = f"{key[:50]}-{next(COUNT)}"

    # No schema describes the bytes of a symbol table: one function in an image of its own.
    if case.operation.method == "post" and path == "/api/v1/symbols" and isinstance(body, (bytes, str)):
        image = (next(COUNT) + 1).to_bytes(16, "big")
        case.body = b"LCSYM\x01" + image + b"\x04Shop\x00\x01\x04main" + bytes([1, 0, 16, 2, 0, 0, 0])

    # A schema counts characters, the collector bytes.
    if path.startswith(("/api/v1/tokens", "/api/v1/keys")) and isinstance(body, dict) and isinstance(body.get("name"), str):
        name = body["name"].encode("utf-8", "ignore")[:128].decode("utf-8", "ignore")
        case.body = {**body, "name": name or "a"} if len(body["name"].encode("utf-8", "ignore")) > 128 else body

    # An app limits only some roles, and has a limit in bytes.
    if path == "/api/v1/tokens" and isinstance(case.body, dict) and isinstance(case.body.get("app"), str):
        if case.body.get("role") in ("admin", "symbols") or len(case.body["app"].encode("utf-8", "ignore")) > 256:
            case.body = {name: value for name, value in case.body.items() if name != "app"}

    # A cursor is only valid for the query that it came from.
    cursor = (case.query or {}).get("cursor")
    if case.operation.method == "get" and path == "/api/v1/leaks" and isinstance(cursor, str):
        if re.fullmatch("[0-9a-f]{64}", cursor):
            query = {**case.query, "limit": 1}
            del query["cursor"]
            page = requests.get(f"{COLLECTOR}/api/v1/leaks", query, headers=READER, timeout=60).json()
            case.query = {**case.query, "cursor": page.get("next")}
            if case.query["cursor"] is None:
                case.query = {name: value for name, value in case.query.items() if name != "cursor"}

    # Each kind of data that can be deleted needs other parameters.
    what = (case.query or {}).get("what")
    if path == "/api/v1/forget" and isinstance(what, str) and what in ("leak", "version", "environment", "app", "key"):
        needed = {"leak": {"leak": "0" * 32}, "version": {"app": "a", "version": "1"}, "key": {"key": "1"}}.get(what, {"app": "a"})
        case.query = {**case.query, **{name: case.query.get(name) or value for name, value in needed.items()}}

    # Half of the decisions and of the pages are about leaks that exist.
    number = (case.path_parameters or {}).get("id")
    if path.startswith("/api/v1/leaks/") and re.fullmatch("[0-9a-f]{32}", str(number)):
        if int(number, 16) % 2 == 0:
            case.path_parameters = {"id": LEAKS[int(number, 16) // 2 % len(LEAKS)]["id"]}

    # A date is only valid in the future; 2996 is a leap year.
    if path.endswith("/decisions") and isinstance(body, dict) and isinstance(body.get("until"), str):
        case.body = {**body, "until": re.sub(r"^(0|1|20)\d+-", "2996-", body["until"])}

    # Keys and tokens that the run made; never its own, 1 and 2.
    if re.match("/api/v1/(keys|tokens)/", path) and re.fullmatch(r"\d+", str(number)):
        case.path_parameters = {"id": 3 + int(number) % 100}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """A batch with some wrong reports is accepted, and its answer names them: they were rejected."""
    if type(failure).__name__ != "AcceptedNegativeData" or response.status_code != 200:
        return True
    return not response.json().get("rejected_count")
