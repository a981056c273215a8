#' Reduced multiple empirical kernel learning
#'
#' Maps the rows by several kernels at once, each reduced to the rank of its Gram matrix, and trains
#' on each of these views a modified Ho-Kashyap classifier, all coupled so that they agree. The
#' decision is the mean of the views. `basis = "full"` keeps all rows in every view: MultiK-MHKS.
#' [mhks()] and [kmhks()] are the machines on one view.
#'
#' For each kernel \eqn{l}, rows \eqn{v_1, \ldots, v_r} whose images span those of all rows give an
#' orthonormal map \eqn{\Psi_l(x)} into \eqn{r} dimensions with \eqn{\Psi_l(x)'\Psi_l(z) = k_l(x,
#' z)}. With labels \eqn{\varphi = \pm 1}, margins \eqn{g_l = \varphi (\Psi_l'\omega_l +
#' \omega_{l0})} and their mean \eqn{\bar g}, the machine minimises (equation (12) of the paper)
#' \deqn{\sum_l \Big( |g_l - 1 - b_l|^2 + c |\omega_l|^2 \Big) + \lambda \sum_l |g_l - \bar g|^2,
#' \quad b_l \ge 0,}{sum_l (|g_l - 1 - b_l|^2 + c |omega_l|^2) + lambda sum_l |g_l - gbar|^2,}
#' by alternating steps: \eqn{b_l} grows by \eqn{\rho (e_l + |e_l|)} with \eqn{e_l = g_l - 1 - b_l},
#' then all \eqn{\omega_l} solve their linear systems with what the other views were before. The
#' objective falls in every step. As \eqn{b} never shrinks, the limit need not be the minimum;
#' `b.update = "exact"` sets \eqn{b_l = (g_l - 1)_+} instead and reaches it.
#'
#' The symbols \eqn{c}, \eqn{\lambda}, \eqn{\rho} and \eqn{\xi} are the paper's: here `lambda` is
#' the weight of agreement, `c` the penalty of size, both against a sum over the rows. Case weights
#' are scaled to mean 1 over the rows of a machine and multiply the squares of a row.
#'
#' With `c` or `lambda` of several values (or `NULL`) each machine takes the pair with the least
#' squared hinge loss on held-out rows, whose decision values are clipped to \eqn{[-1, 1]}: the
#' count of errors is too coarse to tell pairs apart on few rows, and without clipping a few rows
#' far out would decide. Maps do not see classes and are made once, of all rows of the machine.
#' Where `c` or `lambda` is `NULL`, the values are \eqn{2^{-4}, \ldots, 2^4}, and while the least
#' loss lies at an end of them and falls towards it, two more are added beyond that end, each four
#' times as far, down to \eqn{2^{-20}} and up to \eqn{2^{12}}. Where little is learned (a loss
#' above 0.8 of the labels' variance), `c` grows at both ends. Values that were given stay as they
#' are. `print()` says where a search ended at an edge nevertheless.
#'
#' @section Kernels:
#' An entry of `kernels` is `"linear"`, \eqn{u'v}; `"radial"`, \eqn{\exp(-\gamma |u - v|^2)}, by
#' default with \eqn{\gamma = 1 / (2 \sigma^2)} and \eqn{\sigma} the mean distance over all pairs of
#' the machine's rows (of at most 4000 of them); `"polynomial"`, \eqn{(\gamma u'v +
#' c_0)^{degree}}, by default \eqn{(u'v + 1)^2}; a function of two matrices with scaled rows and
#' named columns, which returns the kernel's values, rows by rows; an object made by [hg_kernel()];
#' or a list with one of these as `kernel` and any of `columns` (names or numbers of the columns
#' that this kernel sees; not with an object, which has its own) and of the parameters that it
#' takes: `gamma`, `degree` and `coef0`. The whole Gram matrix of a function or object is computed.
#' Names of the list name the views in what is printed and plotted.
#'
#' A kernel that is not positive semi-definite gives a warning, and its negative directions are left
#' out; with `basis = "cholesky"` it is an error. A view of rank 0 (no value above the tolerance) is
#' left out with a warning.
#'
#' @section Basis:
#' * `"elimination"` (the paper's): Gaussian elimination of the Gram matrix with pivoting; a column
#'   without a pivot above `tol` times the largest row sum depends on those before it.
#' * `"cholesky"`: Cholesky factorisation that takes the row farthest from the span so far, while
#'   its squared distance is above `tol` times the largest kernel value \eqn{k(x, x)}. It needs
#'   \eqn{n r} kernel values and never the whole Gram matrix: the choice for many rows.
#' * `"random"`: rows at random, fewer and fewer until they are independent (random descending), for
#'   comparison.
#' * `"full"`: all rows, through the eigenvectors of the Gram matrix above `tol` times the largest
#'   eigenvalue (MultiK-MHKS).
#'
#' A larger `tol` gives smaller, faster models. `NULL` is rounding error: as many units in the last
#' place as there are rows. `max.rank` bounds the rank whatever the rule: the first rows that
#' elimination or Cholesky finds, a first guess of so many random rows, the leading eigenvectors.
#'
#' @section Errors:
#' All have the class `flexkern_error`; unknown arguments are errors too. A numeric `y`, one class,
#' a sparse `x`, a function that returns the wrong shape, and a Gram matrix that does not fit into
#' `memory` are refused.
#'
#' @inheritParams vpsvm
#' @param y The classes, a factor.
#' @param kernels A kernel or a list of them; see Kernels.
#' @param c,lambda Positive numbers to use or to choose from; `NULL` for \eqn{2^{-4}, \ldots, 2^4}
#'   and beyond, see Details. One kernel has nothing to agree with: `lambda` is refused there, and
#'   `NULL` is 1.
#' @param basis How the rows that span a view are found; see Basis.
#' @param tol,max.rank When a basis is complete; see Basis.
#' @param root The root of the basis rows' Gram matrix that makes the map orthonormal: `"cholesky"`,
#'   or `"symmetric"` (equation (5) of the paper). One is a rotation of the other, so that the
#'   machines are the same up to rounding. Not for `basis = "full"`, whose map is equation (18).
#' @param rbf.scale `"variance"`: \eqn{\gamma = 1 / (2 \sigma^2)}; `"sigma"`: \eqn{1 / (2 \sigma)},
#'   under which the ranks that the paper prints come out.
#' @param multiclass `"ovo"`: one machine for each pair of classes, the majority decides (the
#'   paper's); `"ovr"`: one for each class against the rest, on common maps.
#' @param rho Step of the margins, at most 1.
#' @param b.start The margins \eqn{b} at the start.
#' @param b.update,w.update `"ho-kashyap"` or `"exact"`, see Details; `"simultaneous"` (the paper's)
#'   or `"sequential"` updates of the views.
#' @param xi,criterion The updates stop when the objective changes by at most `xi` times
#'   \eqn{\max(1, \textrm{objective})}{max(1, objective)}, or with `"absolute"` (the paper's) by
#'   `xi`.
#' @param max.iter Largest number of iterations.
#' @param folds Number of cross-validation folds, stratified by class.
#' @param class.weights Positive numbers named by class (others count 1), or `"inverse"` for one
#'   over the class counts (by case weight).
#' @param type `"auto"` or `"classification"`, which takes numbers for classes.
#' @param seed A whole number for the folds and `basis = "random"`; by default one number is drawn
#'   from R's stream, and none if the fit has no random part.
#' @return A list of class `rmekl`, free of environments and pointers unless a kernel is a function,
#'   with among others
#'   \item{machines}{a data frame, one row a machine: its `name` `"b/a"` (positive values say `b`),
#'     `c`, `lambda`, `cv.error` (its own, on its classes), `iterations`, `objective`, `converged`,
#'     and `edge`, the penalties that were chosen at an end of their values where the loss still
#'     fell (`"c low"`)}
#'   \item{views}{a data frame, one row for each kernel of each group of machines: `rank` as the
#'     basis rule found it (for [svm2k()] that of the kernel plus 1), `size` of the basis that is
#'     kept, `gamma`}
#'   \item{sv, index}{the basis rows of all views (scaled) and their numbers in the training data;
#'     nothing else of the data is kept}
#'   \item{objective, grid}{per machine: the objective at each iteration; the values tried and the
#'     held-out error and mean squared (clipped) hinge loss of each pair (`NULL` without a search)}
#'   \item{cv.error}{cross-validated misclassification rate at the chosen pairs}
#'   \item{fitted, residuals}{on the training rows; the residual is 1 where the label is wrong}
#' @references Reduced multiple empirical kernel learning machine (2015), Cognitive Neurodynamics;
#'   equations (2), (5) and (12) to (18), Table 1.
#'
#' Leski, J. (2003) Ho-Kashyap classifier with generalization control. Pattern Recognition Letters
#' 24, 2281-2290.
#'
#' Harmeling, S., Ziehe, A., Kawanabe, M. and Mueller, K.-R. (2003) Kernel-based nonlinear blind
#' source separation. Neural Computation 15, 1089-1124.
#' @seealso [predict.rmekl()], [plot.rmekl()], [svm2k()]
#' @examples
#' fit <- rmekl(Species ~ ., iris, c = 2^c(-4, 0, 4), lambda = 1, seed = 1)
#' fit
#' table(predict(fit, iris), iris$Species)
#' rmekl(Species ~ ., iris, c = 0.1, lambda = 1, basis = "cholesky", max.rank = 10)
#' @export
rmekl <- function(x, ...) UseMethod("rmekl")

#' @rdname rmekl
#' @export
rmekl.formula <- function(formula, data = NULL, ..., subset, weights, na.action = stats::na.fail) {
  fit_formula("rmekl", rmekl.default, match.call(), environment(), list(...))
}

#' @rdname rmekl
#' @export
rmekl.default <- function(x, y, kernels = c("linear", "radial", "polynomial"), c = NULL,
                          lambda = NULL, basis = c("elimination", "cholesky", "random", "full"),
                          tol = NULL, max.rank = NULL, root = c("cholesky", "symmetric"),
                          rbf.scale = c("variance", "sigma"), multiclass = c("ovo", "ovr"),
                          rho = 0.99, b.start = 1e-6, b.update = c("ho-kashyap", "exact"),
                          w.update = c("simultaneous", "sequential"), xi = 1e-3,
                          criterion = c("relative", "absolute"), max.iter = 500, folds = 5,
                          scale = "range", weights = NULL, class.weights = NULL,
                          probability = FALSE, type = c("auto", "classification"), threads = NULL,
                          memory = NULL, device = c("auto", "cpu", "cuda"),
                          verbose = getOption("flexkern.verbose", interactive()), seed = NULL,
                          na.action = stats::na.fail, ...) {
  call <- match.call()
  check_fit_call("rmekl", rmekl.default, missing(x), list(...))
  s <- mekl_settings(mekl_arguments(rmekl.default, environment()), "rmekl",
                     !missing(folds))
  input <- fit_input(x, y, weights, na.action, missing(weights) && missing(na.action))
  with_call(mekl_fit(input, s), "rmekl", call)
}

# ---- shared by the methods on several kernels ----------------------------------------------------

# The settings among the arguments in `frame`, and which of all were given.
mekl_arguments <- function(default, frame) {
  names <- setdiff(names(formals(default)), c("x", "y", "kernel", "weights", "na.action", "..."))
  with_given(mget(names, frame), frame$call)
}
