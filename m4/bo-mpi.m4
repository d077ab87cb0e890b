# bo-mpi.m4 - MPI, for bo-bench and bo-train on several machines; everything works without it.
#
# SPDX-License-Identifier: GPL-3.0-or-later

# BO_MPI: asks mpicc which flags a program needs.  Defines HAVE_MPI, MPI_CFLAGS and MPI_LIBS, and
# bo_mpi for the summary.  --without-mpi leaves it out, --with-mpi insists on it.
AC_DEFUN([BO_MPI], [
  AC_ARG_WITH([mpi], [AS_HELP_STRING([--without-mpi], [build bo-bench and bo-train without MPI])], [],
    [with_mpi=check])
  AC_ARG_VAR([MPICC], [MPI compiler wrapper, asked for its flags])
  bo_mpi="without: apt-get install libopenmpi-dev, then configure again"
  if test "$with_mpi" = no; then
    bo_mpi="left out"
  else
    AC_PATH_PROG([MPICC], [mpicc], [no])
    if test "$MPICC" != no; then
      # OpenMPI answers to --showme, MPICH and its kin to -compile_info and -link_info.
      MPI_CFLAGS=`$MPICC --showme:compile 2>/dev/null` &&
        MPI_LIBS=`$MPICC --showme:link 2>/dev/null` || {
        MPI_CFLAGS=`$MPICC -compile_info 2>/dev/null | sed 's/^@<:@^ @:>@* //'`
        MPI_LIBS=`$MPICC -link_info 2>/dev/null | sed 's/^@<:@^ @:>@* //'`
      }
      bo_mpi_save="$CPPFLAGS"
      CPPFLAGS="$CPPFLAGS $MPI_CFLAGS"
      BO_DEPEND([MPI], [libopenmpi-dev], [[#include <mpi.h>]],
        [[return MPI_Init_thread(0, 0, MPI_THREAD_SINGLE, 0);]], [$MPI_LIBS],
        [bo_mpi="with $MPICC"
         AC_DEFINE([HAVE_MPI], [1], [Define to 1 when bo-bench and bo-train run under MPI.])],
        [MPI_CFLAGS= MPI_LIBS=])
      CPPFLAGS=$bo_mpi_save
    fi
    if test "$with_mpi" = yes; then
      case $bo_mpi in
        with\ *) ;;
        *) AC_MSG_ERROR([--with-mpi: no MPI was found (Debian: apt-get install libopenmpi-dev)]) ;;
      esac
    fi
  fi
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
])
