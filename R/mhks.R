#' Modified Ho-Kashyap classifiers on one view
#'
#' `mhks()` is linear in the columns (Leski 2003); `kmhks()` is the same machine in the feature
#' space of one kernel, with all rows as basis. Both minimise \eqn{|g - 1 - b|^2 + c |\omega|^2}
#' over the weights \eqn{\omega} and margins \eqn{b \ge 0}; see [rmekl()], whose one-view cases
#' they are. Several values of `c` are compared by their loss on held-out rows as there.
#'
#' @inheritParams rmekl
#' @param kernel One kernel, as in [rmekl()].
#' @param c Positive numbers to use or to choose from by cross-validation; `NULL` for \eqn{2^{-4},
#'   \ldots, 2^4} and beyond, as in [rmekl()].
#' @param tol When the basis is complete, see the section Basis of [rmekl()].
#' @param b.update `"ho-kashyap"` or `"exact"`, see the details of [rmekl()].
#' @return A list of class `mhks` or `kmhks`, and `rmekl`; see [rmekl()]. `coef()` of an `mhks`
#'   model gives the weights of the scaled columns.
#' @references Leski, J. (2003) Ho-Kashyap classifier with generalization control. Pattern
#'   Recognition Letters 24, 2281-2290.
#' @seealso [rmekl()], [predict.rmekl()]
#' @examples
#' fit <- mhks(Species ~ ., iris, seed = 1)
#' coef(fit)
#' kmhks(Species ~ ., iris, seed = 1)
#' @export
mhks <- function(x, ...) UseMethod("mhks")

#' @rdname mhks
#' @export
mhks.formula <- function(formula, data = NULL, ..., subset, weights, na.action = stats::na.fail) {
  fit_formula("mhks", mhks.default, match.call(), environment(), list(...))
}

#' @rdname mhks
#' @export
mhks.default <- function(x, y, c = NULL, multiclass = c("ovo", "ovr"), rho = 0.99,
                         b.start = 1e-6, b.update = c("ho-kashyap", "exact"), xi = 1e-3,
                         criterion = c("relative", "absolute"), max.iter = 500, folds = 5,
                         scale = "range", weights = NULL, class.weights = NULL,
                         probability = FALSE, type = c("auto", "classification"), threads = NULL,
                         memory = NULL, device = c("auto", "cpu", "cuda"),
                         verbose = getOption("flexkern.verbose", interactive()), seed = NULL,
                         na.action = stats::na.fail, ...) {
  call <- match.call()
  check_fit_call("mhks", mhks.default, missing(x), list(...))
  s <- one_view_settings(mekl_arguments(mhks.default, environment()), "mhks", "linear",
                         !missing(folds))
  s$basis <- "cholesky"
  input <- fit_input(x, y, weights, na.action, missing(weights) && missing(na.action))
  with_call(mekl_fit(input, s), "mhks", call)
}

one_view_settings <- function(s, method, kernel, folds_asked) {
  s["kernels"] <- list(kernel)
  s$rbf.scale <- s$rbf.scale %||% "variance"
  mekl_settings(s, method, folds_asked)
}

#' @rdname mhks
#' @export
kmhks <- function(x, ...) UseMethod("kmhks")

#' @rdname mhks
#' @export
kmhks.formula <- function(formula, data = NULL, ..., subset, weights, na.action = stats::na.fail) {
  fit_formula("kmhks", kmhks.default, match.call(), environment(), list(...))
}

#' @rdname mhks
#' @export
kmhks.default <- function(x, y, kernel = "radial", c = NULL, tol = NULL,
                          rbf.scale = c("variance", "sigma"), multiclass = c("ovo", "ovr"),
                          rho = 0.99, b.start = 1e-6, b.update = c("ho-kashyap", "exact"),
                          xi = 1e-3, criterion = c("relative", "absolute"), max.iter = 500,
                          folds = 5, scale = "range", weights = NULL, class.weights = NULL,
                          probability = FALSE, type = c("auto", "classification"), threads = NULL,
                          memory = NULL, device = c("auto", "cpu", "cuda"),
                          verbose = getOption("flexkern.verbose", interactive()), seed = NULL,
                          na.action = stats::na.fail, ...) {
  call <- match.call()
  check_fit_call("kmhks", kmhks.default, missing(x), list(...))
  s <- one_view_settings(mekl_arguments(kmhks.default, environment()), "kmhks", kernel,
                         !missing(folds))
  s$basis <- "full"
  input <- fit_input(x, y, weights, na.action, missing(weights) && missing(na.action))
  with_call(mekl_fit(input, s), "kmhks", call)
}
