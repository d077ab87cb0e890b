# bo-instrument.m4 - builds that look for faults: sanitizers and coverage.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The flags go to INSTRUMENT_CFLAGS and INSTRUMENT_LDFLAGS, which come after the optimisation
# level of CFLAGS.  A fault found by a sanitizer ends the program, so that a test cannot pass
# over it.

# BO_INSTRUMENT_OPTION(FEATURE, HELP, FLAGS)
AC_DEFUN([BO_INSTRUMENT_OPTION], [
  AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [$2])], [], [enable_$1=no])
  if test "$enable_$1" != no; then
    bo_instrument_save=$CFLAGS
    CFLAGS="$CFLAGS $3"
    AC_MSG_CHECKING([whether $CC takes $3])
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([--enable-$1 needs a compiler that takes $3 (gcc or clang).])])
    CFLAGS=$bo_instrument_save
    INSTRUMENT_CFLAGS="$INSTRUMENT_CFLAGS $3"
    INSTRUMENT_LDFLAGS="$INSTRUMENT_LDFLAGS $3"
    bo_instruments="$bo_instruments${bo_instruments:+, }$1"
  fi
])

AC_DEFUN([BO_INSTRUMENT], [
  BO_INSTRUMENT_OPTION([asan], [find memory errors and leaks (AddressSanitizer)],
    [-fsanitize=address -fno-omit-frame-pointer])
  BO_INSTRUMENT_OPTION([ubsan], [find undefined behaviour (UBSan)],
    [-fsanitize=undefined -fno-sanitize-recover=undefined])
  BO_INSTRUMENT_OPTION([gcov], [measure test coverage; see make coverage], [--coverage])
  if test -n "$bo_instruments" && test "$bo_cflags_given" = no; then
    CFLAGS="-g -O1"
  fi
  AC_SUBST([INSTRUMENT_CFLAGS])
  AC_SUBST([INSTRUMENT_LDFLAGS])
])
