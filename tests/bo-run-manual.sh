#!/bin/sh
# bo-run-manual.sh - --help and the manual page name the same options; the examples of the help run.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
run=$top_builddir/bo-run
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail()
{
    echo "$*"
    exit 1
}

page=$top_srcdir/man/bo-run.1
COLUMNS=100 "$run" --help >help
grep -Eo '^  --[a-z-]+' help | tr -d ' ' | sort >options
sed -n 's/^\.It Fl Fl \([a-z-]*\).*/--\1/p' "$page" | sort >documented
diff options documented || fail "--help (<) and the manual page (>) differ"
[ "$(sort options | uniq -d)" = '' ] || fail "an option twice"
"$run" --version | grep -Eq '^bo-run [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version"

# Lines keep to the width of the terminal.
for width in 70 80; do
    longest=$(COLUMNS=$width "$run" --help | sed '/^Examples:/,/^What/d' | LC_ALL=C.UTF-8 wc -L)
    [ "$longest" -le $width ] || fail "lines of $longest characters in $width columns"
done

# The examples: commands are indented by four, their continuations by more.
cat >train <<'END'
#!/bin/sh
[ "$1 $3 $5" = '--rate --depth --kind' ] && awk -v r="$2" -v d="$4" 'BEGIN { print r * d }'
END
chmod +x train
sed -n '/^Examples:/,/^What/p' help | grep -E '^    ' | sed 's/^    //' >examples
[ "$(grep -c '^bo-run' examples)" -ge 5 ] || fail "too few examples"
PATH=$top_builddir:$PATH sh -e examples >said 2>errors || fail "an example fails: $(cat errors)"
[ -s trials.csv ] || fail "the example's file is missing"
exit 0
