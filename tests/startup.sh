#!/bin/sh
# startup.sh - a command gets the kernels its CPU can run, starts again at most once, leaves
# the environment as it was, and notices output that is lost.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
probe=$top_builddir/tests/startup-probe
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset OPENBLAS_CORETYPE BO_STARTED_AGAIN PROBE_CORE || true
unset OPENBLAS_NUM_THREADS
export PROBE_TRACE="$place/trace"

# run STARTS [NAME=VALUE…]: runs the probe in that environment and checks how often it started.
run()
{
    starts=$1
    shift
    rm -f "$PROBE_TRACE"
    env "$@" "$probe" 'two words' '' '*' >"$place/said" 2>"$place/errors" ||
        fail "the probe ended with status $?"
    [ "$(wc -l <"$PROBE_TRACE")" -eq "$starts" ] || fail "expected $starts start(s): $*"
    [ -s "$place/errors" ] && fail "it complained"
    says 'argument=two words' && says 'argument=' && says 'argument=*'
    says 'threads=1'
}

fail()
{
    echo "$*"
    cat "$PROBE_TRACE" "$place/said" "$place/errors"
    exit 1
}

says()
{
    grep -qxF -e "$1" "$place/said" || fail "not said: $1"
}

# A choice of the user's stays, however poor.
run 1 OPENBLAS_CORETYPE=Prescott
says 'core=Prescott'
says 'OPENBLAS_CORETYPE=Prescott'
says 'BO_STARTED_AGAIN=(unset)'

# Without one, the kernels suit the CPU in the end, and no variable is left behind.
cpu=$(sed -n 's/^cpu=//p' "$place/said")
advice=$(BO_STARTED_AGAIN=1 "$probe" | sed -n 's/^advice=//p')
if [ "$advice" = '(none)' ]; then run 1; else run 2; fi
says 'advice=(none)'
says 'OPENBLAS_CORETYPE=(unset)'
says 'BO_STARTED_AGAIN=(unset)'

# When starting again does not help, once is enough.
if [ "$cpu" -gt 0 ]; then run 2 PROBE_CORE=Prescott; else run 1 PROBE_CORE=Prescott; fi
says 'OPENBLAS_CORETYPE=(unset)'
says 'BO_STARTED_AGAIN=(unset)'

# A core that is not known is left alone.
run 1 PROBE_CORE=Tomorrow

# Output that cannot be written is an error, and no other file gets it.
for command in run train eval bench; do
    if "$top_builddir/bo-$command" --help >&- 2>"$place/errors"; then
        fail "bo-$command: a closed output is no error"
    fi
    grep -qx "bo-$command: cannot write to standard output" "$place/errors" ||
        fail "bo-$command does not say that its output is closed"
done
if "$top_builddir/bo-run" --objective branin --iterations 2 --output "$place/run.csv" >&- 2>&-; then
    fail "bo-run: a closed output is no error"
fi
[ "$(wc -l <"$place/run.csv")" -eq 9 ] || fail "lines of the output went to the file"
