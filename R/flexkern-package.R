#' flexkern: flexible kernel machines
#'
#' A single global Gaussian kernel is stiff: one width serves every region of the input space. This
#' package loosens it. [vpsvm()] splits the space into Voronoi cells and gives each cell its own
#' width and penalty, chosen by cross-validation. Every fitter follows the habits of \pkg{e1071}
#' and \pkg{randomForest}: a formula or `x` and `y`, factors for classification, numbers for
#' regression, `predict(type = )`, `print`, `summary` and `plot`.
#'
#' @section Conventions:
#' * The Gaussian kernel is \eqn{\exp(-\gamma |u - v|^2)}; `gamma` means this everywhere.
#' * The penalty is `lambda` in \eqn{\lambda |f|^2 + } mean loss; [rmekl()] alone keeps its paper's
#'   letters.
#' * Every random choice follows [set.seed()]; the result does not depend on the number of threads.
#' * Errors have the class `flexkern_error`, with the name of the argument in `$arg`.
#'
#' @section Options:
#' `flexkern.threads` (2), `flexkern.memory` (bytes; half of the machine's memory) and
#' `flexkern.verbose` ([interactive()]); see [flexkern_config()].
#'
#' @references Eberts, M. and Steinwart, I. Optimal learning rates for localized SVMs.
#'   arXiv:1507.06615.
#' @useDynLib flexkern, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom Matrix sparseMatrix
#' @importFrom stats coef fitted formula model.frame nobs predict residuals update
#' @keywords internal
"_PACKAGE"
