#!/bin/sh
# models.sh - models/README.md tells of each shipped file the command that its metadata tell of.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
cd "$top_srcdir/models"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

awk -F' *[|`] *' '/^\|.*bo-train/ { print $2, $6 }' README.md >"$place/rows"
for file in *.safetensors; do
    grep -q "^${file%.safetensors} " "$place/rows" || { echo "$file has no command"; exit 1; }
done
while read -r name command; do
    training=$(LC_ALL=C grep -ao '"training":"[^"]*"' "$name.safetensors" | tr -d '"' |
        sed 's,^training:,,')
    # What an option of the command says, or what it is without; numbers by their value.
    echo "$command" "$training" | awk -v name="$name" '
        function same(a, b) { return a == b || (a + 0 != 0 && a - b < 1e-6 && b - a < 1e-6) }
        {
            said["clip"] = 0
            for (i = 1; i < NF; i++)
                if ($i ~ /^--/)
                    said[substr($i, 3)] = $(i + 1)
            for (i = 1; i <= NF; i++)
                if (split($i, part, "=") == 2)
                    is[part[1]] = part[2]
            n = split("model precision sigma-floor clip steps batch seed", all, " ")
            for (i = 1; i <= n; i++)
                if (!same(said[all[i]], is[all[i]])) {
                    print name ": " all[i] " is \"" said[all[i]] "\" in the README, \"" \
                        is[all[i]] "\" in the file"
                    bad = 1
                }
            exit bad
        }'
done <"$place/rows"
awk '/^```/ { inside = !inside; next } inside && /safetensors$/' README.md | sha256sum -c --quiet
