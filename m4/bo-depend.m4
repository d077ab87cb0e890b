# bo-depend.m4 - dependencies, with the Debian package that brings each.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Nothing stops at the first gap: what is missing is gathered, and BO_DEPEND_REPORT names all of
# it in one message with the command that installs it.

# BO_DEPEND(NAME, DEBIAN-PACKAGE, PROGRAM-PROLOGUE, PROGRAM-BODY, LIBS, [IF-FOUND], [IF-MISSING])
# Compiles and links a small program that uses the dependency.
AC_DEFUN([BO_DEPEND], [
  AC_MSG_CHECKING([for $1])
  bo_depend_save=$LIBS
  LIBS="$5 $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([$3], [$4])],
    [AC_MSG_RESULT([yes])
     $6],
    [AC_MSG_RESULT([no])
     m4_default([$7], [BO_DEPEND_MISSING([$1], [$2])])])
  LIBS=$bo_depend_save
])

# BO_DEPEND_MISSING(NAME, DEBIAN-PACKAGE)
AC_DEFUN([BO_DEPEND_MISSING], [
  bo_missing_names="$bo_missing_names${bo_missing_names:+, }$1"
  bo_missing_packages="$bo_missing_packages $2"
])

# BO_DEPEND_REPORT: ends configure when something was missing.
AC_DEFUN([BO_DEPEND_REPORT], [
  if test -n "$bo_missing_packages"; then
    AC_MSG_ERROR([missing: $bo_missing_names.
On Debian or Ubuntu they come with

    apt-get install$bo_missing_packages

Elsewhere, install them with their headers; when they are in an unusual place, name it:
    ./configure CPPFLAGS=-I/place/include LDFLAGS=-L/place/lib
What was tried is in config.log.])
  fi
])
