#!/bin/bash
# quickstart.sh - from a fresh Debian to a first result, or to a tested build.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   ./quickstart.sh         installs what is missing, builds in ./build, runs a first optimisation
#   ./quickstart.sh check   the same set-up, then all tests, plain and under sanitizers
#
# Everything but the result goes to build/*.log.  Run again, it does only what is left to do.
set -u
cd "$(dirname "$0")" || exit 1

# The first optimisation.
main_job=(build/bo-run --surrogate banp --objective gp_rbf
    --output build/quickstart.csv --plot build/quickstart.png)

packages=(gcc libc6-dev make autoconf automake libtool pkg-config
    libnlopt-dev libopenblas-dev liblapacke-dev libgsl-dev libcmocka-dev gnuplot-nox)

# ---- stages: a line each, with a mark and seconds ----

tick=ok cross=FAILED
[ "$(locale charmap 2>/dev/null)" = UTF-8 ] && tick=✓ cross=✗
running=
columns=$(tput cols 2>/dev/null || echo 80)

# Runs a command with its output in build/NAME.log.
try() # NAME TITLE COMMAND…
{
    local log=build/$1.log title=$2 start=$SECONDS status
    shift 2
    printf '  %-32s ' "$title"
    if [ -t 1 ]; then
        watch_it "$log" "$title" "$@"
    else
        "$@" >"$log" 2>&1 </dev/null
    fi
    status=$?
    [ $status -eq 0 ] && printf '%s' "$tick" || printf '%s' "$cross"
    printf ' %3d s\n' $((SECONDS - start))
    return $status
}

# The same; on failure shows the end of the log and exits.
stage() # NAME TITLE COMMAND…
{
    try "$@" && return
    printf '\n'
    tail -n 30 "build/$1.log" | sed 's/^/    /'
    printf '\n%s failed; all of its output is in build/%s.log\n' "$2" "$1"
    exit 1
}

# The same on a terminal: a turning mark and the last line of the log while it runs.  The command
# has a process group of its own, so that all of it ends on Ctrl-C.
watch_it() # LOG TITLE COMMAND…
{
    local log=$1 title=$2 turn=0 marks='|/-\' last
    shift 2
    set -m
    "$@" >"$log" 2>&1 </dev/null &
    running=$!
    set +m
    while kill -0 $running 2>/dev/null; do
        last=$(tail -n 1 "$log" 2>/dev/null | tr -cd '[:print:]' | cut -c -$((columns - 38)))
        printf '\r  %-32s %s %s\033[K' "$title" "${marks:turn++%4:1}" "$last"
        sleep 0.2
    done
    wait $running
    local status=$?
    running=
    printf '\r  %-32s \033[K' "$title"
    return $status
}

interrupted()
{
    [ -n "$running" ] && kill -TERM -- "-$running" 2>/dev/null
    printf '\nstopped\n'
    exit 130
}
trap interrupted INT TERM

# ---- packages ----

missing_packages()
{
    local package
    for package in "${packages[@]}"; do
        dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
            echo "$package"
    done
}

as_root=()
install_packages() # PACKAGE…
{
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
        -o DPkg::Lock::Timeout=300)
    # Package lists may be absent (a fresh system) or too old (files that are gone).
    if compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
        "${apt[@]}" install --no-install-recommends "$@" && return
    fi
    "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "$@"
}

need() # WHY PACKAGE…
{
    echo "$1, and these Debian packages (or what they are called here) are needed:" >&2
    shift
    printf '\n    %s\n\nInstall them and run this again.\n' "$*" >&2
    exit 1
}

get_packages()
{
    local missing
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        command -v autoreconf >/dev/null && command -v libtoolize >/dev/null && return
        need 'This is not Debian' "${packages[@]}"
    fi
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -eq 0 ] && return
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || need 'You are not root, there is no sudo' "${missing[@]}"
        as_root=(sudo -n)
        if ! sudo -n true 2>/dev/null; then
            [ -t 0 ] || need 'You are not root, sudo wants a password' "${missing[@]}"
            echo "Installing ${missing[*]}:"
            sudo -v || need 'You are not root' "${missing[@]}"
        fi
    fi
    stage packages "installing ${#missing[@]} packages" install_packages "${missing[@]}"
}

# ---- build ----

configure_it()
{
    rm -rf build/asan && ./autogen.sh && (cd build && ../configure)
}

build_it()
{
    # Configured before, here?  Changes of configure.ac since then are make's business.
    if ! grep -qsxF "abs_top_builddir = $PWD/build" build/Makefile || [ ! -x configure ]; then
        stage configure 'configuring' configure_it
    fi
    stage make 'building' make -C build -j "$(nproc)"
}

# ---- what it is for ----

first_result()
{
    printf '\n$ %s\n' "${main_job[*]}"
    "${main_job[@]}" || exit 1
    printf '\n'
    place 'commands' build/bo-*[a-z]
    place 'every trial' build/quickstart.csv
    place 'plot' build/quickstart.png
    place 'to go on' README.md
    printf '  %-12s %s\n' 'to install' 'make -C build install'
}

place() # WHAT FILE…: files that are there
{
    local what=$1 file found=()
    shift
    for file in "$@"; do
        [ -f "$file" ] && found+=("$file")
    done
    [ ${#found[@]} -gt 0 ] && printf '  %-12s %s\n' "$what" "${found[*]}"
}

run_tests()
{
    local jobs
    jobs=$(nproc)
    stage tests 'building the tests' make -C build -j "$jobs" check TESTS=
    try check 'tests' make -k -C build -j "$jobs" check
    stage asan 'building them with sanitizers' make -C build -j "$jobs" check-sanitize TESTS=
    try sanitize 'tests under sanitizers' make -k -C build -j "$jobs" check-sanitize
    printf '\n'
    tests/totals.sh build/check.log build build/sanitize.log build/asan
}

mkdir -p build
case ${1:-} in
'')
    get_packages
    build_it
    first_result
    ;;
check)
    get_packages
    build_it
    run_tests
    ;;
*)
    sed -n '6,9s/^# *//p' "$0"
    [ "$1" = --help ] || exit 2
    ;;
esac
