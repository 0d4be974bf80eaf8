"""A PostgreSQL of our own with the settings it comes with, and the statements it was sent."""

import csv
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

USERS = ["postgres", "nobody"]  # Never root, whom the server refuses to serve under.


class Server:
    def __init__(self, folder):
        self.binaries = find_binaries()
        self.folder = folder / "postgres"
        self.folder.mkdir()
        self.prefix = []
        if os.getuid() == 0:
            user = next(user for user in pwd.getpwall() if user.pw_name in USERS and user.pw_uid != 0)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]
        data = str(self.folder / "data")
        self.command("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "-D", data)
        self.port = free_port()
        settings = [
            f"port={self.port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={self.folder}",
            "logging_collector=on", "log_destination=csvlog", "log_directory=log", "log_filename=server",
        ]
        options = [word for setting in settings for word in ("-c", setting)]
        self.process = subprocess.Popen(
            [*self.prefix, str(self.binaries / "postgres"), "-D", data, *options],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        while not self.answers():
            if self.process.poll() is not None:
                sys.exit("PostgreSQL does not start")
            time.sleep(0.05)

    def command(self, name, *words):
        subprocess.run(
            [*self.prefix, str(self.binaries / name), *words],
            cwd=self.folder, stdout=subprocess.DEVNULL, check=True,
        )

    def answers(self):
        asked = [str(self.binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(asked).returncode == 0

    def url(self, database, **settings):
        """Statements stay prepared: there is no pooler between."""
        more = "".join(f"&options[{name}]={value}" for name, value in settings.items())
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}?statement-cache-capacity=100{more}"

    def sql(self, database, text):
        words = ["-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database]
        answer = subprocess.run(
            [str(self.binaries / "psql"), *words, "-c", text], capture_output=True, text=True, check=True
        )
        return answer.stdout.strip()

    def create(self, database):
        self.sql("postgres", f"CREATE DATABASE {database}")

    def pgbench(self, database, script, variables, clients, seconds):
        """Scripts per second."""
        path = self.folder / "script.sql"
        path.write_text(script)
        words = ["-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(max(1, round(seconds)))]
        words += [word for name, value in variables.items() for word in ("-D", f"{name}={value}")]
        place = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        answer = subprocess.run(
            [str(self.binaries / "pgbench"), *words, "-f", str(path), *place, database], capture_output=True, text=True
        )
        found = re.search(r"tps = ([0-9.]+) \(without initial", answer.stdout)
        if answer.returncode != 0 or found is None:
            sys.exit(f"pgbench: {answer.stdout}{answer.stderr}")
        return float(found[1])

    def statements(self, database):
        """What the server was sent while it logged statements: text, and values by number."""
        path = self.folder / "data" / "log" / "server.csv"
        sent = []
        with path.open(newline="") as log:
            for row in csv.reader(log):
                if row[2] != database:
                    continue
                found = re.match(r"(?:statement|execute [^:]+): (.*)", row[13], re.DOTALL)
                if found:
                    sent.append((found[1], values(row[14])))
        return sent

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def values(detail):
    found = re.findall(r"\$(\d+) = (NULL|'(?:[^']|'')*')", detail)
    read = lambda text: None if text == "NULL" else text[1:-1].replace("''", "'")
    return {int(number): read(text) for number, text in found}


def find_binaries():
    """The newest of those that Debian installs side by side."""
    versions = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "pgbench").exists()]
    if not versions:
        sys.exit("PostgreSQL is not installed: Debian's package is postgresql")
    return max(versions, key=lambda path: int(path.parent.name))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
