"""Changes that others wrote, where only package registries can be reached: a repository per package, a commit per release.

    pypi:click    npm:express    crates:bytes
"""

import io
import json
import shutil
import subprocess
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path

from .place import ENVIRONMENT

PATIENCE = 60
PIPELINES = (".github/", ".travis", ".circleci/")
AGENT = {"User-Agent": "countersign-bench"}


def make(folder, packages, count):
    """The repositories of the packages, made anew where they are not there."""
    made = []
    for package in packages:
        registry, _, name = package.partition(":")
        place = Path(folder) / f"{registry}-{name.replace('/', '-')}"
        made.append(str(place))
        if not place.exists():
            commit_releases(place, OF[registry](name)[-count - 1 :])
    return made


def of_pypi(name):
    releases = read(f"https://pypi.org/pypi/{name}/json")["releases"]
    found = []
    for version, files in releases.items():
        source = [one for one in files if one["packagetype"] == "sdist" and one["url"].endswith(".tar.gz")]
        if source and is_final(version) and not source[0]["yanked"]:
            address = urllib.parse.urljoin(f"https://pypi.org/simple/{name}/", source[0]["url"])
            found.append((version, address))
    return in_order(found)


def of_npm(name):
    package = read(f"https://registry.npmjs.org/{name}")
    versions = [version for version in package["versions"] if is_final(version)]
    return in_order([(version, package["versions"][version]["dist"]["tarball"]) for version in versions])


def of_crates(name):
    folders = [name[:2], name[2:4]] if len(name) > 3 else [str(len(name))] + ([name[0]] if len(name) == 3 else [])
    address = "https://index.crates.io/" + "/".join([*folders, name])
    lines = [json.loads(line) for line in fetch(address).decode().splitlines()]
    versions = [one["vers"] for one in lines if is_final(one["vers"]) and not one["yanked"]]
    return in_order([(one, f"https://static.crates.io/crates/{name}/{name}-{one}.crate") for one in versions])


OF = {"pypi": of_pypi, "npm": of_npm, "crates": of_crates}


def in_order(releases):
    """By version and not by date: corrections of an older line do not undo what is in a newer one."""
    return sorted(releases, key=lambda release: [int(part) for part in release[0].split(".")])


def is_final(version):
    return all(part.isdigit() for part in version.split("."))


def read(address):
    return json.loads(fetch(address))


def fetch(address):
    with urllib.request.urlopen(urllib.request.Request(address, headers=AGENT), timeout=PATIENCE) as answer:
        return answer.read()


def commit_releases(place, releases):
    place.mkdir(parents=True)
    git(place, "init", "--quiet", "--initial-branch=main")
    for version, address in releases:
        for old in place.iterdir():
            if old.name != ".git":
                shutil.rmtree(old) if old.is_dir() else old.unlink()
        with tarfile.open(fileobj=io.BytesIO(fetch(address))) as archive:
            for member in archive.getmembers():
                # The folder around everything has the version in its name.
                member.name = member.name.partition("/")[2]
                # What a package holds of pipelines runs nowhere, and comes and goes with its packaging.
                if member.isfile() and member.name and not member.name.startswith(PIPELINES):
                    archive.extract(member, place, filter="data")
        git(place, "add", "--all", "--force")
        who = ("-c", "user.name=releases", "-c", "user.email=releases@localhost")
        git(place, *who, "commit", "--quiet", "--allow-empty", "-m", version)
        git(place, "tag", f"v{version}")


def git(place, *words):
    subprocess.run(["git", *words], cwd=place, env=ENVIRONMENT, check=True)
