"""Sends requests with curl, which most people try first, to http-echo and to the collector."""

import os
import re
import subprocess
import sys
import tempfile
import zlib

ECHO, COLLECTOR = (f"http://{os.environ[name]}" for name in ("ECHO", "COLLECTOR"))
KEY = ["-H", f"Authorization: Bearer {os.environ['INGEST_KEY']}", "-H", "Content-Type: application/json"]
TOKEN = ["-H", f"Authorization: Bearer {os.environ['ACCESS_TOKEN']}"]
ETAG = r"(?im)^etag: (\S+)"

work = tempfile.TemporaryDirectory()
SMALL, LARGE, WHOLE = (os.path.join(work.name, name) for name in ("small", "large", "whole"))
for path, size in ((SMALL, 5), (WHOLE, 1 << 20), (LARGE, (1 << 20) + 1)):
    with open(path, "wb") as file:
        file.write(b"abcdefgh"[: size % 8 or 8] + b"x" * (size - (size % 8 or 8)))
# `{"class":"One"}` in each content coding; the last was made by Python's `brotli`, which not every machine has.
ONE = b'{"class":"One"}'
PACKED = {"gzip": zlib.compress(ONE, wbits=31), "deflate": zlib.compress(ONE), "br": b"\x0b\x07\x80" + ONE + b"\x03"}
for name, packed in PACKED.items():
    with open(os.path.join(work.name, name), "wb") as file:
        file.write(packed)
JAR = os.path.join(work.name, "cookies")


def curl(*arguments):
    """Heads, bodies, and what -w tells."""
    write = "\n%{http_code} connections=%{num_connects} exit=%{exitcode} version=%{http_version}\n"
    command = ["curl", "-sS", "-i", "--max-time", "20", "--noproxy", "*", "-w", write, *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode("latin-1")


# (title, arguments, patterns that must be found; those that begin with (?!) must not)
def cases():
    json = '{"class":"One"}'
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        yield f"{method} is echoed", ["-X", method, "-d", "hello", ECHO], [r"^HTTP/1.1 200 OK\r", r"\r\n\r\nhello\n200 "]
    yield "HEAD has a length and no body", ["-I", f"{COLLECTOR}/style.css"], [r"^HTTP/1.1 200", r"(?im)^content-length: \d{4,}", r"\r\n\r\n\n200 connections=1 exit=0"]
    for method, status in (("TRACE", 405), ("CONNECT", 405), ("BREW", 501)):
        yield f"{method} is refused", ["-X", method, ECHO], [rf"^HTTP/1.1 {status} ", r"(?im)^connection: close"]
    yield "405 names what is allowed", ["-X", "DELETE", f"{COLLECTOR}/healthz"], [r"^HTTP/1.1 405", r"(?im)^allow: GET, HEAD, OPTIONS"]
    yield "OPTIONS *", ["-X", "OPTIONS", "--request-target", "*", COLLECTOR], [r"^HTTP/1.1 204", r"(?im)^allow: ", r"(?!)(?im)^content-length"]
    yield "an absolute target", ["--request-target", "http://a/healthz", COLLECTOR], [r"\r\n\r\nok\n\n200 "]
    yield "an upload", ["-T", SMALL, ECHO + "/"], [r"\n200 "]
    yield "an upload in chunks", ["-T", SMALL, "-H", "Transfer-Encoding: chunked", ECHO + "/"], [r"\n200 "]
    yield "an upload from a pipe", ["-T", "-", ECHO + "/"], [r"\n200 "]
    yield "a megabyte, after a 100", ["--data-binary", f"@{WHOLE}", "-o", "/dev/null", "-D", "-", "-H", "Expect: 100-continue", ECHO], [r"^HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200", r"(?im)^content-length: 1048576"]
    yield "a byte more is refused without a 100", ["--data-binary", f"@{LARGE}", ECHO, "-H", "Expect: 100-continue"], [r"^HTTP/1.1 413", r"exit=0"]
    yield "a byte more, sent at once, and the refusal is read", ["--data-binary", f"@{LARGE}", ECHO, "-H", "Expect:"], [r"^HTTP/1.1 413", r"(?im)^connection: close"]
    yield "a megabyte in chunks", ["--data-binary", f"@{WHOLE}", "-o", "/dev/null", "-D", "-", "-H", "Transfer-Encoding: chunked", ECHO], [r"HTTP/1.1 200", r"(?im)^content-length: 1048576"]
    yield "a byte more in chunks", ["--data-binary", f"@{LARGE}", "-H", "Transfer-Encoding: chunked", ECHO], [r"HTTP/1.1 413"]
    yield "another expectation", ["-d", "x", "-H", "Expect: tea", ECHO], [r"^HTTP/1.1 417"]
    yield "HTTP/1.0", ["--http1.0", "-d", "hello", ECHO], [r"^HTTP/1.1 200", r"(?im)^connection: close", r"\nhello\n200 "]
    yield "HTTP/1.0 keep-alive", ["--http1.0", "-H", "Connection: keep-alive", ECHO, "-o", "/dev/null", "-D", "-", "--next", *"-sS -i --http1.0 -w %{num_connects}".split(), ECHO], [r"(?im)^connection: keep-alive", r"0$"]
    yield "an offer of HTTP/2 is not taken", ["--http2", ECHO, "-d", "hello"], [r"^HTTP/1.1 200", r"version=1.1", r"(?!)101"]
    yield "an offer of a WebSocket is not taken", ["-H", "Connection: Upgrade", "-H", "Upgrade: websocket", ECHO], [r"^HTTP/1.1 200"]
    yield "one connection for ten requests", [f"{ECHO}/[1-10]"], [r"(?s)connections=1 .*(connections=0 .*){9}"]
    yield "one connection after a 404 and a 405", [f"{COLLECTOR}/nope", f"{COLLECTOR}/api/v1/reports", f"{COLLECTOR}/healthz"], [r"(?s)404 connections=1.*405 connections=0.*200 connections=0"]
    yield "one connection after a refused report", [*KEY[2:], "-d", json, f"{COLLECTOR}/api/v1/reports", f"{COLLECTOR}/api/v1/reports"], [r"(?s)401 connections=1.*401 connections=0"]
    yield "a new connection when asked", ["-H", "Connection: close", f"{ECHO}/[1-3]"], [r"(?s)(connections=1 .*){3}", r"(?im)^connection: close"]
    for path in ("/../Package.swift", "/static/../../etc/passwd", "/%2e%2e/Package.swift", "/....//x", "/.git/config", "//etc/passwd", "/%252e%252e/x", "/style.css/../../x"):
        yield f"no file at {path}", ["--path-as-is", COLLECTOR + path], [r"^HTTP/1.1 404"]
    for path in ("/..%2fPackage.swift", "/%c0%ae/", "/a%00", "/%5c", "/%zz"):
        yield f"nothing hidden at {path}", ["--path-as-is", COLLECTOR + path], [r"^HTTP/1.1 400"]
    yield "a page is compressed and says so", ["--compressed", f"{COLLECTOR}/style.css"], [r"(?im)^content-encoding: gzip", r"(?im)^vary: accept-encoding", r"\n200 .*exit=0"]
    yield "an answer of the API is compressed", ["--compressed", f"{COLLECTOR}/openapi.json"], [r"(?im)^content-encoding: gzip", r'"openapi"']
    yield "gzip that is not wanted", ["-H", "Accept-Encoding: gzip;q=0", f"{COLLECTOR}/style.css"], [r"(?!)(?im)^content-encoding"]
    yield "any tag is known", ["-H", "If-None-Match: *", f"{COLLECTOR}/style.css"], [r"^HTTP/1.1 304", r"(?im)^etag:", r"(?!)(?im)^content-length"]
    yield "a range is ignored", ["-r", "0-9", f"{COLLECTOR}/style.css"], [r"^HTTP/1.1 200", r"(?im)^accept-ranges: none"]
    yield "a date is ignored", ["-z", "2044-01-01", f"{COLLECTOR}/style.css"], [r"^HTTP/1.1 200"]
    yield "a head of 15 KiB", ["-H", "X: " + "x" * 15000, ECHO], [r"^HTTP/1.1 200"]
    yield "a head of 17 KiB", ["-H", "X: " + "x" * 17000, ECHO], [r"^HTTP/1.1 431"]
    yield "70 fields", [*(word for i in range(70) for word in ("-H", f"X-{i}: y")), ECHO], [r"^HTTP/1.1 431"]
    yield "a target of 3 KiB", [f"{ECHO}/{'a' * 3000}"], [r"^HTTP/1.1 414"]
    yield "a report", [*KEY, "-d", json, f"{COLLECTOR}/api/v1/reports"], [r"^HTTP/1.1 200", r'"accepted":1']
    yield "a report in chunks", [*KEY, "-d", json, "-H", "Transfer-Encoding: chunked", f"{COLLECTOR}/api/v1/reports"], [r"^HTTP/1.1 200", r'"accepted":1']
    for coding in PACKED:
        yield f"a report in {coding}", [*KEY, "--data-binary", f"@{work.name}/{coding}", "-H", f"Content-Encoding: {coding}", f"{COLLECTOR}/api/v1/reports"], [r"^HTTP/1.1 200", r'"accepted":1']
    yield "a report in a coding that is not known", [*KEY, "-d", json, "-H", "Content-Encoding: zstd", f"{COLLECTOR}/api/v1/reports"], [r"^HTTP/1.1 415", r"(?im)^accept-encoding: gzip, deflate, br\r"]
    yield "a body that is not a report", [*KEY, "-H", "Content-Type: image/png", "-d", "x", f"{COLLECTOR}/api/v1/reports"], [r"^HTTP/1.1 4\d\d"]
    yield "an image", [*KEY[:2], "-H", "Content-Type: image/png", "-d", "x", f"{COLLECTOR}/api/v1/reports"], [r"^HTTP/1.1 415", r"(?im)^accept-post: "]
    yield "what was reported", [*TOKEN, f"{COLLECTOR}/api/v1/leaks"], [r"^HTTP/1.1 200", r'"One"']
    yield "a page without a session leads to the door", ["-L", f"{COLLECTOR}/"], [r"^HTTP/1.1 303", r"(?s)303.*HTTP/1.1 200", r"(?im)^location: /sign-in"]
    yield "signing in by the form", ["-L", "-c", JAR, "-b", JAR, "-d", f"token={os.environ['ACCESS_TOKEN']}", f"{COLLECTOR}/sign-in"], [r"^HTTP/1.1 303", r"(?im)^set-cookie: .*HttpOnly", r"(?s)303 See.*HTTP/1.1 200", r"connections=1 "]
    yield "a preflight is given no leave", ["-X", "OPTIONS", "-H", "Origin: http://b", "-H", "Access-Control-Request-Method: POST", f"{COLLECTOR}/api/v1/reports"], [r"^HTTP/1.1 204", r"(?!)(?im)^access-control"]


def complaint(title, arguments, patterns):
    output = curl(*arguments)
    for pattern in patterns:
        wanted = not pattern.startswith("(?!)")
        if bool(re.search(pattern.removeprefix("(?!)"), output)) != wanted:
            return f"{title}: {'not ' if wanted else ''}found: {pattern}\n{output[:600]}"
    return None


def conditional():
    """The tag that curl was given brings 304, with gzip and without."""
    for coding in ([], ["--compressed"]):
        first = curl(*coding, f"{COLLECTOR}/style.css")
        tag = re.search(ETAG, first)
        for form in (tag[1], f"W/{tag[1]}", f'"x", {tag[1]}'):
            again = curl(*coding, "-H", f"If-None-Match: {form}", f"{COLLECTOR}/style.css")
            if not again.startswith("HTTP/1.1 304"):
                return f"If-None-Match: {form}: no 304\n{again[:300]}"
    return None


def main():
    done = [complaint(*case) for case in cases()] + [conditional()]
    complaints = [each for each in done if each]
    print(f"{len(done)} cases: {len(complaints)} went otherwise")
    print("\n".join(complaints), end="\n" if complaints else "")
    return bool(complaints)


sys.exit(main())
