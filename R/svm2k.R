#' Two-view support vector machine SVM-2K
#'
#' One support vector machine on each of two views, held to agree on every row (Farquhar et al.
#' 2005); the decision is the mean of both.
#'
#' With \eqn{f_A} and \eqn{f_B} the machines on the two kernels it minimises
#' \deqn{\frac12 |w_A|^2 + \frac12 |w_B|^2 + \sum_i \Big( C_A \xi^A_i + C_B \xi^B_i + D \eta_i
#' \Big),}{|w_A|^2 / 2 + |w_B|^2 / 2 + sum_i (C_A xi_A + C_B xi_B + D eta),}
#' with the hinge losses \eqn{\xi^v_i = (1 - y_i f_v(x_i))_+} and the disagreement
#' \eqn{\eta_i = (|f_A(x_i) - f_B(x_i)| - \varepsilon)_+}. The offset of each machine is the weight
#' of a constant feature and counts in \eqn{|w|^2}, so that the dual has bounds only; `bias =
#' "free"` takes it out of the penalty, as the paper has it. An interior point method solves the
#' dual until the gap to the primal value is at most `xi` times the latter; while penalties are
#' compared, by the loss on held-out rows as in [rmekl()], a gap of 0.01 and the kernels' leading
#' features will do.
#'
#' @inheritParams rmekl
#' @param kernels Two kernels, as in [rmekl()]; with `columns` they see different columns.
#' @param cost,D Positive numbers to use or to choose from by cross-validation: the costs of hinge
#'   loss and of disagreement; `NULL` for \eqn{2^{-4}, \ldots, 2^4} and beyond, as in [rmekl()].
#' @param balance Two positive numbers: \eqn{C_A} and \eqn{C_B} are these times `cost`.
#' @param epsilon Disagreement that is free.
#' @param bias `"penalized"` or `"free"` offsets, see Details.
#' @param xi The relative gap at which the machine is solved.
#' @param max.iter Largest number of iterations.
#' @return A list of class `svm2k` and `rmekl`; see [rmekl()]. `objective` is that of the dual.
#' @references Farquhar, J. D. R., Hardoon, D. R., Meng, H., Shawe-Taylor, J. and Szedmak, S. (2005)
#'   Two view learning: SVM-2K, theory and practice. NIPS 18.
#' @seealso [rmekl()], [predict.rmekl()]
#' @examples
#' fit <- svm2k(Species ~ ., iris, cost = 1, D = 0.5)
#' fit
#' # one view of the sepals, one of the petals
#' svm2k(Species ~ ., iris, cost = 1, D = 0.5, kernels = list(
#'   list(kernel = "radial", columns = 1:2), list(kernel = "radial", columns = 3:4)
#' ))
#' @export
svm2k <- function(x, ...) UseMethod("svm2k")

#' @rdname svm2k
#' @export
svm2k.formula <- function(formula, data = NULL, ..., subset, weights, na.action = stats::na.fail) {
  fit_formula("svm2k", svm2k.default, match.call(), environment(), list(...))
}

#' @rdname svm2k
#' @export
svm2k.default <- function(x, y, kernels = c("linear", "radial"), cost = NULL, D = NULL,
                          balance = c(1, 1), epsilon = 0, bias = c("penalized", "free"),
                          rbf.scale = c("variance", "sigma"), multiclass = c("ovo", "ovr"),
                          xi = 1e-3, max.iter = 100, folds = 5,
                          scale = "range", weights = NULL, class.weights = NULL,
                          probability = FALSE, type = c("auto", "classification"), threads = NULL,
                          memory = NULL, device = c("auto", "cpu", "cuda"),
                          verbose = getOption("flexkern.verbose", interactive()), seed = NULL,
                          na.action = stats::na.fail, ...) {
  call <- match.call()
  check_fit_call("svm2k", svm2k.default, missing(x), list(...))
  s <- mekl_settings(mekl_arguments(svm2k.default, environment()), "svm2k",
                     !missing(folds))
  s$basis <- "full"
  input <- fit_input(x, y, weights, na.action, missing(weights) && missing(na.action))
  with_call(mekl_fit(input, s), "svm2k", call)
}
