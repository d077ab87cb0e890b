#!/bin/sh
# install.sh - what make install puts in place serves a stranger's program, through bo.pc, with
# the shared and with the static library; make uninstall takes all of it away.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
unset MAKEFLAGS MFLAGS MAKELEVEL || true
command -v pkg-config >/dev/null || { echo "skipped: no pkg-config"; exit 77; }

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$MAKE" -s -C "$top_builddir" install DESTDIR="$place" >"$place/log" 2>&1 ||
    { cat "$place/log"; exit 1; }
rm "$place/log"

pc=$(find "$place" -name bo.pc)
[ -n "$pc" ] || { echo "bo.pc was not installed"; exit 1; }
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$place
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
libdir=$(dirname "$PKG_CONFIG_PATH")

cat >"$place/stranger.c" <<'END'
#include <bo.h>
#include <stdio.h>

int main(void)
{
    return printf("%s %s\n", bo_version(), bo_status_text(BO_OK)) < 0;
}
END
expected="$(pkg-config --modversion bo) success"

# try HOW FLAGS…: builds the stranger with these flags, runs it, compares what it says.
try()
{
    how=$1
    shift
    # shellcheck disable=SC2086
    $CC $CFLAGS "$place/stranger.c" -o "$place/stranger" "$@"
    said=$(LD_LIBRARY_PATH=$libdir "$place/stranger")
    [ "$said" = "$expected" ] || { echo "$how: said '$said', not '$expected'"; exit 1; }
    echo "$how: $said"
}

if [ -e "$libdir/libbo.so" ]; then
    # shellcheck disable=SC2046
    try shared $(pkg-config --cflags --libs bo)
    ldd "$place/stranger" | grep -q gslcblas && { echo "libgslcblas is linked"; exit 1; }
fi
if [ -e "$libdir/libbo.a" ]; then
    # shellcheck disable=SC2046
    try static $(pkg-config --static --cflags --libs bo |
        sed 's/-lbo/-Wl,-Bstatic -lbo -Wl,-Bdynamic/')
    LD_LIBRARY_PATH='' ldd "$place/stranger" | grep libbo && { echo "not static"; exit 1; }
fi
rm -f "$place"/stranger*

"$MAKE" -s -C "$top_builddir" uninstall DESTDIR="$place" >/dev/null
left=$(find "$place" ! -type d)
[ -z "$left" ] || { echo "left behind by make uninstall:"; echo "$left"; exit 1; }
