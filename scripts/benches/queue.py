"""The queue: cycles against the same statements sent bare, pickup, growth, memory, mailbox."""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import peers
from .place import BINARY, DRIVER, build
from .postgres import Server

WORKERS = 16
MOST_CYCLES_PER_SECOND = 5000  # More tasks than can be done are laid out.


def run(rounds, seconds, tasks):
    build("--bin", "countersign")
    build("-p", "countersign-store", "--example", "queue_bench")
    folder = Path(tempfile.mkdtemp(prefix="countersign-bench-"))
    folder.chmod(0o711)
    server = Server(folder)
    try:
        load = os.getloadavg()[0]
        print(f"{os.cpu_count()} cores, load {load:.1f} before; {rounds} rounds, run alternately; medians")
        print(f"{'what':44} {'ours':>14} {'peer':>14} {'ratio':>7}  goal")
        cycles_sqlite(folder, rounds, seconds)
        cycles_postgres(server, rounds, seconds)
        pickup("SQLite", str(folder / "pickup.db"))
        server.create("pickup")
        pickup("PostgreSQL", server.url("pickup"))
        growth_sqlite(folder, rounds, tasks)
        growth_postgres(server, rounds, tasks)
        memory(folder)
        mailbox(folder, "SQLite", str(folder / "mailbox.db"))
        server.create("mailbox")
        mailbox(folder, "PostgreSQL", server.url("mailbox"))
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def drive(*words):
    answer = subprocess.run([str(DRIVER), *map(str, words)], stdout=subprocess.PIPE, text=True)
    if answer.returncode != 0:
        sys.exit(f"queue_bench {' '.join(map(str, words))} failed")
    return json.loads(answer.stdout)


def line(what, ours, peer="", ratio="", goal=""):
    print(f"{what:44} {ours:>14} {peer:>14} {ratio:>7}  {goal}", flush=True)


def alternate(rounds, ours, peer):
    """Medians of both, run in turns, and of the ratio within each turn. The first turn warms up."""
    turns = [(ours(), peer()) for _ in range(rounds + 1)][1:]
    median = lambda values: statistics.median(list(values))
    return median(a for a, _ in turns), median(b for _, b in turns), median(a / b for a, b in turns)


def cycles_sqlite(folder, rounds, seconds):
    path = str(folder / "cycle.db")
    drive("fill", path, "--pending", round((rounds + 1) * seconds * 2 * 1.5 * MOST_CYCLES_PER_SECOND))
    for workers, goal in ((WORKERS, "0.6"), (1, "")):
        ours = lambda: drive("cycle", path, "--workers", workers, "--seconds", seconds / 2)["per_second"]
        our, bare, ratio = alternate(rounds, ours, lambda: peers.bare_sqlite(path, seconds / 2))
        line(f"SQLite cycles/s, {workers} workers, vs bare loop", f"{our:.0f}", f"{bare:.0f}", f"{ratio:.2f}", goal)
    syncs = peers.syncs_per_second(folder, 2)
    line("SQLite commits/s against the disk's syncs/s", f"{2 * our:.0f}", f"{syncs:.0f}", f"{2 * our / syncs:.2f}")


def cycles_postgres(server, rounds, seconds):
    server.create("sample")
    drive("fill", server.url("sample"), "--pending", 100)
    # Not the first: its number in the table is also that of its lease, and they could not be told apart.
    drive("cycle", server.url("sample"), "--workers", 1, "--most", 50, "--warm-up", 0)
    drive("cycle", server.url("sample", log_statement="all"), "--workers", 1, "--most", 1, "--warm-up", 0)
    script, values = peers.pgbench_script(server.statements("sample"))
    (server.folder / "peer.sql").write_text(script)
    server.create("cycle")
    drive("fill", server.url("cycle"), "--pending", round((rounds + 1) * seconds * 3 * MOST_CYCLES_PER_SECOND))
    for workers, goal in ((WORKERS, "0.6"), (1, "")):
        ours = lambda: drive("cycle", server.url("cycle"), "--workers", workers, "--seconds", seconds)["per_second"]
        peer = lambda: server.pgbench("cycle", script, values, workers, seconds)
        our, bare, ratio = alternate(rounds, ours, peer)
        line(f"PostgreSQL cycles/s, {workers} workers, vs pgbench", f"{our:.0f}", f"{bare:.0f}", f"{ratio:.2f}", goal)


def pickup(engine, url):
    times = drive("pickup", url, "--samples", 300)["pickup_ms"]
    line(f"{engine} pickup, p50 / p99", f"{times['p50']:.1f} / {times['p99']:.1f} ms", goal="p99 under 50 ms")


def growth_sqlite(folder, rounds, tasks):
    paths = {finished: str(folder / f"growth{finished}.db") for finished in (1000, tasks)}
    for finished, path in paths.items():
        drive("fill", path, "--finished", finished, "--pending", 500 * (rounds + 1))
    claim = lambda finished: lambda: claim_ms(paths[finished], 200)
    large, small, ratio = alternate(rounds, claim(tasks), claim(1000))
    line(f"SQLite claim with {tasks} finished, vs 1000", f"{large:.2f} ms", f"{small:.2f} ms", f"{ratio:.2f}", "1.5")
    bare = lambda finished: lambda: peers.bare_claim_ms(paths[finished], 500)
    large, small, ratio = alternate(rounds, bare(tasks), bare(1000))
    line("  its statement alone", f"{large * 1e3:.0f} us", f"{small * 1e3:.0f} us", f"{ratio:.2f}", "1.5")


def growth_postgres(server, rounds, tasks):
    for finished in (1000, tasks):
        server.create(f"growth{finished}")
        drive("fill", server.url(f"growth{finished}"), "--finished", finished, "--pending", 1000 * (rounds + 1))
    claim = lambda finished, **more: lambda: claim_ms(server.url(f"growth{finished}", **more), 200)
    large, small, ratio = alternate(rounds, claim(tasks), claim(1000))
    line(f"PostgreSQL claim with {tasks} finished, vs 1000", f"{large:.2f} ms", f"{small:.2f} ms", f"{ratio:.2f}", "1.5")
    off = {"synchronous_commit": "off"}
    large, small, ratio = alternate(rounds, claim(tasks, **off), claim(1000, **off))
    line("  without waiting for the disk", f"{large:.2f} ms", f"{small:.2f} ms", f"{ratio:.2f}", "1.5")


def claim_ms(url, times):
    return drive("cycle", url, "--workers", 1, "--seconds", 60, "--most", times, "--warm-up", 20)["claim_ms"]["p50"]


def memory(folder):
    """An agent that has nothing to do, after five seconds of it."""
    place = folder / "idle"
    place.mkdir()
    (place / "countersign.yaml").write_text("agents:\n  - id: qa\n    name: QA\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(place)}
    child = subprocess.Popen(
        [str(BINARY), "agent", "start", "qa"], cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    time.sleep(5)
    if child.poll() is not None:
        sys.exit(f"the agent ended: {child.stderr.read().decode()}")
    status = fields(Path(f"/proc/{child.pid}/status"))
    pss = fields(Path(f"/proc/{child.pid}/smaps_rollup"))["Pss"]
    before = cpu_seconds(child.pid)
    time.sleep(5)
    busy = (cpu_seconds(child.pid) - before) / 5
    child.send_signal(signal.SIGTERM)
    child.wait()
    megabytes = lambda kilobytes: f"{kilobytes / 1024:.1f} MB"
    line("idle worker, resident memory", megabytes(status["VmRSS"]), goal="under 30 MB")
    line("  its share (Pss) / its peak", f"{megabytes(pss)} / {megabytes(status['VmHWM'])}")
    line("  of one core", f"{busy * 100:.1f} %")


def fields(path):
    lines = [text.split(":", 1) for text in path.read_text().splitlines() if " kB" in text]
    return {name: int(rest.split()[0]) for name, rest in lines}


def cpu_seconds(pid):
    words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def mailbox(folder, engine, url):
    root = folder / f"mailbox-{engine}"
    taken = drive("ingest", url, root)
    files, stored, settled = taken["files"], taken["stored_seconds"], taken["settled_seconds"]
    copied = peers.copy_files(root / "queues" / "qa", folder / f"copied-{engine}")
    line(
        f"{engine} mailbox: {files} files, vs copying", f"{stored:.1f} s", f"{copied:.1f} s", f"{stored / copied:.1f}x"
    )
    line("  until their files say so, too", f"{settled:.1f} s", f"{files / settled:.0f}/s")
