"""A Debian system booted by systemd in a container (systemd-nspawn), that can be asked, rebooted and killed."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGES = "systemd,systemd-sysv,dbus,ca-certificates,git,make,python3"
TOOLS = ("systemd-nspawn", "mmdebstrap", "nsenter", "unshare")
BOOT_WITHIN_S = 60.0
# nspawn wants one pure cgroup2 tree, also where the host has the old ones mounted over it.
NSPAWN = """
for m in $(awk '$2 ~ "^/sys/fs/cgroup" {print $2}' /proc/mounts | sort -r); do umount $m 2>/dev/null; done
umount -l /sys/fs/cgroup 2>/dev/null
mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit 9
mkdir -p /sys/fs/cgroup/mishimash.$$ && echo $$ >/sys/fs/cgroup/mishimash.$$/cgroup.procs
name="mishimash-${0##*/}"
exec systemd-nspawn --quiet --register=no --keep-unit --boot --machine="$name" --console=pipe --directory="$0"
"""


def why_not() -> str:
    """Why containers cannot be booted here; empty when they can."""
    if os.geteuid() != 0:
        return "it needs root"
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    return f"it needs {', '.join(missing)}: apt-get install systemd-container mmdebstrap util-linux" if missing else ""


def wait_until(holds: Callable[[], object], within_s: float) -> bool:
    """Whether something came to hold in time."""
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        if holds():
            return True
        time.sleep(0.1)
    return False


class Container:
    """One system in a folder, made afresh from a cached one; `log` is its console."""

    def __init__(self, suite: str, cache: Path) -> None:
        base, self.root = cache / suite, cache / f"{suite}-running"
        if not base.is_dir():
            part = cache / f"{suite}.part"
            shutil.rmtree(part, ignore_errors=True)
            options = ["--quiet", "--variant=minbase", "--mode=root", f"--include={PACKAGES}"]
            subprocess.run(["mmdebstrap", *options, suite, str(part)], check=True)
            part.rename(base)
        shutil.rmtree(self.root, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(self.root)], check=True)
        self.log = cache / f"{suite}.log"
        self._environment = self._borrow_network()
        self._nspawn: subprocess.Popen[bytes] | None = None

    def _borrow_network(self) -> list[str]:
        """The host's resolver, and its way to packages: certificates, pip's config and PIP_ variables, apt's config."""
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", self.root / "etc/host-certificates.crt")
        for file in Path("/etc/apt/apt.conf.d").glob("99*"):
            shutil.copy(file, self.root / "etc/apt/apt.conf.d")
        borrowed = {name: value for name, value in os.environ.items() if name.startswith("PIP_") and "/" not in value}
        borrowed |= {"PIP_CERT": "/etc/host-certificates.crt", "HOME": "/root"}
        return [f"{name}={value}" for name, value in borrowed.items()]

    def boot(self) -> None:
        """Starts it and waits until systemd answers."""
        with self.log.open("ab") as console:
            self._nspawn = subprocess.Popen(
                ["unshare", "-m", "--propagation", "private", "sh", "-c", NSPAWN, str(self.root)],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True,
            )  # fmt: skip
        if not wait_until(self.is_up, BOOT_WITHIN_S):
            raise SystemExit(f"check-boot: {self.root.name} does not boot; see {self.log}")

    def is_up(self) -> bool:
        """Whether systemd in it has finished starting."""
        state = self.run("systemctl is-system-running", check=False).strip() if self._init() else ""
        return state in ("running", "degraded")

    def _init(self) -> int | None:
        """The process that is number 1 inside."""
        if self._nspawn is None:
            return None
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children")
        try:
            return int(children.read_text().split()[0])
        except (OSError, IndexError):
            return None

    def run(self, command: str, *, check: bool = True, within_s: float = 900) -> str:
        """What a shell command says inside, errors included."""
        enter = ["nsenter", "-t", str(self._init()), "-a", "--", "env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin"]
        done = subprocess.run(
            [*enter, *self._environment, "sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=within_s, check=False,
        )  # fmt: skip
        if check and done.returncode:
            raise SystemExit(f"check-boot: `{command}` failed with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def show(self, *names: str) -> dict[str, str]:
        """Properties of the service, by name."""
        said = self.run(f"systemctl show mishimash -p {','.join(names)}")
        return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)

    def status(self) -> dict[str, Any]:
        """What the service answers."""
        answer: dict[str, Any] = json.loads(self.run("mishimash status --json"))
        return answer

    def reboot(self) -> None:
        """As `reboot` does it: everything is stopped in order; nspawn then ends, to be started again from outside."""
        self.run("systemctl reboot", check=False)
        if self._nspawn:
            self._nspawn.wait(timeout=BOOT_WITHIN_S)
        self.boot()

    def kill(self) -> None:
        """Pulls the plug: no process inside gets to do anything any more."""
        if init := self._init():
            os.kill(init, signal.SIGKILL)
        if self._nspawn:
            self._nspawn.wait(timeout=30)
            self._nspawn = None
