#' Kernel basis pursuit
#'
#' Puts many kernels side by side in one dictionary, follows the whole regularisation path of the
#' lasso over it by least angle regression, and stops where a rule without parameters says so. The
#' result is a sparse sum of kernels of several widths: wide ones where the response is smooth,
#' narrow ones where it is not.
#'
#' A *source* is one kernel centered at one training row; the dictionary holds all of them, each
#' column standardised. The model is \eqn{f(x) = \beta_0 + \sum_b \sum_j \beta_{bj} K_b(x_j, x)},
#' and \eqn{\beta} minimises \eqn{|y - K\beta|^2} under a bound on \eqn{\sum |\beta|} (equation (10)
#' of the paper), for every bound at once. Between two breakpoints, where a source enters or leaves,
#' all coefficients are linear in the bound. A dictionary that does not fit into `memory` is never
#' stored but computed by tiles. Classes are learned as \eqn{-1} and \eqn{+1}, more than two by one
#' path for each class against the rest, all on one dictionary.
#'
#' @section Kernels:
#' An entry of `kernels` is
#' * `"radial"`, \eqn{\exp(-|u - v|^2 / (2 \sigma^2))}, or `"laplace"`, \eqn{\exp(-|u - v| /
#'   \sigma)}, for each bandwidth \eqn{\sigma} of `bandwidths`;
#' * `"polynomial"`, \eqn{(\gamma u'v + c_0)^{degree}}, or `"linear"`, \eqn{u'v};
#' * a function of two matrices with scaled rows, their columns named, which returns one row for
#'   each row of the first and one column for each row of the second (it need not be positive
#'   definite). Its values at all pairs of rows must fit into `memory`. The model keeps the
#'   function, with what it sees of the place where it was written;
#' * an object made by [hg_kernel()], or a list of it and `gamma`, 1 by default, with one dictionary
#'   block for each `gamma`;
#' * a numeric matrix with one row for each row of `x`: sources given by their values;
#' * a list with one of these as `kernel`, and any of `columns` (names or numbers of the columns
#'   that this kernel sees, a function in this order), and what the kernel reads of `bandwidths` or
#'   `gamma` (\eqn{1 / (2 \sigma^2)}, for `"laplace"` \eqn{1 / \sigma}), `degree` and `coef0`.
#'   Several values of `gamma` are as many kernels.
#'
#' The key bandwidth is that at which two points at the key distance have the kernel value 0.001
#' (equation (13) of the paper, which prints the density; the kernel with peak 1 is meant here).
#' With `bandwidths = "paper"` the series begins there, and each next bandwidth is three times as
#' wide, up to half the diameter of the data, 15 at most. Its first members reach a single row each
#' and can only fit its noise; `"auto"` begins at \eqn{3^{3/2}} times the key bandwidth and goes on
#' by factors of \eqn{\sqrt 3}, which did better on the signals of the study that comes with the
#' package. Where the bound is chosen by cross-validation, `"auto"` also tries the series without
#' its two narrowest members, its four narrowest and so on, and takes one whose cross-validated
#' error is lower by four percent.
#'
#' @section Where to stop:
#' * `"cv.l1"`: a bound on \eqn{\sum |\beta|} (of the standardised sources, in the unit of `y`),
#'   chosen by cross-validation. The point lies between two breakpoints as a rule.
#' * `"cv.nu"`: a bound on the number of active sources, as a share of the number of rows, chosen by
#'   cross-validation.
#' * `"random"`: the dictionary gets `traps` random vectors; the path stops where more than `bound`
#'   (0) of them are more correlated with the residual than the best source.
#' * `"trap"`: the same with Gaussian sources of a very small bandwidth, by default the one of the
#'   least distance of two rows; `bound` is 3.
#' * `"whiteness"`: where Ljung and Box's test with 20 lags (or a quarter of the rows) no longer
#'   finds at the level `bound` (0.05) that neighbouring residuals are correlated. Neighbours are
#'   those in the order of `x`, if it is one column, and else in the order of the rows.
#' * `"loss"`: where the mean squared error falls by less than `bound` times the variance of the
#'   response over five breakpoints; the bound is chosen by cross-validation.
#' * `"none"`: at the end of the path, or after `max.steps`.
#'
#' One number for `bound` is used as it is, without cross-validation unless `folds` is given;
#' several are compared by cross-validation; `print()` says where the best of them is the smallest
#' or the largest. A path may end before its bound is reached; `print()` then says so. A bound
#' that no number of traps can exceed is an error.
#'
#' @inheritSection vpsvm Input
#' @inheritSection vpsvm Formulas
#' @section Errors:
#' All have the class `flexkern_error`; unknown arguments are errors too. A sparse `x`, a dictionary
#' of constant columns only, automatic bandwidths without two distinct rows, and a kernel function
#' that returns the wrong shape or values that are not finite are refused.
#'
#' @inheritParams vpsvm
#' @param y The response: a factor or a numeric vector with one value per row of `x`. A numeric
#'   matrix holds several responses, which share the dictionary; in a formula, `cbind(a, b) ~ .`.
#' @param kernels One kernel or a list of them; see Kernels.
#' @param bandwidths `"auto"`, `"paper"`, or positive numbers in the unit of the scaled columns.
#' @param key The key distance of the automatic bandwidths: `"median"`, the median distance of a row
#'   to its nearest distinct neighbour, or `"min"`, the least of them (the paper's).
#' @param method `"lasso"`; `"lar"` (least angle regression: no source leaves); `"mp"`, `"omp"` or
#'   `"prefit"` (matching pursuit, orthogonal matching pursuit, prefitting).
#' @param stop,bound Where the path stops; see Where to stop.
#' @param traps For `stop = "random"` the number of random vectors (15), or a vector or matrix of
#'   your own, one row for each row of `x`, such as known noise; for `stop = "trap"` the bandwidth.
#' @param trap.type `"normal"` or `"uniform"` random vectors.
#' @param last.step `"lars"`, or `"ols"` to end with the least-squares fit of the active sources
#'   (not for `"mp"`; `"omp"` and `"prefit"` do so at every step).
#' @param max.steps Largest number of breakpoints; by default eight times the number of rows, and
#'   2000 at most.
#' @param intercept `"center"`: the path begins at the mean of the response, which costs nothing; or
#'   `"source"`, as in the authors' program: the path begins at 0, and a constant \eqn{1/\sqrt n} is
#'   one of the sources, so that it enters when its turn comes and counts in \eqn{\sum |\beta|} and
#'   among the active sources. Standardised columns are longer by about \eqn{n}, so that it comes
#'   late.
#' @param clip `TRUE` to clip numeric predictions to the range of the training response: where many
#'   wide kernels with large coefficients of both signs cancel, predictions beyond the training rows
#'   can be far off. `"auto"` is `FALSE` with a linear or polynomial kernel in the dictionary, which
#'   go on beyond the rows; else `TRUE`. Coefficients, path and the choice of the bound are those
#'   without.
#' @param scale `"standardize"` or `TRUE` (mean 0, standard deviation 1), `"range"` (each column to
#'   \eqn{[-1, 1]} by the training rows), `"none"` or `FALSE`, or one logical per column (`TRUE` to
#'   standardize it). Constant columns become 0.
#' @param seed A whole number for the folds and random vectors; by default one number is drawn from
#'   R's stream, and none if the fit has no random part.
#'
#' @return A list of class `kbp`, with among others
#'   \item{path}{for each response a list with the data frame `points`, one row for each breakpoint:
#'     `l1` \eqn{= \sum |\beta|}, `correlation` of the active sources with the residual, `loss`
#'     (training mean squared error), `df` (active sources), `traps` (above the active sources), the
#'     source that `entered` and the one that `left`; the coefficients are read by [coef.kbp()]}
#'   \item{sources}{the sources that occur on some path: `kernel` (its number in `blocks`), `name`,
#'     `bandwidth` and `row` of the training data}
#'   \item{coef, intercept}{of the sources at the end of the path, one column per response}
#'   \item{sv, index}{the rows (scaled) at which these sources are centered, and their numbers}
#'   \item{bound, grid}{the bound of each response, and the cross-validated mean squared error at
#'     each bound tried}
#'   \item{edge}{where `bound` was given: of each response `"bound low"` or `"bound high"` if the
#'     best of several is the smallest or the largest}
#'   \item{cv.error, fold}{cross-validated misclassification rate, or mean squared error, at the
#'     chosen bound; the fold of each row}
#'   \item{fitted, residuals}{on the training rows; for classification the residual is 1 where the
#'     fitted label is wrong}
#'
#' @references Guigue, V., Rakotomamonjy, A. and Canu, S. (2005) Kernel basis pursuit. CAp 2005 and
#'   ECML 2005; equations (8) to (13) and sections 3.2 to 3.4.
#'
#' Efron, B., Hastie, T., Johnstone, I. and Tibshirani, R. (2004) Least angle regression. Annals of
#' Statistics 32, 407-499.
#' @seealso [predict.kbp()], [coef.kbp()], [plot.kbp()]
#' @examples
#' d <- data.frame(t = runif(150, 0, 2))
#' d$y <- cos(exp(1.8 * d$t)) + rnorm(150, sd = 0.2)
#' fit <- kbp(y ~ t, d, seed = 1)
#' fit
#' plot(fit, "fit")
#' head(predict(fit, data.frame(t = c(0.5, 1.5))))
#' @export
kbp <- function(x, ...) UseMethod("kbp")

#' @rdname kbp
#' @export
kbp.formula <- function(formula, data = NULL, ..., subset, weights, na.action = stats::na.fail) {
  fit_formula("kbp", kbp.default, match.call(), environment(), list(...), several = TRUE)
}

#' @rdname kbp
#' @export
kbp.default <- function(x, y, kernels = "radial", bandwidths = "auto", key = c("median", "min"),
                        method = c("lasso", "lar", "mp", "omp", "prefit"),
                        stop = c("cv.l1", "cv.nu", "random", "trap", "whiteness", "loss", "none"),
                        bound = NULL, traps = NULL, trap.type = c("normal", "uniform"),
                          last.step = c("lars", "ols"), max.steps = NULL,
                          intercept = c("center", "source"), folds = 5, clip = "auto",
                        scale = "standardize", weights = NULL, class.weights = NULL,
                        probability = FALSE, type = c("auto", "classification", "regression"),
                        threads = NULL, memory = NULL, device = c("auto", "cpu", "cuda"),
                        verbose = getOption("flexkern.verbose", interactive()), seed = NULL,
                        na.action = stats::na.fail, ...) {
  call <- match.call()
  check_fit_call("kbp", kbp.default, missing(x), list(...))
  settings <- kbp_settings(with_given(mget(kbp_setting_names(), environment()), call),
                           !missing(folds))
  input <- fit_input(x, y, weights, na.action, missing(weights) && missing(na.action),
                     several = TRUE)
  if (is_sparse(input$x)) {
    abort("kbp() takes no sparse matrix; if it fits in memory, give as.matrix(x).", arg = "x")
  }
  with_call(kbp_fit(input, settings), "kbp", call)
}

kbp_setting_names <- function() {
  setdiff(names(formals(kbp.default)), c("x", "y", "weights", "na.action", "..."))
}
