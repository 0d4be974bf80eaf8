"""The MCP server: round trips on stdio against a bare echo, many clients over HTTP against a bare HTTP server."""

import asyncio
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from .place import BINARY, build

CLIENTS = 100
TOKEN = "a-token-for-the-benchmark-0123456789"
REVISION = "2026-07-28"
CALL = {"name": "get_my_assignment", "arguments": {}}


def run(seconds, calls):
    build("--bin", "countersign")
    folder = Path(tempfile.mkdtemp(prefix="countersign-bench-"))
    try:
        subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
        load = os.getloadavg()[0]
        print(f"{os.cpu_count()} cores, load {load:.1f} before; {calls} calls on stdio, {CLIENTS} clients for {seconds:.0f} s over HTTP")
        print(f"{'what':52} {'ours':>18} {'peer':>18}  goal")
        on_stdio(folder, calls)
        over_http(folder, seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def line(what, ours, peer="", goal=""):
    print(f"{what:52} {ours:>18} {peer:>18}  {goal}", flush=True)


def environment(folder):
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "COUNTERSIGN_TOKEN_ENGINEER": TOKEN}


def on_stdio(folder, calls):
    ours = Talk([str(BINARY), "mcp", "queue", "--as", "engineer"], folder)
    ours.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
    ours.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
    made = ours.ask("tools/call", {"name": "create_assignment", "arguments": {"agent": "engineer", "title": "T"}})
    assert made["result"]["isError"] is False, made
    echo = Talk([sys.executable, "-u", "-c", "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()"], folder)
    for talk in (ours, echo):
        for _ in range(50):
            talk.ask("tools/call", CALL)
    mine, theirs = [], []
    for _ in range(calls):
        mine.append(ours.timed("tools/call", CALL))
        theirs.append(echo.timed("tools/call", CALL))
    ours.end()
    echo.end()
    line("stdio round trip of get_my_assignment, p50 / p99", percentiles(mine), percentiles(theirs), "p99 under 10 ms")


def percentiles(times):
    at = lambda share: sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1e3
    return f"{at(0.5):.2f} / {at(0.99):.2f} ms"


class Talk:
    """JSON-RPC with a process, a line each way."""

    def __init__(self, command, folder):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, env=environment(folder), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self.number = 0

    def tell(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.tell({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return json.loads(self.process.stdout.readline())

    def timed(self, method, params):
        begun = time.perf_counter()
        self.ask(method, params)
        return time.perf_counter() - begun

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def over_http(folder, seconds):
    server = subprocess.Popen(
        [str(BINARY), "serve", "--port", "0"], cwd=folder, env=environment(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    said = ""
    while "http://" not in said:
        said = server.stderr.readline()
        if not said:
            sys.exit("the server did not start")
    port = int(said.rsplit(":", 1)[1].split("/")[0])
    try:
        ours = asyncio.run(load(port, seconds))
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
    bare = Waiting(("127.0.0.1", 0), Bare)
    threading.Thread(target=bare.serve_forever, daemon=True).start()
    theirs = asyncio.run(load(bare.server_address[1], min(seconds, 10)))
    bare.shutdown()
    line(f"HTTP, {CLIENTS} clients, calls/s", f"{ours.rate():.0f}", f"{theirs.rate():.0f}")
    line("  round trip, p50 / p99", percentiles(ours.times), percentiles(theirs.times))
    line("  errors", str(len(ours.errors)), str(len(theirs.errors)), "none")
    if ours.errors:
        print(f"  the first: {ours.errors[0]}")


class Waiting(http.server.ThreadingHTTPServer):
    request_queue_size = 2 * CLIENTS
    daemon_threads = True


class Bare(http.server.BaseHTTPRequestHandler):
    """Reads a request and says it back, in one piece."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Heard:
    def __init__(self):
        self.times, self.errors, self.begun = [], [], time.perf_counter()

    def rate(self):
        return len(self.times) / self.elapsed


async def load(port, seconds):
    heard = Heard()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(client(port, until, heard) for _ in range(CLIENTS)))
    heard.elapsed = time.perf_counter() - heard.begun
    return heard


async def client(port, until, heard):
    meta = {f"io.modelcontextprotocol/{key}": value for key, value in (("protocolVersion", REVISION), ("clientCapabilities", {}))}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**CALL, "_meta": meta}}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {REVISION}\r\nMcp-Method: tools/call\r\n"
        f"Mcp-Name: get_my_assignment\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < until:
        begun = time.perf_counter()
        try:
            writer.write(head + body)
            answer = await answered(reader)
            if b"error" in answer.lower() and b'"iserror":false' not in answer.lower():
                heard.errors.append(answer[:300])
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            heard.errors.append(repr(error))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        heard.times.append(time.perf_counter() - begun)
    writer.close()


async def answered(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    if " 200 " not in head.split("\r\n")[0]:
        raise ValueError(head.split("\r\n")[0])
    sizes = [text.split(":", 1)[1] for text in head.split("\r\n") if text.lower().startswith("content-length:")]
    return await reader.readexactly(int(sizes[0]))
