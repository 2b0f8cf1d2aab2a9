#!/bin/sh
# Makes .venv for this clone: complete, or not at all. A second run finds it complete and returns at once.
# What the system lacks is installed through apt where that asks nobody anything; otherwise the command is printed.
set -eu
cd "$(dirname "$0")/.."

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 1; }

# PYTHON=python3.13 in the environment asks for that one.
find_python() {
    for name in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
}

loads() { "$python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null; }

# The Debian packages that are not there: Debian takes ensurepip out of Python, and opencv-python needs two libraries.
missing_packages() {
    "$python" -c 'import ensurepip, venv' 2>/dev/null || echo "${python##*/}-venv"
    loads libGL.so.1 || echo libgl1
    # shellcheck disable=SC1091
    loads libgthread-2.0.so.0 || case "$(. /etc/os-release && echo "${VERSION_ID:-}")" in
        11 | 12 | 22.*) echo libglib2.0-0 ;;
        *) echo libglib2.0-0t64 ;; # renamed in Debian 13 and Ubuntu 24.04
    esac
}

install_packages() {
    command="apt-get install -y --no-install-recommends $*"
    if ! command -v apt-get >/dev/null; then
        fail "this system lacks what Debian calls $*; install that with your package manager, then run make again"
    elif [ "$(id -u)" = 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        fail "this system lacks $*; run this, then make again:
    sudo apt-get update && sudo $command"
    fi
    say "this system lacks $*; installing with: ${as_root:+sudo }$command"
    quiet="-qq -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0"
    # The words of these variables are the arguments. One dead source must not stop the rest: the install decides.
    # shellcheck disable=SC2086
    $as_root apt-get update $quiet >&2 || true
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive $command $quiet >&2 ||
        fail "apt could not install $* (the lines above say why; is there a network?); put that right, then run make again"
}

python=$(find_python)
[ -n "$python" ] ||
    fail "no Python 3.11 to 3.13 found (python3 is: $(python3 -V 2>&1 || true)); install one and run make again"

# An environment holds the paths of its place, so a moved clone needs a new one.
place="$PWD $("$python" -V)"
complete="$place $(cksum <pyproject.toml)"
stamp=.venv/complete
if [ -x .venv/bin/python ] && [ "$(cat $stamp 2>/dev/null)" = "$complete" ]; then
    exit 0
fi

packages=$(missing_packages)
# shellcheck disable=SC2086
[ -z "$packages" ] || install_packages $packages

case "$(cat $stamp 2>/dev/null)" in
    "$place "*) say "pyproject.toml has changed; bringing .venv up to date" ;;
    *)
        say "making .venv with $("$python" -V) and fetching OpenCV and the rest (about 200 MB, once)"
        rm -rf .venv
        trap 'rm -rf .venv ./*.egg-info' EXIT
        trap 'exit 130' INT TERM HUP
        "$python" -m venv .venv || fail "$python could not make .venv; nothing was left behind"
        ;;
esac
pip=".venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check"
# Building in the environment itself saves a second, isolated one with its own setuptools.
{ $pip 'setuptools>=77' && $pip --no-build-isolation -e '.[dev]'; } >&2 ||
    fail "pip could not install the packages (the lines above say why; is there a network, is the disk full?); run make again"
.venv/bin/python -c 'import cv2, numpy, PIL, luma.oled, gpiozero' >&2 ||
    fail "the packages are installed but do not load (the line above says which); report it with that line"
echo "$complete" >$stamp
trap - EXIT
say "ready"
