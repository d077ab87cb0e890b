# bo-nlopt.m4 - does NLopt's L-BFGS run?
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# NLopt can be built without some of its algorithms, and a library that links may still fail at
# run time.  So minimise (x - 1)^2 over [-3, 3] with LD_LBFGS once.  When cross compiling the
# program cannot be run; NLopt is then trusted.

# BO_NLOPT_RUNS(LIBS)
AC_DEFUN([BO_NLOPT_RUNS], [
  AC_MSG_CHECKING([whether NLopt's LD_LBFGS works])
  bo_nlopt_save=$LIBS
  LIBS="$1 $LIBS"
  AC_RUN_IFELSE([AC_LANG_SOURCE([[
#include <math.h>
#include <nlopt.h>

static double parabola(unsigned n, const double *x, double *gradient, void *data)
{
    (void)n, (void)data;
    if (gradient)
        gradient[0] = 2 * (x[0] - 1);
    return (x[0] - 1) * (x[0] - 1);
}

int main(void)
{
    double x = -2, y;
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, 1);
    if (!opt)
        return 1;
    nlopt_set_lower_bounds1(opt, -3);
    nlopt_set_upper_bounds1(opt, 3);
    nlopt_set_min_objective(opt, parabola, 0);
    nlopt_set_vector_storage(opt, 10);
    nlopt_set_maxeval(opt, 100);
    nlopt_set_xtol_rel(opt, 1e-8);
    nlopt_result result = nlopt_optimize(opt, &x, &y);
    nlopt_destroy(opt);
    return !(result > 0 && fabs(x - 1) < 1e-4);
}
]])],
    [bo_nlopt_runs=yes], [bo_nlopt_runs=no], [bo_nlopt_runs="not tried, cross compiling"])
  AC_MSG_RESULT([$bo_nlopt_runs])
  LIBS=$bo_nlopt_save
  if test "$bo_nlopt_runs" = no; then
    AC_MSG_ERROR([NLopt was found but its LD_LBFGS does not minimise a parabola.
NLopt 2.7 or later, with its Luksan algorithms, is expected: apt-get install libnlopt-dev.
What was tried is in config.log.])
  fi
])
