#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes ./configure from configure.ac; needs autoconf, automake and libtool.
set -e
cd "$(dirname "$0")"
mkdir -p build-aux
exec autoreconf --install --force --warnings=all
