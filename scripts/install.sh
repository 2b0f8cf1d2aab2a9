#!/bin/sh
# Installs or upgrades the companion as a service, or removes it: install.sh [uninstall].
# Each version is an environment of its own below /opt/mishimash/versions; `current` points at the one that runs, so that
# a new version which does not start is left for the old one, and the switch is one rename.
set -eu
cd "$(dirname "$0")/.."

home=/opt/mishimash
settings=/etc/mishimash
games=/var/lib/mishimash
unit=/etc/systemd/system/mishimash.service
wants=/etc/systemd/system/multi-user.target.wants
command=/usr/local/bin/mishimash

say() { echo "install: $*"; }
fail() { echo "install: $*" >&2; exit 1; }
booted() { [ -d /run/systemd/system ]; }

[ "$(id -u)" = 0 ] || fail "this changes the system; run it as: sudo make ${1:-install}"
command -v apt-get >/dev/null || fail "this is for Raspberry Pi OS and Debian (no apt-get here)"

uninstall() {
    if booted; then systemctl disable --now mishimash.service 2>/dev/null || true; fi
    rm -rf "$unit" "$wants/mishimash.service" "$home" "$command"
    if booted; then systemctl daemon-reload; fi
    if [ "${PURGE:-}" = 1 ]; then
        rm -rf "$settings" "$games" /etc/modules-load.d/mishimash.conf
        deluser --quiet --system mishimash 2>/dev/null || userdel mishimash 2>/dev/null || true
        say "removed, games and settings too"
    else
        say "removed; games stay in $games and settings in $settings (sudo make uninstall PURGE=1 removes them)"
    fi
}

# What the service needs of the system; what only Raspberry Pi OS has is left out elsewhere.
install_packages() {
    glib=libglib2.0-0
    if apt-cache show libglib2.0-0t64 >/dev/null 2>&1; then glib=libglib2.0-0t64; fi
    wanted="python3-venv libgl1 $glib ca-certificates"
    for package in python3-picamera2 python3-lgpio; do
        if apt-cache show $package >/dev/null 2>&1; then wanted="$wanted $package"; else
            say "$package is not known to apt here; going on without it"
        fi
    done
    missing=
    for package in $wanted; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "installing with apt:$missing"
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 \
        -o Dpkg::Use-Pty=0 $missing >/dev/null || fail "apt could not install$missing; see above, then run this again"
}

# Whether a firmware's file says this line for every board: below [pi4] and the like a line counts for that board only.
says() {
    awk -v line="$1" '/^\[/ { some = !/^\[all\]/ } !some && index($0, line) == 1 { said = 1 } END { exit !said }' "$2"
}

# The bus of the OLED and the camera; these lines take effect at the next boot.
enable_devices() {
    firmware=/boot/firmware/config.txt
    [ -f $firmware ] || firmware=/boot/config.txt
    for line in dtparam=i2c_arm=on dtparam=i2c_arm_baudrate=400000 camera_auto_detect=1; do
        if [ ! -f $firmware ]; then
            say "no Raspberry Pi firmware here; on a Pi /boot/firmware/config.txt needs: $line"
        elif ! says "$line" $firmware; then
            [ -z "$(tail -c 1 $firmware)" ] || echo >>$firmware
            case $(grep '^\[' $firmware | tail -n 1) in "" | "[all]"*) ;; *) echo "[all]" >>$firmware ;; esac
            printf '%s\n' "$line" >>$firmware
            say "added to $firmware, effective after a reboot: $line"
        fi
    done
    echo i2c-dev >/etc/modules-load.d/mishimash.conf
}

make_user() {
    getent group mishimash >/dev/null || groupadd --system mishimash
    getent passwd mishimash >/dev/null ||
        useradd --system --gid mishimash --home-dir "$games" --no-create-home --shell /usr/sbin/nologin mishimash
    for group in video i2c spi gpio render; do
        if getent group $group >/dev/null; then usermod -aG $group mishimash; fi
    done
}

# Every part is imported once before the new version may run: versions that do not fit show here, not at the table.
check() {
    "$new/bin/python" -I - <<'END'
import importlib, importlib.util, sys

names = ["cv2", "numpy", "PIL", "luma.oled.device", "gpiozero", "companion.cli", "companion.session", "vision.read",
         "hardware.cameras", "calibration.cli"]
names += [name for name in ("simplejpeg", "picamera2", "lgpio") if importlib.util.find_spec(name)]
wrong = 0
for name in names:
    try:
        importlib.import_module(name)
    except Exception as error:
        wrong = 1
        print(f"install: {name} does not load: {error}", file=sys.stderr)
sys.exit(wrong)
END
}

build() {
    say "making the environment of version $version (OpenCV and the rest are about 200 MB)"
    mkdir -p "$home/versions"
    trap 'rm -rf "$new" "$tree"' EXIT
    trap 'exit 130' INT TERM HUP
    # A copy, because building leaves folders behind that would leak old modules into the next wheel.
    cp -r pyproject.toml README.md LICENSE companion vision hardware calibration "$tree"
    /usr/bin/python3 -m venv --system-site-packages "$new" || fail "python3 could not make $new"
    "$new/bin/pip" install --quiet --no-input --disable-pip-version-check "$tree" ||
        fail "pip could not install the packages (see above; is there a network, is the disk full?); nothing has changed"
    if ! check; then
        # apt's simplejpeg (of picamera2) is made for apt's numpy; beside pip's newer numpy it needs pip's simplejpeg.
        say "trying again with picamera2's simplejpeg from pip"
        { "$new/bin/pip" install --quiet --no-input --ignore-installed --no-deps simplejpeg && check; } ||
            fail "the new version does not load on this system (see above); nothing has changed"
    fi
    cp systemd/mishimash.service "$new/"
    cp docs/install.md "$new/"
    trap 'rm -rf "$tree"' EXIT
}

# For root the command works on what the service has: its games, its profile, its socket.
write_command() {
    rm -f "$command" && cat >"$command" <<END && chmod 755 "$command"
#!/bin/sh
if [ "\$(id -u)" = 0 ]; then export STATE_DIRECTORY="\${STATE_DIRECTORY:-$games}"; fi
exec $home/current/bin/mishimash "\$@"
END
}

# Points everything at one version and starts it; false when it does not become ready.
activate() {
    ln -sfn "$1" "$home/next" && mv -T "$home/next" "$home/current" && write_command &&
        cp "$home/current/mishimash.service" "$unit" || return 1
    if booted; then
        systemctl daemon-reload && systemctl --quiet enable mishimash.service || return 1
        systemctl reset-failed mishimash.service 2>/dev/null || true
        systemctl restart mishimash.service
    else
        mkdir -p "$wants" && ln -sf "$unit" "$wants/" || return 1
        say "systemd does not run here; the service starts with the next boot"
    fi
}

if [ "${1:-}" = uninstall ]; then uninstall; exit 0; fi

/usr/bin/python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null ||
    fail "the system's python3 must be 3.11 to 3.13 (Debian and Raspberry Pi OS 12 or 13); it is: $(/usr/bin/python3 -V 2>&1)"
apt-get update -qq || say "apt-get update failed; going on with what apt knows"
install_packages
enable_devices
make_user
install -d -m 755 "$settings"
install -m 644 systemd/config.toml "$settings/config.toml.default"
[ -e "$settings/config.toml" ] || install -m 644 systemd/config.toml "$settings/config.toml"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
new=$home/versions/$version-$(date +%Y%m%d-%H%M%S)
old=$(readlink -f "$home/current" 2>/dev/null || true)
tree=$(mktemp -d)
build

# From here a lost line or Ctrl-C must not leave a version that nobody has seen start.
trap '' INT TERM HUP
if activate "$new"; then
    for version in "$home"/versions/*; do
        [ "$version" = "$new" ] || [ "$version" = "$old" ] || rm -rf "$version"
    done
    say "installed; settings are in $settings/config.toml"
    "$command" doctor || say "doctor found something to do (above); the service runs and takes up what is mended"
else
    if booted; then journalctl -u mishimash.service -n 5 -o cat --no-pager >&2; fi
    if [ -n "$old" ] && [ -d "$old" ]; then
        say "the new version did not start (above); going back to ${old##*/}"
        activate "$old" || say "the old version does not start either: look at $settings/config.toml"
        rm -rf "$new"
    else
        say "installed, but the service does not start (above); mend that, then: sudo systemctl restart mishimash"
    fi
    exit 1
fi
