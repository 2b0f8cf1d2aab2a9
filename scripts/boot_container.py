"""A Debian system booted by systemd in a container (systemd-nspawn), that can be asked, rebooted and killed."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from check_hardware import NotHereError, run

PACKAGES = "systemd,systemd-sysv,dbus,ca-certificates,git,make,python3"
TOOLS = {"systemd-nspawn": "systemd-container", "mmdebstrap": "mmdebstrap"}
NEEDED_GB = 4
LOCK = Path("/run/lock/mishimash-check-boot")
BOOT_WITHIN_S = 60.0
# A name space of processes for each container: when its first one dies, or this program does, all in it die.
ALONE = ("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private", "--pid", "--mount-proc",
         "--fork", "--kill-child=KILL")  # fmt: skip
# nspawn wants one pure cgroup2 tree, also where the host has the old ones mounted over it.
NSPAWN = """
for m in $(awk '$2 ~ "^/sys/fs/cgroup" {print $2}' /proc/mounts | sort -r); do umount $m 2>/dev/null; done
umount -l /sys/fs/cgroup 2>/dev/null
mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit 9
name="mishimash-${0##*/}"
find "/sys/fs/cgroup/$name" -depth -type d -exec rmdir {} \\; 2>/dev/null
mkdir -p "/sys/fs/cgroup/$name" && echo $$ >"/sys/fs/cgroup/$name/cgroup.procs"
exec systemd-nspawn --quiet --register=no --keep-unit --boot --machine="$name" --console=pipe --directory="$0"
"""


class BrokenError(Exception):
    """A command inside failed or hung, or a system did not come up or go down; the text is what was seen."""


@contextmanager
def alone(cache: Path) -> Iterator[None]:
    """Keeps other runs away, from the systems and the processor; NotHereError when no container can be booted here.

    Packages that are missing are installed.
    """
    if os.geteuid() != 0:
        raise NotHereError("it needs root: sudo make check-boot")
    if missing := sorted({package for tool, package in TOOLS.items() if not shutil.which(tool)}):
        print(f"check-boot: installing {' '.join(missing)}", flush=True)
        run(["apt-get", "update", "-qq"])
        run(["apt-get", "install", "-y", "-q", *missing])
    cache.mkdir(parents=True, exist_ok=True)
    if (free := shutil.disk_usage(cache).free) < NEEDED_GB * 1e9:
        raise NotHereError(f"it needs {NEEDED_GB} GB in {cache}, where {free / 1e9:.1f} GB are free")
    with LOCK.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise NotHereError("another check-boot is at work on this machine; wait for its end") from error
        yield


def wait_until(holds: Callable[[], object], within_s: float) -> bool:
    """Whether something came to hold in time."""
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        if holds():
            return True
        time.sleep(0.1)
    return False


class Container:
    """One system in a folder, made afresh from a cached one; `log` is its console.

    NotHereError when there is no system to begin with.
    """

    def __init__(self, suite: str, cache: Path) -> None:
        self.name, base, self.root = suite, cache / suite, cache / f"{suite}-running"
        if not base.is_dir():
            part = cache / f"{suite}.part"
            shutil.rmtree(part, ignore_errors=True)
            options = ["--quiet", "--variant=minbase", "--mode=root", f"--include={PACKAGES}"]
            print(f"check-boot: making a Debian {suite} in {base} (once, some minutes, 300 MB)", flush=True)
            run(["mmdebstrap", *options, suite, part])
            part.rename(base)
        shutil.rmtree(self.root, ignore_errors=True)
        run(["cp", "-a", "--reflink=auto", base, self.root])
        self.log = cache / f"{suite}.log"
        self.log.unlink(missing_ok=True)
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
        """Starts it and waits until systemd answers; BrokenError when it does not."""
        with self.log.open("ab") as console:
            self._nspawn = subprocess.Popen(
                [*ALONE, "sh", "-c", NSPAWN, str(self.root)],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True,
            )  # fmt: skip
        ended = self._nspawn.poll
        if not wait_until(lambda: self.is_up() or ended() is not None, BOOT_WITHIN_S) or ended() is not None:
            last = (self.log.read_text(encoding="utf-8", errors="replace").strip() or "no word").splitlines()[-1]
            raise BrokenError(f"{self.root.name} does not boot; the end of {self.log}: {last}")

    def is_up(self) -> bool:
        """Whether systemd in it has finished starting."""
        state = self.run("systemctl is-system-running", check=False).strip() if self._init() else ""
        return state in ("running", "degraded")

    def _init(self) -> int | None:
        """The process that is number 1 inside: the child of nspawn, which is the child of unshare."""
        return child(child(self._nspawn and self._nspawn.pid))

    def run(self, command: str, *, check: bool = True, within_s: float = 900) -> str:
        """What a shell command says inside, errors included; BrokenError when it hangs or, with `check`, fails."""
        enter = ["nsenter", "-t", str(self._init()), "-a", "--", "env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin"]
        try:
            done = subprocess.run(
                [*enter, *self._environment, "sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=within_s, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise BrokenError(f"`{command}` did not end within {within_s:.0f} s") from error
        if check and done.returncode:
            raise BrokenError(f"`{command}` failed with {done.returncode}:\n{done.stdout}")
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
        if not self.goes_down():
            raise BrokenError(f"{self.root.name} did not go down within {BOOT_WITHIN_S:.0f} s of `systemctl reboot`")
        self.boot()

    def goes_down(self) -> bool:
        """Whether it goes down by itself in time."""
        nspawn = self._nspawn
        return nspawn is None or wait_until(lambda: nspawn.poll() is not None, BOOT_WITHIN_S)

    def kill(self) -> None:
        """Pulls the plug: no process inside gets to do anything any more."""
        if nspawn := child(self._nspawn and self._nspawn.pid):
            os.kill(nspawn, signal.SIGKILL)
        if self._nspawn:
            self._nspawn.wait(timeout=30)
            self._nspawn = None


def child(pid: int | None) -> int | None:
    """The first child of a process; None when there is none."""
    try:
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
    except (OSError, IndexError):
        return None
