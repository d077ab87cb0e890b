#!/bin/sh
# examples.sh - every example runs, ends well and has something to say.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
[ -n "$EXAMPLES" ] || { echo "no examples in this build"; exit 77; }
status=0
for example in $EXAMPLES; do
    # In a place of its own, since an example may write files.
    if (cd "$place" && "$top_builddir/$example" >said 2>errors </dev/null); then
        [ -s "$place/said" ] || { echo "$example: prints nothing"; status=1; }
    else
        echo "$example: status $?"
        status=1
    fi
    echo "--- $example"
    cat "$place/said" "$place/errors"
done
exit $status
